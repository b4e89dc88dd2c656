package contract

import (
	"context"
	"slices"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

// reproducer reports whether some exchanges show a finding, by checking them as a recording of their own.
type reproducer struct {
	checker *Checker
	judge   *judge.Judge
}

// shows returns the finding of a fingerprint as the exchanges show it, or nil when they do not, or when the context
// ends.
func (o *reproducer) shows(ctx context.Context, id string, exchanges []*recording.Exchange) *report.Finding {
	var found *report.Finding
	take := func(f *report.Finding) {
		if f != nil && f.ID == id && found == nil {
			found = f
		}
	}
	watcher := history.NewWatcher(o.checker.rules(), func(v history.Result) { take(v.Finding) })
	pending := newPendingCredentials()
	for record, err := range record.Exchanges("evidence", slices.Values(exchanges)) {
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			continue // there are none in memory
		}
		item, err := record.Decode()
		if err != nil {
			return nil
		}
		r := o.judge.Exchange(item)
		for i := range r.Findings {
			take(&r.Findings[i])
		}
		pending.take(o.checker, r)
		if e := facts.New(r); e != nil {
			watcher.See(e)
		}
	}
	if watcher.End(context.Background()) != nil {
		return nil
	}
	for _, a := range pending.Absent {
		for i := range a.First {
			f := a.First[i].finding(pending.verdict(a))
			take(&f)
		}
	}
	return found
}

// smallest removes exchanges as long as the rest still shows the finding, until none can be left out. It is delta
// debugging (Zeller and Hildebrandt's ddmin), which here tries complements only, since a finding takes few exchanges
// far apart.
func (o *reproducer) smallest(ctx context.Context, id string, exchanges []*recording.Exchange) []*recording.Exchange {
	for parts := 2; len(exchanges) > 1 && ctx.Err() == nil; {
		parts = min(parts, len(exchanges))
		rest := o.dropPart(ctx, id, exchanges, parts)
		switch {
		case rest != nil:
			exchanges, parts = rest, max(parts-1, 2)
		case parts == len(exchanges):
			return exchanges
		default:
			parts *= 2
		}
	}
	return exchanges
}

// dropPart divides the exchanges into parts, and returns them without the first part that the finding does not need, or
// nil if it needs all.
func (o *reproducer) dropPart(ctx context.Context, id string, exchanges []*recording.Exchange,
	parts int,
) []*recording.Exchange {
	for i := range parts {
		from, to := i*len(exchanges)/parts, (i+1)*len(exchanges)/parts
		rest := slices.Concat(exchanges[:from], exchanges[to:])
		if ctx.Err() == nil && o.shows(ctx, id, rest) != nil {
			return rest
		}
	}
	return nil
}
