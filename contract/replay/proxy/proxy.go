// Package proxy stands before the real service on the addresses of the mock, and records what goes through it: a
// reverse proxy for clients whose base addresses can be set, and a forward proxy for the others.
//
// It changes as little as it can. Bodies are streamed and never rewritten; headers that contain addresses are. An
// exchange is recorded, without its secrets, before the last byte of its answer is passed on, so that a recording
// contains every answer that a client has got in full, even after a kill.
package proxy

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"svc.example/understudy/internal/routine"
	"svc.example/understudy/specs"
)

// The defaults of a Config.
const (
	DefaultBodyLimit     = 1 << 20
	DefaultAnswerTimeout = 5 * time.Minute
	DefaultClientTimeout = 10 * time.Second
)

// maxTargets is the number of bits in a set of targets.
const maxTargets = 64

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
	id       string            // by which it recognises its own requests
	names    []specs.Interface // of all interfaces, with a target or without
	targets  map[specs.Interface]*target
	order    []*target
	reverse  *httputil.ReverseProxy
	upstream *http.Transport
	recorder *recorder // nil: nothing is recorded
	cookies  *cookieOwners
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
	p := &Proxy{config: c, id: rand.Text(), targets: map[specs.Interface]*target{}, cookies: newCookieOwners()}
	if err := p.addTargets(); err != nil {
		return nil, err
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.upstream = newTransport(&c)
	p.recorder = newRecorder(&c, p.order)
	p.reverse = p.newReverse()
	if c.Forward == nil {
		return p, nil
	}
	var err error
	if p.forward, err = p.newForwarder(c.Forward); err != nil {
		p.cancel()
	}
	return p, err
}

// addTargets reads the addresses of the services, in the order of their interfaces.
func (p *Proxy) addTargets() error {
	documents := p.config.documents()
	p.names = documents.Names()
	var errs []error
	if n := len(p.config.Targets); n > maxTargets {
		errs = append(errs, fmt.Errorf("%d targets: want at most %d", n, maxTargets))
	}
	for _, name := range slices.Sorted(maps.Keys(p.config.Targets)) {
		errs = append(errs, documents.Check(name))
	}
	for _, name := range p.names {
		address := p.config.Targets[name]
		if address == "" {
			continue
		}
		t, err := newTarget(name, address, documents)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		t.bit = 1 << len(p.order)
		p.targets[name], p.order = t, append(p.order, t)
	}
	return errors.Join(errs...)
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
		p.pass(w, r, place{iface: name, origin: origin(r), path: r.URL.EscapedPath()})
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
		p.refuse(w, problem{
			status: http.StatusNotFound, kind: "no-interface",
			message: fmt.Sprintf("no interface is served at %s%s; want /NAME/… or a host NAME.localhost, NAME being one of %s",
				r.Host, r.URL.Path, strings.Join(p.targeted(), ", ")),
		})
		return
	}
	p.pass(w, r, at)
}

// targeted lists the interfaces that have a target.
func (p *Proxy) targeted() (names []string) {
	for _, t := range p.order {
		names = append(names, string(t.iface))
	}
	return names
}

// pass passes a request on to the target of its interface.
func (p *Proxy) pass(w http.ResponseWriter, r *http.Request, at place) {
	if t := p.targets[at.iface]; t != nil {
		p.passTo(w, r, t, at)
		return
	}
	p.refuse(w, problem{
		status: http.StatusBadGateway, kind: "no-target",
		message: fmt.Sprintf("no target for the interface %s; start the proxy with --target %[1]s=URL", at.iface),
	})
}

// passTo passes a request on to a target, unless it comes from there.
func (p *Proxy) passTo(w http.ResponseWriter, r *http.Request, t *target, at place) {
	if slices.Contains(r.Header.Values(loopHeader), p.id) {
		p.refuse(w, problem{
			status: http.StatusLoopDetected, kind: "loop",
			message: fmt.Sprintf("the target of %s leads back to this proxy; want the address of the service", at.iface),
		})
		return
	}
	p.serve(w, r, t, at)
}

// serve passes a request on to a target.
func (p *Proxy) serve(w http.ResponseWriter, r *http.Request, t *target, at place) {
	p.busy.Add(1)
	defer p.busy.Add(-1)
	p.routines.Add()
	defer p.routines.Done()
	x := p.begin(w, r, t, at)
	defer x.abandon()
	for _, name := range []string{"Content-Type", "Date"} { // which the server would add
		w.Header()[name] = nil
	}
	request := r.WithContext(context.WithValue(boundHints(r.Context()), exchangeKey{}, x))
	if request.Body != nil && request.Body != http.NoBody {
		request.Body = x.copyRequest(r.Body)
	}
	_ = x.client.EnableFullDuplex() // a service may answer before it has all of the request
	p.reverse.ServeHTTP(w, request)
}

// newReverse returns what does the proxying itself.
func (p *Proxy) newReverse() *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { exchangeOf(r.In.Context()).rewriteRequest(r) },
		ModifyResponse: func(r *http.Response) error {
			if err := checkStatus(r); err != nil {
				return err
			}
			exchangeOf(r.Request.Context()).answer(r)
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			exchangeOf(r.Context()).fail(w, err)
		},
		Transport:  p.upstream,
		BufferPool: newBuffers(),
		ErrorLog:   slog.NewLogLogger(p.config.Log.Handler(), slog.LevelDebug),
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
		p.refuse(w, problem{
			status: http.StatusNotFound, kind: "no-control",
			message: "the proxy has no control interface but " + controlPrefix + "/health",
		})
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(p.Health())
}
