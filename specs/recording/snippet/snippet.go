// Package snippet writes the request of a recorded exchange as text that sends it again: a command for a shell, a test
// in Go, a script in Python, and the steps of a story.
//
// Secrets that a recording has replaced by marks stay out of the text. In their place stands a variable, or a key that
// every scenario of the mock has. Text of a recording never ends the literal in which it stands, and control characters
// are escaped, so that a snippet can be pasted into a terminal.
package snippet

import (
	"fmt"
	"strings"
	"text/template"
	"unicode"
	"unicode/utf8"

	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// Option changes how a snippet is written.
type Option func(*config)

type config struct {
	address  string
	scenario string
	brand    specs.Brand
	bodyFile string
	maxBody  int
}

// WithAddress sets the server to which Curl and Python send the request, such as http://127.0.0.1:4010. It replaces the
// scheme and the host of the recorded address; a path in it stands before the recorded one. The default is the recorded
// address.
func WithAddress(url string) Option { return func(c *config) { c.address = url } }

// WithScenario sets the scenario in which the mock of GoTest begins. The default is that of the mock.
func WithScenario(name string) Option { return func(c *config) { c.scenario = name } }

// WithBrand sets the brand of the platform, by whose documents GoTest and StoryStep read addresses. The default is
// specs.Neutral.
func WithBrand(brand specs.Brand) Option { return func(c *config) { c.brand = brand } }

// WithBodyFile lets a snippet read a body of more than limit bytes from a file, which it names in a comment. Without
// it, each body stands in the snippet as a whole.
func WithBodyFile(name string, limit int) Option {
	return func(c *config) { c.bodyFile, c.maxBody = name, limit }
}

func newConfig(opts []Option) *config {
	c := &config{brand: specs.Neutral}
	for _, opt := range opts {
		opt(c)
	}
	return c
}

// isLong reports whether a body stands in a file.
func (c *config) isLong(body []byte) bool { return c.bodyFile != "" && len(body) > c.maxBody }

// bodyOf returns the bytes of a request's body, if it has any.
func bodyOf(e *recording.Exchange) []byte {
	if e.Request.Body == nil {
		return nil
	}
	return e.Request.Body.Bytes
}

// notes returns the differences of the request of a snippet from the recorded one, a sentence each. What a reader does
// with a long body has a verb for the name of its file.
func (c *config) notes(e *recording.Exchange, longBody string) (notes []string) {
	body := e.Request.Body
	if body != nil && body.Truncated {
		notes = append(notes, "The recording has only the beginning of its body.")
	}
	if body != nil && c.isLong(body.Bytes) {
		notes = append(notes, fmt.Sprintf("Its body has %d bytes: "+longBody+".", len(body.Bytes), c.bodyFile))
	}
	return notes
}

const saveBody = "save it as %s first"

// commented returns sentences as comments, one a line.
func commented(sign string, notes []string) string {
	var b strings.Builder
	for _, note := range notes {
		b.WriteString(sign + " " + note + "\n")
	}
	return b.String()
}

// program holds what the template of a language shows. Texts are in the syntax of that language, but for names.
type program struct {
	Notes, Method, Address, Body, BodyFile string

	Headers []string // names and values, separated by a comma
	Secrets []string // the variables for them

	HasEscapes bool // variables in addresses

	Host, Connection string // of Python

	Name, Options, Key, StatusName string // of Go
	Seq                            int64
	Status                         int             // 0 without an answer
	Rows                           []string        // what is wanted of the answer
	Hidden                         map[string]bool // the variables for secrets that are not in headers
}

func (p program) filled(text string, s *secrets) string {
	p.Secrets, p.HasEscapes = s.variables(), s.hasEscapes
	var b strings.Builder
	parsed := template.Must(template.New("").Funcs(template.FuncMap{"lower": strings.ToLower}).Parse(text))
	if err := parsed.Execute(&b, p); err != nil {
		panic(err) // a builder takes everything, and the templates fit a program
	}
	return b.String()
}

// isHidden reports whether a character could change how a page or a terminal shows the text around it.
func isHidden(c rune) bool {
	return c != '\n' && (unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c))
}

// isPlain reports whether a text is UTF-8 that a page shows as it is.
func isPlain(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, isHidden)
}
