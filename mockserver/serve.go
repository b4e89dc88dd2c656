package mockserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"svc.example/understudy/internal/address"
	"svc.example/understudy/internal/routine"
	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/journal"
	"svc.example/understudy/mockserver/internal/netfault"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/prefer"
	"svc.example/understudy/mockserver/internal/validate"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/mockserver/internal/worlds"
	"svc.example/understudy/specs"
)

// exchange is one request on its way through the server. This file describes the way from top to bottom:
//
//	locate → interface
//	answer: world → route → read → faults → authenticate → validate → handler
//	respond: encode → journal → log → write
//
// Where a fault is applied, underFaults stands before authenticate, and respondFaulty after encode.
//
// The fields below the request are products of steps. Only respond, answer and control, which call the steps, set them;
// those of an exchange that was refused lack the products of the steps that were not taken.
type exchange struct {
	*loadedInterface
	server *Server
	target target
	w      http.ResponseWriter
	r      *http.Request
	began  time.Time     // by the wall clock
	took   time.Duration // until its answer was committed

	key     string // the API key that it shows
	visit   visit
	match   specs.Match
	body    body
	input   input
	ignored string // what it asks for in vain, for the journal
	peeked  []byte // of a body that is passed on
	call    op.Call
	fault   *applied // nil unless one is applied

	snapshot *world.State             // that perform gives to a handler that reads
	header   func(name string) string // returns a header of the request

	wait    context.Context //nolint:containedctx // of waiting; nil until something waits
	endWait func()
	isOver  bool // it was answered, and nothing that is left of it looks at the world
	isAside bool // it leaves no trace but in the state of the world
}

// visit is the world that a request is for, as it was when the request came in.
type visit struct {
	world *worlds.World // nil of a request for none
	after int64         // the number of the last exchange that was over
	epoch int64         // how often the world had been reset, restored or replaced
	start time.Time
	seed  uint64

	before journal.Moment // the world as the request saw it, if the server keeps a history
	faults *world.Faults  // as they were before they counted the request; nil if none has
}

// input is a request as handlers read it.
type input struct {
	query url.Values
	body  []byte
	note  string // what does not match the document, if the request is served all the same
}

// ServeHTTP answers every interface, and the control interface, on one handler. The stream of a journal goes on until
// the context of the request ends, also into an httptest.ResponseRecorder; a writer that cannot flush has what is
// in the journal, and no more.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t, ok := s.locate(r)
	switch {
	case !ok && r.URL.Path == "/" && s.pages != nil && wantsPage(r):
		lead(w, r)
	case !ok:
		s.unknownAddress(w, r)
	case t.iface == specs.Control:
		if !s.serveConsole(w, r, t.path) {
			s.serveControl(w, r, t.path)
		}
	default:
		s.serve(w, r, t)
	}
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request, t target) {
	iface, err := s.loaded(t.iface)
	if err != nil {
		s.fail("load the interface", slog.String("interface", string(t.iface)), slog.Any("error", err))
		http.Error(w, "the interface cannot be served; the log says why", http.StatusInternalServerError)
		return
	}
	asked := iface
	isAside := r.Context().Value(asideKey{}) != nil
	if t.service = s.targets[t.iface]; t.service != nil && (isAside || r.Header[targetHeader] != nil) {
		t.service = nil
	}
	if t.service != nil {
		asked = nil // the service says itself which pages it lets in
	}
	if s.preflight(w, r, asked) {
		return
	}
	x := s.used.newExchange()
	x.loadedInterface, x.server, x.target, x.w, x.r, x.began = iface, s, t, w, r, s.arrival()
	x.isAside = isAside
	defer x.end()
	if t.service != nil {
		x.pass()
		return
	}
	x.respond(x.answer())
}

// end gives back what the exchange has used.
func (x *exchange) end() {
	if x.endWait != nil {
		x.endWait()
	}
	if x.isOver {
		x.server.used.recycle(x)
	}
}

