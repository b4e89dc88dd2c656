package proxy

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"svc.example/understudy/internal/relay"
	"svc.example/understudy/internal/routine"
	"svc.example/understudy/specs"
)

// Forward describes a forward proxy, for clients whose addresses cannot be changed.
type Forward struct {
	// Hosts are further names, with or without a port, by which clients know interfaces. What they ask of them goes to
	// the target.
	Hosts map[string]specs.Interface
	// TLS has certificates for the hosts of the targets, and for these.
	TLS *tls.Config
}

// forwarder is the forward proxy. Connections to hosts of the platform are answered by servers of its own, all others
// are tunnelled.
type forwarder struct {
	*Proxy
	hosts   map[string]*relay.Target // by host, or host and port
	origins map[string][]*relay.Target
	secure  *connections
	plain   *connections
	through *httputil.ReverseProxy // for other hosts
	tunnels atomic.Int64
}

// newForwarder starts the servers for connections to hosts of the platform. They end with the proxy.
func (p *Proxy) newForwarder(c *Forward) (*forwarder, error) {
	f := &forwarder{Proxy: p, hosts: map[string]*relay.Target{}, origins: map[string][]*relay.Target{}}
	for host, iface := range c.Hosts {
		if p.targets[iface] == nil {
			return nil, fmt.Errorf("host %s of %s: want a target of %[2]s as well", host, iface)
		}
		f.hosts[strings.ToLower(host)] = p.targets[iface]
	}
	for _, t := range p.order {
		origin := originOf(t.Root)
		f.origins[origin] = append(f.origins[origin], t)
	}
	f.through = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.RawQuery = r.In.URL.RawQuery
			relay.KeepForwarded(r)
			r.Out.Header.Del(relay.TokenHeader)
		},
		ModifyResponse: relay.CheckStatus, Transport: p.upstream, BufferPool: relay.NewBuffers(),
		ErrorLog: slog.NewLogLogger(p.config.Log.Handler(), slog.LevelDebug),
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			p.refuse(w, relay.ProblemOf(r.Context(), r.URL.Host, err))
		},
	}
	f.secure, f.plain = newConnections(), newConnections()
	secure := p.HTTPServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { f.intercepted("https", w, r) }))
	secure.ConnContext, secure.TLSConfig = withAuthority, c.TLS.Clone()
	p.routines.Go(func() error { return secure.ServeTLS(f.secure, "", "") }) // it ends with the listener
	plain := p.HTTPServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { f.intercepted("http", w, r) }))
	plain.ConnContext = withAuthority
	p.routines.Go(func() error { return plain.Serve(f.plain) }) // likewise
	context.AfterFunc(p.ctx, func() {
		_, _ = secure.Close(), plain.Close()
	})
	return f, nil
}

// originOf returns scheme, host and port of an address, as a key.
func originOf(u *url.URL) string {
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), relay.PortOf(u))
}

// isForward reports whether a request is for a forward proxy: one with a whole address, unless that is the proxy's own.
func (f *forwarder) isForward(r *http.Request) bool {
	if f == nil {
		return false
	}
	if r.Method == http.MethodConnect {
		return true
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return r.URL.Host != "" && !(local != nil && isOwn(r.URL.Host, local))
}

// isOwn reports whether a host and port are those that a request came in by.
func isOwn(host string, local net.Addr) bool {
	name, port, err := net.SplitHostPort(host)
	_, own, _ := net.SplitHostPort(local.String())
	isLocal := name == "localhost" || strings.HasSuffix(name, ".localhost")
	return host == local.String() || err == nil && port == own && isLocal
}

// serve answers a request for a forward proxy.
func (f *forwarder) serve(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodConnect:
		f.connect(w, r)
	case f.isOfPlatform(r.URL):
		f.forward(r.URL.Scheme, r.Host, w, r)
	default:
		for _, name := range []string{"Content-Type", "Date"} {
			w.Header()[name] = nil
		}
		f.through.ServeHTTP(relay.WithoutContinue{ResponseWriter: w}, r.WithContext(relay.BoundHints(r.Context())))
	}
}

// isOfPlatform reports whether an address is one of the platform's.
func (f *forwarder) isOfPlatform(u *url.URL) bool {
	return f.named(u.Host) != nil || len(f.origins[originOf(u)]) > 0
}

// named returns the target of a host that was given.
func (f *forwarder) named(host string) *relay.Target {
	host = strings.ToLower(host)
	if t := f.hosts[host]; t != nil {
		return t
	}
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		return nil
	}
	return f.hosts[name]
}

// intercepted answers a request within a connection to a host of the platform.
func (f *forwarder) intercepted(scheme string, w http.ResponseWriter, r *http.Request) {
	authority, _ := r.Context().Value(authorityKey{}).(string)
	name, port, _ := net.SplitHostPort(authority)
	if scheme == "https" && port == "443" || scheme == "http" && port == "80" {
		authority = name
	}
	f.forward(scheme, authority, w, r)
}

