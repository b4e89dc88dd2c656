package world_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver/internal/world"
)

func TestTake(t *testing.T) {
	t.Parallel()
	type entry struct {
		Name  string
		Times int
	}
	queue := world.NewQueue([]entry{{"other", 1}, {"twice", 2}, {"always", 0}}...)
	named := func(name string) func(*entry) bool { return func(e *entry) bool { return e.Name == name } }
	times := func(e *entry) *int { return &e.Times }
	for _, test := range []struct {
		name string
		want []entry
	}{
		{"none", []entry{{"other", 1}, {"twice", 2}, {"always", 0}}},
		{"twice", []entry{{"other", 1}, {"twice", 1}, {"always", 0}}},
		{"other", []entry{{"twice", 2}, {"always", 0}}},
		{"always", []entry{{"other", 1}, {"twice", 2}, {"always", 0}}},
	} {
		rest := queue
		taken := world.TakeFirst(&rest, named(test.name), times)
		if diff := cmp.Diff(test.want, rest.List()); diff != "" || (taken == nil) != (test.name == "none") {
			t.Errorf("%s: took %v (-want +got):\n%s", test.name, taken, diff)
		}
	}
	if diff := cmp.Diff([]entry{{"other", 1}, {"twice", 2}, {"always", 0}}, queue.List()); diff != "" {
		t.Errorf("the queue itself has changed (-want +got):\n%s", diff)
	}
}
