package facts

import (
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/sight"
)

// Exchange holds what the rules need of one exchange: the facts in its bodies, not the bodies.
type Exchange struct {
	Number    int
	Seq       int64
	Overlaps  int64
	File      string
	World     string
	Epoch     int64 // of the world: what was true in another one says nothing
	Address   string
	Operation string // name, such as workflow.deletePool
	Method    string
	Digest    uint64 // of request and answer
	Start     time.Time
	End       time.Time
	Status    int                 // 0 when no answer was seen
	Doubt     time.Duration       `coded:"-"` // by which its times may differ from those of other files
	Date      time.Time           // by the service's clock; zero where the answer does not show when it was made
	Line      report.ExchangeLine // as reports show the exchange: set by whoever writes one
	At        int                 `coded:"-"` // which place it was sent to, as a Watcher numbers them
	Account   string              // the account that the answer speaks of

	Caller    uint64 // who asked, 0 when that is not known
	Kind      Kind   // what the operation is about
	Verb      Verb
	MayCreate []Kind // kinds of which it may make one that it does not name
	Target    Entity // what the path names
	Parent    Entity // what the path names that it is a part of
	Uses      []Use  // what else the path names
	ID        string // the first path parameter

	Mock      bool // at an address of a mock on this machine
	Forget    bool // the state of the world was replaced: nothing known before holds
	Own       bool // a mock recorded it, with the name of its world
	Unordered bool // its file is not in the order of time
	Keyed     bool // there was an Authorization header
	Open      bool // the operation asks for no key, so that an answer says nothing of one
	Opaque    bool // there was success, but the answer could not be read

	Content
}

// WithoutFacts returns what remains of an exchange that only evidence refers to, for as long as the recording lasts.
func (e *Exchange) WithoutFacts() *Exchange {
	bare := *e
	bare.Content = NoContent()
	return &bare
}

// OK reports whether the request was answered with success, and not only put off.
func (e *Exchange) OK() bool { return e.Status >= 200 && e.Status < 300 && !e.Unknown() }

// Unknown reports whether it is unknown if the request took effect.
func (e *Exchange) Unknown() bool { return e.Status == 0 || e.Status >= 500 || e.Status == 202 }

// Before reports whether one exchange was over when another began. Exchanges at the same instant, as a clock that
// stands still gives them, are in the order of their file, if that has one, unless the file shows that they overlapped;
// so are those without times. Where times are whole seconds, one that ends in the second in which another caller's
// begins may overlap, and so may those of recorders whose clocks are not known well enough.
func Before(a, b *Exchange) bool {
	if a.Start.IsZero() || b.Start.IsZero() {
		return a.Number < b.Number
	}
	end := a.End
	if a.File != b.File {
		end = end.Add(a.Doubt + b.Doubt)
	}
	return end.Before(b.Start) ||
		a.End.Equal(b.Start) && a.File == b.File && !a.Unordered && !(a.isCoarse() && a.Caller != b.Caller) &&
			a.Number < b.Number && !b.sawTheEndOf(a)
}

// Shift moves the times of an exchange.
func (e *Exchange) Shift(by time.Duration) {
	if by != 0 && !e.Start.IsZero() {
		e.Start, e.End = e.Start.Add(by), e.End.Add(by)
	}
}

// EndsAfter reports whether an exchange was over later than another one.
func (e *Exchange) EndsAfter(other *Exchange) bool { return e.End.After(other.End) }

// isCoarse reports whether the end of an exchange may be anywhere in its second.
func (e *Exchange) isCoarse() bool { return !e.Own && e.End.Nanosecond() == 0 }

// sawTheEndOf reports whether an exchange was under way when another one, of a lower number, ended.
func (e *Exchange) sawTheEndOf(other *Exchange) bool {
	return other.Seq < e.Seq && other.Seq >= e.Seq-e.Overlaps
}

