package mockserver_test

import (
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// plans are the bodies that make worlds in all ways that share something with others.
var plans = []string{
	`{}`, `{"scenario":"jobs-in-flight"}`, `{"fork":"default"}`, `{"fork":"default","seed":7,"clock":"frozen"}`,
	`{"clock":"real"}`, `{"clock":"auto"}`, `{"mintKeys":true}`, `{"fork":"default","mintKeys":true}`,
}

// A world is made when it is used first, and begins all the same as if it had been made at once.
func TestAWorldThatIsUsedLaterBeginsAsItWasMade(t *testing.T) {
	t.Parallel()
	for _, mode := range []mockserver.ClockMode{"real", "frozen", "auto"} {
		for i, plan := range plans[:6] {
			t.Run(fmt.Sprint(mode, i), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					s := mocktest.NewServer(t, mockserver.WithScenario("full-account"), mockserver.WithClock(mode))
					<-time.After(time.Hour) // after the first world was made
					soon, later := newWorld(t, s, plan), newWorld(t, s, plan)
					stateOf(t, s, soon)
					<-time.After(10 * time.Minute)
					if diff := cmp.Diff(stateOf(t, s, soon), stateOf(t, s, later)); diff != "" {
						t.Errorf("the world that is used later differs (-soon +later):\n%.2000s", diff)
					}
				})
			})
		}
	}
}

func newWorld(t *testing.T, s *mockserver.Server, plan string) (id string) {
	t.Helper()
	return jsontree.Find(mocktest.Call(t, s, "POST", "/_understudy/worlds", plan).Want(201).Body, "id").Text()
}

func stateOf(t *testing.T, s *mockserver.Server, id string) string {
	t.Helper()
	return mocktest.Call(t, s, "GET", "/_understudy/worlds/"+id+"/state", "").Want(200).Body
}

// The times in a world of the real clock are its own, and not those of the first world of its scenario.
func TestTimesOfAWorldAreItsOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := mocktest.NewServer(t, mockserver.WithScenario("jobs-in-flight"), mockserver.WithClock("real"))
		startOf := func(world string) time.Time {
			list := mocktest.Call(t, s, "GET", "/core/v3/job/list", "", inA, world).Want(200).Body
			at, err := time.Parse("2006-01-02 15:04:05 MST", jsontree.Find(list, "jobs.0.created_at").Text())
			if err != nil {
				t.Fatal(err, list)
			}
			return at
		}
		first := startOf("default")
		<-time.After(time.Hour)
		later := newWorld(t, s, `{}`)
		<-time.After(time.Hour)
		if got := startOf(later).Sub(first); got != time.Hour {
			t.Errorf("the newest job of a world that was made an hour later is %v newer", got)
		}
	})
}

func TestMintedKeysLeadIntoAWorldThatWasNotUsed(t *testing.T) {
	t.Parallel()
	for _, plan := range plans[6:] {
		s := mocktest.NewServer(t, mockserver.WithClock("real"))
		made := mocktest.Call(t, s, "POST", "/_understudy/worlds", plan).Want(201).Body
		key := jsontree.Find(made, "keys.admin").Text()
		for range 2 {
			got := mocktest.Call(t, s, "GET", "/workflow/api/pools", "", "Authorization", "SVC1 "+key).Want(200)
			if got.Header.Get("X-Understudy-Exchange") == "" {
				t.Errorf("%s: the request is in no journal", plan)
			}
			mocktest.Call(t, s, "POST", "/_understudy/worlds/"+jsontree.Find(made, "id").Text()+"/reset", "").Want(200)
		}
		if n := s.World("").Calls("workflow.listPools"); n != 0 {
			t.Errorf("%s: %d requests were served in the world default", plan, n)
		}
	}
}

// Making worlds and listing them takes little memory, under every clock. Not parallel, since it measures the memory of
// the process.
func TestIdleWorldsTakeLittleMemory(t *testing.T) { //nolint:paralleltest // it measures the memory of the process
	const worlds, limit = 300, 2 << 10
	for _, mode := range []mockserver.ClockMode{"real", "frozen", "auto"} {
		s := mocktest.NewServer(t, mockserver.WithScenario("full-account"), mockserver.WithClock(mode))
		for _, plan := range plans {
			newWorld(t, s, plan) // what all of them share is there then
			heap()
			before := heap()
			for range worlds {
				newWorld(t, s, plan)
			}
			mocktest.Call(t, s, "GET", "/_understudy/worlds", "").Want(200)
			heap() // which also frees what pools of buffers hold until the second time
			each := (int64(heap()) - int64(before)) / worlds
			if runtime.KeepAlive(s); each > limit {
				t.Errorf("clock %s, %s: an idle world takes %d bytes, want at most %d", mode, plan, each, limit)
			}
		}
	}
}
