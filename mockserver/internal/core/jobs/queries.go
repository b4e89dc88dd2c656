package jobs

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"svc.example/understudy/internal/routine"
	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/core/result"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/mockserver/query"
)

// Engine runs the queries of jobs.
type Engine struct {
	Query    query.Engine   // answers queries; nil: there is no engine
	Slots    chan struct{}  // limits by its capacity how many queries run side by side; nil: no limit
	Busy     func() bool    // reports whether requests are being served; nil: never
	Routines *routine.Group // starts the goroutines of queries; wanted with an engine
}

// queryLimit is the longest time that one query may take by the wall clock, rests included, whatever limit the engine
// itself has.
const queryLimit = 30 * time.Second

// A query that has run longer than beforeRest yields to requests: while they are being served, it rests repeatedly, but
// in all no longer than maxRest, so that resting alone does not bring it to its limit.
const (
	beforeRest = 100 * time.Millisecond
	rest       = 20 * time.Millisecond
	maxRest    = 15 * time.Second
)

// outcome is the result of a query.
type outcome struct {
	output *world.Output
	note   string
	taken  []world.Job // jobs that queued results have answered
	err    error       // the error of the query
}

// run is a query of jobs or questions. It begins when a first caller waits for it, and is cancelled when no caller
// waits any more.
type run struct {
	engine  Engine
	outcome atomic.Pointer[outcome]

	mu      sync.Mutex
	query   func(context.Context) outcome // nil once there is an outcome, so that the world it reads can be freed
	attempt *attempt
}

// attempt is a run under way.
type attempt struct {
	waiting int
	cancel  context.CancelFunc
	done    chan struct{}
}

func (g Engine) newRun(query func(context.Context) outcome) *run {
	return &run{engine: g, query: query}
}

// Done implements world.Query.
func (r *run) Done() bool { return r.outcome.Load() != nil }

// Run implements world.Query. All waiting callers share one attempt.
func (r *run) Run(ctx context.Context) error {
	a := r.join()
	if a == nil {
		return nil
	}
	defer r.leave(a)
	select {
	case <-a.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (r *run) join() *attempt {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Done() {
		return nil
	}
	if r.attempt == nil {
		ctx, cancel := context.WithCancel(context.Background())
		r.attempt = &attempt{cancel: cancel, done: make(chan struct{})}
		r.begin(ctx, r.attempt, r.query)
	}
	r.attempt.waiting++
	return r.attempt
}

func (r *run) leave(a *attempt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a.waiting--; a.waiting > 0 {
		return
	}
	a.cancel()
	if r.attempt == a {
		r.attempt = nil
	}
}

// begin runs the query as soon as a slot is free. The result of a cancelled query is dropped. If the engine panics,
// that is the error of the query.
func (r *run) begin(ctx context.Context, a *attempt, query func(context.Context) outcome) {
	var result outcome
	r.engine.Routines.GoThen(func() error {
		if slots := r.engine.Slots; slots != nil {
			select {
			case slots <- struct{}{}:
				defer func() { <-slots }()
			case <-ctx.Done():
				return nil
			}
		}
		result = query(ctx)
		return nil
	}, func(err error) {
		if err != nil {
			result = outcome{err: fmt.Errorf("the query engine failed: %s", routine.Brief(err))}
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if ctx.Err() == nil {
			r.outcome.Store(&result)
			r.query = nil
		}
		close(a.done)
	})
}

// beginQuery prepares the query of a job on the current state of the world. It returns nil if the job runs no query.
func (g Engine) beginQuery(w *world.State, job world.Job) *run {
	if g.Query == nil || job.Answer != nil || job.ExportTarget != 0 || !speaksSQL(job.Type) {
		return nil
	}
	caller, _, err := userAndDatabase(w, job)
	if err != nil {
		return nil
	}
	then := w.Readable()
	return g.newRun(func(ctx context.Context) outcome {
		tables := &queryTables{world: then, caller: caller}
		output, err := g.ask(ctx, job, tables)
		return outcome{output: output, note: tables.note("job " + op.IDText(job.ID)), err: err}
	})
}

// ask runs a query in the engine.
func (g Engine) ask(ctx context.Context, job world.Job, tables query.Tables) (*world.Output, error) {
	ctx, cancel := context.WithTimeout(ctx, queryLimit)
	defer cancel()
	answer, err := g.Query.Query(ctx, query.Query{
		Text: job.Query, Dialect: job.Type, Database: job.Database, Now: job.UpdatedAt, Tables: tables,
		Pause: g.pause(),
	})
	if err != nil {
		return nil, err
	}
	columns := make([][2]string, len(answer.Columns))
	for i, column := range answer.Columns {
		columns[i] = [2]string{column.Name, column.Type}
	}
	return result.NewOutput(columns, answer.Rows)
}

// pause returns the function that a query calls to yield to requests.
func (g Engine) pause() func() {
	if g.Busy == nil {
		return nil
	}
	begin, rested := clock.Wall(), time.Duration(0)
	return func() {
		if clock.Wall().Sub(begin) > beforeRest && rested < maxRest && g.Busy() {
			time.Sleep(rest)
			rested += rest
		}
	}
}

// waitForEnd makes a call wait for the end of a job that is due and has not got its result yet.
func waitForEnd(c *op.Call, job world.Job) {
	if e, waits := c.World.WaitingAs(nextStep(job)); waits {
		c.Queries.Need(e)
	}
}
