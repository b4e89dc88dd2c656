package console

import (
	"strings"
	"time"

	"svc.example/understudy/specs"
)

// span holds from when until when something was under way, as a bar of a timeline.
type span struct {
	State       string
	Start, End  time.Time // zero if it has not begun
	IsOn        bool      // it goes on at the time of the world
	Left, Width int       // in thousandths of the timeline
}

// Took returns how long it took, or has taken so far.
func (s span) Took() string {
	if s.Start.IsZero() || s.End.Before(s.Start) {
		return ""
	}
	took := s.End.Sub(s.Start)
	if took > time.Minute {
		return took.Round(time.Second).String()
	}
	return took.Round(time.Millisecond).String()
}

// timeline is the time of some spans.
type timeline struct{ Begin, End time.Time }

// layOut gives the spans their places in the time that they take together.
func layOut(spans []*span) (t timeline) {
	for _, s := range spans {
		if !s.Start.IsZero() && (t.Begin.IsZero() || s.Start.Before(t.Begin)) {
			t.Begin = s.Start
		}
		if s.End.After(t.End) {
			t.End = s.End
		}
	}
	whole := t.End.Sub(t.Begin)
	for _, s := range spans {
		if s.Start.IsZero() || whole <= 0 {
			continue
		}
		s.Left = min(int(1000*s.Start.Sub(t.Begin)/whole), 992)
		s.Width = min(max(int(1000*s.End.Sub(s.Start)/whole), 8), 1000-s.Left)
	}
	return t
}

// timed says where objects of a kind show their state, their beginning and their end.
type timed struct{ state, start, end specs.Pointer }

var timedKinds = map[string]timed{
	"core.job":         {specs.Pointer{"status"}, specs.Pointer{"start_at"}, specs.Pointer{"end_at"}},
	"workflow.attempt": {specs.Pointer{"status"}, specs.Pointer{"createdAt"}, specs.Pointer{"finishedAt"}},
	"workflow.session": {
		state: specs.Pointer{"lastAttempt", "status"},
		start: specs.Pointer{"lastAttempt", "createdAt"},
		end:   specs.Pointer{"lastAttempt", "finishedAt"},
	},
}

// span returns when an object was under way. One that has not ended is under way now.
func (k timed) span(value any, now time.Time) *span {
	s := &span{State: first(value, k.state), Start: timeAt(value, k.start), End: timeAt(value, k.end)}
	if !s.Start.IsZero() && s.End.IsZero() {
		s.End, s.IsOn = now, true
	}
	return s
}

// timeAt returns a time in one of the forms of the interfaces; zero if there is none.
func timeAt(value any, at specs.Pointer) time.Time {
	text := strings.Replace(first(value, at), " UTC", " +0000", 1)
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05 -0700"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t
		}
	}
	return time.Time{}
}
