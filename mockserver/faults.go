package mockserver

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/internal/address"
	"svc.example/understudy/internal/fill"
	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/fault"
	"svc.example/understudy/mockserver/internal/match"
	"svc.example/understudy/mockserver/internal/netfault"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs/recording"
)

// injectHeader is the header by which a request asks for a fault of its own, as fixtures.ParseInjection reads it.
const injectHeader = "X-Understudy-Inject"

// injectedID is the id of such a fault.
const injectedID = "inject"

// applied is the fault that is applied to an exchange.
type applied struct {
	recording.Fault // as it turns out, which is what answers and recordings have

	plan  fixtures.Fault
	call  int64 // the number of the call among those that the fault is for
	delay time.Duration
	cut   bool // the client sees only the beginning of the body
}

// injects reports whether the answer is not the operation's own.
func (a *applied) injects() bool { return a != nil && a.Injected }

// newApplied returns the fault of a call of a world.
func newApplied(w *world.State, f fixtures.Fault, call int64) *applied {
	return &applied{
		Fault: recording.Fault{ID: f.ID, Effect: recording.EffectNone, Injected: f.Injects()}, plan: f, call: call,
		delay: fault.DelayOf(w, &f, call),
	}
}

// underFaults takes the steps of a request to which a fault may be applied.
func (x *exchange) underFaults(route *op.Route, value *world.State) (reply op.Reply, err error) {
	chosen, err := x.chooseFault(value)
	switch {
	case err != nil:
		return reply, err
	case chosen == nil:
		return x.operate(route, value)
	}
	return x.apply(chosen, route, value)
}

// apply takes the steps of a request to which a fault is applied.
func (x *exchange) apply(chosen *applied, route *op.Route, value *world.State) (reply op.Reply, err error) {
	reply, err = x.takeEffect(route, value, chosen)
	if x.isAbandoned(err) {
		return reply, err
	}
	x.fault = chosen
	if chosen.plan.Status == 0 {
		return reply, err
	}
	injected := x.injectedReply(chosen)
	injected.Notes = append(injected.Notes, reply.Notes...)
	return injected, nil
}

// chooseFault returns the fault that the request asks for, or the first one of the plan that applies to it; nil if
// there is none. A refusal of what the request asks for counts as injected: the platform does not know the header.
func (x *exchange) chooseFault(value *world.State) (*applied, error) {
	if text := headerOf(x.r, injectHeader); text != "" {
		f, err := fault.Injection(text)
		if err != nil {
			x.fault = &applied{Fault: recording.Fault{ID: injectedID, Effect: recording.EffectNone, Injected: true}}
			return nil, op.Invalid(injectHeader, "%v", err)
		}
		f.ID = cmp.Or(f.ID, injectedID)
		return newApplied(value, f, x.visit.after), nil
	}
	rules := x.faultRules(value)
	if len(rules) == 0 {
		return nil, nil
	}
	return x.countedFault(value, rules), nil
}

// countedFault counts the call for rules of a value of the world, and returns the fault that applies; nil if none does.
func (x *exchange) countedFault(value *world.State, rules []*fault.Rule) (chosen *applied) {
	x.visit.world.Note(func(tx *world.State) {
		x.visit.faults = new(tx.Faults)
		if !samePlan(tx, value) { // it has changed meanwhile
			rules = x.faultRules(tx)
		}
		if rule, call := fault.Choose(tx, rules); rule != nil {
			chosen = newApplied(tx, rule.Fault, call)
		}
	})
	return chosen
}

func samePlan(a, b *world.State) bool {
	return len(a.Faults.Plan) == len(b.Faults.Plan) && len(a.Faults.Plan) > 0 && &a.Faults.Plan[0] == &b.Faults.Plan[0]
}

// faultRules returns the faults of a value of the world that the request is meant by.
func (x *exchange) faultRules(value *world.State) []*fault.Rule {
	if len(value.Faults.Plan) == 0 {
		return nil
	}
	index, err := x.visit.world.FaultIndex(value, x.server.served())
	if err != nil {
		x.server.log.Error("faults cannot be applied", slog.String("world", x.visit.world.ID), slog.Any("error", err))
	}
	path, _ := x.path()
	return index.Find(x.match.Operation, &match.Request{
		Path: path, RawQuery: x.r.URL.RawQuery, Header: x.r.Header, Body: x.body.bytes, Key: x.key, Account: &value.Account,
	})
}

