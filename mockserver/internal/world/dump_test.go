package world_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

func dumpOf(t *testing.T, w *world.State) string {
	t.Helper()
	var b bytes.Buffer
	if err := w.Dump(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func load(text string) (world.State, error) { return world.Load(strings.NewReader(text), clock.Auto) }

// A field that is new is filled, and must come back.
func TestNoFieldIsLost(t *testing.T) {
	t.Parallel()
	w := filled(t)
	loaded, err := load(dumpOf(t, w))
	if err != nil {
		t.Fatal(err)
	}
	for _, difference := range differences("World", reflect.ValueOf(w).Elem(), reflect.ValueOf(&loaded).Elem()) {
		t.Error(difference)
	}
	for e := range w.Waiting().All() {
		w.Plan(world.DueEvent{At: e.At, Kind: e.Kind, ID: e.ID})
	}
	if diff := cmp.Diff(w.Events(), loaded.Events()); diff != "" || len(w.Events()) < 2 {
		t.Errorf("events, those that wait for queries included (-want +got):\n%s", diff)
	}
	if text, err := w.Marshal(); err != nil || string(text) != dumpOf(t, w) {
		t.Errorf("Marshal returns something else than Dump writes: %v", err)
	}
	if loaded.Clock.Mode() != clock.Auto || !loaded.Now().Equal(w.Now()) {
		t.Errorf("the clock is %s at %s, want auto at the time of the dump", loaded.Clock.Mode(), loaded.Now())
	}
}

// What the test above finds, it must find by itself.
func TestALostFieldIsNamed(t *testing.T) {
	t.Parallel()
	w := filled(t)
	other, err := load(dumpOf(t, w))
	if err != nil {
		t.Fatal(err)
	}
	for id, pool := range table.All(&other.Workflow.Pools) {
		pool.Limit = 0
		other.Workflow.Pools.Put(id, pool)
	}
	other.Core.JobKeys.Delete("none")
	other.Core.Restrictions = nil
	got := strings.Join(differences("World", reflect.ValueOf(w).Elem(), reflect.ValueOf(&other).Elem()), "\n")
	for _, path := range []string{"World.Workflow.Pools[0].Limit is 0", "World.Core.Restrictions is"} {
		if !strings.Contains(got, path) {
			t.Errorf("%q lacks %s", got, path)
		}
	}
}

func TestDump(t *testing.T) {
	t.Parallel()
	w := filled(t)
	first := dumpOf(t, w)
	if !regexp.MustCompile(`^\{"understudy":2,"digest":"sha256:[0-9a-f]{64}","scenario":`).MatchString(first) {
		t.Errorf("it begins with %.120s, want version and digest in front", first)
	}
	t.Run("the same world gives the same bytes, also when it was loaded", func(t *testing.T) {
		t.Parallel()
		loaded, err := load(first)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first, dumpOf(t, &loaded)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("a world of which nothing is known can be loaded", func(t *testing.T) {
		t.Parallel()
		empty := &world.State{Clock: clock.New(clock.Frozen, time.Unix(1, 0))}
		if _, err := load(dumpOf(t, empty)); err != nil {
			t.Error(err)
		}
	})
	t.Run("white space is nobody's edit", func(t *testing.T) {
		t.Parallel()
		var b bytes.Buffer
		if err := json.Indent(&b, []byte(first), "", "  "); err != nil {
			t.Fatal(err)
		}
		if _, err := load(b.String()); err != nil {
			t.Error(err)
		}
	})
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	dump := dumpOf(t, filled(t))
	replaced := func(old, by string) string {
		if !strings.Contains(dump, old) {
			t.Fatalf("the dump has no %s", old)
		}
		return strings.Replace(dump, old, by, 1)
	}
	for name, test := range map[string]struct{ text, want string }{
		"a text that was edited":   {replaced(`"text `, `"texts `), "write a fixture"},
		"a number that was edited": {replaced(`"Failed":`, `"Failed":1`), "its digest does not match its content"},
		"another digest":           {replaced(`"sha256:`, `"sha256:0`), "its digest does not match its content"},
		"no digest":                {replaced(`"digest"`, `"scenario"`), "digest"},
		"another version": {
			replaced(`"understudy":2`, `"understudy":1`),
			"version 1, but this Understudy reads version 2",
		},
		"what an old version wrote": {
			`{"understudy":1,"scenario":"x","ids":{"a":1}}`,
			"version 1, but this Understudy reads version 2",
		},
		"no version":   {`{"digest":"x"}`, "understudy or now is missing"},
		"half of it":   {dump[:len(dump)/2], "EOF"},
		"more than it": {dump + "{}", "after top-level value"},
		"nothing":      {"", "EOF"},
		"no object":    {"[]", "[ is not allowed here"},
		"a member that nobody knows": {
			replaced(`"Pools":`, `"Ponds":{},"Pools":`),
			"/workflow/Ponds: unknown object member name",
		},
		"a number that is text": {replaced(`"Failed":`, `"Failed":"x","Failed":`), `/ingestion/Failed`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := load(test.text)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
			if err != nil && strings.Contains(err.Error(), "world.") {
				t.Errorf("%v names types of ours", err)
			}
		})
	}
}

func TestUsersOfPoliciesAreCounted(t *testing.T) {
	t.Parallel()
	w := world.State{Clock: clock.New(clock.Frozen, time.Date(2026, 1, 15, 9, 30, 0, 0, time.UTC))}
	w.Account.PutUser(world.User{ID: 1, Policies: []int64{3, 4}})
	w.Account.PutUser(world.User{ID: 2, Policies: []int64{3}})
	w.Account.PutUser(world.User{ID: 3, Policies: []int64{4}})
	w.Account.PutUser(world.User{ID: 2, Policies: []int64{4}})
	w.Account.PutUser(world.User{ID: 3, Policies: []int64{4}, DeletedAt: w.Now()})
	loaded, err := load(dumpOf(t, &w))
	if err != nil {
		t.Fatal(err)
	}
	for name, account := range map[string]*world.Account{"kept": &w.Account, "loaded": &loaded.Account} {
		if three, four := account.PolicyUsers(3), account.PolicyUsers(4); three != 1 || four != 2 {
			t.Errorf("%s: %d and %d users, want 1 and 2", name, three, four)
		}
	}
}
