package learn_test

import (
	"net/http"
	"slices"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/internal/checktest"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// A recording that begins after a project was pushed twice shows attempts of workflows that its revisions do not have
// any more: those of a revision that no answer shows.
func TestLearnAttemptsOfEarlierRevisions(t *testing.T) {
	t.Parallel()
	checker, err := contract.NewChecker()
	if err != nil {
		t.Fatal(err)
	}
	first := mocktest.NewServer(t, mockserver.WithScenario("pool-in-use"))
	push := func(revision, definition string) {
		t.Helper()
		a := mocktest.Call(t, first, "PUT", "/workflow/api/projects?project=stock&revision="+revision,
			mocktest.ProjectArchive(t, 1, definition), "Content-Type", "application/gzip")
		if a.Status != http.StatusOK {
			t.Fatalf("push %s: %d %s", revision, a.Status, a.Body)
		}
	}
	push("v2", "+count:\n  sh>: ./two.sh\n")
	id := jsontree.Find(mocktest.Call(t, first, "GET", "/workflow/api/workflows?name_pattern=w0", "").Body,
		"workflows.0.id").Text()
	started := mocktest.Call(t, first, "PUT", "/workflow/api/attempts",
		`{"workflowId":"`+id+`","sessionTime":"2026-01-14T00:00:00Z","params":{}}`)
	if started.Status != http.StatusOK {
		t.Fatalf("start: %d %s", started.Status, started.Body)
	}
	mocktest.Call(t, first, "POST", "/_understudy/clock", `{"advance":"20m"}`).Want(http.StatusOK)
	push("v3", "+count:\n  sh>: ./three.sh\n")
	for name, paths := range map[string][]string{
		"projects and workflows": {"/attempts", "/projects", "/workflows", "/sessions"},
		"revisions":              {"/projects/1/revisions", "/attempts", "/workflows", "/projects/1"},
		"one revision":           {"/attempts", "/projects/1/workflows?revision=v1", "/projects/1"},
		"workflows":              {"/workflows", "/attempts"},
		"attempts":               {"/attempts", "/sessions"},
		"one attempt":            {"/attempts/2", "/projects/1/workflows"},
	} {
		var s checktest.Session
		h := s.Handler(first)
		for _, path := range paths {
			mocktest.Call(t, h, "GET", "http://127.0.0.1:4010/workflow/api"+path, "").Want(http.StatusOK)
		}
		server, learned := learnedOf(t, &s, checker)
		with := checktest.Subject(server.World(""))
		with.Keys = checktest.RecordedKeys(learned)
		r, err := checker.Compare(t.Context(), contract.Exchanges(slices.Values(s.Recorder.Exchanges())), with)
		if err != nil {
			t.Fatal(err)
		}
		if found := differing(r); len(found) > 0 || r.Comparison.Compared != len(paths) {
			t.Errorf("%s: %v of %d differ\n%s\n%s", name, found, r.Comparison.Compared, checktest.Text(t, r), learned.Scenario)
		}
	}
}
