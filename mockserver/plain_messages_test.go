package mockserver_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
)

// Messages say what would be right, not how it is checked, and names that are nearly known have a suggestion.
func TestMessagesSayWhatWouldBeRight(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithClock("frozen"))
	for _, tt := range []struct{ method, path, body, want string }{
		{"POST", "/worlds/default/clock", `{"advance":"1 day"}`, `want a duration such as 90s, 1h30m or 24h, not \"1 day\"`},
		{"POST", "/worlds/default/clock", `{"mode":"frozen","now":"yesterday"}`, `want a time such as 2026-01-15T09:30:00Z, not \"yesterday\"`},
		{"POST", "/worlds/default/clock", `{"mode":"frozn"}`, `want frozen, or one of real, auto, not \"frozn\"`},
		{"POST", "/worlds", `{"scenaro":"empty"}`, `unknown member \"scenaro\"; want scenario, or one of`},
		{"POST", "/worlds", `{"scenario":"emty"}`, `want empty, or one of`},
		{"POST", "/worlds", `{"id":"a b"}`, `want 1 to 64 letters, digits, dots, underscores or dashes`},
		{"GET", "/wrlds", "", `no operation GET /wrlds; the nearest is GET /_understudy/worlds`},
		{"GET", "/worlds/default/journal?operation=core.isueJob", "", "want perhaps core.issueJob"},
		{"GET", "/worlds/default/journal?operation=x", "", "want the name of an operation such as core.issueJob"},
		{"GET", "/worlds/default/journal/rows?order=x", "", "want one of asc, desc"},
		{"PUT", "/worlds/default/checkpoints/a%20b", "", "want 1 to 64 letters"},
		{"POST", "/worlds/default/faults", `{"operaton":"core.issueJob","status":500}`, `unknown member \"operaton\"; want operation, or one of`},
		{"POST", "/worlds/default/jobs/results", `{"query":"x","colums":[]}`, `unknown member \"colums\"; want columns, or one of`},
		{"GET", "/specs/cor.yaml", "", `want core, or one of`},
	} {
		t.Run(tt.method+" "+tt.path+" "+tt.body, func(t *testing.T) {
			t.Parallel()
			got := mocktest.Call(t, s, tt.method, "/_understudy"+tt.path, tt.body)
			if got.Status < 400 || !strings.Contains(got.Body, tt.want) || strings.Contains(got.Body, "regular expression") {
				t.Errorf("%d %s, want %s", got.Status, got.Body, tt.want)
			}
		})
	}
	if got := mocktest.Call(t, s, "GET", "/cor/v3/job/list", "").Want(404); !strings.Contains(got.Body, "did you mean /core?") {
		t.Errorf("a misspelt interface: %s", got.Body)
	}
}

// The nearest operation is named with all of its path, so that it differs from what was asked.
func TestNearestHasTheBasePath(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t)
	for path, want := range map[string]string{
		"/core/job/list": "GET /v3/job/list", "/core/v3/job/lst": "GET /v3/job/list", "/workflow/api/ponds": "GET /api/pools",
	} {
		if got := mocktest.Call(t, s, "GET", path, "").Want(404); got.Header.Get("X-Understudy-Nearest") != want {
			t.Errorf("%s: the nearest is %s, want %s", path, got.Header.Get("X-Understudy-Nearest"), want)
		}
	}
}

func TestAnotherSchemeOfAuthorizationIsNamed(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t)
	for header, want := range map[string]string{
		"Bearer secret-token": "the header Authorization has another scheme than SVC1: " +
			"send the header Authorization with the scheme SVC1 and an API key",
		"": "no API key: send the header Authorization with the scheme SVC1 and an API key",
	} {
		got := mocktest.Call(t, s, "GET", "/workflow/api/pools", "", "Authorization", header).Want(401)
		if !strings.Contains(got.Body, want) || strings.Contains(got.Body, "secret-token") {
			t.Errorf("%q: %s, want %s", header, got.Body, want)
		}
	}
}

func TestTransportSaysWhereAnInterfaceIs(t *testing.T) {
	t.Parallel()
	client := mockserver.NewTransport(t).Client()
	for url, want := range map[string]string{
		"https://core.svc.example/job/list": "the address of core is https://core.svc.example/v3",
		"https://other.example/v3/job/list": "assign the address with WithBaseURL",
	} {
		r, err := client.Get(url) //nolint:noctx // it goes nowhere
		if err == nil {
			r.Body.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", url, err, want)
		}
	}
}

// Every pattern of what clients send is described in words.
func TestPatternsOfRequestsHaveWords(t *testing.T) {
	t.Parallel()
	for _, name := range append(specs.Interfaces(), specs.Control) {
		d, err := specs.Load(name, specs.Neutral)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[*openapi3.Schema]bool{}
		var look func(at string, schema *openapi3.SchemaRef)
		look = func(at string, schema *openapi3.SchemaRef) {
			if schema == nil || schema.Value == nil || seen[schema.Value] || schema.Value.ReadOnly {
				return
			}
			seen[schema.Value] = true
			if p := schema.Value.Pattern; p != "" && !mockserver.HasWords(p) {
				t.Errorf("%s: the pattern %s has no words", at, p)
			}
			for _, list := range []openapi3.SchemaRefs{schema.Value.AllOf, schema.Value.AnyOf, schema.Value.OneOf} {
				for _, one := range list {
					look(at, one)
				}
			}
			look(at+"[]", schema.Value.Items)
			for name, member := range schema.Value.Properties {
				look(at+"."+name, member)
			}
		}
		for _, o := range d.All() {
			for _, p := range o.Spec.Parameters {
				look(fmt.Sprint(o.Name(), " ", p.Value.Name), p.Value.Schema)
			}
			if o.Spec.RequestBody != nil {
				for _, media := range o.Spec.RequestBody.Value.Content {
					look(o.Name(), media.Schema)
				}
			}
		}
	}
}
