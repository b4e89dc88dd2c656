package mockserver_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// fetch sends a request by a client in the process, and reads its answer.
func fetch(ctx context.Context, client *http.Client, method, url, body string) error {
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", mocktest.Admin)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	response, err := client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

// newWaiting makes a mock in which a job is due, whose query does not end before its context.
func newWaiting(t *testing.T, opts ...mockserver.Option) *mockserver.Transport {
	t.Helper()
	opts = append([]mockserver.Option{
		mockserver.WithClock(mockserver.ClockFrozen), mockserver.WithQueryEngine(newStuckEngine()),
	}, opts...)
	transport := mockserver.NewTransport(t, opts...)
	transport.World().Client()
	send(t, transport.Client(), "POST", coreURL+"/database/create/stuck", "")
	send(t, transport.Client(), "POST", coreURL+"/job/issue/trino/stuck", `{"query":"SELECT stuck"}`)
	return transport
}

const (
	coreURL    = "https://core.svc.example/v3"
	controlURL = "https://workflow.svc.example/_understudy"
)

// waits lists requests that wait for something, for as long as nobody helps.
var waits = map[string]struct{ method, url, body string }{
	"moving the clock over a query": {"POST", controlURL + "/clock", `{"advance":"1h"}`},
	"waiting for exchanges":         {"POST", controlURL + "/journal/wait", `{"operation":"workflow.listPools","timeout":"10m"}`},
	"following the journal":         {"GET", controlURL + "/journal/stream", ""},
	"a fault without answer":        {"GET", workflowURL + "/api/projects", ""},
	"a fault that delays":           {"GET", workflowURL + "/api/projects/1/secrets", ""},
}

func waitFaults() mockserver.Option {
	return mockserver.WithFaults(
		fixtures.Fault{Calls: fixtures.Calls{Operation: "workflow.listProjects"}, Network: fixtures.NoAnswer},
		fixtures.Fault{Calls: fixtures.Calls{Operation: "workflow.listProjectSecrets"}, Delay: anHour()},
	)
}

func anHour() *fixtures.Delay {
	return &fixtures.Delay{Fixed: fixtures.Duration(time.Hour)}
}

func TestARequestThatWaitsEndsWithItsContextOrItsServer(t *testing.T) {
	t.Parallel()
	for name, wait := range waits {
		for _, end := range []string{"its context", "its server"} {
			t.Run(name+" ends with "+end, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { // which fails if a goroutine is left
					transport := newWaiting(t, waitFaults())
					for _, client := range []*http.Client{transport.Client(), transport.World().Client()} {
						ctx, leave := context.WithCancel(t.Context())
						ended := make(chan error, 1)
						go func() {
							err := fetch(ctx, client, wait.method, wait.url, wait.body)
							ended <- err
						}()
						synctest.Wait()
						select {
						case err := <-ended:
							t.Fatalf("it does not wait: %v", err)
						default:
						}
						if end == "its context" {
							leave()
							if err := <-ended; !errors.Is(err, context.Canceled) {
								t.Errorf("error %v", err)
							}
							continue
						}
						if err := transport.Server().Close(); err != nil {
							t.Error(err)
						}
						// who waits or follows has an answer, as on a server that shuts down
						if err := <-ended; err != nil && !errors.Is(err, http.ErrServerClosed) {
							t.Errorf("error %v", err)
						}
						leave()
						break
					}
				})
			})
		}
	}
}

func TestAContextThatEndsBeforeTheFirstFlushLeavesNothing(t *testing.T) {
	t.Parallel()
	const parts = 20
	var flushed atomic.Int64
	console := pagesOf(func(w http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		for range parts {
			_ = http.NewResponseController(w).Flush()
			_, _ = io.WriteString(w, "part") // which nobody reads
			flushed.Add(1)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		transport := mockserver.NewTransport(t, mockserver.WithConsole(console))
		for range 10 {
			ctx, leave := context.WithTimeout(t.Context(), time.Second)
			if err := fetch(ctx, transport.World().Client(), "GET", consoleURL, ""); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v", err)
			}
			leave()
		}
		synctest.Wait()
	})
	if n := flushed.Load(); n != 10*parts {
		t.Errorf("%d parts were flushed, want %d", n, 10*parts)
	}
}

const consoleURL = "https://workflow.svc.example/_understudy/console/"

// pagesOf is a console of a user's own.
type pagesOf http.HandlerFunc

func (p pagesOf) Handler(http.Handler) http.Handler { return http.HandlerFunc(p) }

