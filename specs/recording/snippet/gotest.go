package snippet

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// GoTest returns a file of Go with a test that sends the request of an exchange to a mock in its own process, made by
// mockserver.NewTransport, and wants the recorded status and the beginning of a recorded JSON body. A key that the
// recording hides is that of the administrator; any other secret is read from a variable of the environment.
//
// The mock is as its scenario begins, without what earlier requests have changed. An error means that no mock could
// serve the request.
func GoTest(e *recording.Exchange, opts ...Option) (string, error) {
	c := newConfig(opts)
	r, err := c.request(e)
	if err != nil {
		return "", err
	}
	p, err := c.locate(e, r)
	if err != nil {
		return "", err
	}
	g := &goTest{config: c, exchange: e, request: r, imports: map[string]bool{
		"io": true, "net/http": true, "testing": true, module + "mockserver": true,
	}}
	body := g.send(p) + g.assert() + "}\n" // the imports and the secrets are known behind it
	return "package mock_test\n\n" + g.importBlock() + "\n" + g.begin() + body, nil
}

const module = "svc.example/understudy/"

// goTest is a test as it is written.
type goTest struct {
	*config
	*request
	secrets

	exchange *recording.Exchange
	imports  map[string]bool
	keys     []int // secrets that stand in headers
}

// importBlock returns the imports, those of the standard library first.
func (g *goTest) importBlock() string {
	var own, others []string
	isHidden := func(number int) bool { return !slices.Contains(g.keys, number) }
	if g.isLong(g.body) || slices.ContainsFunc(g.numbers(), isHidden) {
		g.imports["os"] = true
	}
	for path := range g.imports {
		if line := "\t" + strconv.Quote(path) + "\n"; strings.HasPrefix(path, module) {
			own = append(own, line)
		} else {
			others = append(others, line)
		}
	}
	slices.Sort(own)
	slices.Sort(others)
	return "import (\n" + strings.Join(others, "") + "\n" + strings.Join(own, "") + ")\n"
}

// begin returns the beginning of the test: the mock and the secrets.
func (g *goTest) begin() string {
	var b strings.Builder
	name := nameOfTest(g.exchange)
	fmt.Fprintf(&b, "// %s sends the request of exchange %d to a mock as it begins.\n", name, g.exchange.Seq)
	b.WriteString(commented("//", append(g.notes(g.exchange, saveBody), mockNotes(g.exchange)...)))
	fmt.Fprintf(&b, "func %s(t *testing.T) {\n\tt.Parallel()\n", name)
	fmt.Fprintf(&b, "\ttransport := mockserver.NewTransport(t%s)\n", g.options())
	for i := range g.marks {
		if slices.Contains(g.keys, i+1) {
			fmt.Fprintf(&b, "\t// The recording hides this key.\n\tconst %s = %q\n", goVariable(i+1), mockKey(g.exchange))
		} else {
			fmt.Fprintf(&b, "\t// The recording hides this secret.\n\t%s := os.Getenv(%q)\n", goVariable(i+1), variable(i+1))
		}
	}
	return b.String()
}

// options returns the options of the transport.
func (g *goTest) options() (options string) {
	if g.scenario != "" {
		options += ", mockserver.WithScenario(" + strconv.Quote(g.scenario) + ")"
	}
	if g.brand != "" && g.brand != specs.Neutral {
		options += ", mockserver.WithBrand(" + strconv.Quote(string(g.brand)) + ")"
	}
	return options
}

// send returns the lines that send the request.
func (g *goTest) send(p place) string {
	var b strings.Builder
	body := "nil"
	switch {
	case len(g.body) == 0:
	case g.isLong(g.body):
		g.imports["bytes"] = true
		fmt.Fprintf(&b, "\tbody, err := os.ReadFile(%q)\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n", g.bodyFile)
		body = "bytes.NewReader(body)"
	default:
		g.imports["strings"] = true
		fmt.Fprintf(&b, "\tbody := %s\n", g.sum(string(g.body), " + "))
		body = "strings.NewReader(body)"
	}
	fmt.Fprintf(&b, "\trequest, err := http.NewRequestWithContext(t.Context(), %s,\n\t\t%s, %s)\n", goMethod(g.method),
		g.sum(p.mockAddress(), "+"), body)
	b.WriteString("\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n")
	for _, h := range g.headers {
		if !isWorldHeader(h[0]) {
			for _, p := range g.split(h[1]) {
				g.keys = append(g.keys, p.secret)
			}
			fmt.Fprintf(&b, "\trequest.Header.Add(%q, %s)\n", h[0], g.sum(h[1], "+"))
		}
	}
	return b.String() + receive
}

// receive is the part of a test that sends the request and reads the answer.
const receive = `	response, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
`

// sum returns a text as a sum of literals and variables.
func (g *goTest) sum(text, plus string) string {
	var terms []string
	for _, p := range g.split(text) {
		switch {
		case p.secret == 0:
			terms = append(terms, goText(p.text))
		case p.isEscaped:
			g.imports["net/url"] = true
			terms = append(terms, "url.QueryEscape("+goVariable(p.secret)+")")
		default:
			terms = append(terms, goVariable(p.secret))
		}
	}
	if len(terms) == 0 {
		return `""`
	}
	return strings.Join(terms, plus)
}

func goVariable(number int) string { return strings.ToLower(variable(number)) }

// goText returns a text as a literal, with as few escapes as may be.
func goText(text string) string {
	if isPlain(text) && strings.ContainsAny(text, "\"\n\\") && !strings.ContainsAny(text, "`\uFEFF") {
		return "`" + text + "`"
	}
	return strconv.Quote(text)
}

// goMethod returns a method as the constant that net/http has for it.
func goMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return "http.Method" + method[:1] + strings.ToLower(method[1:])
	}
	return strconv.Quote(method)
}

// nameOfTest returns the name of the test by the operation: TestWorkflowDeletePool.
func nameOfTest(e *recording.Exchange) string {
	var name strings.Builder
	for part := range strings.SplitSeq(e.Operation, ".") {
		for i, c := range part {
			switch {
			case !strings.ContainsRune(letters, c):
			case i == 0:
				name.WriteString(strings.ToUpper(string(c)))
			default:
				name.WriteRune(c)
			}
		}
	}
	if name.Len() == 0 {
		return fmt.Sprintf("TestExchange%d", max(e.Seq, 0))
	}
	return "Test" + name.String()
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// mockNotes returns what else a mock needs to answer as recorded.
func mockNotes(e *recording.Exchange) (notes []string) {
	if e.Fault != "" {
		notes = append(notes, "A fault changed the recorded answer: plan it before the request.")
	}
	return notes
}
