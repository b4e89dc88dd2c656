package world

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// audienceDump is the audience's part of a dump. Lengths of time are in nanoseconds.
type audienceDump struct {
	QueryTime   time.Duration   `json:"queryTime"`
	Audiences   []ParentSegment `json:"audiences"`
	Segments    []Segment       `json:"segments"`
	Queries     []SegmentQuery  `json:"queries"`
	Activations []Activation    `json:"activations"`
}

func (a *Audience) dump() audienceDump {
	return audienceDump{
		QueryTime: a.QueryTime, Audiences: rowsOf(&a.Audiences), Segments: rowsOf(&a.Segments),
		Queries: rowsOf(&a.Queries), Activations: rowsOf(&a.Activations),
	}
}

// audience also plans the ends of queries.
func (l *loader) audience(d *audienceDump) {
	a := &l.w.Audience
	if a.QueryTime = d.QueryTime; a.QueryTime < 0 {
		l.wrong("queryTime", "of the audience", "want 0 or more")
	}
	rows(l, "audience.audience", d.Audiences, &a.Audiences, func(r ParentSegment) int64 { return r.ID })
	rows(l, "audience.segment", d.Segments, &a.Segments, func(r Segment) int64 { return r.ID })
	rows(l, "audience.query", d.Queries, &a.Queries, func(r SegmentQuery) int64 { return r.ID })
	rows(l, "audience.activation", d.Activations, &a.Activations, func(r Activation) int64 { return r.ID })
	for id, audience := range a.Audiences.All() { // whose table may be gone
		if audience.Name == "" || audience.Database == "" || audience.Table == "" {
			l.wrong("audience.audience", id, "want a name, a database and a table")
		}
	}
	for id, segment := range a.Segments.All() {
		if reason := l.wrongSegment(segment); reason != "" {
			l.wrong("audience.segment", id, "%s", reason)
		}
	}
	for id, activation := range a.Activations.All() {
		if reason := l.wrongActivation(activation); reason != "" {
			l.wrong("audience.activation", id, "%s", reason)
		}
	}
	l.segmentQueries()
}

func (l *loader) wrongSegment(s Segment) string {
	a := &l.w.Audience
	_, known := a.Audiences.Get(s.Audience)
	_, created := l.w.Account.Users.Get(s.CreatedBy)
	_, updated := l.w.Account.Users.Get(s.UpdatedBy)
	switch {
	case !known:
		return fmt.Sprintf("there is no audience %d", s.Audience)
	case !created || !updated:
		return "want createdBy and updatedBy to be users of the account"
	case s.Name == "":
		return "want a name"
	case s.Kind < Batch || s.Kind > FunnelStage:
		return fmt.Sprintf("kind %d: want 0, 1 or 2", s.Kind)
	case s.Population != nil && *s.Population < 0:
		return "want a population of 0 or more, or null"
	case !object(s.Rule, true):
		return "want a rule that is an object, or null"
	case s.FunnelStage != nil && !object(s.FunnelStage, false):
		return "want a funnelStage that is an object, or none"
	}
	for _, id := range s.References() {
		if other, ok := a.Segments.Get(id); !ok || other.Audience != s.Audience {
			return fmt.Sprintf("its rule refers to segment %d, which is none of audience %d", id, s.Audience)
		}
	}
	if l.circular(s) {
		return "its rule refers to itself, by way of other segments perhaps"
	}
	return ""
}

// circular reports whether a segment's rule leads back to it.
func (l *loader) circular(s Segment) bool {
	reached, next := map[int64]bool{}, s.References()
	for len(next) > 0 {
		id := next[0]
		if next = next[1:]; reached[id] {
			continue
		}
		reached[id] = true
		referred, _ := l.w.Audience.Segments.Get(id)
		next = slices.Concat(next, referred.References())
	}
	return reached[s.ID]
}

// object reports whether a text is a JSON object; or null, if it may be.
func object(text json.RawMessage, orNull bool) bool {
	var members map[string]json.RawMessage
	err := json.Unmarshal(text, &members)
	return len(text) == 0 && orNull || err == nil && (members != nil || orNull)
}

func (l *loader) segmentQueries() {
	for id, q := range l.w.Audience.Queries.All() {
		_, known := l.w.Audience.Audiences.Get(q.Audience)
		job, hasJob := l.w.Core.Jobs.Get(q.Job)
		switch {
		case !known || !hasJob || job.User != q.User:
			l.wrong("audience.query", id, "want an audience, and a job of the same user")
		case q.UUID == "" || !object(q.Request, false):
			l.wrong("audience.query", id, "want a uuid, and a request that is an object")
		case q.Found != nil && (q.Found.Count < 0 || q.Found.Preview < 0):
			l.wrong("audience.query", id, "want to have found 0 or more")
		case !job.Status.Finished() && job.Answer == nil:
			l.w.Plan(Event{At: job.StepAt, Kind: QueryEvent, ID: id})
		}
	}
}

// wrongActivation does not look for its connection, which may have been deleted since.
func (l *loader) wrongActivation(a Activation) string {
	segment, known := l.w.Audience.Segments.Get(a.Segment)
	_, created := l.w.Account.Users.Get(a.CreatedBy)
	switch {
	case !known || segment.Audience != a.Audience:
		return fmt.Sprintf("there is no segment %d in audience %d", a.Segment, a.Audience)
	case !created:
		return fmt.Sprintf("there is no user %d", a.CreatedBy)
	case a.Name == "" || a.Connection < 1:
		return "want a name and a connection"
	case !object(a.Request, false):
		return "want a request that is an object"
	}
	return ""
}
