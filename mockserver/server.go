// Package mockserver stands in for a data platform: one handler that answers its interfaces with state that is true
// across all of them, in any number of worlds at once, each with a clock and a memory of its own.
//
// New makes an http.Handler, Start serves it on a loopback port for a test, and NewTransport serves it inside the
// process through httpmock, without a socket.
package mockserver

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"

	"svc.example/understudy/internal/relay"
	"svc.example/understudy/internal/routine"
	"svc.example/understudy/mockserver/internal/audience"
	"svc.example/understudy/mockserver/internal/core"
	"svc.example/understudy/mockserver/internal/core/jobs"
	"svc.example/understudy/mockserver/internal/dwh"
	"svc.example/understudy/mockserver/internal/ingestion"
	"svc.example/understudy/mockserver/internal/llm"
	"svc.example/understudy/mockserver/internal/meter"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/own"
	"svc.example/understudy/mockserver/internal/validate"
	"svc.example/understudy/mockserver/internal/workflow"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/mockserver/internal/worlds"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

// Server is the mock. It is an http.Handler, safe for concurrent use.
type Server struct {
	*config
	worlds     *worlds.Worlds
	interfaces map[specs.Interface]makeInterface
	control    func() (*loadedInterface, error)
	settle     map[string]func(*world.State, world.DueEvent)
	recorder   *recorder // nil without a recording
	keeper     *keeper   // nil without a file to keep the worlds in
	close      func() error
	pages      http.Handler    // nil without a console
	stopping   context.Context //nolint:containedctx // of whatever waits: it ends with the server
	stop       context.CancelCauseFunc
	routines   *routine.Group      // goroutines that end with the server, those of its clients in the process among them
	memory     *semaphore.Weighted // for large bodies
	used       used
	dates      dates
	sending    atomic.Int64 // answers on their way to clients
	watchers   atomic.Int64 // clients that wait for exchanges, or follow them
	meters     *meter.Set
	requests   *requestLog
	relay      *relay.Relay // nil without targets
	targets    map[specs.Interface]*relay.Target
	comparer   *comparer    // nil without a comparison
	arrived    atomic.Int64 // when the last request came in, by the wall clock
	origin     string       // scheme and host, when the server listens by itself

	templates sync.Map // worlds of embedded scenarios, by templateKey; of the others a client may make any number
	reloading sync.Mutex
	own       atomic.Pointer[ownScenarios] // nil until they are reloaded
	reload    map[specs.Interface]func() error
	digests   map[specs.Interface][sha256.Size]byte // of documents of the user's own, when they were last loaded
}

// loadedInterface is one interface, ready to be served.
type loadedInterface struct {
	Name      specs.Interface
	keyHeader string // a header beside Authorization that may carry the key, if there is one
	bareKey   bool   // whether the key may stand in Authorization without the scheme
	doc       *specs.Document
	rules     op.Interface
	routes    map[string]*op.Route
	checks    map[string]*validate.Operation
	meters    map[string]*meter.Operation // by operation id, and of requests that fit none
	brand     brand
	own       *ownDocument // nil where the document is ours

	readable func() (*specs.Document, error) // the document with its examples, which doc lacks
}

// New makes a server. It listens nowhere: give it to an http.Server, or use Start or NewTransport.
func New(opts ...Option) (*Server, error) { return newServer(nil, opts) }

