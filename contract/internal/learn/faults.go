package learn

import (
	"fmt"

	"svc.example/understudy/contract/internal/compare"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/specs/recording"
)

// isFaulty reports whether a fault of the mock keeps an exchange from showing what its request did: it made up the
// answer, or changed how often the request took effect.
func isFaulty(r *judge.Result) bool {
	return r.IsInjected || mayHaveHappened(r)
}

// mayHaveHappened reports whether a faulty request may have changed what no answer shows.
func mayHaveHappened(r *judge.Result) bool {
	fault, _ := recording.ParseFault(r.Item.Fault)
	switch fault.Effect {
	case recording.EffectNone:
		return false
	case recording.EffectTwice:
		return true
	}
	return fault.Injected
}

// noteFaults notes how many exchanges are left out.
func (l *learner) noteFaults(n int) {
	switch {
	case n == 1:
		l.notes = append(l.notes, "an exchange was left out, since a fault was injected into it")
	case n > 1:
		l.notes = append(l.notes, fmt.Sprintf("%d exchanges were left out, since faults were injected into them", n))
	}
}

// leaveOut writes comments in the place of steps that cannot be written, because of injected faults.
func (s *storyteller) leaveOut(list []*judge.Result) {
	for _, r := range list {
		if s.isOver {
			return
		}
		d := r.Owner.Document
		if s.translations[d] == nil {
			s.translations[d] = compare.NewTranslation(d)
		}
		fault, _ := recording.ParseFault(r.Item.Fault)
		e := &Exchange{Result: r}
		s.line("# Left out: %s %s, into which the fault %s was injected.", r.Item.Request.Method,
			s.target(e, s.translations[d]), fault.ID)
		if isWrite(e) && mayHaveHappened(r) {
			s.end()
		}
	}
}

// end ends the story after a request that writes and cannot be written as a step.
func (s *storyteller) end() {
	s.line("# The story ends here, since what follows may depend on that.")
	s.isOver = true
}
