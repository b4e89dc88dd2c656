package judge

import (
	"sync"
	"testing"

	"svc.example/understudy/specs/recording"
)

// A memo keeps the first value of a key, and no more keys than it may.
func TestMemo(t *testing.T) {
	t.Parallel()
	var m bounded[int, int]
	if got := m.put(1, 10); got != 10 {
		t.Errorf("got %d, want 10", got)
	}
	if got := m.put(1, 11); got != 10 {
		t.Errorf("got %d of a key that was known, want 10", got)
	}
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for key := range 2 * maxKnown {
				if got := m.put(key, 10*key); got != 10*key {
					t.Errorf("worker %d got %d of key %d", worker, got, key)
				}
			}
		})
	}
	wg.Wait()
	known := 0
	for key := range 2 * maxKnown {
		if _, ok := m.get(key); ok {
			known++
		}
	}
	if known != maxKnown {
		t.Errorf("%d keys are known, want %d", known, maxKnown)
	}
}

// What a request without a body and a query is read as is known of the operation, and the same as when one is read.
func TestNothingIsReadAsAnEmptyBody(t *testing.T) {
	t.Parallel()
	read := 0
	for _, op := range operations(t) {
		r := &Result{documented: documentedOf(op)}
		r.Owner.Match.Operation = op
		r.Item.Exchange = &recording.Exchange{Request: recording.Request{Method: op.Method, Body: &recording.Body{}}}
		r.readRequest()
		got, want := r.documented.unsent, r.reading
		if (got == nil) != (want == nil) || got != nil && string(got.body) != string(want.body) {
			t.Errorf("%s: nothing is read as %+v, an empty body as %+v", op.Name(), got, want)
		}
		if want != nil {
			read++
		}
	}
	if read == 0 {
		t.Error("no operation reads an empty body as anything")
	}
}
