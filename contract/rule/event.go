package rule

import (
	"net/http"
	"strings"
	"time"

	"svc.example/understudy/contract/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// Event is what the rules need of one exchange: no bodies, only the facts in them.
type Event struct {
	Number    int
	Seq       int64
	File      string
	World     string
	Host      string
	Operation string // id, such as deletePool
	Start     time.Time
	End       time.Time
	Status    int // 0 when no answer was seen
	Date      time.Time
	Line      report.Line
	Forget    bool // the state of the world was replaced: nothing known before holds

	caller  uint64 // who asked, 0 when that is not known
	ID, Key string // of the path
	Opaque  bool   // there was success, but the answer could not be read
	facts
}

// OK reports whether the request was answered with success.
func (e *Event) OK() bool { return e.Status >= 200 && e.Status < 300 }

// Unknown reports whether it cannot be told whether the request took effect.
func (e *Event) Unknown() bool { return e.Status == 0 || e.Status >= 500 || e.Status == 202 }

// before reports whether one exchange was over when another began. Exchanges at the same instant, as a clock that
// stands still gives them, are in the order of the recording; so are those without times.
func before(a, b *Event) bool {
	if a.Start.IsZero() || b.Start.IsZero() {
		return a.Number < b.Number
	}
	return a.End.Before(b.Start) || a.End.Equal(b.Start) && a.Number < b.Number
}

// strictlyBefore leaves out what only the order of the recording tells.
func strictlyBefore(a, b *Event) bool {
	return !a.Start.IsZero() && !b.Start.IsZero() && a.End.Before(b.Start)
}

func overlap(a, b *Event) bool { return a != b && !before(a, b) && !before(b, a) }

// NewEvent extracts the facts of an exchange. It is nil when no rule cares for it.
func NewEvent(r *judge.Result) *Event {
	if r.Owner.State == judge.Ignored {
		return forgetting(r)
	}
	op := r.Operation()
	if op == nil || op.Interface != specs.Workflow {
		return nil
	}
	read := readers[op.ID]
	if read == nil {
		return nil
	}
	e := newEvent(r)
	e.Operation, e.caller = op.ID, callerOf(r)
	e.ID, e.Key = r.Owner.Match.Param(read.id), r.Owner.Match.Param("key")
	if e.OK() || e.Status == http.StatusConflict {
		e.Opaque = r.Item.ResponseDoubt != ""
		read.response(e, r)
	}
	read.request(e, r)
	return e
}

func newEvent(r *judge.Result) *Event {
	item := &r.Item
	e := &Event{
		Number: item.Number, Seq: item.Seq, File: item.File, World: r.Owner.World, Host: r.Owner.Host, Start: item.Start, End: item.End,
	}
	if e.End.Before(e.Start) {
		e.End = e.Start
	}
	if item.Response != nil {
		e.Status = item.Response.Status
		e.Date, _ = http.ParseTime(item.Response.Headers.Value("Date"))
	}
	e.Line = report.Line{
		Exchange: item.Number, Method: item.Request.Method, URL: r.Owner.Path, Status: e.Status,
		File: item.File, Line: item.Line, Offset: item.Offset,
	}
	return e
}

// forgetting recognises requests to the control interface of the mock that replace the state of a world.
func forgetting(r *judge.Result) *Event {
	_, path, found := strings.Cut(r.Item.Request.URL, "/_understudy/worlds")
	if !found || r.Item.Request.Method == http.MethodGet {
		return nil
	}
	path, _, _ = strings.Cut(path, "?")
	segments := strings.Split(strings.Trim(path, "/"), "/")
	replaces := false
	switch last := segments[len(segments)-1]; last {
	case "reset", "restore", "state":
		replaces = true
	default:
		replaces = r.Item.Request.Method == http.MethodDelete && len(segments) == 1
	}
	if !replaces {
		return nil
	}
	e := newEvent(r)
	e.World, e.Forget = segments[0], true
	return e
}