// takeEffect lets the operation take effect as often as the fault says, and notes in it how often it did: what the
// operation refuses has no effect.
func (x *exchange) takeEffect(route *op.Route, value *world.State, f *applied) (reply op.Reply, err error) {
	effect := f.plan.Takes()
	if effect == fixtures.EffectNone {
		return reply, nil
	}
	reply, err = x.operate(route, value)
	switch {
	case x.fault != nil: // the answer is one that the header Prefer asks for
		f.Injected = true
		return reply, err
	case err != nil || reply.Status >= http.StatusBadRequest:
		if note := x.refusalNote(err, f); note != "" {
			reply.Notes = append(reply.Notes, note)
		}
		return reply, err
	}
	if f.Effect = recording.EffectOnce; effect == fixtures.EffectTwice {
		reply.Notes = append(slices.Clip(reply.Notes), x.deliverAgain(route, f)...)
	}
	return reply, nil
}

// deliverAgain lets the operation take effect a second time, and returns why it does not. The client has sent one
// request, and no more of them count against its limit.
func (x *exchange) deliverAgain(route *op.Route, f *applied) (notes []string) {
	var reply op.Reply
	var err error
	before, value := x.visit.before, x.visit.world.Read()
	defer func() { x.visit.before = before }() // the world as it was before the request is that before the first delivery
	var caller world.Caller
	if x.target.service != nil {
		reply, err = x.fetch()
	} else if caller, err = x.authenticate(value, route); err == nil {
		reply, err = x.carryOut(route, value, caller)
	}
	switch {
	case err != nil:
		_, reason := x.refuse(err)
		return []string{"the second delivery was refused: " + reason}
	case reply.Status >= http.StatusBadRequest:
		return []string{fmt.Sprintf("the second delivery was refused with %d", reply.Status)}
	}
	f.Effect = recording.EffectTwice
	return nil
}

// refusalNote says that the operation was refused, where the client does not see that.
func (x *exchange) refusalNote(err error, f *applied) string {
	if err == nil || !f.Injected || x.isAbandoned(err) {
		return ""
	}
	_, reason := x.refuse(err)
	return "the operation had no effect, since it was refused: " + reason
}

// injectedReply returns the answer that a fault puts in the place of the operation's. A template that cannot be filled
// in gives 500.
func (x *exchange) injectedReply(a *applied) (reply op.Reply) {
	f := &a.plan
	if f.Template {
		filled, err := x.fill(a)
		if err != nil {
			note := fmt.Sprintf("the template of %s cannot be filled in: %v", f.ID, err)
			reply = x.errorForm(http.StatusInternalServerError, note)
			reply.Notes = []string{note}
			return reply
		}
		f = &filled
	}
	switch {
	case f.Body != nil:
		reply = bodyReply(f.Body, x.rules.Media)
	case f.Status >= http.StatusBadRequest:
		reply = x.errorForm(f.Status, f.Message)
	}
	reply.Status = f.Status
	reply.Header = slices.Clone(reply.Header)
	if f.RetryAfter > 0 {
		seconds := int64(math.Ceil(time.Duration(f.RetryAfter).Seconds()))
		reply.Header = append(reply.Header, [2]string{op.RetryAfter, strconv.FormatInt(seconds, 10)})
	}
	for _, name := range slices.Sorted(maps.Keys(f.Headers)) {
		if http.CanonicalHeaderKey(name) == "Content-Type" {
			reply.Type = f.Headers[name]
		} else {
			reply.Header = append(reply.Header, [2]string{name, f.Headers[name]})
		}
	}
	return reply
}

// errorForm returns a failure in the interface's own form. The default of the message is the name of the status.
func (x *exchange) errorForm(status int, message string) op.Reply {
	reply := x.errorReply(op.Errors{{
		Code: op.StatusCode(status), Message: cmp.Or(message, http.StatusText(status), "status "+strconv.Itoa(status)),
	}})
	reply.Status, reply.Notes = status, nil
	return reply
}

// bodyReply returns a reply with a body: a text as it is, all else as JSON.
func bodyReply(body any, media string) op.Reply {
	if text, ok := body.(string); ok {
		return op.Reply{Bytes: []byte(text), Type: "text/plain; charset=utf-8"}
	}
	content, err := json.Marshal(body)
	if err != nil { // cannot be: it was read as JSON, or written as such when it was planned
		content = []byte("null")
	}
	return op.Reply{Bytes: content, Type: cmp.Or(media, "application/json")}
}

// respondFaulty takes the steps of respond for an exchange to which a fault is applied. The journal has what the client
// sees of the answer, which may be nothing at all.
func (x *exchange) respondFaulty(a answer) {
	x.liftDeadlines()
	ctx := x.waiting()
	isGone := !netfault.Wait(ctx, x.fault.delay)
	body, excess, end := netfault.Apply(&x.fault.plan, a.Status, a.Body)
	if isGone || !end.IsSeen {
		x.fault.Injected = true
		a = answer{notes: a.notes}
		x.server.requests.write(x, a, x.commit(a))
		if isGone {
			netfault.Abort(x.w, x.r, context.Cause(ctx))
		} else {
			end.Break(ctx, x.w, x.r)
		}
		return
	}
	if a.Body, x.fault.cut = body, end.IsCut; excess > 0 {
		a.announce(len(body) + excess)
	}
	x.server.requests.write(x, a, x.commit(a))
	x.writeFaulty(a, end)
}