func newServer(defaults, opts []Option) (*Server, error) {
	c, err := configure(defaults, opts)
	if err != nil {
		return nil, err
	}
	s := &Server{
		config: c, interfaces: map[specs.Interface]makeInterface{}, reload: map[specs.Interface]func() error{},
		digests: map[specs.Interface][sha256.Size]byte{},
		close:   func() error { return nil }, routines: &routine.Group{},
	}
	s.stopping, s.stop = context.WithCancelCause(context.Background())
	s.meters = meter.New()
	s.settle, s.memory = map[string]func(*world.State, world.DueEvent){}, semaphore.NewWeighted(maxAtATime)
	engine := jobs.Engine{Query: c.engine, Slots: make(chan struct{}, querySlots()), Busy: s.busy, Routines: s.routines}
	for _, rules := range []op.Interface{
		ingestion.Interface(), audience.Interface(), dwh.Interface(), core.Interface(engine), llm.Interface(engine),
		workflow.Interface(),
	} {
		maps.Copy(s.settle, rules.Settle)
		if slices.Contains(c.interfaces, rules.Name) {
			s.interfaces[rules.Name] = s.loader(rules)
		}
	}
	for _, name := range c.interfaces {
		if name.IsOwn() {
			s.interfaces[name] = s.loader(op.Interface{Name: name})
		}
	}
	s.control = sync.OnceValues(func() (*loadedInterface, error) { return s.load(s.controlRules()) })
	s.requests = &requestLog{s, rate.NewLimiter(refusalsASecond, refusalsAtFirst)}
	s.recorder, s.comparer = s.newRecorder(), s.newComparer()
	if c.console != nil {
		s.pages = c.console.Handler(s)
	}
	if s.worlds, err = worlds.NewWorlds(s.beginning, s.settleEvent, c.limits, c.seed != nil); err != nil {
		return nil, err
	}
	if err = errors.Join(s.loadOwn(), s.newRelay()); err == nil {
		s.keeper, err = s.newKeeper()
	}
	return s, err
}

// querySlots returns how many queries run side by side, in all worlds together: as many as half of the processors, and
// two at least. Others wait for their turn, with the requests that have asked for them and nothing else.
func querySlots() int { return max(2, runtime.GOMAXPROCS(0)/2) }

// errClosed is the error of whatever would wait for something, or ask something, of a server that is closed.
var errClosed = fmt.Errorf("the mock is closed: %w", http.ErrServerClosed)

// closePatience is the time that Close gives to what ends with the server: code of users that does not end with its
// context, such as a query engine, may take longer.
const closePatience = 5 * time.Second

// Close ends what the server began: it stops listening, requests that wait for something end without an answer, as does
// WaitFor, and clients in the process get an error from then on. It returns as soon as nothing of the server runs any
// more. The error says when something does after five seconds, when answers are not in the recording that was to have
// them, or when the worlds are not in their file.
func (s *Server) Close() error {
	s.comparer.finish(closePatience)
	s.stop(errClosed)
	errs := []error{s.close()}
	if pages, ok := s.pages.(io.Closer); ok {
		errs = append(errs, pages.Close())
	}
	left, err := s.routines.WaitFor(closePatience)
	if left > 0 {
		err = errors.Join(err, fmt.Errorf("%d goroutines have not ended within %v: want handlers, query engines and "+
			"response writers that return when the context of their request ends", left, closePatience))
	}
	return errors.Join(append(errs, err, s.keeper.Close(), s.recorder.close())...)
}

// loaded returns the interface of a name, which is loaded when it is first asked for.
func (s *Server) loaded(name specs.Interface) (*loadedInterface, error) {
	made := s.interfaces[name]
	if made == nil {
		return nil, fmt.Errorf("unknown interface %q; want %s", name, source.OneOf(string(name), specs.InterfaceNames()))
	}
	return made()
}

