package learn_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/contract"
)

const poolsShown = `{"pools":[{"id":"1","name":"default","default":true,"concurrencyLimit":10}]}`

// asking returns a builder of servers that show one pool, refuse nothing, and note what they are asked. They call
// closed when they are closed.
func asking(asked *[]string, closed func()) contract.BuildLearned {
	return func(*contract.Learned) (contract.Subject, error) {
		*asked = append(*asked, "begin")
		return contract.Subject{
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				*asked = append(*asked, r.URL.Path)
				w.Header().Set("Content-Type", "application/json")
				if strings.HasSuffix(r.URL.Path, "/pools") {
					_, _ = fmt.Fprint(w, poolsShown)
				}
			}),
			Clock: func(time.Time) error { return nil }, Close: closed,
		}, nil
	}
}

// refusedRead returns a recording in which a caller reads pools, and another one may read jobs and not databases, so
// that it is tried who may do what.
func refusedRead(pools int) func() contract.Source {
	list := []said{
		{method: "GET", path: "/core/v3/database/list", status: 403, answer: `{"error":"no"}`, key: "1/other"},
		{method: "GET", path: "/core/v3/job/list", status: 200, answer: `{"jobs":[]}`, key: "1/other"},
	}
	for range pools {
		list = append(list, said{method: "GET", path: "/workflow/api/pools", status: 200, answer: poolsShown})
	}
	return recordingOf(list...)
}

// What only reads is asked once, as long as its caller may do the same, and once more with another seed.
func TestTryingAsksForWhatMayDiffer(t *testing.T) {
	t.Parallel()
	var asked []string
	if _, err := mustChecker(t).Learn(t.Context(), refusedRead(1)(), asking(&asked, nil)); err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, what := range asked {
		count[what]++
	}
	if count["begin"] < 2 || count["/workflow/api/pools"] != 2 {
		t.Errorf("asked %v, want the pools once of several servers, and of that with another seed", count)
	}
}

// A search that is interrupted begins no server more, and writes as much of the story as takes no time.
func TestTryingIsInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var asked []string
	learned, err := mustChecker(t).Learn(ctx, refusedRead(3_000)(), asking(&asked, cancel))
	if !errors.Is(err, context.Canceled) || learned == nil {
		t.Fatalf("%v, %v: want what was learned so far", learned, err)
	}
	begun := 0
	for _, what := range asked {
		if what == "begin" {
			begun++
		}
	}
	if begun != 1 {
		t.Errorf("%d servers began, want no other one after the interrupt", begun)
	}
	if !strings.Contains(string(learned.Story), "The story ends here, since learning was interrupted.") {
		t.Errorf("the story does not say that it is not whole:\n%.500s", learned.Story)
	}
}

// refusingLater returns a builder of servers, of which the first one refuses nothing, and the others all. It notes how
// many requests each of them got.
func refusingLater(asked *[]int) contract.BuildLearned {
	return func(*contract.Learned) (contract.Subject, error) {
		n := len(*asked)
		*asked = append(*asked, 0)
		return contract.Subject{
			Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				(*asked)[n]++
				w.Header().Set("Content-Type", "application/json")
				if n > 0 {
					w.WriteHeader(http.StatusForbidden)
				}
				_, _ = fmt.Fprint(w, poolsShown)
			}),
			Clock: func(time.Time) error { return nil },
		}, nil
	}
}

// refusedAmong returns a recording of reads by a caller who may not list databases, and may be one of some users.
func refusedAmong(reads, users int) func() contract.Source {
	shown := make([]string, users)
	for i := range shown {
		shown[i] = fmt.Sprintf(`{"id":"%d","user_id":"%[1]d","name":"User %[1]d","email":"u%[1]d@shop.example"}`, i+1)
	}
	list := []said{
		{method: "GET", path: "/core/v3/access_control/users", status: 200, answer: "[" + strings.Join(shown, ",") + "]"},
		{method: "GET", path: "/core/v3/database/list", status: 403, answer: `{"error":"no"}`, key: "1/other"},
	}
	for range reads {
		list = append(list, said{method: "GET", path: "/workflow/api/pools", status: 200, answer: poolsShown, key: "1/other"})
	}
	return recordingOf(list...)
}

// A server is asked no more once it cannot be the best one.
func TestTryingEndsEarly(t *testing.T) {
	t.Parallel()
	const reads = 100
	var asked []int
	if _, err := mustChecker(t).Learn(t.Context(), refusedAmong(reads, 1)(), refusingLater(&asked)); err != nil {
		t.Fatal(err)
	}
	last := len(asked) - 1 // which has another seed
	if last < 2 || asked[0] != reads+2 || asked[last] != reads+2 {
		t.Fatalf("servers were asked %v times, want several, and the first and the last one all", asked)
	}
	for n, times := range asked[1:last] {
		if times > 10 {
			t.Errorf("server %d was asked %d times, want few: it refuses what was allowed", n+1, times)
		}
	}
}

// A server that begins counts as a quarter of the recording, however little it is asked.
func TestTryingCountsServers(t *testing.T) {
	t.Parallel()
	const reads, effort = 100, 500
	checker, err := contract.NewChecker(contract.WithEffort(effort))
	if err != nil {
		t.Fatal(err)
	}
	var asked []int
	if _, err := checker.Learn(t.Context(), refusedAmong(reads, 40)(), refusingLater(&asked)); err != nil {
		t.Fatal(err)
	}
	if begun := len(asked); begun < 4 || begun > 4*effort/reads {
		t.Errorf("%d servers began, want from 4 to %d", begun, 4*effort/reads)
	}
}
