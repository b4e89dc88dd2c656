// Package evidence shows exchanges on pages: the report of a check, that of a comparison, and the console share how a
// request and its response look, and the styles of all else.
package evidence

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/specs/recording"
)

// Templates defines the templates "body", of a *Body, and "message", of a *Message.
//
//go:embed evidence.html
var Templates string

// Styles are those that all pages share.
//
//go:embed evidence.css
var Styles string

// Message is a request or a response.
type Message struct {
	Headers []Header
	Body    *Body // nil if there is none
}

// Header is a line of a message's header.
type Header struct {
	Name, Value string
	Marked      bool // the pointer is to this one
}

// View returns a request or a response for a page. The pointer is to a place in the exchange, such as
// /response/body/items/0, which is marked if it is on this side: /request or /response. A header that it misses has a
// line of its own.
func View(headers recording.Headers, body *recording.Body, pointer, side string) *Message {
	m := &Message{}
	missing := ""
	if IsBelow(pointer, side+"/headers") {
		missing = strings.TrimPrefix(strings.TrimPrefix(pointer, side+"/headers"), "/")
	}
	for _, h := range headers {
		line := Header{Name: Plain(h[0]), Value: Short(Plain(h[1]), MaxLine)}
		if missing != "" && strings.EqualFold(h[0], strings.TrimPrefix(pointer, side+"/headers/")) {
			line.Marked, missing = true, ""
		}
		m.Headers = append(m.Headers, line)
	}
	if missing != "" {
		m.Headers = append(m.Headers, Header{Name: Plain(missing), Value: "(not there)", Marked: true})
	}
	m.Body = viewBody(body, strings.TrimPrefix(pointer, side+"/body"), IsBelow(pointer, side+"/body"))
	return m
}

// IsBelow reports whether a JSON pointer is to a place, or to one in it.
func IsBelow(pointer, root string) bool {
	return pointer == root || strings.HasPrefix(pointer, root+"/")
}

// Class returns the class of a status by which pages colour it: s2, s4, and so on; none without one.
func Class(status int) string {
	if status < 100 || status > 599 {
		return "none"
	}
	return fmt.Sprintf("s%d", status/100)
}

// MaxLine is the number of characters of a line that a page shows.
const MaxLine = 400

// Limits of a body on a page.
const (
	maxBodyLines  = 60
	aroundMark    = 8
	maxBinaryShow = 64
)

// Line is a line of a body.
type Line struct {
	Spans  []Span
	Marked bool // the finding is about this one
	Gap    int  // lines left out in its place
}

// Span is a piece of a line: a key, a text, a number, a literal, or punctuation, which has no kind.
type Span struct{ Kind, Text string }

// Body is a body as a page shows it.
type Body struct {
	Lines []Line
	Note  string
}

// viewBody shows a body: JSON with its structure laid open and the place of the fault marked, other text as it is,
// bytes as bytes. The path is a pointer into the body, and has no meaning when isMarked is false.
func viewBody(b *recording.Body, path string, isMarked bool) *Body {
	if b == nil {
		return nil
	}
	view := &Body{}
	if b.Truncated {
		view.Note = "only the beginning of the body was recorded"
	}
	switch {
	case len(b.Bytes) == 0:
		view.Note = "empty"
	case !utf8.Valid(b.Bytes) && !b.Truncated:
		view.Note = fmt.Sprintf("%d bytes that are not text, beginning with:", len(b.Bytes))
		view.Lines = []Line{{Spans: []Span{{Text: fmt.Sprintf("% x", b.Bytes[:min(len(b.Bytes), maxBinaryShow)])}}}}
	default:
		view.Lines = jsonLines(b.Bytes, path, isMarked)
		if view.Lines == nil {
			view.Lines = textLines(strings.ToValidUTF8(string(b.Bytes), "\uFFFD"))
		}
	}
	view.Lines = folded(view.Lines)
	return view
}

func textLines(text string) []Line {
	var lines []Line
	for line := range strings.SplitSeq(Visible(text), "\n") {
		lines = append(lines, Line{Spans: []Span{{Text: Short(line, MaxLine)}}})
	}
	return lines
}