// loadOwn loads the users' own documents at once: what is wrong with them is to be known at the start.
func (s *Server) loadOwn() error {
	var errs []error
	for name := range s.documents {
		if s.serves(name) {
			_, err := s.loaded(name)
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// loadOwnInterface loads an interface of the user's own: what the document says is all that there is.
func (s *Server) loadOwnInterface(name specs.Interface) (*loadedInterface, error) {
	doc, err := s.config.document(name)
	if err != nil {
		return nil, err
	}
	checks, err := s.rulesFor(doc)
	if err != nil {
		return nil, err
	}
	rules := own.Interface(doc, checks)
	table, err := rules.Table(doc)
	if err != nil {
		return nil, err
	}
	for _, ignored := range doc.Ignored {
		s.log.Warn("a part of the document is not taken as it is written: correct it", "interface", name,
			"file", cmp.Or(ignored.File, doc.File), "line", ignored.Line, "pointer", ignored.Pointer, "reason", ignored.Reason)
	}
	return s.prepare(&loadedInterface{
		Name: name, keyHeader: doc.KeyHeader(), doc: doc, rules: rules, routes: table,
		readable: sync.OnceValues(doc.Readable),
	}), nil
}

// prepare makes what operations need when they are served.
func (s *Server) prepare(v *loadedInterface) *loadedInterface {
	v.checks = map[string]*validate.Operation{}
	v.meters = map[string]*meter.Operation{meter.Unknown: s.meters.Operation(v.Name, meter.Unknown)}
	for _, operation := range v.doc.All() {
		if v.checks[operation.ID] == nil {
			v.checks[operation.ID] = validate.New(operation)
			v.meters[operation.ID] = s.meters.Operation(v.Name, operation.ID)
		}
	}
	return v
}

func (s *Server) load(rules op.Interface) (*loadedInterface, error) {
	if rules.Name.IsOwn() {
		return s.loadOwnInterface(rules.Name)
	}
	embedded, err := specs.Load(rules.Name, s.brand)
	if err != nil {
		return nil, err
	}
	file := s.documents[rules.Name]
	doc := embedded
	if file != "" {
		if doc, err = specs.LoadFile(rules.Name, file, s.brand, s.overlays[rules.Name]...); err != nil {
			return nil, err
		}
		s.report(file, embedded, doc)
	}
	if !s.extras {
		doc = doc.WithoutExtras()
	}
	table, err := rules.Table(doc)
	if file == "" && err != nil {
		return nil, err
	}
	v := s.prepare(&loadedInterface{
		Name: rules.Name, keyHeader: cmp.Or(doc.KeyHeader(), embedded.KeyHeader()), bareKey: embedded.BareKey(), doc: doc,
		rules: rules, routes: table,
	})
	v.readable = sync.OnceValues(func() (*specs.Document, error) { return specs.Readable(rules.Name, s.brand) })
	if file != "" {
		v.own = newOwnDocument(file, doc)
		v.readable = sync.OnceValues(doc.Readable)
	}
	if s.mutate != nil {
		s.mutate(v)
	}
	v.brand, err = newBrand(&rules, s.brand)
	return v, err
}

func (s *Server) settleEvent(w *world.State, event world.DueEvent) {
	if settle := s.settle[event.Kind]; settle != nil {
		settle(w, event)
	}
}

// knownOperations refuses names that no operation has.
func (s *Server) knownOperations(operations []string) error {
	for _, name := range operations {
		iface, id, _ := strings.Cut(name, ".")
		if !s.serves(specs.Interface(iface)) {
			return op.Invalid("operation", "unknown operation %q; want the name of an interface, %s, a dot and an id",
				name, source.OneOf(iface, specs.NamesOf(s.config.interfaces)))
		}
		v, err := s.loaded(specs.Interface(iface))
		if err != nil {
			return err
		}
		if v.doc.Operation(id) == nil {
			var ids []string
			for _, o := range v.doc.All() {
				ids = append(ids, o.Name())
			}
			hint := "understudy operations lists all"
			if near, is := source.Nearest(name, ids); is {
				hint = "want perhaps " + near + "; " + hint
			}
			return op.Invalid("operation", "unknown operation %q; %s", name, hint)
		}
	}
	return nil
}

// fail reports what is our own fault: to the log, and to the running test, which fails.
func (s *Server) fail(message string, attrs ...slog.Attr) {
	_ = routine.Try(func() error { // a log of the user's own may panic, too
		s.log.LogAttrs(context.Background(), slog.LevelError, message, attrs...)
		return nil
	})
	if s.failed != nil {
		s.helper()
		s.failed(fmt.Sprint("understudy: ", message, " ", attrs))
	}
}

// Interface is the handler of one interface alone, at the root of its address: for an interface that is to have a port
// of its own.
func (s *Server) Interface(name specs.Interface) (http.Handler, error) {
	if !s.serves(name) {
		return nil, s.unknownInterface(name)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.serve(w, r, target{iface: name, path: r.URL.EscapedPath(), base: origin(r)})
	}), nil
}
