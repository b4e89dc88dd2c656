package mockserver

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/internal/fill"
	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/fault"
	"svc.example/understudy/mockserver/internal/match"
)

// fillTime bounds how long the templates of an answer may take.
const fillTime = time.Second

// fill returns the fault that is applied with its templates filled in. An error says which of them cannot be, or that
// the answer would not be valid.
func (x *exchange) fill(a *applied) (f fixtures.Fault, err error) {
	run := x.fillRun(a)
	f = a.plan
	f.Template = false
	if f.Message, err = run.Text(f.Message); err != nil {
		return f, fmt.Errorf("message: %w", err)
	}
	f.Headers = maps.Clone(f.Headers)
	for _, name := range slices.Sorted(maps.Keys(f.Headers)) {
		if f.Headers[name], err = run.Text(f.Headers[name]); err != nil {
			return f, fmt.Errorf("headers: %s: %w", name, err)
		}
	}
	if f.Body, err = run.Body(f.Body); err != nil {
		return f, fmt.Errorf("body: %w", err)
	}
	return f, f.Check()
}

// fillRun returns what fills the templates of a fault in.
func (x *exchange) fillRun(a *applied) *fill.Run {
	state, end := x.visit.world.Peek(), clock.Wall().Add(fillTime)
	request := fill.NewRequest(x.r.Header, (&match.Request{Header: x.r.Header, Body: x.body.bytes}).Decoded())
	request.Method, request.World, request.Seed, request.Call = x.r.Method, x.visit.world.ID, state.Seed, a.call
	request.Path, request.Query = x.match.Params(), map[string]string{}
	for name, values := range x.r.URL.Query() {
		request.Query[name] = values[0]
	}
	kind := fmt.Sprintf("template:%s:%d", a.plan.ID, a.call)
	return &fill.Run{
		Request: request, Now: x.now(), IsOver: func() bool { return clock.Wall().After(end) },
		UUID:   func(n int64) string { return state.UUID(kind, n) },
		Random: func(n int64) float64 { return fault.Random(state, a.plan.ID, kind, n)() },
	}
}
