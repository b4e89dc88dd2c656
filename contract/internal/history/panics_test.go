package history_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/history"
)

// A rule that panics is an error of the check, with however many workers, and leaves no goroutine.
func TestAPanicOfARuleIsAnError(t *testing.T) {
	t.Parallel()
	for _, workers := range []int{1, 2, 8} {
		t.Run(fmt.Sprint(workers, " workers"), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { // which fails if a goroutine is left
				shown := 0
				w := history.NewWatcher(history.Config{Workers: workers, Rules: []history.Rule{{Check: func(*history.Step) {
					panic("the rule is broken")
				}}}}, func(history.Result) { shown++ })
				for n := range 2000 { // more than the queues between workers hold
					w.See(&facts.Exchange{Number: n + 1, Seq: int64(n + 1), File: "f", Operation: "workflow.listPools", Method: "GET", Status: 200, Content: facts.NoContent()})
				}
				if err := w.End(t.Context()); err == nil || !strings.Contains(err.Error(), "panic: the rule is broken") {
					t.Errorf("error %v", err)
				}
			})
		})
	}
}