// What fails in code of a user's own is an error for the client, and fails the test; the process goes on.
func TestAPanicInTheProcessIsAnErrorOfItsRequest(t *testing.T) {
	t.Parallel()
	panics := func(http.ResponseWriter, *http.Request) { panic("boom") }
	for name, test := range map[string]struct {
		opt   mockserver.Option
		url   string
		error string // of the client
		told  string // to the test
	}{
		"a console": {mockserver.WithConsole(pagesOf(panics)), consoleURL, "panic: boom", "panic: boom"},
		"a console that cuts the connection": {
			mockserver.WithConsole(pagesOf(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })),
			consoleURL, "EOF", "",
		},
		"a console that ends its goroutine": {
			mockserver.WithConsole(pagesOf(func(http.ResponseWriter, *http.Request) { runtime.Goexit() })),
			consoleURL, "runtime.Goexit", "runtime.Goexit",
		},
		"a console that panics after a flush": {
			mockserver.WithConsole(pagesOf(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, "begun")
				_ = http.NewResponseController(w).Flush()
				panic("boom")
			})), consoleURL, "panic: boom", "panic: boom",
		},
		"profiles": {
			mockserver.WithProfiles(http.HandlerFunc(panics)), controlURL + "/debug/pprof/", "panic: boom", "panic: boom",
		},
		"a log":             {mockserver.WithLogger(slog.New(panickingLog{})), workflowURL + "/api/pools", "panic: log", "panic: log"},
		"a log, of control": {mockserver.WithLogger(slog.New(panickingLog{})), controlURL + "/debug/pprof/", "panic: log", "panic: log"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			told := make(chan string, 10)
			s, err := mockserver.New(test.opt, mockserver.WithFailure(func(message string) { told <- message }))
			if err != nil {
				t.Fatal(err)
			}
			url := strings.Replace(test.url, "https://workflow.svc.example/", "http://localhost/"+folderOf(test.url), 1)
			err = fetch(t.Context(), s.World("").Client(), "GET", url, "")
			if test.error == "" && err != nil || test.error != "" && (err == nil || !strings.Contains(err.Error(), test.error)) {
				t.Errorf("error %v, want %q", err, test.error)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			close(told)
			if message := <-told; !strings.Contains(message, test.told) || test.told == "" && message != "" {
				t.Errorf("the test was told %q, want %q", message, test.told)
			}
		})
	}
}

// folderOf returns where an interface is that has an address of its own with a transport.
func folderOf(url string) string {
	if strings.Contains(url, "/_understudy") {
		return ""
	}
	return "workflow/"
}

// panickingLog is the handler of a log of a user's own.
type panickingLog struct{}

func (panickingLog) Enabled(context.Context, slog.Level) bool  { return true }
func (panickingLog) Handle(context.Context, slog.Record) error { panic("log") }
func (l panickingLog) WithAttrs([]slog.Attr) slog.Handler      { return l }
func (l panickingLog) WithGroup(string) slog.Handler           { return l }

func TestAnAnswerThatIsFlushedIsReadWhole(t *testing.T) {
	t.Parallel()
	transport := mockserver.NewTransport(t, mockserver.WithConsole(pagesOf(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Early", "yes")
		_, _ = io.WriteString(w, "before ")
		_ = http.NewResponseController(w).Flush()
		w.Header().Set("X-Late", "no")
		_, _ = io.WriteString(w, "after")
	})))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, consoleURL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := transport.World().Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if got := fmt.Sprint(response.StatusCode, string(text), response.Header); err != nil ||
		got != "200before aftermap[X-Early:[yes]]" {
		t.Errorf("%s, %v", got, err)
	}
}

// endless is a body whose end never comes.
type endless struct{ closed chan struct{} }

func (b endless) Read([]byte) (int, error) {
	<-b.closed
	return 0, io.ErrClosedPipe
}

func (b endless) Close() error {
	select {
	case <-b.closed:
	default:
		close(b.closed)
	}
	return nil
}

func TestABodyWithoutEndIsClosedWithItsContext(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{"interface": workflowURL + "/api/pools", "control": controlURL + "/worlds"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client := mockserver.NewTransport(t).World().Client()
				ctx, leave := context.WithTimeout(t.Context(), time.Second)
				defer leave()
				body := endless{make(chan struct{})}
				r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, body)
				if err != nil {
					t.Fatal(err)
				}
				response, err := client.Do(r)
				if err == nil {
					_ = response.Body.Close()
				}
				synctest.Wait()
				select {
				case <-body.closed:
				default:
					t.Error("the body was not closed")
				}
			})
		})
	}
}