// jsonLines formats JSON, or returns nil if the text is not JSON.
func jsonLines(text []byte, path string, isMarked bool) []Line {
	indented, err := jsontext.AppendFormat(nil, text, jsontext.WithIndent("  "), jsontext.AllowDuplicateNames(true),
		jsontext.PreserveRawStrings(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil
	}
	w := &layout{text: indented, marked: -1, lines: []Line{{}}}
	w.d = jsontext.NewDecoder(bytes.NewBuffer(indented), jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true))
	w.walk(path)
	if isMarked && w.marked >= 0 {
		w.lines[w.marked].Marked = true
	}
	return w.lines
}

// layout divides indented JSON into lines of spans, and finds the line that a path leads to, or the nearest above it.
type layout struct {
	d      *jsontext.Decoder
	text   []byte
	done   int // bytes in lines
	lines  []Line
	marked int
	depth  int // tokens of the path to the marked line
}

func (w *layout) walk(path string) {
	for {
		isName := false
		if kind, n := w.d.StackIndex(w.d.StackDepth()); kind == '{' && n%2 == 0 && w.d.PeekKind() == '"' {
			isName = true
		}
		token, err := w.d.ReadToken()
		if err != nil {
			w.put("", w.text[w.done:])
			return
		}
		end := int(w.d.InputOffset())
		start := w.done + len(w.text[w.done:end]) - len(bytes.TrimLeft(w.text[w.done:end], " \n\t,:"))
		w.put("", w.text[w.done:start])
		at := string(w.d.StackPointer())
		if depth := strings.Count(at, "/") + 1; leadsTo(at, path) && depth > w.depth {
			w.marked, w.depth = len(w.lines)-1, depth
		}
		w.put(kindOf(token.Kind(), isName), w.text[start:end])
	}
}

// leadsTo reports whether a place is the one of a path, or above it.
func leadsTo(at, path string) bool { return at == path || strings.HasPrefix(path, at+"/") }

func kindOf(kind jsontext.Kind, isName bool) string {
	switch {
	case isName:
		return "k"
	case kind == '"':
		return "s"
	case kind == '0':
		return "n"
	case kind == 't' || kind == 'f' || kind == 'n':
		return "l"
	}
	return ""
}

// put adds a piece of text, which may have line breaks.
func (w *layout) put(kind string, text []byte) {
	w.done += len(text)
	for i, part := range bytes.Split(text, []byte("\n")) {
		if i > 0 {
			w.lines = append(w.lines, Line{})
		}
		if len(part) > 0 {
			line := &w.lines[len(w.lines)-1]
			line.Spans = append(line.Spans, Span{kind, Short(Plain(strings.ToValidUTF8(string(part), "\uFFFD")), MaxLine)})
		}
	}
}

// folded leaves out lines of a long body: all but its beginning and what is around the mark.
func folded(lines []Line) []Line {
	if len(lines) <= maxBodyLines {
		return lines
	}
	mark := slices.IndexFunc(lines, func(l Line) bool { return l.Marked })
	head := maxBodyLines
	if mark >= 0 {
		head = aroundMark
	}
	var out []Line
	gap := 0
	for i := range lines {
		if i >= head && (mark < 0 || i < mark-aroundMark || i > mark+aroundMark) {
			gap++
			continue
		}
		if gap > 0 {
			out, gap = append(out, Line{Gap: gap}), 0
		}
		out = append(out, lines[i])
	}
	if gap > 0 {
		out = append(out, Line{Gap: gap})
	}
	return out
}

// Plain returns a text of a stranger's on one line, without what would change how the rest is shown: control
// characters, and those that change the direction of writing.
func Plain(text string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == '\n', c == '\t', c == '\r':
			return ' '
		case IsHidden(c):
			return unicode.ReplacementChar
		}
		return c
	}, text)
}

// IsHidden reports whether a character is a control character, or changes the direction of writing.
func IsHidden(c rune) bool { return unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) }

// Visible returns a text as Plain does, with its lines.
func Visible(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = Plain(line)
	}
	return strings.Join(lines, "\n")
}

// Number returns a number with its digits in groups of three.
func Number(n any) string {
	digits := fmt.Sprint(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "\u202f" + digits[at:]
	}
	return digits
}

// Short returns the beginning of a text, at most so many runes of it.
func Short(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
