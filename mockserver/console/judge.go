package console

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"svc.example/understudy/specs/recording"
	"svc.example/understudy/specs/recording/verdict"
)

// Judge judges what worlds answer, beside the server.
type Judge interface {
	// Watch begins to judge a world.
	Watch(world string) (Watch, error)
}

// Watch judges the exchanges of one world. Its methods are called from any goroutine, Add from one.
type Watch interface {
	// Add judges more exchanges, in their order.
	Add(exchanges []*recording.Exchange) error
	// Verdicts returns what is known of exchanges.
	Verdicts(seqs ...int64) []verdict.Verdict
	// Report returns what is known of all of them.
	Report() verdict.Report
	// Minimal returns the fewest exchanges that show a finding. Read returns one that was added, or false if it is gone.
	Minimal(ctx context.Context, finding string, read func(seq int64) (*recording.Exchange, bool)) (
		[]*recording.Exchange, error)
	// HTML writes the report as a page for people.
	HTML(ctx context.Context, w io.Writer, read func(seq int64) (*recording.Exchange, bool)) error
	// Close ends it.
	Close()
}

// WithJudge lets the console show verdicts. Without a judge it shows none.
func WithJudge(j Judge) Option { return func(c *Console) { c.judge = j } }

const (
	// idle is the time for which a world is judged after the last look at its verdicts.
	idle = 2 * time.Minute
	// rest is the ratio of rests to the time of reading exchanges, so that the server is not slowed down.
	rest = 9
	// batch is the number of exchanges that are judged at a time.
	batch = 64
)

// watching is a world that is judged.
type watching struct {
	watch Watch
	end   context.CancelFunc

	mu     sync.Mutex
	used   time.Time
	err    error // why it is judged no more
	behind int64 // exchanges of the journal that the judge has not been given; -1: not known yet

	// For follow alone.
	first  int64 // the oldest exchange of the journal when it began
	judged int64 // the last exchange that was
}

// watch returns the watch of the page's world, which begins when it is first asked for. It is nil without a judge.
func (v *view) watch() (*watching, error) {
	if v.judge == nil {
		return nil, nil //nolint:nilnil // none is as good as one
	}
	v.watchesMu.Lock()
	defer v.watchesMu.Unlock()
	if w := v.watches[v.World]; w != nil && w.touch() {
		return w, nil
	}
	var details worldDetails
	if err := v.getIn("", &details); err != nil { // whoever may not see the world may not see its verdicts
		return nil, err
	}
	watch, err := v.judge.Watch(v.World)
	if err != nil {
		return nil, err
	}
	ctx, end := context.WithCancel(context.WithoutCancel(v.ctx))
	stop := context.AfterFunc(v.closing, end)
	w := &watching{watch: watch, end: end, used: time.Now(), behind: -1} //nolint:forbidigo // of this process
	v.watches[v.World] = w
	follower := *v
	follower.ctx = ctx
	v.routines.GoThen(func() error {
		defer watch.Close()
		return follower.follow(w)
	}, func(err error) {
		if err != nil && ctx.Err() == nil {
			w.fail(err)
			v.log.Error("console: judge a world", slog.String("world", follower.World), slog.Any("error", err))
		}
		stop()
		end()
	})
	return w, nil
}

// touch notes the time of a look, and reports whether the watch goes on.
func (w *watching) touch() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.used = time.Now() //nolint:forbidigo // of this process
	return w.err == nil
}

func (w *watching) setBehind(n int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.behind = n
}

// report returns what is known of all exchanges. It waits a moment for those that are still to be judged.
func (v *view) report(w *watching) verdict.Report {
	for range 20 {
		if r := w.report(); r.Exchanges.Behind == 0 || !v.sleep(25*time.Millisecond) {
			return r
		}
	}
	return w.report()
}

func (w *watching) report() verdict.Report {
	r := w.watch.Report()
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.Exchanges.Behind += int(max(w.behind, 0)); w.behind < 0 {
		r.Exchanges.Behind = max(r.Exchanges.Behind, 1)
	}
	return r
}

func (w *watching) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = err
}

func (w *watching) isForgotten() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Since(w.used) > idle //nolint:forbidigo // of this process
}

// errOver ends a watch that is not used any more, or whose world has begun anew.
var errOver = errors.New("the world is not watched any more")

// follow judges the exchanges of the world as they come, until the watch is not used any more, the world is deleted, or
// its journal begins anew, for its history is then another one.
func (v *view) follow(w *watching) error {
	defer w.fail(errOver)
	for w.judged = 0; ; {
		var list struct {
			First   int64 `json:"first"`
			Last    int64 `json:"last"`
			Dropped struct {
				Entries int `json:"entries"`
			} `json:"dropped"`
		}
		if err := v.getIn("journal/rows?limit=1", &list); err != nil {
			return nil // it is deleted
		}
		switch {
		case w.first == 0:
			w.first = list.First
		case list.First != w.first && list.Dropped.Entries == 0, w.isForgotten():
			return nil
		}
		w.setBehind(list.Last - max(w.judged, list.First-1))
		began := time.Now() //nolint:forbidigo // of this process
		for seq := max(w.judged+1, list.First); seq <= list.Last && v.ctx.Err() == nil; {
			exchanges, err := v.exchanges(&seq, list.Last)
			if err != nil {
				return err
			}
			took := time.Since(began)                      //nolint:forbidigo // of this process
			if err := w.watch.Add(exchanges); err != nil { // which waits for the judge
				return err
			}
			w.judged = seq - 1
			w.setBehind(list.Last - w.judged)
			if !v.sleep(rest * took) {
				return nil
			}
			began = time.Now() //nolint:forbidigo // of this process
		}
		if !v.sleep(250 * time.Millisecond) {
			return nil
		}
	}
}

// exchanges reads some exchanges of the journal from a number on, which it moves behind them.
func (v *view) exchanges(seq *int64, last int64) (list []*recording.Exchange, err error) {
	for ; *seq <= last && len(list) < batch; *seq++ {
		e, ok, err := v.exchange(*seq)
		if err != nil {
			return nil, err
		}
		if ok {
			list = append(list, e)
		}
	}
	return list, nil
}

// exchange reads an exchange of the journal; false if it was forgotten.
func (v *view) exchange(seq int64) (*recording.Exchange, bool, error) {
	e := &recording.Exchange{}
	err := v.getIn("journal/"+strconv.FormatInt(seq, 10), e)
	if refused, ok := errors.AsType[*refusal](err); ok && refused.Status == http.StatusNotFound {
		return nil, false, nil
	}
	return e, err == nil, err
}

// sleep waits, and reports whether the time has passed before the watch ended.
func (v *view) sleep(length time.Duration) bool {
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-v.ctx.Done():
		return false
	}
}