func TestNothingIsServedInTheProcessOnceItsServerIsClosed(t *testing.T) {
	t.Parallel()
	transport := mockserver.NewTransport(t)
	if err := errors.Join(transport.Server().Close(), transport.Server().Close()); err != nil {
		t.Error(err)
	}
	for _, client := range []*http.Client{transport.Client(), transport.World().Client()} {
		for _, url := range []string{workflowURL + "/api/pools", controlURL + "/health"} {
			if err := fetch(t.Context(), client, "GET", url, ""); !errors.Is(err, http.ErrServerClosed) {
				t.Errorf("%s: error %v", url, err)
			}
		}
	}
	if n := transport.World().Calls("workflow.listPools"); n != 0 {
		t.Errorf("%d calls took effect", n)
	}
}

func TestCloseReportsWhatDoesNotEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s, err := mockserver.New(mockserver.WithConsole(pagesOf(func(http.ResponseWriter, *http.Request) { <-release })))
		if err != nil {
			t.Fatal(err)
		}
		ctx, leave := context.WithCancel(t.Context())
		go func() { _ = fetch(ctx, s.World("").Client(), "GET", "http://localhost/_understudy/console/", "") }()
		synctest.Wait()
		leave()
		if err := s.Close(); err == nil || !strings.Contains(err.Error(), "1 goroutines have not ended within 5s") {
			t.Errorf("error %v", err)
		}
		close(release)
	})
}

// A writer without a connection, such as that of httptest, has nothing that could be cut.
func TestARecorderSeesWhatHasNoAnswer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		fault  fixtures.Fault
		status int
		body   string
	}{
		{fixtures.Fault{Network: fixtures.Reset}, http.StatusBadGateway, "the fault reset is applied"},
		{fixtures.Fault{Network: fixtures.Garbage}, http.StatusBadGateway, "the fault garbage is applied"},
		{fixtures.Fault{Network: fixtures.NoAnswer}, http.StatusBadGateway, "context deadline exceeded"},
		{fixtures.Fault{Delay: anHour()}, http.StatusBadGateway, "context deadline exceeded"},
		{fixtures.Fault{Network: fixtures.ResetInBody}, http.StatusOK, "["},
		{fixtures.Fault{Network: fixtures.Truncated}, http.StatusOK, "["},
		{fixtures.Fault{Network: fixtures.WrongLength}, http.StatusOK, "["},
	} {
		t.Run(cmp.Or(string(test.fault.Network), "delay"), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				test.fault.Operation = "workflow.listProjects"
				s := mocktest.NewServer(t, mockserver.WithFaults(test.fault))
				ctx, leave := context.WithTimeout(t.Context(), time.Second)
				defer leave()
				w := httptest.NewRecorder()
				r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/workflow/api/projects", http.NoBody)
				r.Header.Set("Authorization", mocktest.Admin)
				s.ServeHTTP(w, r)
				if w.Code != test.status || !strings.Contains(w.Body.String(), test.body) {
					t.Errorf("%d %s", w.Code, w.Body)
				}
			})
		})
	}
	t.Run("a query whose client has left", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			transport := newWaiting(t)
			ctx, leave := context.WithTimeout(t.Context(), time.Second)
			defer leave()
			for method, url := range map[string]string{"POST": "/_understudy/clock", "GET": "/_understudy/state", "HEAD": "/_understudy/state"} {
				w := httptest.NewRecorder()
				r := httptest.NewRequestWithContext(ctx, method, url, strings.NewReader(`{"advance":"1h"}`))
				r.Header.Set("Content-Type", "application/json")
				transport.Server().ServeHTTP(w, r)
				if method == "POST" && (w.Code != http.StatusBadGateway || !strings.Contains(w.Body.String(), "deadline exceeded")) {
					t.Errorf("%s %s: %d %s", method, url, w.Code, w.Body)
				}
			}
		})
	})
}

func TestWaitForEndsWithTheServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		transport := mockserver.NewTransport(t)
		ended := make(chan error)
		go func() {
			_, err := transport.World().WaitFor(t.Context(), fixtures.Calls{Operation: "workflow.listPools"}, 1)
			ended <- err
		}()
		synctest.Wait()
		if err := transport.Server().Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) || !strings.Contains(err.Error(), "saw 0 of 1 calls") {
			t.Errorf("error %v", err)
		}
	})
}
