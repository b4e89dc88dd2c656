package mockserver_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/internal/table"
)

// rows returns n items, made with the number of each by a format that may use it more than once.
func rows(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ","+format, i+1)
	}
	return b.String()[1:]
}

// states are states of n things of one kind, each of which is found by a name, or must not have that of another one.
var states = map[string]func(n int) string{
	"pools, and rules for them": func(n int) string {
		return fmt.Sprintf(`{"workflow":{"accountLimit":%d,"pools":[%s],"poolRules":[%s]}}`, 2*n,
			rows(n, `{"name":"p%[1]d","concurrencyLimit":1}`),
			rows(n, `{"priority":%[1]d,"pool":"p%[1]d","conditions":[{"type":"project_name","operator":"starts_with","values":["a"]}]}`))
	},
	"policy groups": func(n int) string {
		return `{"account":{"policyGroups":[` + rows(n, `{"name":"g%[1]d"}`) + `]}}`
	},
	"outcomes of projects": func(n int) string {
		return `{"workflow":{"projects":[` + rows(n, `{"name":"p%[1]d","revisions":[{"name":"r","createdAt":"now-1d","files":{"w.dig":"+a:\n  echo>: a\n"}}]}`) +
			`],"outcomes":[` + rows(n, `{"project":"p%[1]d","task":"+a","takes":"2h"}`) + `]}}`
	},
	"policies, and users who have them": func(n int) string {
		return `{"account":{"policies":[` + rows(n, `{"name":"p%[1]d"}`) + `],"users":[` +
			rows(n, `{"id":%[1]d,"name":"u%[1]d","email":"u%[1]d@shop.example","role":"administrator","policies":["p%[1]d"]}`) +
			`],"keys":[{"key":"1/u1","user":"u1@shop.example"}]}}`
	},
	"revisions of a project": func(n int) string {
		return `{"workflow":{"projects":[{"name":"p","revisions":[` +
			rows(n, `{"name":"r%[1]d","createdAt":"now-1d","files":{"w.dig":"+a:\n  echo>: a\n"}}`) + `]}]}}`
	},
}

// What it takes to replace the state of a world is in proportion to the new one, also where nothing is allocated, such
// as where all names are looked through for each new one.
//
//nolint:paralleltest // others would walk through tables as well
func TestAStateIsLoadedInStepsInProportion(t *testing.T) {
	server, err := mockserver.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	steps := func(state string) float64 {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPut, "/_understudy/worlds/default/state",
			strings.NewReader(state))
		request.Header.Set("Content-Type", "application/json")
		answer, before := httptest.NewRecorder(), table.Walked()
		server.ServeHTTP(answer, request)
		if answer.Code != http.StatusOK {
			t.Fatalf("answer %d: %.500s", answer.Code, answer.Body)
		}
		return float64(table.Walked() - before)
	}
	for name, state := range states {
		if few, many := steps(state(200)), steps(state(800)); many > 6*few {
			t.Errorf("%s: four times as many take %.1f times the steps: %.0f and %.0f", name, many/few, few, many)
		}
	}
}

// What it takes to list things is in proportion to them, also where each is shown with how many others refer to it.
//
//nolint:paralleltest // others would walk through tables as well
func TestListsTakeStepsInProportion(t *testing.T) {
	for _, path := range []string{"/access_control/policies", "/access_control/users"} {
		steps := func(n int) float64 {
			server, err := mockserver.New()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = server.Close() })
			load := httptest.NewRequestWithContext(t.Context(), http.MethodPut, "/_understudy/worlds/default/state",
				strings.NewReader(states["policies, and users who have them"](n)))
			load.Header.Set("Content-Type", "application/json")
			server.ServeHTTP(httptest.NewRecorder(), load)
			list := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/core/v3"+path, http.NoBody)
			list.Header.Set("Authorization", "SVC1 1/u1")
			answer, before := httptest.NewRecorder(), table.Walked()
			server.ServeHTTP(answer, list)
			if answer.Code != http.StatusOK || !strings.Contains(answer.Body.String(), `"user_count":1`) {
				t.Fatalf("%s: answer %d: %.500s", path, answer.Code, answer.Body)
			}
			return float64(table.Walked() - before)
		}
		if few, many := steps(50), steps(200); many > 6*few {
			t.Errorf("%s: four times as many take %.1f times the steps: %.0f and %.0f", path, many/few, few, many)
		}
	}
}
