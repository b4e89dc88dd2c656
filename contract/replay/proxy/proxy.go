// Package proxy stands before the real service on the addresses of the mock, and records what goes through it: a
// reverse proxy for clients whose base addresses can be set, and a forward proxy for the others.
//
// It changes as little as it can. Bodies are streamed and never rewritten; headers that contain addresses are. An
// exchange is recorded, without its secrets, before the last byte of its answer is passed on, so that a recording
// contains every answer that a client has got in full, even after a kill.
package proxy

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"svc.example/understudy/internal/relay"
	"svc.example/understudy/internal/routine"
	"svc.example/understudy/specs"
)

// The defaults of a Config.
const (
	DefaultBodyLimit     = 1 << 20
	DefaultAnswerTimeout = 5 * time.Minute
	DefaultClientTimeout = 10 * time.Second
)

// Config describes a proxy. Its zero value lacks only the targets.
type Config struct {
	// Targets are the base addresses of the services. The base path of the interface's document may be left out.
	Targets map[specs.Interface]string
	Brand   specs.Brand
	Specs   *specs.Set // nil: the documents of the platform

	// Recording gets the exchanges as NDJSON, a line in one Write; nil records nothing.
	Recording io.Writer
	// BodyLimit is the number of bytes of a body that are recorded; of what is longer also its size and digest.
	BodyLimit int64
	// Salt goes into the marks of secrets in the recording: equal secrets have equal marks in all recordings with the same
	// one. Nil: another one for each proxy.
	Salt []byte

	// Token, unless it is empty, is what clients must present in Proxy-Authorization or X-Understudy-Token.
	Token string

	RootCAs       *x509.CertPool // of the services; nil: those of the system
	Insecure      bool           // do not verify the certificates of the services
	AnswerTimeout time.Duration  // until the headers of an answer, and of silence in a tunnel; 0 is DefaultAnswerTimeout
	ClientTimeout time.Duration  // until a client has sent the headers of a request; 0 is DefaultClientTimeout

	Forward *Forward // nil: the proxy is only a reverse proxy

	Log *slog.Logger // nil: no log
}

// Proxy passes requests on to the targets of interfaces. It is an http.Handler that serves all of them, and is safe for
// concurrent use.
type Proxy struct {
	config   Config
	names    []specs.Interface // of all interfaces, with a target or without
	targets  map[specs.Interface]*relay.Target
	order    []*relay.Target
	relay    *relay.Relay
	upstream *http.Transport
	recorder *recorder  // nil: nothing is recorded
	forward  *forwarder // nil: requests with whole addresses are treated as any other
	ctx      context.Context
	cancel   context.CancelFunc // of what is under way
	busy     atomic.Int64       // exchanges under way
	routines routine.Group      // theirs, and those of servers
	failed   atomic.Int64       // exchanges that the service did not answer
}

// New makes a proxy. It listens nowhere: see HTTPServer.
func New(c Config) (*Proxy, error) {
	if c.BodyLimit <= 0 {
		c.BodyLimit = DefaultBodyLimit
	}
	if c.AnswerTimeout <= 0 {
		c.AnswerTimeout = DefaultAnswerTimeout
	}
	if c.ClientTimeout <= 0 {
		c.ClientTimeout = DefaultClientTimeout
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	p := &Proxy{config: c, names: c.documents().Names(), targets: map[specs.Interface]*relay.Target{}}
	var err error
	if p.order, err = relay.Targets(c.Targets, c.documents()); err != nil {
		return nil, err
	}
	for _, t := range p.order {
		p.targets[t.Interface] = t
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.upstream = relay.NewTransport(relay.Upstream{
		RootCAs: c.RootCAs, Insecure: c.Insecure, AnswerTimeout: c.AnswerTimeout,
	})
	p.recorder = newRecorder(&c, p.order)
	p.relay = relay.New(relay.Config{Targets: p.order, Transport: p.upstream, BodyLimit: c.BodyLimit, Log: c.Log})
	if c.Forward == nil {
		return p, nil
	}
	if p.forward, err = p.newForwarder(c.Forward); err != nil {
		p.cancel()
	}
	return p, err
}

// HTTPServer returns a server of a handler of this proxy, without limits on the time that an answer takes.
func (p *Proxy) HTTPServer(handler http.Handler) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Server{
		BaseContext: func(net.Listener) context.Context { return p.ctx },
		Handler:     handler, Protocols: protocols, ReadHeaderTimeout: p.config.ClientTimeout, IdleTimeout: 2 * time.Minute,
		ErrorLog: slog.NewLogLogger(p.config.Log.Handler(), slog.LevelWarn),
	}
}

// closeWait bounds the time that Close waits for exchanges that it has cancelled.
const closeWait = 2 * time.Second

// Close ends what is under way, upgraded connections included, and waits until all lines of the recording are written.
// The error says so when exchanges are not in the recording.
func (p *Proxy) Close() error {
	p.cancel()
	_, _ = p.routines.WaitFor(closeWait)
	p.upstream.CloseIdleConnections()
	return p.recorder.close()
}

// Interface returns a handler for an address at which one interface is served alone.
func (p *Proxy) Interface(name specs.Interface) (http.Handler, error) {
	if err := p.config.documents().Check(name); err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !p.isAdmitted(w, r) {
			return
		}
		p.pass(w, r, relay.Place{Interface: name, Origin: origin(r), Path: r.URL.EscapedPath()})
	}), nil
}