// forward passes a request on to the target that an address of the platform stands for.
func (f *forwarder) forward(scheme, host string, w http.ResponseWriter, r *http.Request) {
	path := r.URL.EscapedPath()
	address := &url.URL{Scheme: scheme, Host: host}
	if t := f.named(host); t != nil {
		f.pass(w, r, relay.Place{Interface: t.Interface, Origin: address.String(), Path: path})
		return
	}
	targets := f.origins[originOf(address)]
	if len(targets) == 0 { // of another port of a host that was given
		f.refuse(w, relay.Problem{
			Status: http.StatusBadGateway, Kind: "no-target", Message: "no target at " + address.String(),
		})
		return
	}
	var best *relay.Target
	for _, t := range targets {
		root := t.Root.EscapedPath()
		if _, ok := specs.Below(path, root); ok && (best == nil || len(root) > len(best.Root.EscapedPath())) {
			best = t
		}
	}
	if best == nil { // beside the interfaces, on the same host
		beside := *targets[0]
		beside.Root = &url.URL{Scheme: beside.Root.Scheme, Host: beside.Root.Host}
		best = &beside
	}
	root := best.Root.EscapedPath()
	rest, _ := specs.Below(path, root)
	f.passTo(w, r, best, relay.Place{
		Interface: best.Interface, Origin: best.Root.Scheme + "://" + best.Root.Host, Prefix: root, Path: rest, IsSame: true,
	})
}

// connect answers CONNECT: with a server of its own for hosts of the platform, with a tunnel for all others.
func (f *forwarder) connect(w http.ResponseWriter, r *http.Request) {
	if f.relay.HasPassed(r) {
		f.refuse(w, relay.Problem{
			Status: http.StatusLoopDetected, Kind: "loop", Message: "HTTPS_PROXY leads back to this proxy",
		})
		return
	}
	if r.ProtoMajor != 1 {
		f.refuse(w, relay.Problem{
			Status: http.StatusNotImplemented, Kind: "connect", Message: "want CONNECT over HTTP/1.1, not HTTP/2",
		})
		return
	}
	authority := r.Host
	isKnown := f.isOfPlatform(&url.URL{Scheme: "https", Host: authority}) ||
		f.isOfPlatform(&url.URL{Scheme: "http", Host: authority})
	var far net.Conn
	if !isKnown {
		var err error
		if far, err = f.dial(r.Context(), authority); err != nil {
			f.refuse(w, relay.ProblemOf(r.Context(), authority, err))
			return
		}
	}
	near, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		if far != nil {
			_ = far.Close()
		}
		return
	}
	if _, err := near.Write([]byte("HTTP/1.1 200 Connection established\r\n\r\n")); err != nil {
		_ = near.Close()
	}
	client := &interceptedConn{Conn: near, first: buffered.Reader, authority: authority}
	if far != nil {
		f.tunnel(client, far)
		return
	}
	f.intercept(client)
}

// intercept gives a connection to the server that speaks its protocol.
func (f *forwarder) intercept(c *interceptedConn) {
	stop := context.AfterFunc(f.ctx, func() { _ = c.Close() })
	defer stop()
	_ = c.SetReadDeadline(time.Now().Add(f.config.ClientTimeout))
	first, err := c.first.Peek(1)
	if err != nil {
		_ = c.Close()
		return
	}
	_ = c.SetReadDeadline(time.Time{})
	const handshake = 0x16
	if first[0] == handshake {
		f.secure.add(c)
	} else {
		f.plain.add(c)
	}
}

// tunnel copies in both directions until both have ended, or nothing has come from either side for too long. Nothing of
// it is recorded.
func (f *forwarder) tunnel(near, far net.Conn) {
	f.tunnels.Add(1)
	end := func() { _, _ = near.Close(), far.Close() }
	defer end()
	defer context.AfterFunc(f.ctx, end)()
	silence := time.AfterFunc(f.config.AnswerTimeout, end)
	defer silence.Stop()
	isBusy := func() { silence.Reset(f.config.AnswerTimeout) }
	var both routine.Group
	both.Go(func() error { copyAndEnd(far, near, isBusy); return nil })
	both.Go(func() error { copyAndEnd(near, far, isBusy); return nil })
	_ = both.Wait() // nothing is left to be done about a panic
}

// interceptedConn is a connection whose first bytes may have been read, with the address that the client asked for.
type interceptedConn struct {
	net.Conn
	first     *bufio.Reader
	authority string
}

func (c *interceptedConn) Read(p []byte) (int, error) { return c.first.Read(p) }

// CloseWrite ends one direction.
func (c *interceptedConn) CloseWrite() error { return closeWrite(c.Conn) }
