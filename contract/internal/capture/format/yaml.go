package format

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/capture/tree"
)

var firstLine = regexp.MustCompile(`^(---|#|%YAML|["']?[A-Za-z_][\w .-]*["']?[ \t]*:([ \t\r\n]|$))`)

// isYAML reports whether the input begins as a mapping in YAML does.
func isYAML(h *record.Head) bool {
	line, _, _ := bytes.Cut(bytes.TrimLeft(h.Text, " \t\r\n"), []byte{'\n'})
	return firstLine.Match(line) && bytes.IndexByte(line, 0) < 0
}

// cassette cuts a cassette in YAML into its interactions, by their indentation: what belongs to an item of a list is
// indented deeper than its dash. So one that is broken does not take others along, and only one is in memory.
type cassette struct {
	*record.Input
	yield   func(record.Raw, error) bool
	anchors anchors
	number  int

	part     part
	outer    part            // in which a document begins: before its list, or within what is nothing else
	indent   int             // of the dashes, -1 before the first one
	ruby     bool            // the list is Ruby VCR's
	place    record.Position // of the item under way
	item     bytes.Buffer    // the item under way
	size     int             // of it, also when it is too large to be kept
	open     bool            // there is an item under way
	problems int             // that were reported
	found    bool
}

type part int

const (
	before part = iota // the list has not begun
	within
	after
)

// readCassette yields the interactions of a cassette. It is false when yield was.
func readCassette(in *record.Input, yield func(record.Raw, error) bool) bool {
	return (&cassette{Input: in, yield: yield, indent: -1}).read()
}

func (c *cassette) read() bool {
	err := c.lines()
	switch {
	case errors.Is(err, errStop):
		return false
	case err != nil:
		return c.yield(record.Raw{}, c.Broken(err))
	}
	if err := c.end(); err != nil {
		return false
	}
	return true
}

// lines reads to the end, in slices of what is buffered. Only the beginning of a line decides where it belongs.
func (c *cassette) lines() error {
	begins := true
	for {
		place := c.Input.Place()
		chunk, err := c.Reader.ReadSlice('\n')
		c.Offset += int64(len(chunk))
		if err == nil {
			c.LineNumber++
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) && !errors.Is(err, io.EOF) {
			return err
		}
		if begins && len(chunk) > 0 {
			if err := c.begin(chunk, place); err != nil {
				return err
			}
		}
		c.keep(chunk)
		if errors.Is(err, io.EOF) {
			return nil
		}
		begins = err == nil
	}
}

func (c *cassette) keep(chunk []byte) {
	if !c.open {
		return
	}
	if c.size += len(chunk); c.size > record.MaxEntry {
		c.item.Reset()
		return
	}
	c.item.Write(chunk)
}

var (
	topKey     = regexp.MustCompile(`^["']?([A-Za-z_][\w.-]*)["']?[ \t]*:(?:[ \t]+(.*?))?[ \t]*\r?\n?$`)
	propertyOf = regexp.MustCompile(`^(?:[!&][^\s]*[ \t]*)*`)
)

// begin looks at the beginning of a line and opens and closes what begins and ends there.
func (c *cassette) begin(line []byte, place record.Position) error {
	text := bytes.TrimLeft(line, " ")
	column := len(line) - len(text)
	if blank := bytes.TrimSpace(text); len(blank) == 0 || c.part != within && blank[0] == '#' {
		return nil
	}
	dash := text[0] == '-' && (len(text) == 1 || bytes.IndexByte([]byte(" \t\r\n"), text[1]) >= 0)
	switch {
	case dash && c.part != before && (c.indent < 0 || column == c.indent):
		c.part, c.indent = within, column
		return c.next(place)
	case c.part == within && column > c.indent && c.open:
		return nil
	case c.part == within && text[0] == '#':
		return nil
	case bytes.HasPrefix(line, []byte("---")), string(bytes.TrimSpace(line)) == "...":
		return c.document()
	}
	return c.member(line, place, column)
}