// answer takes the steps from the request to the handler's reply. An *op.Error is the caller's fault, any other error
// is ours. A panic becomes one of ours: it reaches no user.
func (x *exchange) answer() (reply op.Reply, err error) {
	defer routine.Recover(&err)
	x.key = x.credential()
	if x.visit, err = x.enter(); err != nil {
		return reply, err
	}
	var route *op.Route
	if x.match, route, err = x.route(); err != nil {
		return reply, err
	}
	if x.body, err = x.read(route); err != nil {
		return reply, err
	}
	value := x.visit.world.Read()
	x.server.remember(&x.visit, value)
	if !x.isAside && (value.Faults.Plan != nil || x.r.Header[injectHeader] != nil) {
		return x.underFaults(route, value)
	}
	return x.operate(route, value)
}

// operate takes the steps by which an operation takes effect.
func (x *exchange) operate(route *op.Route, value *world.State) (reply op.Reply, err error) {
	if x.target.service != nil {
		return x.fetch()
	}
	caller, err := x.authenticate(value, route)
	if err != nil {
		return reply, err
	}
	if value.Account.Limits != (world.Limits{}) {
		defer x.passRetry(&err)
		if err = x.keepPace(value); err != nil {
			return reply, err
		}
	}
	return x.carryOut(route, value, caller)
}

// carryOut takes the steps of a request whose caller may send it.
func (x *exchange) carryOut(route *op.Route, value *world.State, caller world.Caller) (reply op.Reply, err error) {
	if x.input, err = x.validate(x.server.validation); err != nil {
		return reply, err
	}
	if x.r.Header[prefer.Header] != nil {
		if reply, is, err := x.preferred(); is || err != nil {
			return reply, err
		}
	}
	x.call = x.newCall(caller)
	reply, err = x.perform(route, value)
	return x.brand.remarks(reply), x.brand.refusal(err)
}

// respond takes the steps from the handler's reply, or an error, to the last byte of the answer. The exchange is in the
// journal before the first byte leaves.
func (x *exchange) respond(reply op.Reply, err error) {
	x.body.release(x.server.memory)
	if x.isAbandoned(err) {
		netfault.Abort(x.w, x.r, context.Cause(x.wait))
		return
	}
	a := x.encode(reply, err)
	if x.fault != nil {
		x.respondFaulty(a)
		return
	}
	seq := x.commit(a)
	x.server.requests.write(x, a, seq)
	x.write(a)
	x.isOver = a.stream == nil && !x.call.Queries.Used()
}

// enter finds the world that the request is for.
func (x *exchange) enter() (v visit, err error) {
	id := x.target.world
	if name := headerOf(x.r, worldHeader); name != "" {
		id = name
	}
	if id == "" {
		v.world = x.server.worldOf(x.key)
	} else if v.world = x.server.worlds.Get(id); v.world == nil {
		return v, &op.Error{Code: op.CodeNotFound, Message: fmt.Sprintf(
			"world %s not found; make it with POST /_understudy/worlds, or ask in the world default", id)}
	}
	v.after = v.world.Journal.Last() // before the world is read: whatever is over by now is in it
	v.epoch = v.world.Epoch()
	value := v.world.Read()
	v.start, v.seed = value.Now(), value.Seed
	x.server.remember(&v, value)
	return v, nil
}

// worldOf returns the world that a key leads to: the one that it was minted for, or the only one that made it for a
// client.
func (s *Server) worldOf(key string) *worlds.World {
	if w := s.worlds.ByKey(key); w != nil {
		return w
	}
	w := s.worlds.Get(worlds.Default)
	if _, known := w.Peek().Account.Keys.Get(key); !known && key != "" {
		if other := s.worlds.Knowing(key); other != nil {
			return other
		}
	}
	return w
}

// route finds the operation, and its handler.
func (x *exchange) route() (match specs.Match, route *op.Route, err error) {
	path, below := x.path()
	switch {
	case below:
		match = x.doc.Find(x.r.Method, path)
	case x.Name.IsOwn(): // a client may leave out the path of the server
		if match = x.doc.Find(x.r.Method, path); match.Operation != nil || match.Allow != "" {
			x.target.path = x.doc.BasePath + x.target.path
		}
	}
	if match.Operation == nil {
		return match, nil, x.unknownPath(path, below, match.Allow)
	}
	if route = x.routes[match.Operation.ID]; route == nil {
		return match, nil, &op.Error{Code: op.CodeNoHandler, Message: fmt.Sprintf(
			"%s is in %s, but the mock has no handler for it", match.Operation.Name(), x.doc.File)}
	}
	return match, route, nil
}

