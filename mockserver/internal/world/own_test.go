package world_test

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/world"
)

func TestObjectsAreFoundByTheirKeys(t *testing.T) {
	t.Parallel()
	var w world.State
	keep := func(before []string, keys ...string) int64 {
		id, _, isThere := w.Own.Find("r", before)
		if !isThere {
			id = w.NewObject("r")
		}
		w.Own.Keep("r", id, before, world.Object{Keys: keys, Text: jsontext.Value("{}")})
		return id
	}
	find := func(want int64, keys ...string) {
		t.Helper()
		if id, _, ok := w.Own.Find("r", keys); id != want || ok != (want > 0) {
			t.Errorf("%q is thing %d, want %d", keys, id, want)
		}
	}
	first, second := keep(nil, "a", "1"), keep(nil, "a", "1st") // one of which has its id as its key
	find(first, "a", "1")
	find(second, "a", "1st")
	find(0, "b", "1")
	find(0, "a", "01")
	keep([]string{"a", "1"}, "a", "2") // which is the id of another one
	find(0, "a", "1")
	find(first, "a", "2")
	keep([]string{"a", "2"}, "a", "1")
	find(first, "a", "1")
	find(0, "a", "2")
	w.Drop("r", second, []string{"a", "1st"})
	find(0, "a", "1st")
	if id := w.NewObject("r"); id != second+1 {
		t.Errorf("the id after a deletion is %d, want %d", id, second+1)
	}
}
