package mockserver

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"svc.example/understudy/internal/routine"
	"svc.example/understudy/mockserver/certs"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// Limits against clients that are slow, or only look like clients.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = 60 * time.Second
	idleTimeout       = 120 * time.Second
	maxHeaderBytes    = 64 << 10
)

// queryGrace is the time that queries may still take once a server shuts down.
const queryGrace = time.Second

// HTTPServer returns an http.Server around the mock with limits against slow clients: 10 s for the headers of a
// request, a minute for all of it, 64 KiB of headers, and the write timeout for each 64 KiB of its answer. Queries that
// requests wait for end a second after its Shutdown, with these requests. Those who wait for exchanges, or follow them,
// have their answers at once.
func (s *Server) HTTPServer() *http.Server {
	stopping, stop := context.WithCancel(context.Background())
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), stoppingKey{}, stopping))
	server := &http.Server{
		BaseContext: func(net.Listener) context.Context { return ctx },
		Handler:     s, ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout, IdleTimeout: idleTimeout,
		WriteTimeout: readTimeout + s.writeTimeout, MaxHeaderBytes: maxHeaderBytes, // answers set deadlines of their own
	}
	server.RegisterOnShutdown(func() {
		stop()
		time.AfterFunc(queryGrace, cancel)
	})
	return server
}

// Start serves the mock on a loopback port until the test ends. A handler that fails, or an answer that would break the
// contract, fails the test. A test that fails logs its last exchanges. Its clock is auto unless an option says
// otherwise.
func Start(tb testing.TB, opts ...Option) *Server {
	tb.Helper()
	s := newTestServer(tb, []Option{WithClock(ClockAuto)}, opts)
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it lives as long as the test
	if err != nil {
		tb.Fatalf("understudy: %v", err)
	}
	server := s.HTTPServer()
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.routines.Add()
		defer s.routines.Done()
		s.ServeHTTP(w, r)
	})
	s.origin, s.close = "http://"+listener.Addr().String(), server.Close
	serve := func() error { return server.Serve(listener) }
	if s.ca != nil {
		s.origin = "https://" + listener.Addr().String()
		if server.TLSConfig, err = s.ca.Config(s.Hosts()...); err != nil {
			tb.Fatalf("understudy: %v", err)
		}
		serve = func() error { return server.ServeTLS(listener, "", "") }
	}
	s.routines.GoThen(serve, func(err error) {
		if !errors.Is(err, http.ErrServerClosed) {
			s.fail("serve", slog.Any("error", err))
		}
	})
	tb.Cleanup(s.closeFor(tb))
	return s
}

// URL is the address of an interface, such as http://127.0.0.1:4010/workflow; of the control interface for
// specs.Control. It is empty unless the server was made by Start.
func (s *Server) URL(iface specs.Interface) string {
	if s.origin == "" {
		return ""
	}
	return s.origin + s.Address(iface)
}

// Interfaces lists the interfaces that are served: the platform's in their order, and then your own by their names.
func (s *Server) Interfaces() []specs.Interface { return slices.Clone(s.config.interfaces) }

// Address is the path at which the server answers an interface beside all others, as the function of the name has it.
// That of an interface of your own ends in the path of its document's server: /shop/v2.
func (s *Server) Address(iface specs.Interface) string {
	if !iface.IsOwn() {
		return Address(iface)
	}
	path := "/" + string(iface)
	if loaded, err := s.loaded(iface); err == nil {
		path += loaded.doc.BasePath
	}
	return path
}

// Address is the path at which the server answers an interface beside all others: /workflow, /core/v3; that of the
// control interface is /_understudy.
func Address(iface specs.Interface) string {
	switch iface {
	case specs.Core:
		return "/core/v3"
	case specs.Control:
		return controlPrefix
	}
	return string("/" + iface)
}

// Ready loads what is otherwise loaded by the first request that needs it: all interfaces, and the control interface.
// A server whose Ready has returned nil can answer all of them.
func (s *Server) Ready() error {
	load := []makeInterface{s.control}
	for _, name := range s.config.interfaces {
		load = append(load, s.interfaces[name])
	}
	errs := make([]error, len(load))
	var loading routine.Group
	for i, load := range load {
		loading.GoThen(func() error { _, err := load(); return err }, func(err error) { errs[i] = err })
	}
	return errors.Join(append(errs, loading.Wait())...)
}

// used holds memory that requests have left, for later ones. The copy of the world that a handler has changed is the
// world from then on, so it is not among it.
type used struct {
	exchanges sync.Pool // of *exchange
	snapshots sync.Pool // of *world.State
}

func (u *used) newExchange() *exchange {
	if x, ok := u.exchanges.Get().(*exchange); ok {
		return x
	}
	x := new(exchange)
	x.header = func(name string) string { return x.r.Header.Get(name) }
	return x
}

func (u *used) newSnapshot() *world.State {
	if snapshot, ok := u.snapshots.Get().(*world.State); ok {
		return snapshot
	}
	return new(world.State)
}

// recycle takes back what an exchange that is over has used, if it came to a handler. No world refers to a call: what a
// handler leaves in there to be done later has what it needs of the call, and not the call.
func (u *used) recycle(x *exchange) {
	if x.call.World == nil {
		return
	}
	if snapshot := x.snapshot; x.call.World == snapshot {
		*snapshot = world.State{}
		u.snapshots.Put(snapshot)
	}
	*x = exchange{header: x.header}
	u.exchanges.Put(x)
}

// WithTLS makes Start serve https, HTTP/2 included, with certificates of a CA that only this server has. Client trusts
// it, and so do others that are given CA.
func WithTLS() Option {
	return func(c *config) (err error) {
		c.ca, err = certs.New()
		return err
	}
}

// CA returns the certificate of the server's CA, in PEM, or nil unless the server was made with WithTLS.
func (s *Server) CA() []byte {
	if s.ca == nil {
		return nil
	}
	return s.ca.PEM()
}

// Client returns an HTTP client of its own that trusts the server that Start has made.
func (s *Server) Client() *http.Client {
	transport := &http.Transport{ForceAttemptHTTP2: true}
	if s.ca != nil {
		transport.TLSClientConfig = &tls.Config{RootCAs: s.ca.Pool(), MinVersion: tls.VersionTLS12}
	}
	return &http.Client{Transport: transport}
}

// Hosts lists the names and IP addresses that a server of interfaces, or of all of the platform's, has on this machine,
// for its certificate: localhost and, below it, a name for each interface. Many clients take no wildcard directly below
// a top-level domain.
func Hosts(interfaces ...specs.Interface) []string {
	if len(interfaces) == 0 {
		interfaces = specs.Interfaces()
	}
	hosts := []string{"localhost", "*.localhost", "127.0.0.1", "::1"}
	for _, name := range interfaces {
		hosts = append(hosts, string(name+".localhost"))
	}
	return hosts
}

// Hosts lists the names and IP addresses that the server has by itself on this machine, as the function does.
func (s *Server) Hosts() []string { return Hosts(s.config.interfaces...) }
