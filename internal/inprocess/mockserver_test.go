package inprocess_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/internal/routine"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

const (
	workflowURL = "https://workflow.svc.example"
	coreURL     = "https://core.svc.example/v3"
	controlURL  = workflowURL + "/_understudy"
)

// inUse is a mock that is used while a function is called.
type inUse struct {
	*testing.T
	transport *mockserver.Transport
	server    *mockserver.Server
	world     *mockserver.World
	folder    string
}

// slowEngine runs each query until its context ends.
type slowEngine struct{}

func (slowEngine) Query(ctx context.Context, _ query.Query) (query.Result, error) {
	<-ctx.Done()
	return query.Result{}, ctx.Err()
}

// use is a request of the mock, and reads its answer.
func use(ctx context.Context, client *http.Client, method, url, body string) {
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return
	}
	r.Header.Set("Authorization", "SVC1 1/admin")
	r.Header.Set("Content-Type", "application/json")
	response, err := client.Do(r)
	if err != nil {
		return
	}
	_, _ = io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
}

// openUnread follows the journal without reading.
func openUnread(ctx context.Context, client *http.Client) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, controlURL+"/journal/stream?after=0", http.NoBody)
	if err != nil {
		return
	}
	if response, err := client.Do(r); err == nil { //nolint:bodyclose // so do clients that forget it
		<-ctx.Done()
		_ = response
	}
}

// newInUse makes a mock with options, and begins to use it: requests wait for a query, for an answer that never comes,
// and for exchanges, all of them with a context. Done waits for them.
func newInUse(ctx context.Context, t *testing.T, opts []mockserver.Option) (u *inUse, done func()) {
	t.Helper()
	transport := mockserver.NewTransport(t, append([]mockserver.Option{
		mockserver.WithClock(mockserver.ClockFrozen), mockserver.WithQueryEngine(slowEngine{}),
		mockserver.WithFaults(fixtures.Fault{
			Calls: fixtures.Calls{Operation: "workflow.listProjects"}, Network: fixtures.NoAnswer,
		}),
	}, opts...)...)
	u = &inUse{T: t, transport: transport, server: transport.Server(), world: transport.World()}
	client := transport.Client()
	use(t.Context(), client, "POST", coreURL+"/database/create/slow", "")
	use(t.Context(), client, "POST", coreURL+"/job/issue/trino/slow", `{"query":"SELECT 1"}`)
	var users routine.Group
	for _, call := range []func(){
		func() { use(ctx, client, "POST", controlURL+"/clock", `{"advance":"1h"}`) },
		func() { use(ctx, client, "GET", workflowURL+"/api/projects", "") },
		func() {
			use(ctx, u.world.Client(), "POST", controlURL+"/journal/wait", `{"count":1000,"timeout":"10m"}`)
		},
		func() { use(ctx, u.world.Client(), "GET", controlURL+"/state", "") },
		func() { openUnread(ctx, client) },
	} {
		users.Go(func() error { call(); return nil })
	}
	synctest.Wait()
	return u, func() {
		if err := users.Wait(); err != nil {
			t.Error(err)
		}
	}
}

// mockRow says how a function is called, with options of the mock. Without a call, requests are served.
type mockRow struct {
	call func(context.Context, *inUse)
	opts func(*inUse) []mockserver.Option
}

// with is the row of an option.
func with(opts ...mockserver.Option) mockRow {
	return mockRow{opts: func(*inUse) []mockserver.Option { return opts }}
}

func does(call func(context.Context, *inUse)) mockRow { return mockRow{call: call} }

// served is what most rows of options do.
func served(ctx context.Context, u *inUse) {
	use(ctx, u.transport.Client(), "GET", workflowURL+"/api/pools", "")
	use(ctx, u.world.Client(), "GET", controlURL+"/worlds", "")
	use(ctx, u.transport.Client(), "POST", controlURL+"/clock", `{"advance":"1m"}`)
}

var pools = fixtures.Calls{Operation: "workflow.listPools"}

// planned plans a fault for the rows of its methods.
func planned(u *inUse) *mockserver.PlannedFault {
	f, err := u.world.Fault(fixtures.Fault{Calls: pools, Status: 503})
	if err != nil {
		u.Error(err)
	}
	return f
}

