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

// What only reads is asked once, as long as its caller may do the same.
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
	if count["begin"] < 2 || count["/workflow/api/pools"] != 1 {
		t.Errorf("asked %v, want the pools once of several servers", count)
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
