package fault_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/fault"
	"svc.example/understudy/mockserver/internal/match"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

func documents(iface specs.Interface) (*specs.Document, error) {
	return specs.Load(iface, specs.Neutral)
}

func newWorld(seed uint64) *world.State {
	return &world.State{Seed: seed, Clock: clock.New(clock.Frozen, time.Date(2026, 1, 15, 9, 30, 0, 0, time.UTC))}
}

// plan plans faults that are written in words, and stubs, whose words begin with stub.
func plan(t *testing.T, w *world.State, texts ...string) {
	t.Helper()
	for _, text := range texts {
		words, isStub := strings.CutPrefix(text, "stub ")
		f, err := fixtures.ParseFault(words)
		if err != nil {
			t.Fatal(err)
		}
		if isStub {
			_, err = fault.PlanStub(w, f, match.Documents{Names: specs.Interfaces(), Of: documents})
		} else {
			_, err = fault.Plan(w, f, match.Documents{Names: specs.Interfaces(), Of: documents})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// choose sends so many calls of an operation to a world, and returns the ids of the faults that apply to them; a dash
// stands for none.
func choose(t *testing.T, w *world.State, n int, operation string) (ids []string) {
	t.Helper()
	iface, id, _ := strings.Cut(operation, ".")
	document, err := documents(specs.Interface(iface))
	if err != nil {
		t.Fatal(err)
	}
	index, err := fault.NewIndex(w.Faults.Plan, nil, match.Documents{Names: specs.Interfaces(), Of: documents})
	if err != nil {
		t.Fatal(err)
	}
	for range n {
		chosen, _ := fault.Choose(w, index.Find(document.Operation(id), &match.Request{Path: "/api/pools/1"}))
		if chosen == nil {
			ids = append(ids, "-")
			continue
		}
		ids = append(ids, chosen.Fault.ID)
	}
	return ids
}

// counts returns what was counted for the faults and stubs of a world, as id calls/hits.
func counts(w *world.State) string {
	var list []string
	for _, p := range slices.Concat(fault.List(w, false), fault.List(w, true)) {
		list = append(list, fmt.Sprintf("%s %d/%d", p.ID, p.Calls, p.Hits))
	}
	return strings.Join(list, ", ")
}

// Of the faults that a call fits, the first one that applies is chosen, and all count the call.
func TestChoose(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		plan   []string
		want   string // for six calls of workflow.getPool, ten minutes apart
		counts string
	}{
		{[]string{"status=503 id=a"}, "a a a a a a", "a 6/6"},
		{[]string{"status=503 id=a nth=3"}, "- - a - - -", "a 6/1"},
		{[]string{"status=503 id=a first=2"}, "a a - - - -", "a 6/2"},
		{[]string{"status=503 id=a every=2"}, "- a - a - a", "a 6/3"},
		{[]string{"status=503 id=a after=20m"}, "- - a a a a", "a 4/4"},
		{[]string{"status=503 id=a after=20m nth=2"}, "- - - a - -", "a 4/1"},
		{[]string{"status=503 id=a after=20m1ns first=2"}, "- - - a a -", "a 3/2"},
		{[]string{"status=503 id=a after=1h"}, "- - - - - -", "a 0/0"},
		{[]string{"status=503 id=a nth=2 probability=1"}, "- a - - - -", "a 6/1"},
		{[]string{"status=503 id=a core.*"}, "- - - - - -", "a 0/0"},
		{[]string{"status=503 id=a nth=1", "delay=1s id=b first=3"}, "a b b - - -", "a 6/1, b 6/2"},
		{[]string{"status=503 id=a every=3", "status=503 id=b every=2"}, "- b a b - a", "a 6/2, b 6/2"},
		{[]string{"stub status=200 id=s first=1", "stub status=200 id=t first=2"}, "s t t - - -", "s 1/1, t 3/2"},
		{[]string{"status=503 id=a nth=2", "stub status=200 id=s first=2"}, "s a s - - -", "a 6/1, s 3/2"},
		{[]string{"stub status=200 id=s first=2 after=10m"}, "- s s - - -", "s 2/2"},
		{[]string{"stub status=200 id=s"}, "s s s s s s", "s 6/6"},
	} {
		t.Run(strings.Join(test.plan, ", "), func(t *testing.T) {
			t.Parallel()
			w := newWorld(1)
			plan(t, w, test.plan...)
			var got []string
			for range 6 {
				got = append(got, choose(t, w, 1, "workflow.getPool")...)
				w.Clock = clock.New(clock.Frozen, w.Now().Add(10*time.Minute))
			}
			if diff := cmp.Diff(test.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(test.counts, counts(w)); diff != "" {
				t.Errorf("counts (-want +got)\n%s", diff)
			}
		})
	}
}

// Chance depends on nothing but the seed of the world, the id of the fault, and the number of the call.
func TestChooseByChance(t *testing.T) {
	t.Parallel()
	const chance = "workflow.getPool status=503 probability=0.3 id="
	draw := func(seed uint64, texts ...string) []string {
		w := newWorld(seed)
		plan(t, w, texts...)
		return choose(t, w, 1000, "workflow.getPool")
	}
	first := draw(1, chance+"a")
	if n := strings.Count(strings.Join(first, ""), "a"); n < 250 || n > 350 {
		t.Errorf("of 1000 calls %d are chosen, want about 300", n)
	}
	if !slices.Equal(first, draw(1, "core.* status=503", chance+"a", "llm.* status=503")) {
		t.Error("other faults change what is chosen")
	}
	if slices.Equal(first, draw(2, chance+"a")) {
		t.Error("another seed gives the same choice")
	}
	if other := draw(1, chance+"b"); strings.ReplaceAll(strings.Join(other, ""), "b", "a") == strings.Join(first, "") {
		t.Error("another id gives the same choice")
	}
	w := newWorld(1)
	plan(t, w, chance+"a")
	halves := choose(t, w, 500, "workflow.getPool")
	if fork := *w; !slices.Equal(first, append(halves, choose(t, &fork, 500, "workflow.getPool")...)) {
		t.Error("a fork does not go on with the choice")
	}
}

// Delays are drawn by the seed, too, and anew for each call.
func TestDelayOf(t *testing.T) {
	t.Parallel()
	f, err := fixtures.ParseFault("delay.min=1s delay.max=2s id=a")
	if err != nil {
		t.Fatal(err)
	}
	first := fault.DelayOf(newWorld(1), &f, 1)
	for what, other := range map[string]time.Duration{
		"another seed": fault.DelayOf(newWorld(2), &f, 1), "another call": fault.DelayOf(newWorld(1), &f, 2),
	} {
		if other == first || other < time.Second || other > 2*time.Second {
			t.Errorf("%s has the delay %v, and the first one has %v", what, other, first)
		}
	}
	if again := fault.DelayOf(newWorld(1), &f, 1); again != first {
		t.Errorf("the same call has the delays %v and %v", first, again)
	}
}
