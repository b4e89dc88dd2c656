package snippet

import (
	_ "embed" // the template
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

//go:embed gotest.tmpl
var goTestTemplate string

// GoTest returns a file of Go with a test that sends the request of an exchange to a mock in its own process, made by
// mockserver.NewTransport, and wants the recorded status and the beginning of a recorded JSON body. A key that the
// recording hides is that of the administrator; any other secret is read from a variable of the environment.
//
// The mock is as its scenario begins, without what earlier requests have changed. An error means that no mock could
// serve the request.
func GoTest(e *recording.Exchange, opts ...Option) (string, error) {
	c, s := newConfig(opts), &secrets{}
	r, err := c.request(e)
	if err != nil {
		return "", err
	}
	at, err := c.locate(e, r)
	if err != nil {
		return "", err
	}
	p := program{
		Name: nameOfTest(e), Seq: e.Seq, Options: c.mockOptions(), Key: mockKey(e), Method: goMethod(r.method),
		Notes:  commented("//", append(c.notes(e, saveBody), mockNotes(e)...)),
		Hidden: map[string]bool{},
	}
	switch {
	case c.isLong(r.body):
		p.BodyFile = c.bodyFile
	case len(r.body) > 0:
		p.Body = s.goSum(string(r.body), " + ")
	}
	p.Address = s.goSum(at.mockAddress(), "+")
	var keys []int // secrets that stand in headers
	for _, h := range r.headers {
		if strings.EqualFold(h[0], "X-Understudy-World") { // a mock of its own has one world
			continue
		}
		for _, part := range s.split(h[1]) {
			keys = append(keys, part.secret)
		}
		p.Headers = append(p.Headers, strconv.Quote(h[0])+", "+s.goSum(h[1], "+"))
	}
	for i := range s.marks {
		if !slices.Contains(keys, i+1) {
			p.Hidden[variable(i+1)] = true
		}
	}
	if p.Status = status(e); p.Status != 0 {
		p.StatusName, p.Rows = goStatus(p.Status), leaves(nil, jsontree.Parse(wanted(e)))
	}
	return p.filled(goTestTemplate, s), nil
}

// mockOptions returns the options of the transport.
func (c *config) mockOptions() (options string) {
	if c.scenario != "" {
		options += ", mockserver.WithScenario(" + strconv.Quote(c.scenario) + ")"
	}
	if c.brand != "" && c.brand != specs.Neutral {
		options += ", mockserver.WithBrand(" + strconv.Quote(string(c.brand)) + ")"
	}
	return options
}

// goSum returns a text as a sum of literals and variables.
func (s *secrets) goSum(text, plus string) string {
	return s.sum(text, plus, goText, func(name string, isEscaped bool) string {
		if isEscaped {
			return "url.QueryEscape(" + strings.ToLower(name) + ")"
		}
		return strings.ToLower(name)
	})
}

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

// leaves returns the values of what is wanted as elements of a composite literal, each with its path. The path is in
// the form of Go already.
func leaves(path []string, v jsontree.Value) (rows []string) {
	switch {
	case v.IsObject():
		for member := range v.Each {
			rows = append(rows, leaves(append(slices.Clip(path), goText(member.Name())), member)...)
		}
		return rows
	case v.IsArray():
		for i, value := range slices.Collect(v.Each) {
			rows = append(rows, leaves(append(slices.Clip(path), strconv.Itoa(i)), value)...)
		}
		return rows
	}
	value := ""
	switch {
	case !v.Exists() || v.Raw() == anything || v.Raw() == more:
		return nil
	case v.IsString():
		value = goText(v.Text())
	case v.IsNumber():
		if _, err := strconv.ParseFloat(v.Raw(), 64); err != nil {
			return nil // too large
		}
		value = "float64(" + v.Raw() + ")"
	case v.IsNull():
		value = "nil"
	default:
		value = v.Raw()
	}
	return []string{"{" + value + ", []any{" + strings.Join(path, ", ") + "}}"}
}

// goStatus returns a status of the platform as the constant that net/http has for it, any other one as a number.
func goStatus(status int) string {
	if slices.Contains([]int{200, 201, 202, 204, 400, 401, 403, 404, 405, 409, 422, 429, 500}, status) {
		return "http.Status" + strings.ReplaceAll(http.StatusText(status), " ", "")
	}
	return strconv.Itoa(status)
}
