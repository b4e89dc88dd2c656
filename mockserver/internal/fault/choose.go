package fault

import (
	"encoding/binary"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/world"
)

// Choose counts a call for all the rules that it is meant by, and returns the first one that applies, with the number
// of the call among those of the rule; nil if none does.
func Choose(w *world.State, rules []*Rule) (chosen *Rule, call int64) {
	for _, rule := range rules {
		counts, _ := w.Faults.Counts.Get(rule.planned.Serial)
		if !rule.counts(w, counts) {
			continue
		}
		counts.Calls++
		if chosen == nil && rule.applies(w, counts.Calls) {
			chosen, call = rule, counts.Calls
			counts.Hits++
		}
		w.Faults.Counts.Put(rule.planned.Serial, counts)
	}
	return chosen, call
}

// counts reports whether calls count: after the time from which they do, and as long as a stub has answers.
func (r *Rule) counts(w *world.State, before world.FaultCounts) bool {
	if r.planned.Stub && r.Fault.First > 0 && before.Hits >= int64(r.Fault.First) {
		return false
	}
	return r.Fault.After == 0 || !w.Now().Before(r.planned.Since.Add(time.Duration(r.Fault.After)))
}

// applies reports whether the rule is for a call, by its number.
func (r *Rule) applies(w *world.State, call int64) bool {
	f := &r.Fault
	switch {
	case f.Nth > 0 && call != int64(f.Nth),
		f.First > 0 && !r.planned.Stub && call > int64(f.First),
		f.Every > 0 && call%int64(f.Every) != 0:
		return false
	}
	return f.Probability == 0 || Random(w, f.ID, "probability", call)() < f.Probability
}

// Random returns random numbers, uniform between 0 and 1, that depend only on the seed of a world, the id of a fault,
// what they are for, and the number of the call. There are four of them.
func Random(w *world.State, id, use string, call int64) func() float64 {
	sum := w.Random("fault:"+id+":"+use, call)
	rest := sum[:]
	return func() float64 {
		n := binary.BigEndian.Uint64(rest) >> 11 // as many bits as a float64 holds
		rest = rest[8:]
		return float64(n) / (1 << 53)
	}
}

// DelayOf returns the delay of a call to which a fault is applied.
func DelayOf(w *world.State, f *fixtures.Fault, call int64) time.Duration {
	return f.Delay.Draw(Random(w, f.ID, "delay", call))
}
