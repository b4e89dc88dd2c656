package fault_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
)

func TestPrefer(t *testing.T) {
	t.Parallel()
	const pools = "/workflow/api/pools"
	for name, c := range map[string]struct {
		method, target, body, prefer string
		status                       int
		want                         string // in the body
	}{
		"a status with the document's example": {"GET", "/workflow/api/pools/1", "", "code=404", 404, `"message":`},
		"success":                              {"GET", pools + "/9999", "", "code=200", 200, `"concurrencyLimit":`},
		"a creation":                           {"POST", pools, `{"name":"x","concurrencyLimit":1}`, `code="201"`, 201, `"id":`},
		"429 of the core":                      {"GET", "/core/v3/database/list", "", "code=429", 429, `"message":`},
		"a range of statuses":                  {"GET", "/audience/audiences/1/segments", "", "code=422", 422, `"code":`},
		"of the LLM interface":                 {"GET", "/llm/api/agents", "", "code=401", 401, `"error":`},
		"of the ingestion":                     {"POST", "/ingestion/postback/v3/event/a/b", `{}`, "code=413", 413, `{}`},
		"as Prism is asked":                    {"GET", pools, "", "dynamic=true, code=401", 401, `"message":`},
		"beside others":                        {"GET", pools, "", "respond-async; wait=10, Code=401", 401, `"message":`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mocktest.NewServer(t)
			before := mocktest.Call(t, s, "GET", pools, "").Body
			a := mocktest.Call(t, s, c.method, c.target, c.body, "Prefer", c.prefer).Want(c.status)
			const fault = "prefer; answer=injected; effect=none"
			if got := a.Header.Get("X-Understudy-Fault"); got != fault || !strings.Contains(a.Body, c.want) {
				t.Errorf("fault %q, body %s; want %q, %s", got, a.Body, fault, c.want)
			}
			if after := mocktest.Call(t, s, "GET", pools, "").Body; after != before {
				t.Errorf("pools have changed from %s to %s", before, after)
			}
			journal := mocktest.Call(t, s, "GET", "/_understudy/worlds/default/journal", "").Body
			if !strings.Contains(journal, `"fault":"`+fault+`"`) {
				t.Errorf("the journal lacks the fault: %s", journal)
			}
		})
	}
	t.Run("answers as usual without code and example", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t)
		for _, prefer := range []string{"dynamic=true", "return=minimal", "wait=10, respond-async", ""} {
			a := mocktest.Call(t, s, "GET", pools, "", "Prefer", prefer).Want(200)
			if a.Header.Get("X-Understudy-Fault") != "" {
				t.Errorf("%q is answered with a fault", prefer)
			}
		}
	})
	t.Run("refuses", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t)
		for prefer, want := range map[string]string{
			"code=418":         "code=418: workflow.listPools documents no such status; want 200, 401,",
			"code=4":           "code=4: want a status from 200 to 599, as in code=404",
			"code=":            "code=: want a status from 200 to 599",
			"example=none":     "example=none: workflow.listPools has no such example; want none: no example has a name",
			"code=200,example": "",
		} {
			if want == "" {
				mocktest.Call(t, s, "GET", pools, "", "Prefer", prefer).Want(200)
				continue
			}
			a := mocktest.Call(t, s, "GET", pools, "", "Prefer", prefer).Want(400)
			if got := jsontree.Find(a.Body, "message").Text(); !strings.Contains(got, want) {
				t.Errorf("%s: %q, want %q", prefer, got, want)
			}
			if !strings.HasPrefix(a.Header.Get("X-Understudy-Fault"), "prefer; answer=injected") {
				t.Errorf("%s: the refusal is not marked as injected: %v", prefer, a.Header)
			}
		}
	})
	t.Run("only to requests that the operation takes, as Prism does", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t)
		const event = "/ingestion/postback/v3/event/shop/orders"
		for _, a := range []mocktest.Answer{
			mocktest.Call(t, s, "GET", pools, "", "Prefer", "code=404", "Authorization", "").Want(401),
			mocktest.Call(t, s, "GET", pools, "", "Prefer", "code=abc", "Authorization", "").Want(401),
			mocktest.Call(t, s, "POST", event, `{}`, "Prefer", "code=413", "Authorization", "", "X-SVC-Write-Key", "").Want(403),
			mocktest.Call(t, s, "POST", pools, `{"name":7}`, "Prefer", "code=201").Want(400),
		} {
			if got := a.Header.Get("X-Understudy-Fault"); got != "" {
				t.Errorf("the answer %d %s has the fault %s", a.Status, a.Body, got)
			}
		}
		mocktest.Call(t, s, "GET", "/workflow/api/version", "", "Prefer", "code=200", "Authorization", "").Want(200)
	})
	t.Run("an answer is injected whatever else is planned for the call", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t)
		mocktest.Plan(t, s.World(""), "workflow.* delay=1ms effect=twice")
		before := mocktest.Call(t, s, "GET", pools, "").Body
		for prefer, status := range map[string]int{"code=201": 201, "code=999": 400} {
			a := mocktest.Call(t, s, "POST", pools, `{"name":"x","concurrencyLimit":1}`, "Prefer", prefer).Want(status)
			if got := a.Header.Get("X-Understudy-Fault"); got != "fault-1; answer=injected; effect=none" {
				t.Errorf("%s: the fault is %q", prefer, got)
			}
		}
		if after := mocktest.Call(t, s, "GET", pools, "").Body; after != before {
			t.Errorf("pools have changed from %s to %s", before, after)
		}
	})
	t.Run("what is ignored is noted", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t)
		for prefer, status := range map[string]int{"dynamic=true": 200, "seed=1": 200, "dynamic=true, code=401": 401} {
			number := mocktest.Call(t, s, "GET", pools, "", "Prefer", prefer).Want(status).Header.Get("X-Understudy-Exchange")
			name, _, _ := strings.Cut(prefer, "=")
			entries, err := s.World("").Journal()
			notes := fmt.Sprint(entries[len(entries)-1].Notes)
			if err != nil || notes != "[Prefer: "+name+" is ignored: no answer is random]" {
				t.Errorf("%s: exchange %s has the notes %s", prefer, number, notes)
			}
		}
	})
	t.Run("speaks the brand's words", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t, mockserver.WithBrand("ACME"))
		a := mocktest.Call(t, s, "GET", pools, "", "Prefer", "code=401", "Authorization", "ACME1 1/admin").Want(401)
		if strings.Contains(a.Body, "SVC") {
			t.Error(a.Body)
		}
	})
}

