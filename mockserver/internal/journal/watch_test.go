package journal_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver/internal/journal"
)

func newJournal(limit int) *journal.Journal { return journal.New(limit, func(int64) {}) }

func numbers(entries []*journal.Entry) []int64 {
	list := []int64{}
	for _, e := range entries {
		list = append(list, e.Seq)
	}
	return list
}

func all(*journal.Entry) bool { return true }

// Whoever follows a journal gets what it has, and learns how many are lost.
func TestAfter(t *testing.T) {
	t.Parallel()
	full, cleared, empty := newJournal(0), newJournal(0), newJournal(0)
	short := newJournal(2 << 10) // room for two
	for range 5 {
		full.Commit(&journal.Entry{})
		short.Commit(&journal.Entry{})
		cleared.Commit(&journal.Entry{})
	}
	cleared.Clear()
	for name, test := range map[string]struct {
		journal *journal.Journal
		number  int64
		want    []int64
		lost    int64
	}{
		"everything":                       {full, 0, []int64{1, 2, 3}, 0},
		"the rest":                         {full, 3, []int64{4, 5}, 0},
		"nothing is new":                   {full, 5, []int64{}, 0},
		"a number that is still to come":   {full, 9, []int64{}, 0},
		"nothing is there":                 {empty, 0, []int64{}, 0},
		"what was dropped is lost":         {short, 1, []int64{4, 5}, 2},
		"what was dropped had been read":   {short, 3, []int64{4, 5}, 0},
		"what was cleared is lost":         {cleared, 2, []int64{}, 3},
		"what was cleared had been read":   {cleared, 5, []int64{}, 0},
		"the last of those that are there": {short, 4, []int64{5}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			news := test.journal.After(test.number, 3)
			if diff := cmp.Diff(test.want, numbers(news.Entries)); diff != "" || news.Lost != test.lost {
				t.Errorf("%d are lost, want %d (-want +got)\n%s", news.Lost, test.lost, diff)
			}
			if (news.More != nil) != (len(test.want) == 0) {
				t.Errorf("more can be waited for: %v", news.More != nil)
			}
		})
	}
}

func TestWaitFor(t *testing.T) {
	t.Parallel()
	type result struct {
		Found []int64
		Lost  int64
		Err   error
	}
	for name, test := range map[string]struct {
		limit int
		act   func(*journal.Journal, context.CancelFunc)
		want  result
	}{
		"the calls come": {0, func(j *journal.Journal, _ context.CancelFunc) {
			for range 6 {
				j.Commit(&journal.Entry{})
			}
		}, result{Found: []int64{2, 4, 6}}},
		"the wait is given up": {0, func(j *journal.Journal, cancel context.CancelFunc) {
			j.Commit(&journal.Entry{})
			j.Commit(&journal.Entry{})
			synctest.Wait()
			cancel()
		}, result{[]int64{2}, 0, context.Canceled}},
		"the world is deleted": {0, func(j *journal.Journal, _ context.CancelFunc) {
			j.Close()
		}, result{[]int64{}, 0, journal.ErrClosed}},
		"a call is larger than the journal": {2 << 10, func(j *journal.Journal, cancel context.CancelFunc) {
			j.Commit(&journal.Entry{RequestBody: make([]byte, 4<<10)})
			synctest.Wait()
			cancel()
		}, result{[]int64{}, 1, context.Canceled}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				j := newJournal(test.limit)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var got result
				done := make(chan struct{})
				go func() {
					defer close(done)
					found, lost, err := j.WaitFor(ctx, 0, 3, func(e *journal.Entry) bool { return e.Seq%2 == 0 })
					got = result{numbers(found), lost, err}
				}()
				synctest.Wait()
				test.act(j, cancel)
				<-done
				if diff := cmp.Diff(test.want, got, cmp.Comparer(errors.Is)); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
			})
		})
	}
	t.Run("calls that are there already count", func(t *testing.T) {
		t.Parallel()
		j := newJournal(0)
		for range 200 {
			j.Commit(&journal.Entry{})
		}
		found, _, err := j.WaitFor(t.Context(), 100, 100, all)
		if len(found) != 100 || found[0].Seq != 101 || err != nil {
			t.Errorf("found %v, %v", numbers(found), err)
		}
	})
}
