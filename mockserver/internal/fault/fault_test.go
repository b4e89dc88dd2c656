package fault_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/fault"
	"svc.example/understudy/mockserver/internal/match"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// ids returns the ids of the plan of a world.
func ids(w *world.State) string {
	var list []string
	for _, f := range w.Faults.Plan {
		list = append(list, f.ID)
	}
	return strings.Join(list, " ")
}

// What is wrong with a fault is the error of a request, which names the field, and changes nothing.
func TestPlanRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		fault fixtures.Fault
		want  string
	}{
		{fixtures.Fault{}, "nothing happens to these calls"},
		{fixtures.Fault{Status: 99}, "status: want a status from 200 to 599"},
		{fixtures.Fault{Status: 503, Nth: -1}, "nth: want 1 or more"},
		{fixtures.Fault{Status: 503, Calls: fixtures.Calls{Operation: "core.isueJob"}}, "operation: unknown operation"},
		{fixtures.Fault{Status: 99, Calls: fixtures.Calls{Method: "FETCH"}}, `method: unknown method "FETCH"`},
		{fixtures.Fault{Status: 503, ID: "taken"}, "a fault with id taken is planned already"},
	} {
		w := newWorld(1)
		plan(t, w, "status=503 id=taken")
		before := *w
		_, err := fault.Plan(w, test.fault, match.Documents{Names: specs.Interfaces(), Of: documents})
		if refusal := (*op.Error)(nil); !errors.As(err, &refusal) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: got %v, want %s", test.fault, err, test.want)
		}
		if ids(w) != ids(&before) || w.Faults.Bytes != before.Faults.Bytes {
			t.Errorf("%+v: the plan is %s", test.fault, ids(w))
		}
	}
}

// Faults and stubs have ids of their own, and are removed by what they are.
func TestRemove(t *testing.T) {
	t.Parallel()
	w := newWorld(1)
	plan(t, w, "status=503 id=fault-2", "stub status=200", "status=503", "status=503", "stub status=200 id=b")
	empty := newWorld(1).Faults.Bytes
	if got := ids(w); got != "fault-2 stub-1 fault-1 fault-3 b" {
		t.Fatalf("planned %s", got)
	}
	choose(t, w, 2, "workflow.getPool")
	for _, err := range []error{
		fault.Remove(w, "none", false), fault.Remove(w, "stub-1", false), fault.Remove(w, "fault-1", true),
	} {
		if refusal := (*op.Error)(nil); !errors.As(err, &refusal) || refusal.Code != op.CodeNotFound {
			t.Errorf("got %v, want that it is not found", err)
		}
	}
	if err := errors.Join(fault.Remove(w, "fault-1", false), fault.Remove(w, "b", true)); err != nil {
		t.Error(err)
	}
	plan(t, w, "status=503 id=fault-1")
	if diff := cmp.Diff("fault-2 2/2, fault-3 2/0, fault-1 0/0, stub-1 2/0", counts(w)); diff != "" {
		t.Errorf("one that is planned anew does not count anew (-want +got)\n%s", diff)
	}
	fault.Clear(w, true)
	if got := ids(w); got != "fault-2 fault-3 fault-1" {
		t.Errorf("without stubs the plan is %s", got)
	}
	fault.Clear(w, false)
	if w.Faults.Plan != nil || w.Faults.Bytes != empty {
		t.Errorf("without faults the plan is %s, of %d bytes", ids(w), w.Faults.Bytes)
	}
	if _, counted := w.Faults.Counts.Get(1); counted {
		t.Error("faults that were removed are still counted")
	}
}

// What happens in one fork of a world is not seen in another, nor in the world.
func TestForksAreApart(t *testing.T) {
	t.Parallel()
	w := newWorld(1)
	plan(t, w, "workflow.getPool status=503 id=a nth=2", "core.* status=503 id=b", "llm.* status=503 id=c")
	left, right := *w, *w
	plan(t, &left, "status=503 id=left")
	plan(t, &right, "status=503 id=right")
	if err := fault.Remove(&right, "b", false); err != nil {
		t.Fatal(err)
	}
	choose(t, &left, 1, "workflow.getPool")
	for what, test := range map[string]struct {
		world *world.State
		want  string
	}{
		"world": {w, "a 0/0, b 0/0, c 0/0"}, "left": {&left, "a 1/0, b 0/0, c 0/0, left 1/1"},
		"right": {&right, "a 0/0, c 0/0, right 0/0"},
	} {
		if diff := cmp.Diff(test.want, counts(test.world)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", what, diff)
		}
	}
	if got := strings.Join(choose(t, &left, 1, "workflow.getPool"), ""); got != "a" {
		t.Errorf("in the fork that has counted a call, the second one has %s", got)
	}
	if got := strings.Join(choose(t, w, 1, "workflow.getPool"), ""); got != "-" {
		t.Errorf("in the world the first call has %s", got)
	}
}

// A world has a limited number of faults and stubs.
func TestPlanLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(1)
	for i := range 9_999 {
		w.Faults.Plan = append(w.Faults.Plan, world.Fault{ID: fmt.Sprintf("f%d", i)})
	}
	plan(t, w, "status=503")
	_, err := fault.Plan(w, fixtures.Fault{Status: 503}, match.Documents{Names: specs.Interfaces(), Of: documents})
	if refusal := (*op.Error)(nil); !errors.As(err, &refusal) || refusal.Code != op.CodeConflict {
		t.Errorf("got %v, want that there are too many", err)
	}
	if err := fault.Remove(w, "f5", false); err != nil {
		t.Fatal(err)
	}
	plan(t, w, "stub status=200")
	w.Faults.Plan = append(w.Faults.Plan, world.Fault{ID: "one more"})
	if err := fault.CheckPlan(w, match.Documents{Names: specs.Interfaces(), Of: documents}); err == nil || !strings.Contains(err.Error(), "want at most 10000") {
		t.Errorf("a dump with one more: %v", err)
	}
}

// The faults of a dump are held against the documents, and everything that is wrong names the fault and the field.
func TestCheckPlan(t *testing.T) {
	t.Parallel()
	w := newWorld(1)
	if err := fault.CheckPlan(w, match.Documents{}); err != nil {
		t.Errorf("a world without faults asks for documents: %v", err)
	}
	plan(t, w, "core.getAccount status=503 id=a", "workflow.getPool status=503",
		"stub core.listUsers path=/user/* status=200")
	if err := fault.CheckPlan(w, match.Documents{Names: specs.Interfaces(), Of: documents}); err != nil {
		t.Error(err)
	}
	w.Faults.Add(world.Fault{ID: "empty"})
	w.Faults.Add(world.Fault{ID: "hostile", Spec: []byte(`{"status":99,"nth":-1}`)})
	w.Faults.Add(world.Fault{ID: "text", Spec: []byte(`{"status":"x"}`)})
	err := fault.CheckPlan(w, match.Documents{
		Names: specs.Interfaces(),
		Of: func(iface specs.Interface) (*specs.Document, error) {
			document, err := documents(iface)
			return document.WithoutExtras(), err
		},
	})
	for _, want := range []string{
		`fault a: operation: unknown operation "core.getAccount"`, `stub stub-1: operation: unknown operation`,
		"fault empty: it is empty", "fault hostile: nth: want 1 or more", "fault hostile: status: want a status from 200",
		"fault text: ",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
