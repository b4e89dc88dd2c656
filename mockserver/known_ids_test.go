package mockserver_test

import (
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
)

// shownID is a call whose answer shows what the scenario in testdata/known-ids gives a kind of resource.
type shownID struct {
	kind  string // with its interface, as the documents name it
	path  string // with the interface
	shows []string
}

// knownIDs has an entry for each kind of the documents whose ids, or times, a fixture can give.
var knownIDs = []shownID{
	{"workflow.attempt", "/workflow/api/attempts/90210", []string{
		`"id":"90210","index":3,`, `"sessionId":"30303","sessionUuid":"9f1a2b3c-4d5e-4f60-8a7b-0c1d2e3f4a5b"`,
		`"workflow":{"id":"50101","name":"daily"}`, `"createdAt":"2026-01-12T07:00:01Z","finishedAt":"2026-01-12T08:40:17Z"`,
		`"poolId":"71"`,
	}},
	{"workflow.pool", "/workflow/api/pools", []string{
		`{"id":"7","name":"default","concurrencyLimit":97,"default":true}`, `{"id":"12","name":"adhoc"`,
		`{"id":"71","name":"nightly"`,
	}},
	{"workflow.pool-rule", "/workflow/api/pool_rules/91", []string{`{"id":"91","priority":5,`, `"poolId":"71"`}},
	{"workflow.project", "/workflow/api/projects/4001", []string{
		`"id":"4001","name":"shop","revision":"v7"`,
		`"createdAt":"2025-11-01T00:00:00Z","updatedAt":"2026-01-10T00:00:00Z"`,
	}},
	{"workflow.schedule", "/workflow/api/schedules/611", []string{
		`"id":"611"`, `"workflow":{"id":"50101","name":"daily"}`, `"nextRunTime":"2026-01-20T07:00:00Z"`,
		`"nextScheduleTime":"2026-01-20T00:00:00+00:00","disabledAt":"2026-01-11T00:00:00Z"`,
	}},
	{"workflow.secret", "/workflow/api/projects/4001/secrets", []string{`"db.password"`}},
	{"workflow.session", "/workflow/api/sessions/30303", []string{`"id":"30303"`, `"lastAttempt":{"id":"90210"`}},
	{"workflow.task", "/workflow/api/attempts/90210/tasks", []string{
		`{"id":"777001","fullName":"+daily",`, `{"id":"777003","fullName":"+daily+load","parentId":"777001"`,
		`"upstreams":["777002"]`, `"error":{"message":"no space left"},"startedAt":"2026-01-12T07:30:01Z"`,
	}},
	{"workflow.workflow", "/workflow/api/workflows/50099", []string{`"id":"50099","name":"weekly"`}},
	{"workflow.log-file", "/workflow/api/logs/90210/files", []string{`"fileName"`}},
}

// TestKnownIDs requires that a fixture can give each kind of resource the id that a recording has shown.
func TestKnownIDs(t *testing.T) {
	t.Parallel()
	server := newServer(t, mockserver.WithScenario("testdata/known-ids"))
	for _, k := range knownIDs {
		t.Run(k.kind, func(t *testing.T) {
			t.Parallel()
			got := call(t, server, "GET", k.path, "")
			for _, text := range k.shows {
				if got.StatusCode != 200 || !strings.Contains(got.body, text) {
					t.Errorf("GET %s is %d without %s\n%s", k.path, got.StatusCode, text, got.body)
				}
			}
		})
	}
	t.Run("of each kind of the documents", func(t *testing.T) {
		t.Parallel()
		for _, iface := range []specs.Interface{"workflow"} {
			document, err := specs.Load(iface, specs.Neutral)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range document.Resources() {
				if !slices.ContainsFunc(knownIDs, func(k shownID) bool { return k.kind == r.Name }) {
					t.Errorf("no fixture gives %s an id", r.Name)
				}
			}
		}
	})
}
