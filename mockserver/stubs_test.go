package mockserver_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/fixtures"
)

// Answers of stubs are given one after the other, each for its number of times.
func TestStubs(t *testing.T) {
	t.Parallel()
	s := newServer(t)
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
	first := call(t, s, "GET", onePool, "").want(t, 200)
	if first.body != `{"id":"7"}` || first.Header.Get("X-Understudy-Fault") != "stub-1; answer=injected; effect=none" {
		t.Errorf("got %s, %v", first.body, first.Header)
	}
	second := call(t, s, "GET", onePool, "").want(t, 404)
	if second.body != "gone" || second.Header.Get("Content-Type") != "text/x-gone" || second.Header.Get("X-A") != "b" {
		t.Errorf("got %s, %v", second.body, second.Header)
	}
	if diff := cmp.Diff([]int{404, 200, 200}, statuses(t, s, 3, "GET", onePool, "")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(w.Faults()) != 0 {
		t.Error("stubs are listed as faults")
	}
}
