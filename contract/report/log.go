package report

import (
	"io"
	"strings"
	"sync"
)

// GitHub Actions reads every line that a step prints. One that begins with ::, after white space, is a workflow
// command, and so is one that holds ##[ anywhere.

// LogWriter returns a writer that takes no line for a workflow command: the second colon and the bracket that would
// make one are written as \: and \u005b, which JSON reads as well. Everything else is written as it is, and at
// once. It is safe for concurrent use.
func LogWriter(w io.Writer) io.Writer { return inTextOf.guard(w) }

// LogText is a text as LogWriter writes it.
func LogText(text string) string { return inTextOf.text(text) }

// spelling is how a form of text spells the second colon and the bracket of a workflow command, if they must not stand
// there as they are.
type spelling struct{ colon, bracket string }

var (
	inTextOf     = spelling{`\:`, `\u005b`}
	inMarkdownOf = spelling{`\:`, `\[`}
	inJSONOf     = spelling{`\u003a`, `\u005b`}
	inMarkupOf   = spelling{"&#58;", "&#91;"}
)

func (s spelling) guard(w io.Writer) io.Writer { return &guard{w: w, spelling: s, isStart: true} }

func (s spelling) text(text string) string {
	var b strings.Builder
	_, _ = s.guard(&b).Write([]byte(text))
	return b.String()
}

// guard looks at what it writes byte by byte, and remembers what it has seen of the line.
type guard struct {
	spelling

	mu      sync.Mutex
	w       io.Writer
	isStart bool // nothing is in the line yet but white space
	colon   bool // but for one colon
	hashes  int  // how many of them, at most two, come before the next byte
}

// Write implements io.Writer.
func (g *guard) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	from := 0
	for i, c := range p {
		instead := g.see(c)
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

// see returns what must stand in the place of the next byte, if it would make a command.
func (g *guard) see(c byte) (instead string) {
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

// isUnseen reports whether a byte may belong to a character that one does not see. Whoever looks for commands may skip
// those, or take them for white space. An escape begins the colours of a terminal.
func isUnseen(c byte) bool {
	const escape = 0x1b
	return c != escape && c != '\t' && c < ' ' || c >= 0x7f
}
