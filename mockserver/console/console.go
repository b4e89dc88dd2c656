// Package console is a web console for a server of package mockserver: pages that show its worlds, what was asked and
// answered, and what is in them, and that do whatever the control interface can. Everything is rendered by the server
// and works without JavaScript; scripts add what moves by itself.
//
//	mockserver.New(mockserver.WithConsole(console.New()))
//
// The console knows a server by its documents and its HTTP interfaces: all that it shows or changes is a call that any
// client could make, and it shows these calls as curl commands.
package console

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"svc.example/understudy/internal/routine"
	"svc.example/understudy/mockserver/console/apidocs"
	"svc.example/understudy/mockserver/console/guide"
	"svc.example/understudy/specs"
)

// Path is the path of the pages, below that of the control interface.
const Path = "/_understudy/console/"

// Console makes the pages of servers. It is safe for concurrent use.
type Console struct {
	log   *slog.Logger
	brand specs.Brand
	guide *guide.Guide
	judge Judge // nil without one
}

// Option changes how a console is made.
type Option func(*Console)

// WithLogger sets the log for what goes wrong in the console itself. The default is slog's.
func WithLogger(log *slog.Logger) Option { return func(c *Console) { c.log = log } }

// WithBrand sets the name of the platform, as the server has it. The default is the neutral one.
func WithBrand(brand specs.Brand) Option { return func(c *Console) { c.brand = brand } }

// New makes a console. It costs nothing until a page is asked for.
func New(opts ...Option) *Console {
	c := &Console{log: slog.Default(), brand: specs.Neutral}
	for _, opt := range opts {
		opt(c)
	}
	c.guide = guide.New("../") // its pages are below guide/
	return c
}

// serverConsole is the console of one server.
type serverConsole struct {
	*Console
	server  http.Handler
	results *results

	catalogMu sync.Mutex
	known     *catalog // of the documents that the server had when it was last asked

	watchesMu sync.Mutex
	watches   map[string]*watching // by world

	closing  context.Context //nolint:containedctx // of what goes on between requests: it ends with the server
	close    context.CancelFunc
	routines routine.Group
}

// pages are the pages of one server, which closes them when it is closed itself.
type pages struct {
	http.Handler
	console *serverConsole
}

// closePatience is the time that Close gives to a judge.
const closePatience = 5 * time.Second

// Close implements io.Closer. The error says when a judge has not ended in time.
func (p pages) Close() error {
	p.console.close()
	left, err := p.console.routines.WaitFor(closePatience)
	if left > 0 {
		err = errors.Join(err, fmt.Errorf("console: the judges of %d worlds have not ended within %v", left, closePatience))
	}
	return err
}

// Handler returns the handler of the pages of a server, which are below Path. It asks the server whatever it shows. It
// is an io.Closer: a server that is closed ends the judging of its worlds.
func (c *Console) Handler(server http.Handler) http.Handler {
	s := &serverConsole{
		Console: c, server: server, results: &results{kept: map[string]*result{}},
		watches: map[string]*watching{},
	}
	s.closing, s.close = context.WithCancel(context.Background())
	mux := http.NewServeMux()
	s.routes(mux)
	var foreign http.CrossOriginProtection
	foreign.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "pages of other origins may not use the console", http.StatusForbidden)
	}))
	return pages{foreign.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isForeign(r) {
			http.Error(w, "pages of other origins may not use the console", http.StatusForbidden)
			return
		}
		secure(w.Header())
		rest, _ := strings.CutPrefix(r.URL.EscapedPath(), strings.TrimSuffix(Path, "/"))
		inner := r.Clone(r.Context())
		setPath(inner.URL, rest)
		mux.ServeHTTP(w, inner)
	})), s}
}

// isForeign reports whether a request was made by a page of another site. Those may only lead a person here.
func isForeign(r *http.Request) bool {
	return r.Header.Get("Sec-Fetch-Site") == "cross-site" &&
		(r.Method != http.MethodGet || r.Header.Get("Sec-Fetch-Mode") != "navigate" ||
			r.Header.Get("Sec-Fetch-Dest") != "document")
}

// policy lets a page have what the console serves, and nothing else: no inline script or style, and no other host.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func secure(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// routes registers the pages. Paths are below Path; those of a world are below /w/{world}.
func (s *serverConsole) routes(mux *http.ServeMux) {
	page := func(pattern string, show func(*view) error) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { s.show(w, r, show) })
	}
	mux.HandleFunc("GET /assets/{file}", serveAsset)
	mux.Handle("GET /apidocs/", http.StripPrefix("/apidocs", apidocs.Assets()))
	mux.HandleFunc("/api/", s.passToControl)
	mux.HandleFunc("/call/{interface}/", s.passToInterface)
	mux.HandleFunc("POST /sign-in", signIn)
	mux.HandleFunc("POST /sign-out", signOut)
	page("POST /do", (*view).do)
	page("GET /w/{world}/clock", (*view).clockPage)
	page("GET /w/{world}/script", (*view).scriptPage)
	page("GET /w/{world}/resources", (*view).resourcesPage)
	page("GET /w/{world}/resources/{kind}", (*view).kindPage)
	page("GET /w/{world}/resources/{kind}/{path...}", (*view).objectPage)
	page("GET /w/{world}/operations/{operation}", (*view).operationPage)
	page("POST /w/{world}/operations/{operation}", (*view).tryOperation)
	page("GET /w/{world}/logs/{attempt}/{file}", (*view).logPage)
	page("GET /w/{world}/journal", (*view).journalPage)
	page("GET /w/{world}/journal/{seq}", (*view).exchangePage)
	page("GET /w/{world}/journal/{seq}/request", (*view).requestBody)
	page("GET /documents", (*view).documents)
	page("GET /documents/{interface}", (*view).documentPage)
	page("GET /guide/{$}", (*view).guideContents)
	page("GET /guide/search", (*view).searchGuide)
	page("GET /guide/{slug}", (*view).guidePage)
	page("GET /w/{world}/rules", (*view).rulesPage)
	page("GET /w/{world}/verdicts", (*view).verdictsOf)
	page("GET /w/{world}/report", (*view).reportPage)
	page("GET /w/{world}/minimal/{finding}", (*view).minimal)
	page("POST /remove", (*view).remove)
	page("POST /checkpoint", (*view).checkpoint)
	page("GET /go", (*view).goToWorld)
	page("GET /{$}", (*view).home)
	page("GET /worlds", (*view).worldsPage)
	page("/", (*view).missing)
}
