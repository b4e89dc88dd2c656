package mockserver

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/internal/relay"
	"svc.example/understudy/internal/routine"
	"svc.example/understudy/mockserver/internal/netfault"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/specs"
)

// WithTarget lets the real service at an address answer an interface in the place of the mock, as in
// https://core.staging.example. The base path of the interface's document may be left out. Requests are passed on as
// they are, with their credentials and without headers that begin with X-Understudy-, and so are the answers. What
// goes by is in the journal and the recording, without secrets and with up to 1 MiB of a body, and counts like all
// else. Faults and stubs apply before a request is passed on. If the service does not answer, the mock answers 502, or
// 504 if it took too long.
func WithTarget(iface specs.Interface, address string) Option {
	return func(c *config) error {
		_, err := relay.ParseAddress(iface, address)
		c.targets[iface] = address
		return err
	}
}

// WithTargetTransport chooses what talks to the targets: with authorities, certificates of clients, or time limits of
// your own. It must not decompress answers: set DisableCompression of an http.Transport. By default answers have five
// minutes to begin.
func WithTargetTransport(transport http.RoundTripper) Option {
	return set(func(c *config) { c.targetTransport = transport })
}

// checkTargets refuses targets of interfaces that there are not, and leaves out those of interfaces that are not
// served.
func (c *config) checkTargets() (errs []error) {
	for _, name := range slices.Sorted(maps.Keys(c.targets)) {
		if err := c.set().Check(name); err != nil {
			errs = append(errs, fmt.Errorf("target of %s: %w", name, err))
		}
	}
	maps.DeleteFunc(c.targets, func(name specs.Interface, _ string) bool { return !slices.Contains(c.interfaces, name) })
	return errs
}

// newRelay makes what passes requests on to targets, if there are any.
func (s *Server) newRelay() error {
	if len(s.config.targets) == 0 {
		return nil
	}
	s.targets = map[specs.Interface]*relay.Target{}
	var list []*relay.Target
	for _, name := range s.config.interfaces {
		if address := s.config.targets[name]; address != "" {
			t, err := relay.NewTarget(name, address, s.document)
			if err != nil {
				return err
			}
			s.targets[name], list = t, append(list, t)
		}
	}
	transport := s.targetTransport
	if transport == nil {
		transport = relay.NewTransport(relay.Upstream{AnswerTimeout: relay.DefaultAnswerTimeout})
	}
	s.relay = relay.New(relay.Config{
		Targets: list, Transport: transport, BodyLimit: relay.DefaultBodyLimit, Log: s.log,
	})
	return nil
}

// Target returns the base address of the service that answers an interface in the place of the mock, or an empty string
// if none does.
func (s *Server) Target(iface specs.Interface) string {
	if t := s.targets[iface]; t != nil {
		return t.Base()
	}
	return ""
}

// readAhead is the length up to which an answer is in the journal before any of it is passed on, so that the answer
// says under which number.
const readAhead = 64 << 10

// pass lets the target of the interface answer, unless a fault or a stub does.
func (x *exchange) pass() {
	reply, isAnswered, err := x.answerInstead()
	if isAnswered || err != nil {
		x.respond(reply, err)
		return
	}
	defer x.body.release(x.server.memory)
	x.liftDeadlines()
	p := x.passage()
	p.ReadAhead, p.AsSeen, p.Record, p.Answered = readAhead, true, func() { x.record(p) }, x.addHeaders
	p.Refuse = func(_ http.ResponseWriter, problem relay.Problem) {
		a := x.encode(op.Reply{}, x.noAnswer(problem))
		a.addHeaders(x.w.Header())
		x.write(a)
	}
	x.server.relay.Serve(passedWriter{x.w, x}, x.outgoing(), p)
	if err := p.Err(); err != nil {
		netfault.Abort(x.w, x.r, err)
	}
}

// answerInstead answers for the target if a fault or a stub is to be applied, or if the request cannot be passed on.
func (x *exchange) answerInstead() (reply op.Reply, isAnswered bool, err error) {
	defer routine.Recover(&err)
	x.key = x.credential()
	if x.visit, err = x.enter(); err != nil {
		return reply, false, err
	}
	if path, below := x.path(); below {
		x.match = x.doc.Find(x.r.Method, path)
	}
	if x.server.relay.HasPassed(x.r) {
		return reply, false, &op.Error{Code: op.StatusCode(http.StatusLoopDetected), Message: fmt.Sprintf(
			"the target of %s, %s, leads back to this server; want the address of the real service", x.Name,
			x.target.service.Base())}
	}
	value := x.visit.world.Read()
	if x.match.Operation == nil || value.Faults.Plan == nil && x.r.Header[injectHeader] == nil {
		return reply, false, nil
	}
	if err = x.peek(); err != nil {
		return reply, false, err
	}
	chosen, err := x.chooseFault(value)
	if chosen == nil || err != nil {
		return reply, false, err
	}
	reply, err = x.apply(chosen, nil, value)
	return reply, true, err
}

// peek reads as much of the request's body as faults and stubs may look at. What it has read is passed on with the
// rest.
func (x *exchange) peek() (err error) {
	if x.r.Body == nil || x.r.Body == http.NoBody {
		return nil
	}
	x.peeked, err = readInto(make([]byte, 0, bytes.MinRead), x.r.Body, maxBody)
	x.body.bytes, x.body.received = x.peeked, len(x.peeked)
	if err != nil {
		x.body.isCut = true
		return op.Invalid("", "the request body ended early: %v", err)
	}
	encoding := x.r.Header.Get("Content-Encoding")
	if err = x.body.acquire(x.waiting, x.server.memory, encoding, maxBody); err != nil {
		return err
	}
	_ = x.body.decode(encoding, maxBody) // the service may read what the mock cannot
	x.body.isCut = len(x.peeked) == maxBody
	return nil
}

