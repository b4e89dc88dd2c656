package mockserver

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"runtime/debug"
	"strconv"
	"time"

	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/journal"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/validate"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/mockserver/internal/worlds"
	"svc.example/understudy/specs"
)

// exchange is one request on its way through the server, which this file describes from top to bottom:
//
//	interface → world → route → read → authenticate → validate request → handler → encode → validate
//
// answer → journal → write
type exchange struct {
	*loadedInterface
	server *Server
	target target
	w      http.ResponseWriter
	r      *http.Request

	world  *worlds.World
	match  specs.Match
	after  int64 // the number of the last exchange that was over
	start  time.Time
	seed   uint64
	body   []byte
	weight int64     // of a large body that is worked on
	off    bool      // the request or its answer is off the contract, and served
	began  time.Time // by the wall clock
	reason string    // why the caller is refused; empty when it is not
	cut    bool      // the body is only the beginning of what was sent
	query  error     // what of the query cannot be read, and so is not in call.Query
	notes  []string
	extra  [][2]string // headers of an answer that comes from no handler
	parts  [][]byte    // of the answer's body, when they are to be sent one by one
	call   op.Call
	copy   world.State // what a handler that reads is given
}

// ServeHTTP answers every interface, and the control interface, on one handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t, ok := s.locate(r)
	switch {
	case !ok:
		s.unknownAddress(w, r)
	case t.iface == specs.Control:
		s.serveControl(w, r, t.path)
	default:
		s.serve(w, r, t)
	}
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request, t target) {
	iface, err := s.service(t.iface)
	if err != nil {
		s.fail("load the interface", slog.String("interface", t.iface), slog.Any("error", err))
		http.Error(w, "the interface cannot be served; see the log of the mock", http.StatusInternalServerError)
		return
	}
	x := &exchange{loadedInterface: iface, server: s, target: t, w: w, r: r, began: s.arrival()}
	if iface.rules.Browsers {
		if isPreflight(r) {
			iface.preflight(w, r)
			return
		}
		x.extra = allowedOrigin(r)
	}
	reply, err := x.answer()
	x.leave()
	x.abandon(err)
	if err != nil {
		reply = x.refuse(err)
	}
	x.send(x.encode(reply))
}

// arrival notes that a request comes in, and returns the time.
func (s *Server) arrival() time.Time {
	now := clock.Wall()
	s.arrived.Store(now.UnixNano())
	return now
}

// busy reports whether requests come in one after another.
func (s *Server) busy() bool {
	return clock.Wall().UnixNano()-s.arrived.Load() < int64(2*time.Millisecond)
}

// answer goes from the request to the handler's reply. An *op.Error is the caller's fault, any other error is ours. A
// panic becomes one of ours: it reaches no user.
func (x *exchange) answer() (reply op.Reply, err error) {
	defer recovered(&err)
	key := x.credential()
	if err := x.enter(key); err != nil {
		return reply, err
	}
	route, err := x.route()
	if err != nil {
		return reply, err
	}
	if err := x.read(route); err != nil {
		return reply, err
	}
	value := x.world.Read()
	x.call.Key = key
	if x.call.Caller, err = x.authenticate(value, key, route); err != nil {
		return reply, err
	}
	if err := x.validate(x.server.validation); err != nil {
		return reply, err
	}
	reply, err = x.perform(route, value)
	return x.brand.remarks(reply), x.brand.refusal(err)
}

// recovered, deferred, turns a panic into an error.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
	}
}

