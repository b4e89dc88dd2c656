package rule_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/internal/rule"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

// inWorlds returns a script in several worlds at once: the first exchange of each, the second of each, and so on.
func inWorlds(list []*recording.Exchange, worlds int) (all []*recording.Exchange) {
	begin := time.Date(2026, 5, 4, 1, 20, 0, 0, time.UTC)
	for _, e := range list {
		for world := range worlds {
			c := *e
			c.World = fmt.Sprintf("w%d", world)
			c.Start = begin.Add(time.Duration(len(all)) * time.Second)
			c.End = c.Start.Add(time.Millisecond)
			all = append(all, &c)
		}
	}
	return all
}

// Each of the accounts that are in use at a time has its own history. If there are too many, a note says so, and
// nothing is called a violation that the forgotten part might explain.
func TestAccountsAtATime(t *testing.T) {
	t.Parallel()
	const worlds = 3
	documents, events := eventsOf(t, inWorlds(script(t, allTrials()[rule.PoolDeletion][violated].script), worlds))
	for atATime, wantFails := range map[int]int{0: worlds, worlds: worlds, worlds - 1: 0} {
		w := history.NewWatcher(history.Config{Rules: rule.All, Documents: documents, Accounts: atATime}, nil)
		for _, e := range events {
			w.See(e)
		}
		fails := 0
		if err := w.Show(t.Context(), func(v history.Result) {
			if v.Rule == rule.PoolDeletion && v.Verdict == report.Fail {
				fails++
			}
		}); err != nil {
			t.Fatal(err)
		}
		if fails != wantFails {
			t.Errorf("%d accounts at a time: %d violations, want %d", atATime, fails, wantFails)
		}
		isSaid := slices.ContainsFunc(w.Notes(), func(note string) bool { return strings.Contains(note, "several parts: 3;") })
		if isSaid != (wantFails == 0) {
			t.Errorf("%d accounts at a time: notes %q", atATime, w.Notes())
		}
	}
}
