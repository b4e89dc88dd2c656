package learn

import (
	"slices"
	"time"
)

// course returns when a job started and ended, or would have if no request of the recording had killed it; zero where
// that is not known.
func (l *learner) course(t *thing) (start, end time.Time) {
	killed := l.killOf(t)
	for _, s := range t.sights {
		if at := instant(s.object.Get("start_at").String()); !at.IsZero() {
			start = at
		}
		if at := instant(s.object.Get("end_at").String()); !at.IsZero() && (killed == nil || s.N < killed.N) {
			end = at
		}
	}
	if end.IsZero() && killed == nil {
		for _, e := range l.exchanges {
			if e.name() == "core.getJobResult" && e.ok() && param(e, "job_id") == t.id {
				return start, l.guessEnd(t, start, e.At)
			}
		}
	}
	return start, end
}

// guessStart returns when a job may have started that was over at a time: shortly before, and after it was seen to
// wait.
func (l *learner) guessStart(t *thing, end time.Time) time.Time {
	start := end.Add(-4 * time.Second)
	for _, s := range t.sights {
		if s.object.Get("status").String() == "queued" && !s.At.Before(start) {
			start = end
		}
	}
	return start
}

// killOf returns the request that killed a job, or nil.
func (l *learner) killOf(t *thing) *Exchange {
	for _, e := range l.exchanges {
		if e.name() == "core.killJob" && e.ok() && param(e, "job_id") == t.id {
			return e
		}
	}
	return nil
}

// wasRunning reports whether a job ran when a request killed it.
func (l *learner) wasRunning(t *thing) bool {
	kill := l.killOf(t)
	if kill == nil {
		return false
	}
	body, _ := kill.JSONResponse()
	return body.Get("former_status").String() == "running"
}

// guessEnd returns when a job may have ended that was seen to be over at a time: after the usual one if that is
// between the last time at which it was seen to run and then.
func (l *learner) guessEnd(t *thing, start, over time.Time) time.Time {
	const usual = 4 * time.Second
	running := start
	for _, s := range t.sights {
		if !s.At.After(over) && slices.Contains([]string{"queued", "running"}, s.object.Get("status").String()) {
			running = s.At
		}
	}
	if end := start.Add(usual); !start.IsZero() && end.After(running) && !end.After(over) {
		return end
	}
	return over
}

// isQueued reports whether a job waited at the beginning.
func (l *learner) isQueued(t *thing) bool {
	start, _ := l.course(t)
	return start.After(l.begin)
}