// The examples of a user's own document are found by their names.
func TestPreferExamplesOfOwnDocuments(t *testing.T) {
	t.Parallel()
	text := `openapi: 3.0.3
info: {title: Own, version: '1'}
paths:
  /api/pools:
    get:
      operationId: pools
      responses:
        '200':
          description: Pools.
          content:
            application/json:
              schema: {type: object}
              examples:
                few: {value: {pools: [{id: '1'}]}}
                none: {value: {pools: []}}
        '503':
          description: Later.
          headers: {Retry-After: {schema: {type: integer}, example: 7}}
        '204': {description: Nothing, content: {text/plain: {example: not sent}}}
        default:
          description: All else.
          headers: {X-Limit: {schema: {type: integer}, example: 1000000}}
`
	file := filepath.Join(t.TempDir(), "own.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := mocktest.NewServer(t, mockserver.WithSpec(specs.Workflow, file))
	get := func(prefer string) mocktest.Answer {
		return mocktest.Call(t, s, "GET", "/workflow/api/pools", "", "Prefer", prefer)
	}
	for prefer, want := range map[string]string{
		"example=none": `{"pools":[]}`, "code=200": `{"pools":[{"id":"1"}]}`, "code=200, example=none": `{"pools":[]}`,
	} {
		if a := get(prefer).Want(200); a.Body != want {
			t.Errorf("%s: %s, want %s", prefer, a.Body, want)
		}
	}
	if a := get("code=503").Want(503); a.Header.Get("Retry-After") != "7" || jsontree.Find(a.Body, "status").Int() != 503 {
		t.Errorf("%v %s", a.Header, a.Body)
	}
	if a := get("code=204").Want(204); a.Body != "" {
		t.Error(a.Body)
	}
	if a := get("code=504").Want(504); a.Header.Get("X-Limit") != "1000000" {
		t.Errorf("%v", a.Header)
	}
	for _, code := range []string{"-40", "+20", "099", "000", "100", "199", "600", "999", "4.4", "0x1"} {
		a := get("code=" + code).Want(400)
		if got := jsontree.Find(a.Body, "message").Text(); got != "Prefer: code="+code+": want a status from 200 to 599, as in code=404" {
			t.Errorf("code=%s: %s", code, got)
		}
	}
	const want = "example=some: status 200 of workflow.listPools has no such example; want few, none"
	if a := get("code=200, example=some").Want(400); jsontree.Find(a.Body, "message").Text() != "Prefer: "+want {
		t.Error(a.Body)
	}
}
