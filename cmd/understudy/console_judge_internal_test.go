package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs/recording"
	"svc.example/understudy/specs/recording/verdict"
)

// watching begins to judge a world.
func watching(t *testing.T, j *consoleJudge) *consoleWatch {
	t.Helper()
	w, err := j.watch("default")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// readFrom reads exchanges again.
func readFrom(list []*recording.Exchange) contract.ReadExchange {
	return func(seq int64) (*recording.Exchange, bool) {
		i := slices.IndexFunc(list, func(e *recording.Exchange) bool { return e.Seq == seq })
		if i < 0 {
			return nil, false
		}
		return list[i], true
	}
}

// brokenPools returns a recording of a mock that deleted a pool which a rule references, as clients at a host see it.
func brokenPools(t *testing.T, host string) (list []*recording.Exchange) {
	t.Helper()
	for item, err := range contract.Files("../../contract/testdata/pools-broken.ndjson").Items() {
		if err != nil {
			t.Fatal(err)
		}
		item.Request.URL = strings.Replace(item.Request.URL, "127.0.0.1:4010", host, 1)
		list = append(list, item.Exchange)
	}
	return list
}

func TestConsoleJudge(t *testing.T) {
	t.Parallel()
	list := brokenPools(t, "mock.ci:4010")
	synctest.Test(t, func(t *testing.T) {
		j := newConsoleJudge(1)
		w := watching(t, j)
		defer w.Close()
		if r := w.Report(); r.Exchanges.Read != 0 || r.Failed {
			t.Errorf("in the beginning %+v", r)
		}
		for _, e := range list {
			if err := w.Add([]*recording.Exchange{e}); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		r := w.Report()
		if !r.Failed || r.Exchanges.Matched != 6 || r.Exchanges.Behind != 0 {
			t.Fatalf("%+v", r)
		}
		f := r.Findings[0]
		if diff := cmp.Diff([]int64{2, 3, 4}, f.Evidence); diff != "" || f.Rule != "pool-deletion" || f.Seq != 4 {
			t.Errorf("%+v (-want +got):\n%s", f, diff)
		}
		var said []string
		for _, v := range w.Verdicts(3, 4, 99) {
			said = append(said, fmt.Sprintf("%d %s, breaks: %t, pending: %t", v.Seq, v.Outcome, v.Breaks, v.Pending))
		}
		want := []string{"3 pass, breaks: false, pending: false", "4 fail, breaks: true, pending: false"}
		if diff := cmp.Diff(want, said); diff != "" {
			t.Errorf("verdicts (-want +got):\n%s", diff)
		}
		smallest, err := w.Minimal(t.Context(), f.ID, readFrom(list))
		if err != nil || len(smallest) != 2 {
			t.Errorf("%d exchanges, error %v, want 2", len(smallest), err)
		}
		var page bytes.Buffer
		if err := w.HTML(t.Context(), &page, readFrom(list)); err != nil || !strings.Contains(page.String(), "curl -sS") {
			t.Errorf("the page does not show the exchanges: %v", err)
		}
	})
}

// Who adds more than can be judged waits. When the watch ends, nobody waits any more, and nothing is left behind.
func TestConsoleJudgeFallsBehind(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	var list []*recording.Exchange
	for range 300 {
		list = append(list, brokenPools(t, "mock")...)
	}
	for i, e := range list {
		e.Seq = int64(i + 1)
	}
	synctest.Test(t, func(t *testing.T) {
		j := newConsoleJudge(0.1)
		j.share.until = time.Now().Add(time.Hour) // the share is used up
		w := watching(t, j)
		added := make(chan error, 1)
		go func() { added <- w.Add(list) }()
		synctest.Wait()
		if len(added) > 0 || w.Report().Exchanges.Behind < watchedExchanges {
			t.Fatalf("%+v, nobody waits: %t", w.Report().Exchanges, len(added) > 0)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if r := w.Report(); len(added) == 0 || <-added != nil || r.Exchanges.Behind > 0 || r.Exchanges.Read != len(list) {
			t.Fatalf("%+v, want that all is judged", r.Exchanges)
		}
		w.Close()
		w.Close()
		if err := w.Add(list[:1]); !errors.Is(err, errNotWatched) {
			t.Errorf("error %v after the end", err)
		}
		if len(w.Verdicts(4)) == 0 {
			t.Error("after the end, nothing is known")
		}

		j.share.until = time.Now().Add(time.Hour)
		w = watching(t, j)
		go func() { added <- w.Add(list) }()
		synctest.Wait()
		w.Close()
		if err := <-added; !errors.Is(err, errNotWatched) {
			t.Errorf("error %v for who waits at the end", err)
		}
	})
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%d files are left behind, error %v", len(left), err)
	}
}

func TestConsoleJudgeWithWrongOptions(t *testing.T) {
	t.Parallel()
	for _, opt := range []contract.Option{contract.WithRules("none"), contract.WithGuess(true)} {
		if _, err := newConsoleJudge(1, opt).Watch("w"); err == nil || !strings.Contains(err.Error(), "watch world w: ") {
			t.Errorf("error %v", err)
		}
	}
}

// The judge reads what the journal of a world returns.
func TestConsoleJudgeOfAWorld(t *testing.T) {
	t.Parallel()
	mock, err := mockserver.New(mockserver.WithScenario("pool-in-use"), mockserver.WithClock(mockserver.ClockFrozen))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = mock.Close() }()
	world := mock.World("")
	for _, path := range []string{"/workflow/api/pools", "/workflow/api/pools/99999"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://mock.ci:4010"+path, nil)
		r.Header.Set("Authorization", "SVC1 1/admin")
		world.ServeHTTP(httptest.NewRecorder(), r)
	}
	found, err := world.Exchanges(fixtures.Calls{})
	if err != nil {
		t.Fatal(err)
	}
	var list []*recording.Exchange
	for i := range found {
		list = append(list, &found[i])
	}
	synctest.Test(t, func(t *testing.T) {
		w := watching(t, newConsoleJudge(1))
		defer w.Close()
		if err := w.Add(list); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		verdicts := w.Verdicts(1, 2)
		if len(verdicts) != 2 || verdicts[0].Outcome != verdict.Pass || verdicts[1].Outcome != verdict.Pass {
			t.Errorf("%+v", verdicts)
		}
	})
}
