package snippet

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"svc.example/understudy/specs/recording"
)

// Python returns a script for Python 3 that sends the request of an exchange again, and prints the status and the body
// of the answer. It needs the standard library alone. Each secret is read from a variable of the environment: KEY, KEY2
// and so on. An error means that no client could send the request.
func Python(e *recording.Exchange, opts ...Option) (string, error) {
	c, s := newConfig(opts), &secrets{}
	r, err := c.request(e)
	if err != nil {
		return "", err
	}
	connection, calls := c.pythonCalls(r, s)
	var b strings.Builder
	b.WriteString(commented("#", c.notes(e, saveBody)) + "import http.client\n")
	if len(s.marks) > 0 {
		b.WriteString("import os\n")
	}
	b.WriteString("import sys\n")
	if strings.Contains(calls, "urllib.parse.") {
		b.WriteString("import urllib.parse\n")
	}
	b.WriteString("\n")
	for _, name := range s.variables() {
		fmt.Fprintf(&b, "%s = os.environ[\"%s\"]  # a secret that the recording hides\n", name, name)
	}
	b.WriteString(connection + calls)
	b.WriteString("answer = connection.getresponse()\nprint(answer.status, answer.reason, flush=True)\n" +
		"sys.stdout.buffer.write(answer.read())\n")
	return b.String(), nil
}

// pythonCalls returns the lines that make the connection, and those that send the request.
func (c *config) pythonCalls(r *request, s *secrets) (connection, calls string) {
	kind := "HTTPConnection"
	if strings.EqualFold(r.url.Scheme, "https") {
		kind = "HTTPSConnection"
	}
	connection = "connection = http.client." + kind + "(" + pythonText(r.url.Host) + ", timeout=60)\n"
	var b strings.Builder
	fmt.Fprintf(&b, "connection.putrequest(%s, %s, skip_accept_encoding=True)\n", pythonText(r.method),
		s.pythonSum(r.url.RequestURI(), pythonText, ""))
	for _, h := range r.headers {
		value := s.pythonSum(h[1], pythonText, "")
		if !isASCII(h[1]) {
			value = s.pythonSum(h[1], pythonBytes, ".encode()")
		}
		fmt.Fprintf(&b, "connection.putheader(%s, %s)\n", pythonText(h[0]), value)
	}
	switch {
	case len(r.body) == 0:
		b.WriteString("connection.endheaders()\n")
		return connection, b.String()
	case c.isLong(r.body):
		fmt.Fprintf(&b, "with open(%s, \"rb\") as file:\n    body = file.read()\n", pythonText(c.bodyFile))
	default:
		b.WriteString("body = " + s.pythonBody(r.body))
	}
	b.WriteString("connection.putheader(\"Content-Length\", str(len(body)))\nconnection.endheaders(body)\n")
	return connection, b.String()
}

// pythonBody returns a body as an expression of bytes, one line of a text after the other.
func (s *secrets) pythonBody(body []byte) string {
	lines := strings.SplitAfter(string(body), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 1 {
		return s.pythonSum(lines[0], pythonBytes, ".encode()") + "\n"
	}
	var b strings.Builder
	b.WriteString("b\"\".join([\n")
	for _, line := range lines {
		b.WriteString("    " + s.pythonSum(line, pythonBytes, ".encode()") + ",\n")
	}
	return b.String() + "])\n"
}

// pythonSum returns a text as a sum of literals and variables.
func (s *secrets) pythonSum(text string, literal func(string) string, suffix string) string {
	var terms []string
	for _, p := range s.split(text) {
		switch {
		case p.secret == 0:
			terms = append(terms, literal(p.text))
		case p.isEscaped:
			terms = append(terms, `urllib.parse.quote(`+variable(p.secret)+`, safe="")`+suffix)
		default:
			terms = append(terms, variable(p.secret)+suffix)
		}
	}
	if len(terms) == 0 {
		return literal("")
	}
	return strings.Join(terms, " + ")
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return c >= utf8.RuneSelf })
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