// forked is a world of the call's own.
func forked(u *inUse) *mockserver.World { return u.world.Fork() }

var mockRows = map[string]mockRow{
	"PlannedFault.Calls":  does(func(_ context.Context, u *inUse) { planned(u).Calls() }),
	"PlannedFault.Hits":   does(func(_ context.Context, u *inUse) { planned(u).Hits() }),
	"PlannedFault.ID":     does(func(_ context.Context, u *inUse) { planned(u).ID() }),
	"PlannedFault.Remove": does(func(_ context.Context, u *inUse) { _ = planned(u).Remove() }),

	"Server.CA":        does(func(_ context.Context, u *inUse) { u.server.CA() }),
	"Server.Client":    does(func(_ context.Context, u *inUse) { _ = u.server.Client() }),
	"Server.Close":     does(func(_ context.Context, u *inUse) { _ = u.server.Close() }),
	"Server.Documents": does(func(_ context.Context, u *inUse) { _, _ = u.server.Documents() }),
	"Server.HTTPServer": does(func(ctx context.Context, u *inUse) {
		ctx, leave := context.WithTimeout(ctx, time.Minute)
		defer leave()
		near, far := net.Pipe()
		server := u.server.HTTPServer()
		listener := &oneConnection{connections: make(chan net.Conn, 1)}
		listener.connections <- far
		var serving routine.Group
		serving.Go(func() error { _ = server.Serve(listener); return nil })
		defer serving.Wait() //nolint:errcheck // it has none
		defer server.Close() //nolint:errcheck // of a listener in memory
		stop := context.AfterFunc(ctx, func() { _ = near.Close() })
		defer stop()
		_, _ = fmt.Fprint(near, "GET /_understudy/journal/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
		_, _ = near.Read(make([]byte, 100))
		_ = near.Close()
	}),
	"Server.Interface": does(func(ctx context.Context, u *inUse) {
		handler, err := u.server.Interface(specs.Workflow)
		if err != nil {
			u.Error(err)
			return
		}
		ctx, leave := context.WithTimeout(ctx, time.Minute)
		defer leave()
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/api/projects", nil))
	}),
	"Server.Ready":  does(func(_ context.Context, u *inUse) { _ = u.server.Ready() }),
	"Server.Reload": does(func(_ context.Context, u *inUse) { _ = u.server.Reload(mockserver.ResetWorlds) }),
	"Server.ServeHTTP": does(func(ctx context.Context, u *inUse) {
		ctx, leave := context.WithTimeout(ctx, time.Minute)
		defer leave()
		for _, path := range []string{"/workflow/api/projects", "/_understudy/journal/stream", "/_understudy/state"} {
			u.server.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", path, nil))
		}
	}),
	"Server.Address":     does(func(_ context.Context, u *inUse) { u.server.Address(specs.Core) }),
	"Server.Hosts":       does(func(_ context.Context, u *inUse) { u.server.Hosts() }),
	"Server.Interfaces":  does(func(_ context.Context, u *inUse) { u.server.Interfaces() }),
	"Server.Target":      does(func(_ context.Context, u *inUse) { u.server.Target(specs.Core) }),
	"Server.URL":         does(func(_ context.Context, u *inUse) { u.server.URL(specs.Core) }),
	"Server.Undelivered": does(func(_ context.Context, u *inUse) { u.server.Undelivered() }),
	"Server.World":       does(func(_ context.Context, u *inUse) { u.server.World("") }),

	"Transport.Client": does(func(ctx context.Context, u *inUse) {
		for _, url := range []string{"/api/pools", "/api/projects", "/_understudy/state", "/_understudy/journal/stream"} {
			ctx, leave := context.WithTimeout(ctx, time.Minute)
			use(ctx, u.transport.Client(), "GET", workflowURL+url, "")
			leave()
		}
	}),
	"Transport.Server": does(func(_ context.Context, u *inUse) { u.transport.Server() }),
	"Transport.World":  does(func(_ context.Context, u *inUse) { u.transport.World() }),

	"World.Advance":          does(func(_ context.Context, u *inUse) { u.world.Advance(time.Hour) }),
	"World.AdvanceUntilIdle": does(func(_ context.Context, u *inUse) { u.world.AdvanceUntilIdle() }),
	"World.Calls":            does(func(_ context.Context, u *inUse) { u.world.Calls("workflow.listPools") }),
	"World.Checkpoint":       does(func(_ context.Context, u *inUse) { u.world.Checkpoint("a") }),
	"World.Client": does(func(ctx context.Context, u *inUse) {
		for _, url := range []string{"/api/pools", "/api/projects", "/_understudy/state", "/_understudy/journal/stream"} {
			ctx, leave := context.WithTimeout(ctx, time.Minute)
			use(ctx, forked(u).Client(), "GET", workflowURL+url, "")
			leave()
		}
	}),
	"World.Delete":           does(func(_ context.Context, u *inUse) { _ = forked(u).Delete() }),
	"World.DeleteCheckpoint": does(func(_ context.Context, u *inUse) { _ = u.world.DeleteCheckpoint("a") }),
	"World.Exchanges":        does(func(_ context.Context, u *inUse) { _, _ = u.world.Exchanges(pools) }),
	"World.Fault":            does(func(_ context.Context, u *inUse) { planned(u) }),
	"World.Faults":           does(func(_ context.Context, u *inUse) { u.world.Faults() }),
	"World.Fork":             does(func(_ context.Context, u *inUse) { u.world.Fork() }),
	"World.ForkBefore": {
		func(_ context.Context, u *inUse) { _, _ = u.world.ForkBefore(1) },
		func(*inUse) []mockserver.Option { return []mockserver.Option{mockserver.WithHistory(10)} },
	},
	"World.ForkFor":           does(func(_ context.Context, u *inUse) { u.world.ForkFor(u) }),
	"World.ID":                does(func(_ context.Context, u *inUse) { _ = u.world.ID() }),
	"World.IngestionFailures": does(func(_ context.Context, u *inUse) { u.world.IngestionFailures() }),
	"World.Journal":           does(func(_ context.Context, u *inUse) { _, _ = u.world.Journal() }),
	"World.Key":               does(func(_ context.Context, u *inUse) { _ = u.world.Key() }),
	"World.Load":              does(func(_ context.Context, u *inUse) { _ = forked(u).Load([]byte("account: {}")) }),
	"World.Now":               does(func(_ context.Context, u *inUse) { u.world.Now() }),
	"World.QueueOutcome":      does(func(_ context.Context, u *inUse) { _ = u.world.QueueOutcome(mockserver.Outcome{}) }),
	"World.QueueResult":       does(func(_ context.Context, u *inUse) { _ = u.world.QueueResult(mockserver.JobResult{}) }),
	"World.QueueTurn":         does(func(_ context.Context, u *inUse) { _ = u.world.QueueTurn(mockserver.Turn{}) }),
	"World.Reset":             does(func(_ context.Context, u *inUse) { u.world.Reset() }),
	"World.Restore":           does(func(_ context.Context, u *inUse) { _ = u.world.Restore("a") }),
	"World.ServeHTTP": does(func(ctx context.Context, u *inUse) {
		ctx, leave := context.WithTimeout(ctx, time.Minute)
		defer leave()
		u.world.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/workflow/api/projects", nil))
	}),
	"World.SetClock": does(func(_ context.Context, u *inUse) { _ = u.world.SetClock(mockserver.ClockAuto, time.Time{}) }),
	"World.State":    does(func(_ context.Context, u *inUse) { _, _ = u.world.State() }),
	"World.Stub":     does(func(_ context.Context, u *inUse) { _, _ = u.world.Stub(fixtures.Fault{Calls: pools}) }),
	"World.WaitFor": does(func(ctx context.Context, u *inUse) {
		ctx, leave := context.WithTimeout(ctx, time.Minute)
		defer leave()
		_, _ = u.world.WaitFor(ctx, pools, 1)
	}),

	"Address":        does(func(context.Context, *inUse) { _ = mockserver.Address(specs.Core) }),
	"CheckScenario":  does(func(context.Context, *inUse) { _ = mockserver.CheckScenario(mockserver.WithScenario("empty")) }),
	"DefaultBaseURL": does(func(context.Context, *inUse) { _ = mockserver.DefaultBaseURL(specs.Core) }),
	"Hosts":          does(func(context.Context, *inUse) { mockserver.Hosts() }),
	"New": does(func(ctx context.Context, u *inUse) {
		s, err := mockserver.New(mockserver.WithStateFile(filepath.Join(u.folder, "own")))
		if err != nil {
			u.Error(err)
			return
		}
		use(ctx, s.World("").Client(), "GET", "http://localhost/_understudy/state", "")
		if err := s.Close(); err != nil {
			u.Error(err)
		}
	}),
	"NewTransport": does(served),
	"Start":        {}, // which needs a socket: TestStart

	"WithBaseURL":      with(mockserver.WithBaseURL(specs.LLM, "https://llm.own.example")),
	"WithBrand":        with(mockserver.WithBrand("acme")),
	"WithClock":        with(mockserver.WithClock(mockserver.ClockAuto)),
	"WithConsole":      with(mockserver.WithConsole(lasting{})),
	"WithControlHost":  with(mockserver.WithControlHost("own.example")),
	"WithCORS":         with(mockserver.WithCORS("https://shop.example")),
	"WithControlToken": with(mockserver.WithControlToken("secret")),
	"WithComparison": with(mockserver.WithComparison(
		func(context.Context, http.Handler, *recording.Exchange) []string { return nil })),
	"WithTarget": with(mockserver.WithTarget(specs.Core, "http://127.0.0.1:9")),
	"WithTargetTransport": with(mockserver.WithTarget(specs.Core, "http://127.0.0.1:9"),
		mockserver.WithTargetTransport(&http.Transport{DisableKeepAlives: true})),
	"WithInterfaces": with(mockserver.WithInterfaces(specs.Interfaces()...)),
	"WithExtras":     with(mockserver.WithExtras(false)),
	"WithFaults": with(mockserver.WithFaults(
		fixtures.Fault{Calls: pools, Delay: &fixtures.Delay{Fixed: fixtures.Duration(time.Minute)}, BytesPerSecond: 1})),
	"WithHistory":      with(mockserver.WithHistory(10)),
	"WithJournalLimit": with(mockserver.WithJournalLimit(1000)),
	"WithLogger":       with(mockserver.WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))),
	"WithMaxWorlds":    with(mockserver.WithMaxWorlds(10)),
	"WithMemoryLimit":  with(mockserver.WithMemoryLimit(64 << 20)),
	"WithNow":          with(mockserver.WithNow(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))),
	"WithProfiles":     with(mockserver.WithProfiles(http.NotFoundHandler())),
	"WithQueryEngine":  with(mockserver.WithQueryEngine(slowEngine{})),
	"WithRecordLimit":  with(mockserver.WithRecordLimit(1000)),
	"WithRecording":    with(mockserver.WithRecording(&bytes.Buffer{})),
	"WithScenario":     with(mockserver.WithScenario("empty")),
	"WithScenarios": {opts: func(u *inUse) []mockserver.Option {
		if err := os.MkdirAll(filepath.Join(u.folder, "own"), 0o700); err != nil {
			u.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(u.folder, "own", "scenario.yaml"), []byte("description: own\n"), 0o600); err != nil {
			u.Fatal(err)
		}
		return []mockserver.Option{mockserver.WithScenarios(u.folder)}
	}},
	"WithSeed":     with(mockserver.WithSeed(7)),
	"WithOverlay":  {}, // a file that only the options read
	"CheckChanges": {}, // of documents of users: TestRules
	"Refuse":       {}, // likewise
	"WithRules":    {}, // likewise
	"WithSpec":     with(mockserver.WithSpec(specs.LLM, "../../specs/llm.yaml")),
	"WithStateFile": {opts: func(u *inUse) []mockserver.Option {
		return []mockserver.Option{mockserver.WithStateFile(filepath.Join(u.folder, "state"))}
	}},
	"WithStateLimit":   with(mockserver.WithStateLimit(64 << 20)),
	"WithTLS":          {}, // which is for Start: TestStart
	"WithValidation":   with(mockserver.WithValidation(mockserver.Report)),
	"WithWorldTTL":     with(mockserver.WithWorldTTL(time.Minute)),
	"WithWriteTimeout": with(mockserver.WithWriteTimeout(time.Minute)),
}

