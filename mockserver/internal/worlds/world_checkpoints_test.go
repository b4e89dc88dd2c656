package worlds_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

func TestCheckpoints(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t)
	state := func() string {
		return mocktest.Call(t, s, "GET", "/_understudy/worlds/default/state", "").Want(200).Body
	}
	before := state()
	mocktest.Call(t, s, "PUT", "/_understudy/worlds/default/checkpoints/start", "").Want(200)
	mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"name":"one","concurrencyLimit":1}`).Want(201)
	mocktest.Call(t, s, "POST", "/_understudy/worlds/default/clock", `{"advance":"90s"}`).Want(200)
	if state() == before {
		t.Fatal("nothing has changed")
	}
	mocktest.Call(t, s, "POST", "/_understudy/worlds/default/checkpoints/start/restore", "").Want(200)
	if diff := cmp.Diff(before, state()); diff != "" {
		t.Errorf("restored (-want +got):\n%s", diff)
	}
	mocktest.Call(t, s, "POST", "/_understudy/worlds/default/checkpoints/end/restore", "").Want(404)
	mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"name":"one","concurrencyLimit":1}`).Want(201)
	mocktest.Call(t, s, "POST", "/_understudy/worlds/default/reset", "").Want(200)
	if diff := cmp.Diff(before, state()); diff != "" {
		t.Errorf("reset (-want +got):\n%s", diff)
	}
	if got := s.World("").Calls("workflow.createPool"); got != 0 {
		t.Errorf("after a reset %d calls are counted", got)
	}
}

func TestState(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"empty", "quickstart", "pool-in-use", "attempt-failed"} {
		t.Run(scenario+" is dumped as a fixture that loads again", func(t *testing.T) {
			t.Parallel()
			from, to := mocktest.NewServer(t, mockserver.WithScenario(scenario)), mocktest.NewServer(t,
				mockserver.WithScenario("empty"))
			dump := mocktest.Call(t, from, "GET", "/_understudy/worlds/default/state", "").Want(200).Body
			mocktest.Call(t, to, "PUT", "/_understudy/worlds/default/state", dump).Want(200)
			again := mocktest.Call(t, to, "GET", "/_understudy/worlds/default/state", "").Want(200).Body
			if diff := cmp.Diff(dump, again); diff != "" {
				t.Errorf("dump (-want +got):\n%s", diff)
			}
			for _, path := range []string{
				"projects", "attempts?include_retried=true", "sessions", "schedules", "pools",
				"pool_rules", "workflows",
			} {
				want := mocktest.Call(t, from, "GET", "/workflow/api/"+path, "").Want(200).Body
				got := mocktest.Call(t, to, "GET", "/workflow/api/"+path, "").Want(200).Body
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", path, diff)
				}
			}
		})
	}
	t.Run("a loaded world goes on as the dumped one would have", func(t *testing.T) {
		t.Parallel()
		from, to := mocktest.NewServer(t), mocktest.NewServer(t, mockserver.WithScenario("empty"))
		dump := mocktest.Call(t, from, "GET", "/_understudy/worlds/default/state", "").Want(200).Body
		mocktest.Call(t, to, "PUT", "/_understudy/worlds/default/state", dump).Want(200)
		var states []string
		for _, s := range []http.Handler{from, to} {
			mocktest.Call(t, s, "POST", "/_understudy/worlds/default/clock", `{"advance":"72h"}`).Want(200)
			states = append(states, mocktest.Call(t, s, "GET", "/_understudy/worlds/default/state", "").Want(200).Body)
		}
		if diff := cmp.Diff(states[0], states[1]); diff != "" {
			t.Errorf("after three days (-dumped +loaded):\n%s", diff)
		}
	})
	for name, body := range map[string]string{
		"no JSON":         `{"workflow":`,
		"an unknown key":  `{"workflow":{"ponds":[]}}`,
		"a broken dump":   `{"state":{"understudy":1,"workflow":{"attempts":[{"id":1,"session":99}]}}}`,
		"an unknown pool": `{"workflow":{"poolRules":[{"priority":1,"pool":"none","conditions":[{"type":"invocation_type","values":["scheduled"]}]}]}}`,
	} {
		t.Run(name+" is refused and changes nothing", func(t *testing.T) {
			t.Parallel()
			s := mocktest.NewServer(t)
			before := mocktest.Call(t, s, "GET", "/_understudy/worlds/default/state", "").Body
			a := mocktest.Call(t, s, "PUT", "/_understudy/worlds/default/state", body).Want(400)
			var refusal struct{ Error struct{ Message string } }
			if err := json.Unmarshal([]byte(a.Body), &refusal); err != nil || refusal.Error.Message == "" {
				t.Errorf("no message in %s", a.Body)
			}
			if after := mocktest.Call(t, s, "GET", "/_understudy/worlds/default/state", "").Body; after != before {
				t.Error("the world has changed")
			}
		})
	}
}

func TestCheckpointsInGo(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithScenario("empty"))
	w := s.World("")
	w.Checkpoint("before")
	mocktest.Call(t, s, "POST", "/core/v3/database/create/shop", "").Want(200)
	if err := w.Restore("before"); err != nil {
		t.Fatal(err)
	}
	mocktest.Call(t, s, "GET", "/core/v3/table/list/shop", "").Want(404)
	if err := w.DeleteCheckpoint("before"); err != nil {
		t.Fatal(err)
	}
	const want = "world default has no checkpoint before"
	for _, err := range []error{w.Restore("before"), w.DeleteCheckpoint("before")} {
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
