package mockserver

import (
	"context"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"svc.example/understudy/internal/routine"
	"svc.example/understudy/internal/version"
	"svc.example/understudy/mockserver/internal/control"
	"svc.example/understudy/mockserver/internal/journal"
	"svc.example/understudy/mockserver/internal/match"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/mockserver/internal/worlds"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

func (s *Server) controlRules() op.Interface {
	return control.Interface(control.Host{
		Worlds: s.worlds,
		Dump:   s.dump,
		Load:   s.loadWorld,
		Render: s.redacted,
		Source: func(name specs.Interface) ([]byte, error) {
			if name == specs.Control {
				return specs.Source(name, s.brand)
			}
			iface, err := s.loaded(name)
			if err != nil {
				return nil, err
			}
			return iface.doc.Text()
		},
		Operations: s.operations,
		Ready:      s.Ready,
		Recording:  s.recordingState,
		State:      func() *control.State { return s.keeper.state() },
		Version:    sync.OnceValue(version.Read),
		Documents:  s.served(), Address: s.Address, Target: s.Target, Watchers: &s.watchers, Meters: s.meters,
		Library: func() scenarios.Library { return s.scenariosNow().library }, Scenario: s.scenario, Brand: s.brand,
	})
}

// served returns the documents by which interfaces are served.
func (s *Server) served() match.Documents {
	return match.Documents{Names: s.config.interfaces, Of: s.document}
}

// document returns the document by which an interface is served.
func (s *Server) document(name specs.Interface) (*specs.Document, error) {
	iface, err := s.loaded(name)
	if err != nil {
		return nil, err
	}
	return iface.doc, nil
}

// Documents returns the documents by which the interfaces are served, in the order of the interfaces. They are not to
// be changed.
func (s *Server) Documents() ([]*specs.Document, error) {
	list := make([]*specs.Document, 0, len(s.config.interfaces))
	for _, name := range s.config.interfaces {
		doc, err := s.document(name)
		if err != nil {
			return nil, err
		}
		list = append(list, doc)
	}
	return list, nil
}

// dump writes a world as a fixture, as soon as there is room for that.
func (s *Server) dump(ctx context.Context, w *world.State) ([]byte, error) {
	release, err := s.dumpMemory(ctx, w)
	if err != nil {
		return nil, err
	}
	defer release()
	return dumpWorld(w)
}

// dumpMemory waits until there is memory to dump a world, and returns what releases it.
func (s *Server) dumpMemory(ctx context.Context, w *world.State) (release func(), err error) {
	weight := min(dumpRatio*w.MemorySize(), maxAtATime)
	if err := s.memory.Acquire(ctx, weight); err != nil {
		return nil, fmt.Errorf("wait for memory to dump the world: %w", err)
	}
	return func() { s.memory.Release(weight) }, nil
}

// dumpRatio is about how many times its size a world takes while it is being dumped.
const dumpRatio = 4

// operations names all operations that are served, in the order of the documents.
func (s *Server) operations() []string {
	var names []string
	for _, name := range s.config.interfaces {
		iface, err := s.loaded(name)
		if err != nil {
			continue
		}
		for _, operation := range iface.doc.Operations {
			names = append(names, operation.Name())
		}
	}
	return names
}

// serveControl answers the control interface: as the platform's interfaces, but without a world, a role or a journal.
// HEAD is answered as GET, without the body; the platform's interfaces refuse it.
func (s *Server) serveControl(w http.ResponseWriter, r *http.Request, path string) {
	if r.Method == http.MethodHead {
		r = r.WithContext(r.Context()) // a copy
		r.Method = http.MethodGet
		w = headWriter{w}
	}
	iface, err := s.control()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	path = inDefaultWorld(iface.doc, r.Method, path)
	t := target{iface: specs.Control, path: path, base: origin(r) + controlPrefix, below: true}
	x := s.used.newExchange()
	x.loadedInterface, x.server, x.target, x.w, x.r, x.began = iface, s, t, w, r, s.arrival()
	defer x.end()
	if s.profiles != nil && strings.HasPrefix(path, profilesPrefix) {
		x.serveProfiles()
		return
	}
	x.respond(x.control())
}

// inDefaultWorld returns the path in full where it names no world, and so means the default one: /journal is
// /worlds/default/journal.
func inDefaultWorld(doc *specs.Document, method, path string) string {
	isKnown := func(path string) bool {
		match := doc.Find(method, path)
		return match.Operation != nil || match.Allow != ""
	}
	if full := "/worlds/" + worlds.Default + path; len(path) > len("/") && !isKnown(path) && isKnown(full) {
		return full
	}
	return path
}

// headWriter writes the status and the headers of an answer.
type headWriter struct{ http.ResponseWriter }

func (w headWriter) Write(b []byte) (int, error) { return len(b), nil }

// FlushError implements the flushing of http.ResponseController: there is nothing to flush, so no stream is live.
func (w headWriter) FlushError() error { return http.ErrNotSupported }

// Unwrap lets http.ResponseController find what is beneath.
func (w headWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// allowed returns the Allow header of a path that has operations with these methods.
func (x *exchange) allowed(methods string) string {
	if x.Name == specs.Control && slices.Contains(strings.Split(methods, ", "), http.MethodGet) {
		return methods + ", " + http.MethodHead
	}
	return methods
}

// control takes the steps from a request to the control interface to the handler's reply.
func (x *exchange) control() (reply op.Reply, err error) {
	defer routine.Recover(&err)
	if err := x.mayControl(); err != nil {
		return reply, err
	}
	var route *op.Route
	if x.match, route, err = x.route(); err != nil {
		return reply, err
	}
	if x.body, err = x.read(route); err != nil {
		return reply, err
	}
	typeErr := x.requireMediaType()
	x.input, err = x.validate(Strict)
	if err := errors.Join(typeErr, err, x.server.knownOperations(exactNames(x.input.query["operation"]))); err != nil {
		return reply, err
	}
	x.call = x.newCall(world.Caller{})
	x.call.Context = x.waiting()
	if route.Lasts {
		x.call.Context = x.untilShutdown()
		x.liftDeadlines()
	}
	return route.Handle(&x.call)
}

// exactNames returns the names of operations without patterns. Where the document allows these, the handler checks
// them.
func exactNames(operations []string) []string {
	return slices.DeleteFunc(slices.Clone(operations), func(name string) bool {
		return !strings.Contains(name, ".") || strings.ContainsAny(name, `*?[\`)
	})
}

// mayControl refuses those who may not use the control interface.
func (x *exchange) mayControl() error {
	if x.authorized() {
		return x.admit()
	}
	return &op.Error{
		Code: op.CodeUnauthorized, Header: [][2]string{{"WWW-Authenticate", "Bearer"}},
		Message: "the control interface requires the header " +
			"Authorization: Bearer <token>, with the token that was passed to the server or printed at its start",
	}
}

// isPublic reports whether a path of the control interface needs no token: what asks whether the server is well often
// cannot have one.
func isPublic(path string) bool { return path == "/health" || path == "/livez" || path == "/readyz" }

// authorized reports whether the request shows the token that the control interface demands, if it demands one.
func (x *exchange) authorized() bool {
	if x.server.token == "" || isPublic(x.target.path) {
		return true
	}
	scheme, token, _ := strings.Cut(x.r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "Bearer") &&
		subtle.ConstantTimeCompare([]byte(strings.TrimSpace(token)), []byte(x.server.token)) == 1
}

// redacted renders an entry of a journal without its secrets. The salt comes from the world's seed, so that the same
// seed gives the same bytes.
func (s *Server) redacted(e *journal.Entry) *recording.Exchange {
	return s.redactor(e.Seed).Redact(e.Exchange(), e.Operation)
}

func (s *Server) redactor(seed uint64) *recording.Redactor {
	r := &recording.Redactor{Brand: s.brand, Salt: binary.BigEndian.AppendUint64([]byte("journal"), seed)}
	for _, name := range s.config.interfaces {
		if !name.IsOwn() {
			continue
		}
		if loaded, err := s.loaded(name); err == nil { // which newServer has reported
			r.Documents = append(r.Documents, loaded.doc)
		}
	}
	return r
}

// admit refuses pages in a browser, which reach loopback addresses as well: without a token the control interface is
// for programs on this machine. With one it is for those who know it.
func (x *exchange) admit() error {
	if x.server.token != "" || isPublic(x.target.path) {
		return nil
	}
	site, page := x.r.Header.Get("Sec-Fetch-Site"), x.r.Header.Get("Origin")
	switch {
	case !x.server.isOwnHost(x.r):
		return notOwnHost(x.r)
	case site == "cross-site", page != "" && !isOrigin(page, x.r.Host):
		return op.Forbidden("pages of other origins may not use the control interface")
	}
	return nil
}

// isOwnHost reports whether a request that came over a network names this machine, or a host that the user allows. A
// page that had its own name lead here would name another.
func (s *Server) isOwnHost(r *http.Request) bool {
	if r.Context().Value(http.LocalAddrContextKey) == nil {
		return true
	}
	host := strings.ToLower(strings.Trim(hostname(r.Host), "[]"))
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		return true
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || slices.Contains(s.controlHosts, host)
}

func hostname(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return hostport
}

// isOrigin reports whether an origin is that of a host.
func isOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && strings.EqualFold(u.Host, host)
}

// requireMediaType refuses a body without a media type, which a page could send without asking.
func (x *exchange) requireMediaType() error {
	if len(x.body.bytes) > 0 && x.r.Header.Get("Content-Type") == "" {
		return &op.Error{
			Code: op.CodeMediaType, Field: "Content-Type",
			Message: "is missing; want " + x.checks[x.match.Operation.ID].MediaTypes(),
		}
	}
	return nil
}

// WithControlHost lets the control interface answer at other names than those of this machine, such as
// host.docker.internal, also without a token.
func WithControlHost(names ...string) Option {
	return func(c *config) error {
		for _, name := range names {
			if name == "" || strings.ContainsAny(name, ":/ ") {
				return fmt.Errorf("control host %q: want a name without a port, such as host.docker.internal", name)
			}
			c.controlHosts = append(c.controlHosts, strings.ToLower(name))
		}
		return nil
	}
}

// profilesPrefix is the beginning of the paths of profiles, below that of the control interface.
const profilesPrefix = "/debug/pprof/"

// WithProfiles lets the control interface answer /_understudy/debug/pprof/ by a handler, for those who may use the
// interface. The handler finds requests at /debug/pprof/, as those of net/http/pprof do. They are not linked into the
// mock itself, since that package adds itself to http.DefaultServeMux.
func WithProfiles(handler http.Handler) Option {
	return func(c *config) error {
		if handler == nil {
			return errors.New("profiles: want a handler, such as that of net/http/pprof")
		}
		c.profiles = handler
		return nil
	}
}

// serveProfiles answers a request for a profile.
func (x *exchange) serveProfiles() {
	if err := x.mayControl(); err != nil {
		x.respond(op.Reply{}, err)
		return
	}
	r := x.r.Clone(x.r.Context())
	r.URL.Path, r.URL.RawPath = x.target.path, ""
	x.server.profiles.ServeHTTP(x.w, r)
}