// enter finds the world that the request is for.
func (x *exchange) enter(key string) error {
	id := x.target.world
	if name := x.r.Header.Get(worldHeader); name != "" {
		id = name
	}
	if id == "" {
		x.world = x.server.worldOf(key)
	} else if x.world = x.server.worlds.Get(id); x.world == nil {
		return &op.Error{Code: op.CodeNotFound, Message: fmt.Sprintf(
			"world %s not found; create it with POST /_understudy/worlds, or use the world default", id)}
	}
	x.after = x.world.Journal.Last() // before the world is read: whatever is over by now is in it
	value := x.world.Read()
	x.start, x.seed = value.Now(), value.Seed
	return nil
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
func (x *exchange) route() (*op.Route, error) {
	path, below := x.path()
	if below {
		x.match = x.doc.Find(x.r.Method, path)
	}
	if x.match.Operation == nil {
		return nil, x.unknownPath(path, below)
	}
	x.call.Operation, x.call.Match = x.brand.operation(x.match.Operation), &x.match
	x.call.Swapped = x.brand.names()
	x.call.Context = x.r.Context()
	x.call.Base, x.call.Header = x.target.links(), x.r.Header.Get
	if x.r.URL.RawQuery != "" {
		var err error
		if x.call.Query, err = url.ParseQuery(x.r.URL.RawQuery); err != nil {
			x.query = op.Invalid("", "the query cannot be parsed: %v", err)
		}
	}
	route := x.routes[x.match.Operation.ID]
	if route == nil {
		return nil, &op.Error{Code: op.CodeNoHandler, Message: fmt.Sprintf(
			"%s is in %s, but the mock has no handler for it", x.match.Operation.Name(), x.doc.File)}
	}
	return route, nil
}

// validate gives handlers the body in the form that they read, and holds the request against the document, as the mode
// wants.
func (x *exchange) validate(mode Validation) (err error) {
	operation := x.checks[x.match.Operation.ID]
	x.call.Raw = x.body
	r := &validate.Request{Match: &x.match, Query: x.call.Query, Header: x.r.Header, Body: x.body}
	if x.own != nil {
		r.Query = maps.Clone(r.Query) // what is read is written
	}
	if err := operation.Read(r); err != nil {
		return err
	}
	if err := x.handOver(r); err != nil {
		return err
	}
	if mode == Off {
		return nil
	}
	err = errors.Join(x.query, operation.Request(r))
	if err == nil || mode == Strict {
		return err
	}
	x.off, x.notes = true, append(x.notes, "request does not match the document: "+err.Error())
	return nil
}

// handOver gives handlers the query and the body of a request that was read. By a user's own document it was read only
// to be held against it.
func (x *exchange) handOver(r *validate.Request) error {
	if x.own != nil {
		r = &validate.Request{Match: &x.match, Query: x.call.Query, Header: x.r.Header, Body: x.body}
		if err := x.own.ours[x.match.Operation.ID].Read(r); err != nil {
			return err
		}
	}
	x.call.Query, x.call.Body = r.Query, x.brand.members(r.Body)
	return nil
}

// send commits the exchange to the journal and only then lets the first byte of the answer go.
func (x *exchange) send(a validate.Answer) {
	header := x.w.Header()
	values := make([]string, len(a.Header)) // one allocation for all of them
	for i, line := range a.Header {
		values[i] = line[1]
		if before := header[line[0]]; before != nil {
			header[line[0]] = append(before, line[1])
			continue
		}
		header[line[0]] = values[i : i+1 : i+1]
	}
	var seq int64
	if x.world != nil {
		seq = x.commit(x.entry(a), header)
		header[exchangeHeader] = []string{strconv.FormatInt(seq, 10)}
	}
	x.server.requests.write(x, a.Status, seq)
	x.deliver(a)
}

func (x *exchange) entry(a validate.Answer) *journal.Entry {
	return &journal.Entry{
		After: x.after, Start: x.start, End: x.world.Now(), World: x.world.ID, Seed: x.seed, Operation: x.match.Operation,
		Method: x.r.Method, URL: x.url(), Host: x.r.Host, RequestHeader: x.r.Header,
		RequestBody: x.body, Truncated: x.cut,
		Status: a.Status, ResponseHeader: a.Header, ResponseBody: a.Body, Notes: x.notes,
	}
}
