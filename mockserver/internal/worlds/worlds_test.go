package worlds_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

func TestWorldChoice(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithScenario("empty"))
	created := mocktest.Call(t, s, "POST", "/_understudy/worlds", `{"id":"mine","scenario":"pool-in-use","mintKeys":true}`).Want(201)
	keys := mocktest.Decode[struct{ Keys map[string]string }](created).Keys
	const busy, free = 6, 1 // pools in pool-in-use and in empty
	for _, test := range []struct {
		name, path string
		headers    []string
		pools      int
	}{
		{"none", "/workflow/api/pools", nil, free},
		{"by header", "/workflow/api/pools", []string{"X-Understudy-World", "mine"}, busy},
		{"by path prefix", "/_worlds/mine/workflow/api/pools", nil, busy},
		{"by minted key", "/workflow/api/pools", []string{"Authorization", "SVC1 " + keys["admin"]}, busy},
		{
			"the header wins over the prefix", "/_worlds/mine/workflow/api/pools",
			[]string{"X-Understudy-World", "default"},
			free,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := mocktest.Decode[mocktest.Pools](mocktest.Call(t, s, "GET", test.path, "", test.headers...).Want(200))
			if (len(got.Pools) > 1) != (test.pools > 1) {
				t.Errorf("%d pools: that is the wrong world", len(got.Pools))
			}
		})
	}
	t.Run("a minted write key may only write", func(t *testing.T) {
		t.Parallel()
		mocktest.Call(t, s, "GET", "/workflow/api/pools", "", "Authorization", "SVC1 "+keys["write"]).Want(403)
	})
	t.Run("an unknown world", func(t *testing.T) {
		t.Parallel()
		a := mocktest.Call(t, s, "GET", "/workflow/api/pools", "", "X-Understudy-World", "yours").Want(404)
		if !strings.Contains(a.Body, "yours") {
			t.Errorf("the message does not name it: %s", a.Body)
		}
	})
	t.Run("links lead back into the world that the path chose", func(t *testing.T) {
		t.Parallel()
		for path, want := range map[string]string{
			"http://localhost/_worlds/paged/llm":     "http://localhost/_worlds/paged/llm/api/agents?",
			"http://llm.localhost/_worlds/paged":     "http://llm.localhost/_worlds/paged/api/agents?",
			"https://llm.example/_worlds/paged/base": "https://llm.example/_worlds/paged/base/api/agents?",
			"http://llm.localhost":                   "http://llm.localhost/api/agents?",
		} {
			s := mocktest.NewServer(t, mockserver.WithScenario("full-account"),
				mockserver.WithBaseURL("llm", "https://llm.example/base"))
			mocktest.Call(t, s, "POST", "/_understudy/worlds", `{"id":"paged"}`).Want(201)
			a := mocktest.Call(t, s, "GET", path+"/api/agents?page[limit]=1", "").Want(200)
			got := mocktest.Decode[struct{ Links struct{ First string } }](a).Links.First
			if !strings.HasPrefix(got, want) {
				t.Errorf("links.first at %s is %s", path, got)
			}
		}
	})
	t.Run("a deleted world and its keys are gone", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t, mockserver.WithScenario("empty"))
		created := mocktest.Call(t, s, "POST", "/_understudy/worlds", `{"id":"brief","mintKeys":true}`).Want(201)
		key := mocktest.Decode[struct{ Keys map[string]string }](created).Keys["admin"]
		mocktest.Call(t, s, "DELETE", "/_understudy/worlds/brief", "").Want(204)
		mocktest.Call(t, s, "DELETE", "/_understudy/worlds/brief", "").Want(404)
		mocktest.Call(t, s, "GET", "/workflow/api/pools", "", "Authorization", "SVC1 "+key).Want(401)
	})
}