// lasting is a console whose pages go on for as long as their requests do.
type lasting struct{}

func (lasting) Handler(http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
}

// oneConnection is a listener of connections in memory.
type oneConnection struct{ connections chan net.Conn }

func (l *oneConnection) Accept() (net.Conn, error) {
	if c, ok := <-l.connections; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (l *oneConnection) Close() error {
	defer func() { _ = recover() }() // it is closed already
	close(l.connections)
	return nil
}

func (l *oneConnection) Addr() net.Addr { return &net.TCPAddr{} }

func TestEveryFunctionOfTheMockHasARow(t *testing.T) {
	t.Parallel()
	wantRows(t, "mockserver", mockRows)
}

func TestNoCallOfTheMockOutlivesItsContextOrItsServer(t *testing.T) {
	t.Parallel()
	for name, row := range mockRows {
		for _, what := range []string{"its context", "its server"} {
			for _, at := range moments {
				t.Run(fmt.Sprintf("%s/%s ends %s it", name, what, at), func(t *testing.T) {
					t.Parallel()
					folder := t.TempDir()
					synctest.Test(t, func(t *testing.T) { // which fails if a goroutine is left
						var opts []mockserver.Option
						if row.opts != nil {
							opts = row.opts(&inUse{T: t, folder: folder})
						}
						ctx, leave := context.WithCancel(t.Context())
						u, done := newInUse(ctx, t, opts)
						u.folder = folder
						end, limit := leave, patience
						if what == "its server" {
							limit = promptly
							end = func() {
								if err := u.server.Close(); err != nil {
									t.Error(err)
								}
							}
						}
						call := row.call
						if call == nil {
							call = served
						}
						whileEnding(t, at, func() error { call(ctx, u); return nil }, end, func() {}, limit)
						leave()
						done()
					})
				})
			}
		}
	}
}

// A server on a socket leaves nothing either, with or without TLS.
func TestStart(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string][]mockserver.Option{"plain": nil, "with TLS": {mockserver.WithTLS()}} {
		for _, at := range moments {
			t.Run(fmt.Sprintf("%s, closed %s its requests", name, at), func(t *testing.T) {
				t.Parallel()
				pprof.Do(t.Context(), pprof.Labels("test", t.Name()), func(ctx context.Context) {
					s := mockserver.Start(t, append(opts, mockserver.WithFaults(
						fixtures.Fault{Calls: fixtures.Calls{Operation: "workflow.listProjects"}, Network: fixtures.NoAnswer},
					))...)
					client := s.Client()
					if at == before {
						_ = s.Close()
					}
					var users routine.Group
					for _, path := range []string{
						s.URL(specs.Workflow) + "/api/projects", s.URL(specs.Control) + "/journal/stream",
						s.URL(specs.Core) + "/database/list",
					} {
						users.Go(func() error { use(ctx, client, "GET", path, ""); return nil })
					}
					if at == during {
						for s.World("").Calls("core.listDatabases") == 0 {
							time.Sleep(time.Millisecond)
						}
					}
					if err := s.Close(); err != nil {
						t.Error(err)
					}
					if err := users.Wait(); err != nil {
						t.Error(err)
					}
					client.CloseIdleConnections()
					for n := 0; others(t) != ""; time.Sleep(10 * time.Millisecond) {
						if n++; n == 1000 {
							t.Fatalf("goroutines are left:\n%s", others(t))
						}
					}
				})
			})
		}
	}
}

// others returns the goroutines that the running test has started and that have not ended, but for its own.
func others(t *testing.T) string {
	t.Helper()
	var profile bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
		t.Fatal(err)
	}
	var list []string
	for stack := range strings.SplitSeq(profile.String(), "\n\n") {
		if strings.Contains(stack, fmt.Sprintf("%q", t.Name())) && !strings.Contains(stack, "inprocess_test.others") {
			list = append(list, stack)
		}
	}
	return strings.Join(list, "\n\n")
}