// Overlap reports whether two exchanges were under way at the same time, or may have been.
func Overlap(a, b *Exchange) bool { return a != b && !Before(a, b) && !Before(b, a) }

// New extracts the facts of an exchange into an empty one. It returns nil when no rule cares for it.
func New(e *Exchange, r *judge.Result) *Exchange {
	read := newReading(r)
	defer read.free()
	return e.from(read)
}

func (e *Exchange) from(r *reading) *Exchange {
	if r.Owner.State == ownership.Ignored {
		return e.forgetting(r)
	}
	op := r.Operation()
	if op == nil {
		return nil
	}
	name := op.Name()
	actions, own, caller := op.Actions(), readers[name], r.caller()
	if len(actions) == 0 && own == nil && caller == 0 || hadNoEffect(&r.Item) {
		return nil
	}
	e.begin(r)
	e.Operation, e.Caller = name, caller
	e.Open = op.Spec.Security != nil && len(*op.Spec.Security) == 0
	e.Keyed = r.Item.Request.Headers.Value("Authorization") != ""
	if len(actions) > 0 || own != nil {
		e.WorkflowContent, e.CoreContent = &r.workflow, &r.core
		e.read(actions, own, r)
		e.WorkflowContent, e.CoreContent = taken(&r.workflow, noWorkflow), taken(&r.core, noCore)
	}
	return e
}

// taken returns what was read into some room, and clears the room; none if nothing was.
func taken[T any](room, none *T) *T {
	if reflect.ValueOf(room).Elem().IsZero() {
		return none
	}
	content := *room
	*room = *none
	return &content
}

func (e *Exchange) read(actions []*specs.Action, own *reader, r *reading) {
	op := r.Operation()
	o := objectReader{
		event: e, document: op.Document, operation: op, isOwn: op.Interface.IsOwn(),
		names: sight.Names{Match: &r.Owner.Match, Query: r.query()},
	}
	if own == nil {
		own = &reader{}
	}
	if len(actions) > 0 {
		o.name(actions, r)
	}
	if own.rest != nil {
		own.rest(e, r)
	}
	if e.OK() || e.Status == http.StatusConflict {
		e.Opaque = r.Item.ResponseDoubt != ""
		o.response(actions, own, r)
		if len(actions) > 0 && e.OK() && !e.Opaque {
			o.contradictions(actions, r)
		}
	}
	o.readRequest(actions, own, r)
	if e.Issued != nil && e.Issued.Reads {
		e.MayCreate = nil // a query that only reads
	}
	if e.OK() && (e.Verb == Creates || e.Verb == Changes) {
		e.compareMembers(actions, r)
		if len(actions) > 0 {
			e.forgetUnset(o.document, actions[0], r)
		}
	}
	if o.isOwn && len(actions) > 0 && e.OK() && e.Verb == Changes {
		e.keep(op, actions[0], r)
	}
}

// response reads an answer, of which something is expected if the operation itself shows what it is about.
func (o *objectReader) response(actions []*specs.Action, own *reader, r *reading) {
	isRead := func(a *specs.Action) bool { return len(a.At) > 0 }
	if own.in == nil && !slices.ContainsFunc(actions, isRead) {
		return
	}
	body, ok := r.answerBody()
	if !ok && o.event.Status == http.StatusNoContent && o.isOwn {
		return
	}
	if !ok {
		o.event.Opaque = o.event.Opaque || own.in != nil || isRead(actions[0])
		return
	}
	o.show(actions, body)
	if o.event.Verb == Changes && len(actions) > 0 && actions[0].Identity != nil && len(o.event.Shows) == 0 {
		o.event.Opaque = true // it may have another name now
	}
	if own.in != nil {
		own.in(o.event, body)
	}
	o.event.Account = visible(body.Get("account_id"))
	if o.event.Account == "" {
		o.event.Account = visible(body.Get("0", "account_id"))
	}
}

