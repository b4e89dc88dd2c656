package mockserver_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
)

// ownScenario is a scenario of a user's own, whose only pool has a name.
type ownScenario struct{ folder string }

func newOwnScenario(t *testing.T, pool string) ownScenario {
	t.Helper()
	o := ownScenario{t.TempDir()}
	o.write(t, "pools: [{id: 71, name: "+pool+", concurrencyLimit: 3}]")
	return o
}

func (o ownScenario) write(t *testing.T, workflow string) {
	t.Helper()
	file := filepath.Join(o.folder, "mine", "scenario.yaml")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	text := "description: Mine.\nnow: 2026-01-15T09:30:00Z\nseed: 1\nuses: [shop]\nworkflow: {" + workflow + "}\n"
	err := os.WriteFile(file+".new", []byte(text), 0o600)
	if err == nil {
		err = os.Rename(file+".new", file) // a request may read it meanwhile
	}
	if err != nil {
		t.Fatal(err)
	}
}

// reload reloads the server, and wants no error, or one with a text.
func reload(t *testing.T, s *mockserver.Server, on mockserver.WorldsOnReload, want string) {
	t.Helper()
	err := s.Reload(on)
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Fatalf("reload: %v, want %q", err, want)
	}
}

// wantPools checks which pools a world has and has not.
func wantPools(t *testing.T, s *mockserver.Server, world, has, lacks string) {
	t.Helper()
	w := s.World(world)
	if !hasPool(t, w, `"name":"`+has+`"`) || hasPool(t, w, `"name":"`+lacks+`"`) {
		t.Errorf("world %s: want pool %s and not %s", world, has, lacks)
	}
}

func TestReloadedScenario(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		on               mockserver.WorldsOnReload
		has, lacks, then string // pools of a world of the scenario after the reload, and after a reset
	}{
		{mockserver.ResetWorlds, "second", "first", "second"},
		{mockserver.KeepWorlds, "made", "second", "second"},
	} {
		t.Run(string(test.on), func(t *testing.T) {
			t.Parallel()
			mine := newOwnScenario(t, "first")
			s := mocktest.NewServer(t, mockserver.WithScenarios(mine.folder), mockserver.WithScenario("mine"))
			mocktest.Call(t, s, "POST", "/_understudy/worlds", `{"id":"minted","seed":9,"mintKeys":true}`).Want(201)
			mocktest.Call(t, s, "POST", "/_understudy/worlds", `{"id":"fork","fork":"default"}`).Want(201)
			mocktest.Call(t, s, "POST", "/_understudy/worlds", `{"id":"other","scenario":"quickstart"}`).Want(201)
			for _, id := range []string{"default", "minted", "other"} {
				addPool(t, s.World(id), "made")
			}
			reload(t, s, test.on, "")
			reload(t, s, test.on, "")
			wantPools(t, s, "default", "made", "second") // nothing has changed

			mine.write(t, "pools: [{id: 71, name: second, concurrencyLimit: many}]")
			reload(t, s, test.on, "scenario.yaml:5")
			wantPools(t, s, "default", "made", "second")
			mocktest.Call(t, s, "POST", "/_understudy/worlds", `{"id":"meanwhile","scenario":"mine"}`).Want(201)
			wantPools(t, s, "meanwhile", "first", "second")

			mine.write(t, "pools: [{id: 71, name: second, concurrencyLimit: 3}]")
			reload(t, s, test.on, "")
			wantPools(t, s, "fork", "first", "second")
			wantPools(t, s, "other", "made", "second")
			for _, id := range []string{"default", "minted"} {
				wantPools(t, s, id, test.has, test.lacks)
				s.World(id).Reset()
				wantPools(t, s, id, test.then, "made")
			}
			if !hasPool(t, s, `"second"`, "Authorization", "SVC1 "+s.World("minted").Key()) {
				t.Error("the minted key does not lead to its world")
			}
			mocktest.Call(t, s, "POST", "/_understudy/worlds", `{"id":"new","scenario":"mine"}`).Want(201)
			wantPools(t, s, "new", "second", "first")

			if err := os.CopyFS(filepath.Join(mine.folder, "added"), os.DirFS(filepath.Join(mine.folder, "mine"))); err != nil {
				t.Fatal(err)
			}
			reload(t, s, test.on, "")
			if list := mocktest.Call(t, s, "GET", "/_understudy/scenarios", "").Body; !strings.Contains(list, `"added"`) {
				t.Errorf("the scenario that was added is not listed: %s", list)
			}
		})
	}
}

func TestReloadedDocument(t *testing.T) {
	t.Parallel()
	file := mocktest.OwnWorkflow(t)
	full, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := mocktest.NewServer(t, mockserver.WithSpec(specs.Workflow, file))
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	reload(t, s, mockserver.ResetWorlds, "")
	write(mocktest.Modern) // which has no more than pools
	reload(t, s, mockserver.ResetWorlds, "")
	mocktest.Call(t, s, "GET", "/workflow/api/projects", "").Want(404)
	write("openapi: 3.0.3\npaths: 7\n")
	reload(t, s, mockserver.ResetWorlds, "document of workflow")
	mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)
	write(string(full))
	reload(t, s, mockserver.ResetWorlds, "")
	mocktest.Call(t, s, "GET", "/workflow/api/projects", "").Want(200)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	reload(t, s, mockserver.ResetWorlds, "no such file")
	mocktest.Call(t, s, "GET", "/workflow/api/projects", "").Want(200)
}

// A scenario can be reloaded that the server's file of worlds was begun with.
func TestReloadedStateFile(t *testing.T) {
	t.Parallel()
	mine, file := newOwnScenario(t, "first"), filepath.Join(t.TempDir(), "state.json")
	opts := []mockserver.Option{mockserver.WithScenario(filepath.Join(mine.folder, "mine"))}
	stop(t, keptServer(t, file, opts...))
	s := keptServer(t, file, opts...)
	reload(t, s, mockserver.ResetWorlds, "")
	mine.write(t, "pools: [{id: 71, name: second, concurrencyLimit: 3}]")
	reload(t, s, mockserver.ResetWorlds, "")
	wantPools(t, s, "default", "second", "first")
}

// Requests go on while scenarios and documents are read again.
func TestReloadWhileServing(t *testing.T) {
	t.Parallel()
	mine, file := newOwnScenario(t, "first"), mocktest.OwnWorkflow(t)
	full, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := mocktest.NewServer(t, mockserver.WithScenarios(mine.folder), mockserver.WithScenario("mine"),
		mockserver.WithSpec(specs.Workflow, file), mockserver.WithWorldTTL(0))
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for range 50 {
				if answer := mocktest.Call(t, s, "GET", "/workflow/api/pools", ""); answer.Status != 200 {
					t.Errorf("status %d", answer.Status)
				}
				if answer := mocktest.Call(t, s, "POST", "/_understudy/worlds", `{}`); answer.Status != 201 {
					t.Errorf("status %d: %s", answer.Status, answer.Body)
				}
			}
		})
	}
	for i := range 5 {
		mine.write(t, fmt.Sprintf("pools: [{id: 71, name: p%d, concurrencyLimit: 3}]", i))
		if err := os.WriteFile(file, append(full, fmt.Sprintf("# %d\n", i)...), 0o600); err != nil {
			t.Fatal(err)
		}
		reload(t, s, mockserver.ResetWorlds, "")
	}
	group.Wait()
}