// Two hundred parallel tests on one server, each in a world of its own, see only what they did themselves.
func TestNoCrossTalk(t *testing.T) {
	t.Parallel()
	s := mockserver.Start(t, mockserver.WithScenario("quickstart"), mockserver.WithClock("frozen"))
	const tests, calls = 200, 10
	var wg sync.WaitGroup
	for n := range tests {
		wg.Go(func() {
			world := s.World("").Fork()
			defer world.Delete() //nolint:errcheck // it is there
			name := fmt.Sprintf("pool-of-%d", n)
			client := mocktest.Keyed{Key: world.Key()}
			for i := range calls {
				body := fmt.Sprintf(`{"name":"%s-%d","concurrencyLimit":1}`, name, i)
				if status, text := client.Do(t, "POST", s.URL("workflow")+"/api/pools", body); status != 201 {
					t.Errorf("world %d: status %d: %s", n, status, text)
				}
			}
			_, text := client.Do(t, "GET", s.URL("workflow")+"/api/pools", "")
			if got := strings.Count(text, "pool-of-"); got != calls || strings.Count(text, name+"-") != calls {
				t.Errorf("world %d: sees %d pools, %d of them its own: %s", n, got, strings.Count(text, name+"-"), text)
			}
			if got := world.Calls("workflow.createPool"); got != calls {
				t.Errorf("world %d: %d calls, want %d", n, got, calls)
			}
		})
	}
	wg.Wait()
	if got := s.World("").Calls("workflow.createPool"); got != 0 {
		t.Errorf("the world default saw %d calls, want none", got)
	}
}

// The same seed gives the same bytes, in any order of tests.
func TestDeterminism(t *testing.T) {
	t.Parallel()
	play := func(t *testing.T, s http.Handler, world string) string {
		t.Helper()
		in := []string{"X-Understudy-World", world}
		mocktest.Call(t, s, "GET", "/workflow/api/pools", "", in...)
		mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"name":"mine","concurrencyLimit":2}`, in...).Want(201)
		mocktest.Call(t, s, "GET", "/workflow/api/attempts?include_retried=true", "", in...).Want(200)
		mocktest.Call(t, s, "PUT", "/workflow/api/attempts", `{"projectName":"shop_pipeline","workflowName":"daily_orders",
			"sessionTime":"2026-01-10T00:00:00+00:00","params":{"b":1,"a":2},"allowQueueing":true}`, in...).Want(200)
		mocktest.Call(t, s, "POST", "/_understudy/worlds/"+world+"/clock", `{"untilIdle":true}`).Want(200)
		mocktest.Call(t, s, "GET", "/workflow/api/sessions", "", in...).Want(200)
		return mocktest.Call(t, s, "GET", "/_understudy/worlds/"+world+"/journal.ndjson", "").Want(200).Body
	}
	first := mocktest.NewServer(t)
	want := play(t, first, "default")
	if strings.Count(want, "\n") != 5 {
		t.Fatalf("the journal has not five exchanges:\n%s", want)
	}
	order := rand.Perm(8)
	shared := mocktest.NewServer(t)
	var wg sync.WaitGroup
	for _, n := range order {
		wg.Go(func() {
			id := fmt.Sprintf("w-%d", n)
			mocktest.Call(t, shared, "POST", "/_understudy/worlds", fmt.Sprintf(`{"id":%q}`, id)).Want(201)
			got := strings.ReplaceAll(play(t, shared, id), `"world":"`+id+`"`, `"world":"default"`)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("journal of %s (-want +got):\n%s", id, diff)
			}
		})
	}
	wg.Wait()
	other := mocktest.NewServer(t, mockserver.WithSeed(99))
	if play(t, other, "default") == want {
		t.Error("another seed gives the same journal")
	}
}

func TestForkedWorlds(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t)
	original := s.World("")
	mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"name":"before","concurrencyLimit":1}`).Want(201)
	fork := original.Fork()
	mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"name":"after","concurrencyLimit":1}`).Want(201)
	mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"name":"fork","concurrencyLimit":1}`, "X-Understudy-World",
		fork.ID()).Want(201)
	fork.Advance(time.Hour)

	names := func(world string) string {
		return mocktest.Call(t, s, "GET", "/workflow/api/pools", "", "X-Understudy-World", world).Body
	}
	if got := names(fork.ID()); !strings.Contains(got, "before") || !strings.Contains(got, "fork") ||
		strings.Contains(got, "after") {
		t.Errorf("the fork has %s", got)
	}
	if got := names("default"); strings.Contains(got, `"fork"`) || !strings.Contains(got, "after") {
		t.Errorf("the original has %s", got)
	}
	if fork.Now().Sub(original.Now()) != time.Hour {
		t.Errorf("the fork is at %s, the original at %s", fork.Now(), original.Now())
	}
	if got := fork.Calls("workflow.createPool"); got != 1 {
		t.Errorf("the fork counts %d calls, want its own one", got)
	}
}