// validate makes the form of the request that handlers read, and holds the request against the document, as the mode
// wants.
func (x *exchange) validate(mode Validation) (in input, err error) {
	operation := x.checks[x.match.Operation.ID]
	query, queryErr := x.query()
	r := x.sent(query)
	if x.own != nil {
		r.Query = maps.Clone(query) // what is read is written
	}
	if err := operation.Read(r); err != nil {
		return in, err
	}
	if in, err = x.handOver(r, query); err != nil || mode == Off {
		return in, err
	}
	err = errors.Join(queryErr, operation.Request(r))
	if err == nil || mode == Strict {
		return in, err
	}
	in.note = "request does not match the document: " + err.Error()
	return in, nil
}

// sent returns the parts of the request that the document describes.
func (x *exchange) sent(query url.Values) *validate.Request {
	r := &validate.Request{Match: &x.match, Query: query, Header: x.r.Header, Body: x.body.bytes}
	if x.routes[x.match.Operation.ID].ManyValues {
		r.Received = x.body.received
	}
	return r
}

// query parses the query. What cannot be parsed is missing in it, and the error says so.
func (x *exchange) query() (url.Values, error) {
	if x.r.URL.RawQuery == "" {
		return nil, nil
	}
	query, err := address.Query(x.r.URL.RawQuery)
	if err != nil {
		return query, op.Invalid("", "the query cannot be read: %v", err)
	}
	return query, nil
}

// handOver gives handlers the query and the body of a request that was read. By a user's own document it was read only
// to be held against it.
func (x *exchange) handOver(r *validate.Request, query url.Values) (in input, err error) {
	if x.own != nil {
		r = x.sent(query)
		if err := x.own.ours[x.match.Operation.ID].Read(r); err != nil {
			return in, err
		}
	}
	return input{query: r.Query, body: x.brand.members(r.Body)}, nil
}

// newCall returns what the handler is given, but for the world.
func (x *exchange) newCall(caller world.Caller) op.Call {
	return op.Call{
		Operation: x.brand.operation(x.match.Operation), Match: &x.match, Swapped: x.brand.names(),
		Query: x.input.query, Body: x.input.body, Raw: x.body.bytes, Header: x.header,
		Key: x.key, Caller: caller, Base: x.target.links(),
	}
}

// perform applies the handler, and again when it has needed results of queries. These run outside of the world's lock,
// for as long as the client waits.
func (x *exchange) perform(route *op.Route, value *world.State) (op.Reply, error) {
	for {
		reply, err := x.attempt(route, value)
		needed := x.call.Queries.Needed()
		if needed == nil {
			return reply, err
		}
		if err := x.visit.world.Finish(x.waiting(), needed); err != nil {
			return reply, err
		}
		value = x.visit.world.Read()
		x.server.remember(&x.visit, value)
	}
}

var errNeeds = errors.New("the handler needs query results") // takes a transaction back

// attempt applies the handler: to a copy of the world as it is, or in a transaction.
func (x *exchange) attempt(route *op.Route, value *world.State) (reply op.Reply, err error) {
	if route.Pending != nil && value.Clock.Mode() == clock.Auto {
		if err := x.await(route); err != nil {
			return reply, err
		}
		value = x.visit.world.Read()
	}
	if route.Pure {
		x.call.World, x.call.Now = value, value.Now()
		return route.Handle(&x.call)
	}
	if route.Reads() {
		x.setWorld(value)
		return route.Handle(&x.call)
	}
	err = x.visit.world.Write(len(x.body.bytes), func(tx *world.State) error {
		x.server.remember(&x.visit, x.visit.world.Peek()) // which the transaction begins with
		x.call.World, x.call.Now = tx, tx.Now()
		if reply, err = route.Handle(&x.call); x.call.Queries.Needs() {
			return errNeeds
		}
		return err
	})
	return reply, err
}