// document begins another document, as in cassettes that were put one behind the other.
func (c *cassette) document() error {
	if err := c.finish(false); err != nil {
		return err
	}
	c.part, c.indent, c.anchors = c.outer, -1, anchors{}
	return nil
}

// member takes a line on the top level: a member of the cassette, or something that does not belong there.
func (c *cassette) member(line []byte, place record.Position, column int) error {
	if c.part == within {
		if err := c.finish(false); err != nil {
			return err
		}
		c.part = after
	}
	m := topKey.FindSubmatch(line)
	if column > 0 || m == nil {
		if c.part == before || column > 0 {
			return nil // it belongs to a member that does not matter
		}
		problem := &record.ReadError{
			Position: place, Kind: record.Malformed,
			Err: fmt.Errorf("unexpected %.40q", bytes.TrimSpace(line)),
		}
		return c.yieldProblem(problem)
	}
	key, rest := string(m[1]), propertyOf.ReplaceAll(m[2], nil)
	if key != interactions && key != httpInteractions {
		return nil
	}
	c.found, c.ruby = true, key == httpInteractions
	switch {
	case len(rest) == 0 || rest[0] == '#':
		c.part, c.indent = within, -1
	case rest[0] == '[':
		return c.flow(rest)
	}
	return nil
}

func (c *cassette) yieldProblem(problem error) error {
	c.problems++
	if !c.yield(record.Raw{}, problem) {
		return errStop
	}
	return nil
}

// next ends an item and begins another one.
func (c *cassette) next(place record.Position) error {
	if err := c.finish(false); err != nil {
		return err
	}
	c.number++
	c.place, c.open = place, true
	return nil
}

// finish yields the item under way.
func (c *cassette) finish(cut bool) error {
	if !c.open {
		return nil
	}
	c.open = false
	size := c.size
	raw := bytes.Clone(c.item.Bytes())
	c.size = 0
	if c.item.Reset(); c.item.Cap() > maxKept {
		c.item = bytes.Buffer{}
	}
	switch {
	case size > record.MaxEntry:
		return c.yieldProblem(&record.ReadError{Position: c.place, Kind: record.TooLarge, Err: record.ErrTooLarge})
	case size > maxPlain && tree.ExceedsNodeLimit(raw):
		return c.yieldProblem(&record.ReadError{Position: c.place, Kind: record.TooLarge, Err: tree.ErrTooManyNodes})
	}
	entry := record.Raw{Position: c.place, Bytes: c.anchors.resolve(raw), Decoder: decodeInteraction}
	isShort := false
	if cut {
		var err error
		if entry, err = c.last(entry); err == nil {
			isShort = len(entry.Bytes) < len(bytes.TrimRight(raw, " ")) || len(entry.Bytes) < len(raw) && lacksBody(entry.Bytes)
		} else {
			return c.yieldProblem(c.Problem(record.Truncated,
				fmt.Errorf("the cassette ends within interaction %d: %w", c.number, err)))
		}
	}
	if !c.yield(entry, nil) {
		return errStop
	}
	if isShort {
		return c.yieldProblem(c.Problem(record.Truncated,
			fmt.Errorf("the cassette is cut off here, behind interaction %d", c.number)))
	}
	return nil
}

const (
	maxKept  = 1 << 20 // of a buffer that is used again
	maxPlain = 1 << 20 // what is no longer cannot cost too much, whatever is in it
)

// end takes what is under way at the end of the file, which a kill may have cut.
func (c *cassette) end() error {
	if !c.found {
		return c.yieldProblem(c.Problem(record.NoRecording, record.ErrNoList))
	}
	if c.part != within || !c.open {
		return nil
	}
	n := c.problems
	if err := c.finish(true); err != nil || c.problems > n || !c.ruby {
		return err
	}
	return c.yieldProblem(c.Problem(record.Truncated,
		fmt.Errorf("the cassette is cut off here, after %d interactions", c.number)))
}
