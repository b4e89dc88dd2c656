package snippet

import (
	_ "embed" // the template
	"fmt"
	"strings"
	"unicode/utf8"

	"svc.example/understudy/specs/recording"
)

//go:embed python.tmpl
var pythonTemplate string

// Python returns a script for Python 3 that sends the request of an exchange again, and prints the status and the body
// of the answer. It needs the standard library alone. Each secret is read from a variable of the environment: KEY, KEY2
// and so on. An error means that no client could send the request.
func Python(e *recording.Exchange, opts ...Option) (string, error) {
	c, s := newConfig(opts), &secrets{}
	r, err := c.request(e)
	if err != nil {
		return "", err
	}
	p := program{
		Notes: commented("#", c.notes(e, saveBody)), Host: pythonText(r.url.Host), Method: pythonText(r.method),
		Address: s.pythonSum(r.url.RequestURI(), pythonText, ""), Connection: "HTTPConnection",
	}
	if strings.EqualFold(r.url.Scheme, "https") {
		p.Connection = "HTTPSConnection"
	}
	for _, h := range r.headers {
		value := s.pythonSum(h[1], pythonText, "")
		if strings.ContainsFunc(h[1], func(c rune) bool { return c >= utf8.RuneSelf }) {
			value = s.pythonSum(h[1], pythonBytes, ".encode()")
		}
		p.Headers = append(p.Headers, pythonText(h[0])+", "+value)
	}
	switch {
	case c.isLong(r.body):
		p.BodyFile = pythonText(c.bodyFile)
	case len(r.body) > 0:
		p.Body = s.pythonBody(r.body)
	}
	return p.filled(pythonTemplate, s), nil
}

// pythonBody returns a body as an expression of bytes, one line of a text after the other.
func (s *secrets) pythonBody(body []byte) string {
	lines := strings.SplitAfter(strings.TrimSuffix(string(body), "\n"), "\n")
	if body[len(body)-1] == '\n' {
		lines[len(lines)-1] += "\n"
	}
	for i, line := range lines {
		lines[i] = s.pythonSum(line, pythonBytes, ".encode()")
	}
	if len(lines) == 1 {
		return lines[0]
	}
	return "b\"\".join([\n    " + strings.Join(lines, ",\n    ") + ",\n])"
}

// pythonSum returns a text as a sum of literals and variables.
func (s *secrets) pythonSum(text string, literal func(string) string, suffix string) string {
	return s.sum(text, " + ", literal, func(name string, isEscaped bool) string {
		if isEscaped {
			return "urllib.parse.quote(" + name + `, safe="")` + suffix
		}
		return name + suffix
	})
}

// pythonText returns a text of ASCII as a literal, in the quotes that need fewer escapes.
func pythonText(text string) string {
	quote := `"`
	if strings.Count(text, `"`) > strings.Count(text, "'") {
		quote = "'"
	}
	var b strings.Builder
	b.WriteString(quote)
	for _, c := range []byte(text) {
		switch {
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '\\' || c == quote[0]:
			b.WriteString(`\` + string(rune(c)))
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + quote
}

// pythonBytes returns bytes as a literal.
func pythonBytes(text string) string { return "b" + pythonText(text) }