func (o *objectReader) readRequest(actions []*specs.Action, own *reader, r *reading) {
	isRead := func(a *specs.Action) bool {
		return a.Request != nil && len(a.Resource.Parents)+len(a.Resource.Refers) > 0
	}
	if own.to == nil && !slices.ContainsFunc(actions, isRead) {
		return
	}
	body, ok := r.requestBody()
	if !ok {
		return
	}
	for _, a := range actions {
		o.refer(a, body)
	}
	if own.to != nil {
		own.to(o.event, body)
	}
}

// begin notes what is known of an exchange without its operation.
func (e *Exchange) begin(r *reading) {
	item := &r.Item
	e.WorkflowContent, e.CoreContent = noWorkflow, noCore
	e.Number, e.Seq, e.Overlaps, e.File, e.World = item.Number, item.Seq, item.Overlaps, item.File, r.Owner.World
	e.Epoch, e.Address, e.Method, e.Line.Exchange = item.Epoch, r.Owner.Site, item.Request.Method, item.Number
	e.Start, e.End, e.Own, e.Mock = item.Start, item.End, item.World != "" && item.Seq > 0, r.Owner.Mock
	e.Digest = digestOf(item)
	if e.End.Before(e.Start) {
		e.End = e.Start
	}
	if item.Response != nil {
		if !isTwice(item) {
			e.Status = item.Response.Status
		}
		if age := item.Response.Headers.Value("Age"); age == "" || age == "0" { // not of a cache (RFC 9111, 5.1)
			e.Date = r.date(item.Response.Headers.Value("Date"))
		}
	}
}

// forgetting recognises requests to the control interface of the mock that replace the state of a world.
func (e *Exchange) forgetting(r *reading) *Exchange {
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
	e.begin(r)
	e.World, e.Forget = segments[0], true
	return e
}

// NamedEntities yields the entities that a path names and that have to be there.
func (e *Exchange) NamedEntities(yield func(Entity) bool) {
	goesOn := func(t Entity, does Verb) bool { return t.IsNone() || does == NoVerb || yield(t) }
	if !goesOn(e.Target, e.Verb) || !goesOn(e.Parent, e.Verb) {
		return
	}
	for _, u := range e.Uses {
		if !goesOn(u.Entity, u.Does) {
			return
		}
	}
}

// EndedAt returns the time at which an exchange was over, by the server's own clock where the answer shows it.
func (e *Exchange) EndedAt() time.Time {
	if !e.Date.IsZero() {
		return e.Date
	}
	return e.End
}

// Touched yields the entities that an exchange is about, shows, or may change.
func (e *Exchange) Touched(yield func(Entity) bool) {
	if !e.Target.IsNone() && !yield(e.Target) {
		return
	}
	for i := range e.Shows {
		if t := e.Shows[i].Entity; t != e.Target && !yield(t) {
			return
		}
	}
	for _, u := range e.Uses {
		if u.Does.Writes() && !yield(u.Entity) {
			return
		}
	}
}

// Refused reports whether a request certainly had no effect.
func (e *Exchange) Refused() bool { return !e.OK() && !e.Unknown() }

// MayChange reports whether an exchange may have changed anything.
func (e *Exchange) MayChange() bool {
	return (e.Verb.Writes() || e.Verb == NoVerb && e.Page == nil) && !e.Refused()
}

// ShowsEntity reports whether the answer shows an entity.
func (e *Exchange) ShowsEntity(t Entity) bool {
	return slices.ContainsFunc(e.Shows, func(f Shown) bool { return f.Entity == t })
}

// MayTouch reports whether an exchange may have made, changed or deleted an entity.
func (e *Exchange) MayTouch(t Entity) bool {
	return e.Verb.Writes() && (e.Target == t || e.Parent == t || e.Kind == t.Kind || e.ShowsEntity(t)) || e.MayMake(t) ||
		t.Kind == Tables && e.Target == DatabaseOf(t)
}
