package fault_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// Answers of stubs are given one after the other, each for its number of times.
func TestStubs(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t)
	w := s.World("")
	calls := fixtures.Calls{Operation: "workflow.getPool"}
	for _, f := range []fixtures.Fault{
		{Calls: calls, First: 1, Body: map[string]any{"id": "7"}},
		{Calls: calls, First: 2, Status: 404, Body: "gone", Headers: map[string]string{"Content-Type": "text/x-gone", "X-A": "b"}},
	} {
		if _, err := w.Stub(f); err != nil {
			t.Fatal(err)
		}
	}
	first := mocktest.Call(t, s, "GET", mocktest.OnePool, "").Want(200)
	if first.Body != `{"id":"7"}` || first.Header.Get("X-Understudy-Fault") != "stub-1; answer=injected; effect=none" {
		t.Errorf("got %s, %v", first.Body, first.Header)
	}
	second := mocktest.Call(t, s, "GET", mocktest.OnePool, "").Want(404)
	if second.Body != "gone" || second.Header.Get("Content-Type") != "text/x-gone" || second.Header.Get("X-A") != "b" {
		t.Errorf("got %s, %v", second.Body, second.Header)
	}
	if diff := cmp.Diff([]int{404, 200, 200}, mocktest.Statuses(t, s, 3, "GET", mocktest.OnePool, "")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(w.Faults()) != 0 {
		t.Error("stubs are listed as faults")
	}
}

const stubsPath = "/_understudy/worlds/default/stubs"

// Templates of a stub are filled in from the request and the world, and what they give is quoted.
func TestStubsWithTemplates(t *testing.T) {
	t.Parallel()
	const stub = `{"operation":"workflow.createPool","request":{"matches":{"body":{"name":"^a"}}},"template":true,"status":201,
		"headers":{"X-Name":"{{.Query.x}} of {{.Header \"X-Tenant\"}}","Location":"/api/pools/{{.Body.name | len}}"},
		"body":{"id":"{{uuid}}","name":"{{.Body.name}}","limit":"{{value .Body.concurrencyLimit}}","at":"{{now \"1h\"}}",
			"n":"{{value (random 1 1000000)}}","call":"{{.Call}}","literal":"as it is","tags":["{{value .Body.tags}}"]}}`
	answers := func(seed uint64) (bodies []string) {
		s := mocktest.NewServer(t, mockserver.WithSeed(seed))
		planned := mocktest.Call(t, s, "POST", stubsPath, stub).Want(201)
		if !strings.Contains(planned.Body, `"template":true`) || !strings.Contains(planned.Body, `{"name":"^a"}`) {
			t.Errorf("planned is %s", planned.Body)
		}
		for range 2 {
			got := mocktest.Call(t, s, "POST", "/workflow/api/pools?x=1", `{"name":"a\"b","concurrencyLimit":3,"tags":[{"k":1.5}]}`,
				"X-Tenant", "shop").Want(201)
			if got.Header.Get("X-Name") != "1 of shop" || got.Header.Get("Location") != "/api/pools/3" {
				t.Errorf("the headers are %v", got.Header)
			}
			bodies = append(bodies, got.Body)
		}
		mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"name":"other","concurrencyLimit":1}`).Want(201) // by the operation
		return bodies
	}
	first, again, other := answers(1), answers(1), answers(2)
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("the same seed gives other answers (-want +got)\n%s", diff)
	}
	for i, body := range first {
		want := []string{
			`"at":"2026-01-15T10:30:00Z"`, `"limit":3,`, `"literal":"as it is"`, `"name":"a\"b"`, `"tags":[[{"k":1.5}]]`,
			`"call":"` + string(rune('1'+i)) + `"`,
		}
		for _, part := range want {
			if !strings.Contains(body, part) {
				t.Errorf("%s lacks %s", body, part)
			}
		}
	}
	if id := regexp.MustCompile(`"id":"[0-9a-f-]{36}"`); first[0] == other[0] || id.FindString(first[0]) == "" ||
		id.FindString(first[0]) == id.FindString(first[1]) {
		t.Errorf("answers are %v, with another seed %v", first, other)
	}
}

// Without the member template, braces are text as any other.
func TestStubsWithoutTemplates(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t)
	mocktest.Call(t, s, "POST", stubsPath, `{"operation":"workflow.getPool","body":{"a":"{{.Path.poolId}}"}}`).Want(201)
	if got := mocktest.Call(t, s, "GET", mocktest.OnePool, "").Want(200); got.Body != `{"a":"{{.Path.poolId}}"}` {
		t.Errorf("got %s", got.Body)
	}
}

// A text as the body is one template, in which loops are possible, and faults may have templates as well.
func TestTemplatesOfTextsAndFaults(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t)
	if _, err := s.World("").Stub(fixtures.Fault{
		Calls: fixtures.Calls{Operation: "workflow.createPool"}, Template: true,
		Headers: map[string]string{"Content-Type": "application/json"},
		Body:    `[{{range $i, $n := .Body.names}}{{if $i}},{{end}}{"name":{{json $n}}}{{end}}]`,
	}); err != nil {
		t.Fatal(err)
	}
	got := mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"names":["a\"","b"]}`).Want(200)
	if got.Body != `[{"name":"a\""},{"name":"b"}]` || got.Header.Get("Content-Type") != "application/json" {
		t.Errorf("got %s %v", got.Body, got.Header)
	}
	f, err := fixtures.ParseFault("workflow.getPool request.matches.path=^/api/pools/[0-9]$ status=404 template=true " +
		`message="no pool {{.Path.poolId}}"`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.World("").Fault(f); err != nil {
		t.Fatal(err)
	}
	refused := mocktest.Call(t, s, "GET", mocktest.OnePool, "").Want(404)
	mocktest.Call(t, s, "GET", "/workflow/api/pools/12", "").Want(404)
	if !strings.Contains(refused.Body, "no pool 1") {
		t.Errorf("got %s", refused.Body)
	}
	injected := mocktest.Call(t, s, "GET", "/workflow/api/pools/2", "", "X-Understudy-Inject", `status=418 template=true body="{{.Method}}"`)
	if injected.Status != http.StatusTeapot || injected.Body != "GET" {
		t.Errorf("got %d %s", injected.Status, injected.Body)
	}
}

