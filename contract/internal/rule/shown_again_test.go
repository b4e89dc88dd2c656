package rule_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/internal/rule"
	"svc.example/understudy/specs/recording"
)

// What was shown before does not change what is shown later, when more exchanges are known.
func TestShownAgain(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	const step = 97
	var all []*recording.Exchange
	every := allTrials()
	for _, id := range slices.Sorted(maps.Keys(every)) {
		for _, name := range slices.Sorted(maps.Keys(every[id])) {
			tt := every[id][name]
			all = append(all, edited(script(t, tt.script), func(e *recording.Exchange) { e.World = id + " " + name })...)
			all = append(all, script(t, tt.script)...)
		}
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, inMemory := range []int{0, 50} {
		documents, events := eventsOf(t, all)
		w := history.NewWatcher(history.Config{Rules: rule.All, Documents: documents, InMemory: inMemory}, nil)
		for from := 0; from < len(events); from += step {
			to := min(from+step, len(events))
			for _, e := range events[from:to] {
				w.See(e)
			}
			var got, want []history.Result
			if err := w.Show(t.Context(), func(v history.Result) { got = append(got, v) }); err != nil {
				t.Fatal(err)
			}
			fresh := history.NewWatcher(history.Config{Rules: rule.All, Documents: documents}, func(v history.Result) {
				want = append(want, v)
			})
			_, again := eventsOf(t, all)
			for _, e := range again[:to] {
				fresh.See(e)
			}
			if err := fresh.End(t.Context()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%d exchanges, %d in memory (-want +got):\n%.2000s", to, inMemory, diff)
			}
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%d files are left behind, error %v", len(left), err)
	}
}

// A report names the same sign of a missing request each time, however many there are.
func TestSameSignEveryTime(t *testing.T) {
	t.Parallel()
	many := script(t, `
		POST /pools {} => 201 {pool 7 10}
		POST /pools {} => 201 {pool 5 10}
		POST /pools {} => 201 {pool 8 10}
		GET /pools => 200 {"pools":[{pool 5 10},{pool 7 10},{pool 8 10}]}
		GET /pools => 200 {"pools":[{pool 7 10}]}
		POST /pools {} => 201 {pool 7 10}`)
	for range 20 {
		report, err := checker(t).Check(t.Context(), contract.Exchanges(slices.Values(many)))
		if err != nil {
			t.Fatal(err)
		}
		var said string
		for i := range report.Groups {
			said += report.Groups[i].Message + "\n"
		}
		if !strings.Contains(said, "shows that pool 5 was deleted") {
			t.Fatalf("the second list lacks 5 and 8, and the report says %s", said)
		}
	}
}

// Who is of one account, and which files are one recording, is decided anew when more is known.
func TestShownAgainWhenMoreIsKnown(t *testing.T) {
	t.Parallel()
	now := epoch
	shows := func(caller uint64, account, job string, born time.Time) *facts.Exchange {
		now = now.Add(time.Minute)
		e := &facts.Exchange{
			Address: "a.example", Operation: "core.listJobs", Method: "GET", Status: 200, Start: now, End: now, Caller: caller,
			Account: account, Verb: facts.Lists, Content: facts.NoContent(),
		}
		if job != "" {
			entity := facts.Entity{Kind: facts.Sessions, ID: job}
			e.Shows = []facts.Shown{{Entity: entity, Mark: uint64(born.Unix()), Born: born}}
		}
		return e
	}
	numbered := func(file string, seq int64, text string) *facts.Exchange {
		_, events := eventsOf(t, script(t, text))
		now = now.Add(time.Minute)
		e := events[0]
		e.File, e.Seq, e.World, e.Own, e.Mock, e.Start, e.End = file, seq, "w", true, true, now, now
		return e
	}
	for name, events := range map[string][]*facts.Exchange{
		"a caller is of another account after all": {
			shows(1, "", "1", epoch), shows(2, "first", "1", epoch), // of one account
			shows(1, "", "2", epoch), shows(2, "first", "2", now), // they are not
			shows(3, "second", "3", epoch), shows(1, "", "3", epoch),
		},
		"a file goes on with the numbers that another one had gone on with": {
			numbered("a", 1, "DELETE /pools/7 => 200 {pool 7 10}"),
			numbered("b", 2, "GET /pools/7 => 200 {pool 7 10}"),
			numbered("a", 2, "GET /pools/8 => 200 {pool 8 10}"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			documents, _ := eventsOf(t, nil)
			again := history.NewWatcher(history.Config{Rules: rule.All, Documents: documents}, nil)
			for i := range events {
				again.See(events[i])
				got := saidBy(t, again)
				once := history.NewWatcher(history.Config{Rules: rule.All, Documents: documents}, nil)
				for _, e := range events[:i+1] {
					once.See(e)
				}
				if diff := cmp.Diff(saidBy(t, once), got); diff != "" {
					t.Errorf("after %d exchanges (-shown once +shown again):\n%s", i+1, diff)
				}
			}
		})
	}
}

// saidBy returns the verdicts and the notes of a watcher.
func saidBy(t *testing.T, w *history.Watcher) (said []string) {
	t.Helper()
	err := w.Show(t.Context(), func(v history.Result) {
		said = append(said, fmt.Sprintf("%s: %s on %d", v.Rule, v.Verdict, v.Exchange))
	})
	if err != nil {
		t.Fatal(err)
	}
	return append(said, w.Notes()...)
}

// A recording that grows is judged like one that is read whole, whichever rule has its chance in it.
func TestTrialsLive(t *testing.T) {
	t.Parallel()
	for id, trials := range allTrials() {
		for name, tt := range trials {
			exchanges := script(t, tt.script)
			if len(exchanges) == 0 {
				continue
			}
			l, err := checker(t).Live("memory", nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range exchanges {
				l.Add(e)
				if _, err := l.Settle(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			got, err := l.Report(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			want, err := checker(t).Check(t.Context(), contract.Exchanges(slices.Values(exchanges)))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.Groups, got.Groups); diff != "" || want.Checks != got.Checks {
				t.Errorf("%s, %s: %+v, want %+v (-check +live):\n%s", id, name, got.Checks, want.Checks, diff)
			}
		}
	}
}
