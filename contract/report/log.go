package report

import (
	"io"
	"strings"
	"sync"
)

// GitHub Actions reads every line that a step prints. One that begins with ::, after white space, is a workflow
// command, and so is one that holds ##[ anywhere.

// LogWriter returns a writer to w in whose lines no workflow command stands. The colon and the bracket that would
// complete one are written as \: and \u005b, so that a line of JSON stays JSON; everything else is written unchanged
// and at once. It is safe for concurrent use.
func LogWriter(w io.Writer) io.Writer { return textSpelling.guard(w) }

// LogText returns a text as LogWriter writes it.
func LogText(text string) string { return textSpelling.text(text) }

// spelling holds the characters that replace the second colon and the bracket of a workflow command in a format.
type spelling struct{ colon, bracket string }

var (
	textSpelling     = spelling{`\:`, `\u005b`}
	markdownSpelling = spelling{`\:`, `\[`}
	jsonSpelling     = spelling{`\u003a`, `\u005b`}
	markupSpelling   = spelling{"&#58;", "&#91;"}
)

func (s spelling) guard(w io.Writer) io.Writer { return &guard{w: w, spelling: s, isStart: true} }

func (s spelling) text(text string) string {
	var b strings.Builder
	_, _ = s.guard(&b).Write([]byte(text))
	return b.String()
}

// guard writes byte by byte, and remembers the beginning of the line.
type guard struct {
	spelling

	mu      sync.Mutex
	w       io.Writer
	isStart bool // the line has nothing but white space yet, and a colon if colon is true
	colon   bool
	hashes  int // how many there are right before the next byte, at most two
}

func (g *guard) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	from := 0
	for i, c := range p {
		instead := g.next(c)
		if instead == "" {
			continue
		}
		if n, err := g.w.Write(p[from:i]); err != nil {
			return from + n, err
		}
		if _, err := io.WriteString(g.w, instead); err != nil {
			return i, err
		}
		from = i + 1
	}
	n, err := g.w.Write(p[from:])
	return from + n, err
}

// next returns the replacement of the next byte if that would complete a command.
func (g *guard) next(c byte) (instead string) {
	switch {
	case c == '\n' || c == '\r':
		g.isStart, g.colon, g.hashes = true, false, 0
	case isUnseen(c):
	case c == ' ' || c == '\t':
		g.isStart, g.hashes = g.isStart && !g.colon, 0
	case c == ':' && g.isStart:
		if g.colon {
			g.isStart, instead = false, g.spelling.colon
		}
		g.colon, g.hashes = true, 0
	case c == '#':
		g.isStart, g.hashes = false, min(2, g.hashes+1)
	default:
		if c == '[' && g.hashes == 2 {
			instead = g.bracket
		}
		g.isStart, g.hashes = false, 0
	}
	return instead
}

// isUnseen reports whether a byte may belong to an invisible character, which the runner may skip or take for white
// space. An escape does not: it begins the colours of a terminal.
func isUnseen(c byte) bool {
	const escape = 0x1b
	return c != escape && c != '\t' && c < ' ' || c >= 0x7f
}
