package format

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v4"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/capture/tree"
	"svc.example/understudy/internal/routine"
)

func decodeInteraction(r record.Raw) (record.Item, error) {
	v, err := parseInteraction(r.Bytes)
	if err != nil {
		return record.Item{}, r.Malformed(relocated(err, r))
	}
	return interaction(r, v)
}

// parseInteraction reads a list, of which the last item is the interaction. The others are what it refers to.
func parseInteraction(raw []byte) (tree.Value, error) {
	items, err := parseList(raw)
	if err != nil {
		return tree.Value{}, err
	}
	return new(tree.Builder).OfYAML(items[len(items)-1], 0)
}

// parseList reads a list of items in YAML.
func parseList(raw []byte) (items []*yaml.Node, err error) {
	doc, err := parseYAML(raw)
	if err != nil {
		return nil, err
	}
	if doc.Content[0].Kind != yaml.SequenceNode || len(doc.Content[0].Content) == 0 {
		return nil, errors.New("not a list item")
	}
	return doc.Content[0].Content, nil
}

// parseYAML reads a document in YAML, which is not empty.
func parseYAML(raw []byte) (*yaml.Node, error) {
	var doc yaml.Node
	err := routine.Try(func() error { return yaml.Unmarshal(raw, &doc) })
	// What the parser does not survive, the recording must not end with.
	if _, ok := errors.AsType[*routine.PanicError](err); ok {
		err = fmt.Errorf("the YAML parser failed: %s", routine.Brief(err))
	}
	if err == nil && len(doc.Content) != 1 {
		err = errors.New("not a list item")
	}
	return &doc, err
}

var position = regexp.MustCompile(`(?:go-yaml )?load error in \w+ (?:\([^)]*\) )?at L(\d+)\.C(\d+)`)

// relocated returns an error that says where in the file an error is, instead of where in the interaction.
func relocated(err error, r record.Raw) error {
	m := position.FindStringSubmatchIndex(err.Error())
	if m == nil {
		return err
	}
	text := err.Error()
	line, _ := strconv.Atoi(text[m[2]:m[3]])
	lines := bytes.Count(bytes.TrimSuffix(r.Bytes, []byte("\n")), []byte("\n")) + 1
	line = r.Line + max(0, min(line, lines)-1)
	return fmt.Errorf("%sline %d, column %s%s", text[:m[0]], line, text[m[4]:m[5]], text[m[1]:])
}

// maxWhole bounds a list that cannot be read in parts.
const maxWhole = record.MaxEntry

// flow reads a list that is written as [item, item], whose items indentation does not separate: the whole of it at
// once.
func (c *cassette) flow(rest []byte) error {
	place := c.Input.Place()
	whole := append(bytes.Clone(rest), '\n')
	tail, err := io.ReadAll(io.LimitReader(c.Reader, maxWhole+1))
	if err != nil {
		return err
	}
	if whole = append(whole, tail...); len(whole) > maxWhole {
		return c.yieldProblem(&record.ReadError{
			Position: place, Kind: record.Malformed,
			Err: fmt.Errorf("the interactions are written as [a, b], "+
				"which cannot be read in parts and is limited to %d MiB: save them as a block list", maxWhole>>20),
		})
	}
	if tree.ExceedsNodeLimit(whole) {
		return c.yieldProblem(&record.ReadError{Position: place, Kind: record.TooLarge, Err: tree.ErrTooManyNodes})
	}
	c.part = after
	c.Offset += int64(len(tail))
	var doc yaml.Node
	indented := append([]byte("list: "), whole...)
	if err := yaml.Unmarshal(indented, &doc); err != nil {
		return c.yieldProblem(&record.ReadError{Position: place, Kind: record.Malformed, Err: err})
	}
	return c.flowItems(doc.Content[0].Content[1], place)
}

func (c *cassette) flowItems(list *yaml.Node, place record.Position) error {
	for _, n := range list.Content {
		c.number++
		at := place
		at.Line = place.Line + max(0, n.Line-2)
		v, err := new(tree.Builder).OfYAML(n, 0)
		record := record.Raw{Position: at, Decoder: func(r record.Raw) (record.Item, error) {
			if err != nil {
				return record.Item{}, r.Malformed(err)
			}
			return interaction(r, v)
		}}
		if !c.yield(record, nil) {
			return errStop
		}
	}
	return nil
}