// passage begins the passage of the request to the target.
func (x *exchange) passage() *relay.Passage {
	target, at := x.target.service, relay.Place{Interface: x.Name, Path: x.target.path}
	if x.target.below {
		whole := *target
		whole.Root = target.At(x.doc.BasePath, &url.URL{})
		target = &whole
	}
	scheme, rest, _ := strings.Cut(x.target.links(), "://")
	host, path, _ := strings.Cut(rest, "/")
	if at.Origin = scheme + "://" + host; path != "" {
		at.Prefix = "/" + path
	}
	return x.server.relay.Begin(target, at, x.r.WithContext(x.waiting()))
}

// outgoing returns the request as it is passed on: without what is for the mock, and with a body from its beginning.
// The service is asked for no codings but gzip, which whoever looks at its answers can undo.
func (x *exchange) outgoing() *http.Request {
	r := x.r.WithContext(x.waiting())
	r.Header = maps.Clone(r.Header)
	maps.DeleteFunc(r.Header, func(name string, _ []string) bool {
		return strings.HasPrefix(name, "X-Understudy-") && name != relay.LoopHeader
	})
	if codings := strings.ToLower(strings.Join(r.Header["Accept-Encoding"], ",")); codings != "" {
		r.Header.Del("Accept-Encoding")
		if strings.Contains(codings, "gzip") {
			r.Header.Set("Accept-Encoding", "gzip")
		}
	}
	if x.peeked != nil {
		r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(x.peeked), x.r.Body))
	}
	return r
}

// record enters an exchange with the target into the journal and the recording.
func (x *exchange) record(p *relay.Passage) {
	e, a := &p.Exchange, answer{notes: p.Exchange.Notes, isOff: p.Exchange.Response == nil}
	if sent := e.Request.Body; sent != nil {
		x.body.bytes, x.body.isCut = sent.Bytes, sent.Truncated
	}
	if e.Response != nil {
		a.Status, a.Header = e.Response.Status, e.Response.Headers
		if received := e.Response.Body; received != nil {
			a.Body, a.isCut = received.Bytes, received.Truncated
		}
	}
	seq := x.note(a)
	x.server.requests.write(x, a, seq)
	if e.Response != nil && seq > 0 {
		x.server.comparer.add(passed{x.visit.world, seq})
	}
}

// addHeaders adds to the headers of a service's answer those by which pages may read it. The number of the exchange is
// the mock's own.
func (x *exchange) addHeaders(header http.Header) {
	header.Del(exchangeHeader)
	if header.Get("Access-Control-Allow-Origin") != "" {
		return
	}
	var lines [][2]string
	for name := range header {
		lines = append(lines, [2]string{name})
	}
	for _, line := range x.server.pageHeaders(x.r, lines) {
		header.Add(line[0], line[1])
	}
}

// noAnswer returns the error that a client gets in the place of an answer of the target.
func (x *exchange) noAnswer(problem relay.Problem) error {
	return &op.Error{
		Code: op.StatusCode(problem.Status), Header: [][2]string{{relay.ErrorHeader, problem.Kind}},
		Message: fmt.Sprintf("no answer of %s, the target of %s: %s", x.target.service.Base(), x.Name, problem.Message),
	}
}

// fetch passes the request on, and returns the answer of the target as a reply, for a fault to be applied to.
func (x *exchange) fetch() (reply op.Reply, err error) {
	p, w := x.passage(), &fetchedWriter{responseWriter: responseWriter{header: http.Header{}}}
	p.Refuse = func(_ http.ResponseWriter, problem relay.Problem) { w.err = x.noAnswer(problem) }
	failed := routine.Try(func() error { // which cuts the connection of a client when an answer breaks off
		x.server.relay.Serve(w, x.outgoing(), p)
		return nil
	})
	switch {
	case w.err != nil:
		return reply, w.err
	case failed != nil || p.Err() != nil:
		return reply, x.noAnswer(relay.Problem{
			Status: http.StatusBadGateway, Kind: "reset", Message: strings.Join(p.Exchange.Notes, "; "),
		})
	}
	reply = op.Reply{Status: w.status, Bytes: w.body, Type: w.header.Get("Content-Type")}
	for _, name := range slices.Sorted(maps.Keys(w.header)) {
		switch name {
		case "Content-Type", "Content-Length", "Date":
			continue
		}
		for _, value := range w.header[name] {
			reply.Header = append(reply.Header, [2]string{name, value})
		}
	}
	return reply, nil
}

// fetchedWriter keeps an answer to which a fault is applied, up to the size of the largest request.
type fetchedWriter struct {
	responseWriter
	err error
}

func (w *fetchedWriter) Write(b []byte) (int, error) {
	if len(w.body)+len(b) > maxBody {
		w.err = &op.Error{Code: op.StatusCode(http.StatusBadGateway), Message: fmt.Sprintf(
			"the answer is larger than %d bytes, which a fault can be applied to at most", maxBody)}
		return 0, w.err
	}
	return w.responseWriter.Write(b)
}

// passedWriter sends an answer that is passed on, for as long as the client goes on taking it.
type passedWriter struct {
	http.ResponseWriter
	x *exchange
}

func (w passedWriter) Write(b []byte) (int, error) {
	connection := http.NewResponseController(w.ResponseWriter)
	w.x.extend(connection)
	if err := w.x.send(connection, b); err != nil {
		return 0, err
	}
	_ = connection.SetWriteDeadline(time.Time{}) // the next part may take its time to come
	return len(b), nil
}

// Unwrap lets http.ResponseController find what is beneath.
func (w passedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
