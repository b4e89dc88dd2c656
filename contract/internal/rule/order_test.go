package rule_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/internal/rule"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// watched returns the verdicts on exchanges that come in some order.
func watched(t *testing.T, inMemory int, exchanges []*recording.Exchange) (verdicts []history.Result) {
	t.Helper()
	documents, events := eventsOf(t, exchanges)
	w := history.NewWatcher(history.Config{Rules: rule.All, Documents: documents, InMemory: inMemory},
		func(v history.Result) { verdicts = append(verdicts, v) })
	for _, e := range events {
		w.See(e)
	}
	if err := w.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	return verdicts
}

// eventsOf returns what the rules see of exchanges, and the documents.
func eventsOf(t *testing.T, exchanges []*recording.Exchange) (documents []*specs.Document, events []*facts.Exchange) {
	t.Helper()
	for _, name := range specs.Interfaces() {
		d, err := specs.Load(name, specs.Neutral)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, d)
	}
	j, err := judge.New(judge.Config{Documents: documents})
	if err != nil {
		t.Fatal(err)
	}
	for item, err := range record.Exchanges("memory", slices.Values(exchanges)).Items() {
		if err != nil {
			t.Fatal(err)
		}
		if e := facts.New(&facts.Exchange{}, j.Match(item)); e != nil {
			events = append(events, e)
		}
	}
	return documents, events
}

// Exchanges that wait on disk until they are in order say what they say in memory.
func TestOrderOnDisk(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	var all []*recording.Exchange
	for id, trials := range allTrials() {
		for name, tt := range trials {
			all = append(all, edited(script(t, tt.script), func(e *recording.Exchange) { e.World = id + " " + name })...)
		}
	}
	want := watched(t, 0, all)
	if len(want) == 0 {
		t.Fatal("no verdicts")
	}
	for _, inMemory := range []int{1, 7, 100} {
		if diff := cmp.Diff(want, watched(t, inMemory, all)); diff != "" {
			t.Errorf("with %d in memory (-want +got):\n%.2000s", inMemory, diff)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%d files are left behind, error %v", len(left), err)
	}
}

// What waits on disk has no name there, so that a process that is killed leaves nothing behind.
func TestNothingOnDiskHasAName(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files that are open have names")
	}
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	_, events := eventsOf(t, script(t, allTrials()["pool-deletion"][violated].script))
	w := history.NewWatcher(history.Config{InMemory: 1}, func(history.Result) {})
	for _, e := range events {
		w.See(e)
	}
	if waiting, err := os.ReadDir(dir); err != nil || len(waiting) > 0 {
		t.Errorf("%v wait, error %v", waiting, err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// The order of a recording does not matter where it has times.
func TestShuffled(t *testing.T) {
	t.Parallel()
	for id, trials := range allTrials() {
		random := rand.New(rand.NewPCG(1, 2))
		list := script(t, trials[violated].script)
		for i, e := range list {
			e.Seq = int64(i + 1)
		}
		fails := func(exchanges []*recording.Exchange) (n int) {
			for _, v := range watched(t, 0, exchanges) {
				if v.Rule == id && v.Verdict == report.Fail {
					n++
				}
			}
			return n
		}
		want := fails(list)
		if want == 0 {
			t.Errorf("%s: no violation in the order of the script", id)
		}
		for range 20 {
			random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			if got := fails(list); got != want {
				t.Errorf("%s: %d violations when shuffled, want %d", id, got, want)
			}
		}
	}
}

func TestAnInterruptEndsTheRules(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := history.NewWatcher(history.Config{}, func(history.Result) {})
	_, events := eventsOf(t, script(t, allTrials()["pool-deletion"][violated].script))
	w.See(events[0])
	if err := w.End(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