// setWorld gives the call a copy of the world, so that a handler cannot change the world itself.
func (x *exchange) setWorld(value *world.State) {
	if x.snapshot == nil {
		x.snapshot = x.server.used.newSnapshot()
	}
	*x.snapshot = *value
	x.call.World, x.call.Now = x.snapshot, x.snapshot.Now()
}

// await moves an auto clock on while what the call asks for is under way.
func (x *exchange) await(route *op.Route) error {
	defer x.call.Queries.Needed() // by worlds on the way
	return x.visit.world.Await(x.waiting(), func(value *world.State) (string, time.Time, bool) {
		x.setWorld(value)
		return route.Pending(&x.call)
	})
}

// waiting returns the context of whatever the request waits for. It ends with the context of the request, and when the
// server is closed.
func (x *exchange) waiting() context.Context {
	if x.wait == nil {
		ctx, cancel := context.WithCancelCause(x.r.Context())
		forget := context.AfterFunc(x.server.stopping, func() { cancel(errClosed) })
		x.wait, x.endWait = ctx, func() { forget(); cancel(nil) }
	}
	return x.wait
}

// isAbandoned reports whether an error says that the client has left while the answer waited for something, or that the
// server was closed. The exchange then ends without an answer, and without a trace in the world.
func (x *exchange) isAbandoned(err error) bool {
	return err != nil && x.wait != nil && x.wait.Err() != nil &&
		(errors.Is(err, x.wait.Err()) || errors.Is(err, context.Cause(x.wait)))
}

// maxWrite is the number of bytes of an answer that a client must read within one write timeout.
const maxWrite = 64 << 10

// write sends an answer that is in the journal, for as long as the client goes on taking it.
func (x *exchange) write(a answer) {
	if a.stream != nil {
		x.stream(a)
		return
	}
	x.server.sending.Add(1)
	defer x.server.sending.Add(-1)
	connection := http.NewResponseController(x.w)
	x.extend(connection)
	x.w.WriteHeader(a.Status)
	if a.chunks == nil {
		_ = x.send(connection, a.Body) // a client that went away has its answer in the journal
		return
	}
	for _, chunk := range a.chunks { // each as soon as the one before has gone
		x.extend(connection)
		if x.send(connection, chunk) != nil {
			return
		}
		_ = connection.Flush() // a writer that cannot flush has what was written all the same
	}
}

// send sends bytes in chunks, each with a deadline of its own.
func (x *exchange) send(connection *http.ResponseController, b []byte) error {
	for ; len(b) > maxWrite; b = b[maxWrite:] {
		if _, err := x.w.Write(b[:maxWrite]); err != nil {
			return err
		}
		x.extend(connection)
	}
	if len(b) == 0 { // as after a status that allows no body
		return nil
	}
	_, err := x.w.Write(b)
	return err
}

// extend sets the deadline of the next write. Writers within the process have none.
func (x *exchange) extend(connection *http.ResponseController) {
	_ = connection.SetWriteDeadline(clock.Wall().Add(x.server.writeTimeout))
}

// Undelivered returns the number of answers that are in the journal and that clients have not taken to the end yet.
func (s *Server) Undelivered() int { return int(s.sending.Load()) }

// keepPace refuses a request beyond the account's limit on requests per second.
func (x *exchange) keepPace(value *world.State) error {
	most := value.Account.Limits.RequestsPerSecond
	if most == 0 {
		return nil
	}
	if wait := x.visit.world.Admit(most, value.Now()); wait > 0 {
		return op.TooMany(wait, "the account may send %d requests per second", most)
	}
	return nil
}

// passRetry, deferred, serves an auto clock: a request that was refused because of a limit moves it to the time after
// which the client may retry.
func (x *exchange) passRetry(refused *error) {
	limit, ok := errors.AsType[*op.Error](*refused)
	if !ok || limit.Code != op.CodeTooMany || x.visit.world.Peek().Clock.Mode() != clock.Auto {
		return
	}
	for _, line := range limit.Header {
		if seconds, err := strconv.Atoi(line[1]); line[0] == op.RetryAfter && err == nil {
			_, _ = x.visit.world.Advance(x.waiting(), time.Duration(seconds)*time.Second) // or the limit is refused again
		}
	}
}
