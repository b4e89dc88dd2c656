// Package relay passes requests on to services, and copies what goes by. The recording proxy and the mock, for the
// interfaces that it does not answer itself, share it.
//
// It changes as little as it can. Bodies are streamed and never rewritten; headers that contain addresses are. An
// exchange is handed over to be recorded before the last byte of its answer is passed on, so that whoever has an answer
// in full finds it recorded, even after a kill.
package relay

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"

	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// DefaultBodyLimit is the number of bytes of a body that are copied by default.
const DefaultBodyLimit = 1 << 20

// maxTargets is the number of bits in a set of targets.
const maxTargets = 64

// Config describes a relay.
type Config struct {
	Targets   []*Target         // at most 64
	Transport http.RoundTripper // to the services, such as that of NewTransport
	BodyLimit int64             // bytes of a body that are copied; of a longer one also its size and its digest
	Log       *slog.Logger
}

// Relay passes requests on to services. It is safe for concurrent use.
type Relay struct {
	config  Config
	id      string // by which it recognises its own requests
	cookies *cookieOwners
	reverse *httputil.ReverseProxy
}

// New makes a relay. It gives each target its place among the others.
func New(c Config) *Relay {
	for i, t := range c.Targets {
		t.bit = 1 << i
	}
	r := &Relay{config: c, id: rand.Text(), cookies: newCookieOwners()}
	r.reverse = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { passageOf(r.In.Context()).rewriteRequest(r) },
		ModifyResponse: func(r *http.Response) error {
			if err := CheckStatus(r); err != nil {
				return err
			}
			passageOf(r.Request.Context()).answer(r)
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			passageOf(r.Context()).fail(w, err)
		},
		Transport:  c.Transport,
		BufferPool: NewBuffers(),
		ErrorLog:   slog.NewLogLogger(c.Log.Handler(), slog.LevelDebug),
	}
	return r
}

// ID is the word by which the relay recognises requests that it has passed on itself.
func (r *Relay) ID() string { return r.id }

// HasPassed reports whether the relay itself has passed a request on, so that to do so again would go on for ever.
func (r *Relay) HasPassed(request *http.Request) bool {
	return slices.Contains(request.Header.Values(LoopHeader), r.id)
}

// Begin begins the passage of a request to a target.
func (r *Relay) Begin(t *Target, at Place, request *http.Request) *Passage {
	return &Passage{
		relay: r, Target: t, Place: at, URL: t.At(at.Path, request.URL), from: request.Context(),
		isOld: !request.ProtoAtLeast(1, 1),
	}
}

// Serve passes a request on, and its answer back.
func (r *Relay) Serve(w http.ResponseWriter, request *http.Request, p *Passage) {
	defer p.commit()
	p.client = http.NewResponseController(w)
	if p.Record != nil {
		p.Exchange.Request = recording.Request{
			Method: request.Method, URL: p.URL.String(), Headers: headersOf(request.Header),
		}
	}
	for _, name := range []string{"Content-Type", "Date"} { // which the server would add
		w.Header()[name] = nil
	}
	out := request.WithContext(context.WithValue(BoundHints(request.Context()), passageKey{}, p))
	if out.Body != nil && out.Body != http.NoBody {
		p.request = p.newCopy()
		out.Body = &requestBody{out.Body, p}
	}
	_ = p.client.EnableFullDuplex() // a service may answer before it has all of the request
	r.reverse.ServeHTTP(WithoutContinue{w}, out)
}

// Place holds where a request came in: its interface, and the address of that as the client knows it.
type Place struct {
	Interface specs.Interface
	Origin    string // scheme and host
	Prefix    string // of the path, such as /core; empty where the host says which interface it is
	Path      string // escaped, below the prefix
	IsSame    bool   // the client uses the address of the service itself
}

// Target is the service that stands behind an interface.
type Target struct {
	Interface specs.Interface
	Root      *url.URL // without the base path of the document, and without a slash at its end
	Document  *specs.Document
	bit       uint64 // in sets of targets
}

// Base returns the base address of the service, as --base of understudy check takes it.
func (t *Target) Base() string { return t.Root.String() + t.Document.BasePath }

// At returns the address of a path below the root.
func (t *Target) At(path string, query *url.URL) *url.URL {
	u := *t.Root
	escaped := t.Root.EscapedPath() + path
	u.RawQuery, u.ForceQuery = query.RawQuery, query.ForceQuery
	if plain, err := url.PathUnescape(escaped); err == nil {
		u.Path, u.RawPath = plain, escaped
	} else {
		u.Path, u.RawPath = escaped, ""
	}
	return &u
}

// below returns the path of an address below the root.
func (t *Target) below(u *url.URL) (path string, ok bool) {
	if u.Scheme != t.Root.Scheme || !strings.EqualFold(u.Hostname(), t.Root.Hostname()) || PortOf(u) != PortOf(t.Root) {
		return "", false
	}
	return specs.Below(u.EscapedPath(), t.Root.EscapedPath())
}

// Operation finds the operation of a path below the root; nil if there is none.
func (t *Target) Operation(method, path string) *specs.Operation {
	rest, ok := specs.Below(path, t.Document.BasePath)
	if !ok {
		return nil
	}
	return t.Document.Find(method, rest).Operation
}

// PortOf returns the port of an address, which may be that of its scheme.
func PortOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}