// announce sets the Content-Length of an answer, whatever its body has.
func (a *answer) announce(length int) {
	line := [2]string{"Content-Length", strconv.Itoa(length)}
	a.Header = slices.DeleteFunc(slices.Clone(a.Header), func(l [2]string) bool { return l[0] == line[0] })
	a.Header = append(a.Header, line)
}

// writeFaulty sends an answer as the fault says.
func (x *exchange) writeFaulty(a answer, end netfault.End) {
	x.server.sending.Add(1)
	defer x.server.sending.Add(-1)
	connection := http.NewResponseController(x.w)
	x.extend(connection)
	x.w.WriteHeader(a.Status)
	end.Send(x.waiting(), x.w, x.r, x.fault.plan.BytesPerSecond, a.Body, func(b []byte) error {
		x.extend(connection)
		return x.send(connection, b)
	})
}

// WithFaults plans faults in every world that the server makes of a scenario, behind those of the scenario.
func WithFaults(faults ...fixtures.Fault) Option {
	return func(c *config) error {
		for _, f := range faults {
			if err := f.Check(); err != nil {
				return fmt.Errorf("fault: %w", err)
			}
		}
		c.faults = append(c.faults, faults...)
		return nil
	}
}

// PlannedFault is a fault, or a stub, that is planned in a world.
type PlannedFault struct {
	world *World
	id    string
	stub  bool
}

// Fault plans a fault for calls that come from now on, behind those that are planned already: of several that fit a
// call, the first one that applies is used. It fails if the fault contradicts itself, or if there can be no such calls.
func (w *World) Fault(f fixtures.Fault) (*PlannedFault, error) { return w.plan(f, fault.Plan) }

// Stub plans an answer for matching calls in the place of the operations': its status (default: 200), headers and body,
// which the documents need not allow. The operation has no effect. First is the number of answers; 0 stands for any.
// Calls beyond that, and those that fit no stub, are answered as usual, or by the next stub.
func (w *World) Stub(f fixtures.Fault) (*PlannedFault, error) {
	f.Status = cmp.Or(f.Status, http.StatusOK)
	return w.plan(f, fault.PlanStub)
}

type planner func(*world.State, fixtures.Fault, match.Documents) (world.Fault, error)

func (w *World) plan(f fixtures.Fault, plan planner) (p *PlannedFault, err error) {
	err = w.live.Write(0, func(tx *world.State) error {
		planned, err := plan(tx, f, w.server.served())
		p = &PlannedFault{w, planned.ID, planned.Stub}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("plan a fault: %w", err)
	}
	return p, nil
}

// Faults returns the faults that are planned in the world, in the order in which they are tried, without stubs.
func (w *World) Faults() (list []*PlannedFault) {
	for _, f := range w.live.Read().Faults.Plan {
		if !f.Stub {
			list = append(list, &PlannedFault{w, f.ID, false})
		}
	}
	return list
}

// ID is the id of the fault, which answers to which it was applied have in the header X-Understudy-Fault.
func (p *PlannedFault) ID() string { return p.id }

// Calls returns how many calls came that the fault is for, whether it was applied to them or not. It is 0 once the
// fault is removed.
func (p *PlannedFault) Calls() int { return int(p.counted().Calls) }

// Hits returns to how many calls the fault was applied, whose exchanges have its ID in Fault. It is 0 once the fault is
// removed.
func (p *PlannedFault) Hits() int { return int(p.counted().Hits) }

func (p *PlannedFault) counted() (planned fault.Planned) {
	for _, f := range fault.List(p.world.live.Read(), p.stub) {
		if f.ID == p.id {
			planned = f
		}
	}
	return planned
}

// Remove takes the fault out of the plan. One that is removed already is an error.
func (p *PlannedFault) Remove() error {
	return p.world.live.Write(0, func(tx *world.State) error { return fault.Remove(tx, p.id, p.stub) })
}

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
	query, _ := address.Query(x.r.URL.RawQuery)
	for name, values := range query {
		request.Query[name] = values[0]
	}
	kind := fmt.Sprintf("template:%s:%d", a.plan.ID, a.call)
	return &fill.Run{
		Request: request, Now: x.now(), IsOver: func() bool { return clock.Wall().After(end) },
		UUID:   func(n int64) string { return state.UUID(kind, n) },
		Random: func(n int64) float64 { return fault.Random(state, a.plan.ID, kind, n)() },
	}
}