// ServeHTTP serves all interfaces, and the health of the proxy.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	isForward := p.forward.isForward(r)
	if path, isControl := specs.Below(r.URL.EscapedPath(), controlPrefix); isControl && !isForward {
		p.serveControl(w, specs.MergeSlashes(path))
		return
	}
	if !p.isAdmitted(w, r) {
		return
	}
	if isForward {
		p.forward.serve(w, r)
		return
	}
	at, ok := p.locate(r)
	if !ok {
		p.refuse(w, relay.Problem{
			Status: http.StatusNotFound, Kind: "no-interface",
			Message: fmt.Sprintf("no interface is served at %s%s; want /NAME/… or a host NAME.localhost, NAME being one of %s",
				r.Host, r.URL.Path, strings.Join(p.targeted(), ", ")),
		})
		return
	}
	p.pass(w, r, at)
}

// targeted lists the interfaces that have a target.
func (p *Proxy) targeted() (names []string) {
	for _, t := range p.order {
		names = append(names, string(t.Interface))
	}
	return names
}

// pass passes a request on to the target of its interface.
func (p *Proxy) pass(w http.ResponseWriter, r *http.Request, at relay.Place) {
	if t := p.targets[at.Interface]; t != nil {
		p.passTo(w, r, t, at)
		return
	}
	p.refuse(w, relay.Problem{
		Status: http.StatusBadGateway, Kind: "no-target",
		Message: fmt.Sprintf("no target for the interface %s; start the proxy with --target %[1]s=URL", at.Interface),
	})
}

// passTo passes a request on to a target, unless it comes from there.
func (p *Proxy) passTo(w http.ResponseWriter, r *http.Request, t *relay.Target, at relay.Place) {
	if p.relay.HasPassed(r) {
		p.refuse(w, relay.Problem{
			Status: http.StatusLoopDetected, Kind: "loop",
			Message: fmt.Sprintf("the target of %s leads back to this proxy; want the address of the service", at.Interface),
		})
		return
	}
	p.serve(w, r, t, at)
}

// serve passes a request on to a target.
func (p *Proxy) serve(w http.ResponseWriter, r *http.Request, t *relay.Target, at relay.Place) {
	p.busy.Add(1)
	defer p.busy.Add(-1)
	p.routines.Add()
	defer p.routines.Done()
	x := p.relay.Begin(t, at, r)
	if p.recorder != nil {
		after := p.recorder.last.Load() // how many exchanges were over when it began
		x.Exchange.Start = time.Now().UTC()
		x.Record = func() { p.record(x, after) }
	}
	x.Refuse = func(w http.ResponseWriter, problem relay.Problem) {
		p.failed.Add(1)
		p.config.Log.Warn("no answer", "interface", t.Interface, "path", p.plain(at.Path), "kind", problem.Kind,
			"reason", problem.Message)
		p.refuse(w, problem)
	}
	p.relay.Serve(w, r, x)
}

// record records an exchange that is over.
func (p *Proxy) record(x *relay.Passage, after int64) {
	e := &x.Exchange
	e.End = time.Now().UTC()
	operation := x.Target.Operation(e.Request.Method, x.Place.Path)
	if operation != nil {
		e.Operation = operation.Name()
	}
	for i, note := range e.Notes {
		e.Notes[i] = p.plain(note)
	}
	if err := p.recorder.write(e, operation, after); err != nil {
		p.config.Log.Debug("an exchange is not recorded", slog.Any("error", err))
	}
}

// Health describes how the proxy is doing.
type Health struct {
	Status     string `json:"status"`
	Busy       int64  `json:"busy"`       // exchanges under way
	Unanswered int64  `json:"unanswered"` // exchanges that a service did not answer
	Recorded   int64  `json:"recorded"`
	Unrecorded int64  `json:"unrecorded"`
	Tunnels    int64  `json:"tunnels,omitempty"` // connections of a forward proxy to other hosts
}

// Health returns how the proxy is doing.
func (p *Proxy) Health() Health {
	counts := p.recorder.counts()
	health := Health{
		Status: "ok", Busy: p.busy.Load(), Unanswered: p.failed.Load(),
		Recorded: counts.Written, Unrecorded: counts.Lost,
	}
	if p.forward != nil {
		health.Tunnels = p.forward.tunnels.Load()
	}
	return health
}

// serveControl answers what the control interface of the mock answers as well: its health.
func (p *Proxy) serveControl(w http.ResponseWriter, path string) {
	if path != "/health" {
		p.refuse(w, relay.Problem{
			Status: http.StatusNotFound, Kind: "no-control",
			Message: "the proxy has no control interface but " + controlPrefix + "/health",
		})
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(p.Health())
}
