package validate_test

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

func TestRequestValidation(t *testing.T) {
	t.Parallel()
	const valid = `{"name":"etl2","concurrencyLimit":3}`
	bad := []struct {
		name, method, path, body string
		headers                  []string
		says                     string
	}{
		{"no JSON", "POST", "/api/pools", `{"name":`, nil, "JSON"},
		{"two JSON values", "POST", "/api/pools", valid + valid, nil, "JSON"},
		{"one name twice", "POST", "/api/pools", `{"name":"a","name":"b","concurrencyLimit":3}`, nil, "duplicate"},
		{"no object", "POST", "/api/pools", `[]`, nil, "object"},
		{"null", "POST", "/api/pools", `null`, nil, "null"},
		{"a member that is missing", "POST", "/api/pools", `{"name":"a"}`, nil, "concurrencyLimit"},
		{"a wrong type", "POST", "/api/pools", `{"name":"a","concurrencyLimit":"3"}`, nil, "concurrencyLimit"},
		{"a number out of range", "POST", "/api/pools", `{"name":"a","concurrencyLimit":0}`, nil, "concurrencyLimit"},
		{"a huge number", "POST", "/api/pools", `{"name":"a","concurrencyLimit":1e400}`, nil, "concurrencyLimit"},
		{"no body", "POST", "/api/pools", "", nil, "body"},
		{"another media type", "POST", "/api/pools", valid, []string{"Content-Type", "text/plain"}, "application/json"},
		{"an unknown encoding", "POST", "/api/pools", valid, []string{"Content-Encoding", "br"}, "Content-Encoding"},
		{"no gzip", "POST", "/api/pools", valid, []string{"Content-Encoding", "gzip"}, "gzip"},
		{"a query parameter of a wrong type", "GET", "/api/attempts?page_size=many", "", nil, "page_size"},
		{"a query parameter out of range", "GET", "/api/attempts?page_size=101", "", nil, "page_size"},
		{"a query parameter twice", "GET", "/api/attempts?page_size=1&page_size=2", "", nil, "page_size"},
		{"a query with a stray %", "GET", "/api/projects?name_pattern=100%", "", nil, "query"},
	}
	for _, test := range bad {
		t.Run(test.name+" is a 400 that says so and changes nothing", func(t *testing.T) {
			t.Parallel()
			s := mocktest.NewServer(t, mockserver.WithScenario("empty"))
			before := mocktest.Call(t, s, "GET", "/_understudy/worlds/default/state", "").Body
			a := mocktest.Call(t, s, test.method, "/workflow"+test.path, test.body, test.headers...).Want(400)
			if m := mocktest.Decode[mocktest.Message](a); m.Status != 400 || !strings.Contains(m.Message, test.says) {
				t.Errorf("the message does not say %q: %s", test.says, a.Body)
			}
			if after := mocktest.Call(t, s, "GET", "/_understudy/worlds/default/state", "").Body; after != before {
				t.Errorf("the world has changed (-before +after):\n%s", cmp.Diff(before, after))
			}
		})
	}
	t.Run("a body of more than 16 MiB is refused, and the journal has only its beginning", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t, mockserver.WithScenario("empty"), mockserver.WithJournalLimit(64<<20))
		a := mocktest.Call(t, s, "PUT", "/workflow/api/projects?project=a&revision=1", strings.Repeat("x", 17<<20),
			"Content-Type", "application/gzip").Want(400)
		journal, err := s.World("").Journal("workflow.putProject")
		if err != nil || len(journal) != 1 || !journal[0].Request.Body.Truncated || !strings.Contains(a.Body, "16777216") {
			t.Errorf("%d exchanges, error %v, answer %s", len(journal), err, a.Body)
		}
	})
	t.Run("a bomb of gzip is refused", func(t *testing.T) {
		t.Parallel()
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		zeros := make([]byte, 1<<20)
		for range 100 {
			_, _ = w.Write(zeros)
		}
		_ = w.Close()
		s := mocktest.NewServer(t, mockserver.WithScenario("empty"))
		mocktest.Call(t, s, "POST", "/workflow/api/pools", b.String(), "Content-Encoding", "gzip").Want(400)
	})
	t.Run("a gzip body is read", func(t *testing.T) {
		t.Parallel()
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write([]byte(valid))
		_ = w.Close()
		s := mocktest.NewServer(t, mockserver.WithScenario("empty"))
		mocktest.Call(t, s, "POST", "/workflow/api/pools", b.String(), "Content-Encoding", "gzip").Want(201)
	})
	t.Run("a whole number is an integer, however it is written", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t, mockserver.WithScenario("full-account"))
		const project = `"projectId":"501cce9d-3fdb-4258-9466-616fec7a75ef"`
		tool := func(rows string) string {
			return `{"data":{"type":"datastoreQueryTools","attributes":{"name":"n",` + project + `,"maxRows":` + rows + `}}}`
		}
		for _, test := range []struct {
			path, body string
			status     int
			says       string
		}{
			{"/workflow/api/pools", `{"name":"whole","concurrencyLimit":2.0}`, 201, `"concurrencyLimit":2,`},
			{"/audience/audiences/61/segments/queries", `{"pageSize":1e1}`, 200, `"maxPage":4,`},
			{"/llm/api/datastore_query_tools", tool("5e1"), 201, `"maxRows":50,`},
			{"/llm/api/datastore_query_tools", tool("2.5"), 422, "NOT_AN_INTEGER"},
			{"/core/v3/table/update/shop/orders", `{"expire_days":3.0}`, 200, `"orders"`},
			{"/_understudy/worlds", `{"id":"w","seed":7.0}`, 201, `"seed":7,`},
		} {
			if a := mocktest.Call(t, s, "POST", test.path, test.body).Want(test.status); !strings.Contains(a.Body, test.says) {
				t.Errorf("%s answers %s, want %s in it", test.path, a.Body, test.says)
			}
		}
	})
	t.Run("report serves what is off the contract, and notes it", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t, mockserver.WithScenario("empty"), mockserver.WithValidation(mockserver.Report))
		mocktest.Call(t, s, "POST", "/workflow/api/pools", valid, "Content-Type", "text/plain").Want(201)
		journal, err := s.World("").Journal("workflow.createPool")
		if err != nil || len(journal) != 1 || !strings.Contains(strings.Join(journal[0].Notes, " "), "text/plain") {
			t.Errorf("the journal does not note it: %+v, %v", journal, err)
		}
	})
	t.Run("off serves it", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t, mockserver.WithScenario("empty"), mockserver.WithValidation(mockserver.Off))
		mocktest.Call(t, s, "POST", "/workflow/api/pools", valid, "Content-Type", "text/plain").Want(201)
	})
	for _, mode := range []mockserver.Validation{mockserver.Report, mockserver.Off} {
		t.Run(string(mode)+" serves what it has let in to everybody, notes it, and fails no test", func(t *testing.T) {
			t.Parallel()
			s := mocktest.NewServer(t, mockserver.WithScenario("full-account"), mockserver.WithValidation(mode))
			const agent = "5dd290e9-2766-453c-8b7f-77e8f8d2b920"
			mocktest.Call(t, s, "PATCH", "/llm/api/agents/"+agent,
				`{"data":{"type":"agents","id":"`+agent+`","attributes":{"temperature":1.5}}}`).Want(200)
			mocktest.Call(t, s, "GET", "/llm/api/agents", "").Want(200)
			journal, err := s.World("").Journal("llm.listAgents")
			if err != nil || len(journal) != 1 || !strings.Contains(strings.Join(journal[0].Notes, " "), "temperature") {
				t.Errorf("the journal does not note it: %+v, %v", journal, err)
			}
		})
	}
	t.Run("no mode lets what a rule needs through", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t, mockserver.WithScenario("empty"), mockserver.WithValidation(mockserver.Off))
		for _, test := range bad[:9] {
			if a := mocktest.Call(t, s, test.method, "/workflow"+test.path, test.body); a.Status != 400 {
				t.Errorf("%s: status %d, want 400; body %s", test.name, a.Status, a.Body)
			}
		}
	})
}