// A mistake is an error when the stub is planned, if it can be found by then. Otherwise the answer is 500 and names the
// stub.
func TestTemplatesThatCannotBeFilledIn(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t)
	for stub, want := range map[string]string{
		`{"template":true,"body":{"a":["{{.Body"]}}`:         `"message":"line 1: unclosed action","field":"body.a.0"`,
		`{"template":true,"headers":{"X-A":"{{printf 1}}"}}`: `line 1: function \"printf\" not defined","field":"headers.X-A"`,
		`{"request":{"matches":{"query":{"a":"("}}}}`:        `is not a regular expression of RE2: error parsing regexp: missing closing ): ` + "`(`" + `","field":"request.matches.query.a"`,
		`{"request":{"matches":{"path":"((a{99}){9}){9}"}}}`: `"field":"request.matches.path"`,
		`{"request":{"matches":{"paths":"x"}}}`:              `paths`,
	} {
		if got := mocktest.Call(t, s, "POST", stubsPath, stub); got.Status != 400 || !strings.Contains(got.Body, want) {
			t.Errorf("%s: got %d %s", stub, got.Status, got.Body)
		}
	}
	for name, tt := range map[string]struct{ stub, want string }{
		"a member of a text":    {`"body":{"a":[{"b":"{{.Body.name.first}}"}]}`, "body: a: 0: b: line 1:"},
		"a header of two lines": {`"headers":{"X-A":"{{.Body.name}}"}`, "headers.X-A: "},
		"a loop without an end": {`"body":"{{range 1000000000000}}{{end}}"`, "it takes too long"},
		"a loop that writes":    {`"body":"{{range 1000000000000}}{{json $.Body}}{{end}}"`, "it makes more than 4194304 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mocktest.NewServer(t)
			mocktest.Call(t, s, "POST", stubsPath, `{"operation":"workflow.createPool","template":true,`+tt.stub+`}`).Want(201)
			got := mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"name":"a\nb","more":"`+strings.Repeat("x", 1<<20)+`"}`)
			if got.Status != 500 || !strings.Contains(got.Body, "the template of stub-1 cannot be filled in: ") ||
				!strings.Contains(got.Body, tt.want) {
				t.Errorf("got %d %.300s", got.Status, got.Body)
			}
			if e := mocktest.LastExchange(t, s); len(e.Notes) != 1 || !strings.Contains(e.Notes[0], tt.want) {
				t.Errorf("the notes are %q", e.Notes)
			}
		})
	}
}
