package mockserver_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query"
)

// stuckEngine answers a query with one row, and one that says stuck not before it is released or its context ends.
type stuckEngine struct {
	started  chan string // the queries that are stuck, each when it begins
	ended    chan string // those that were given up
	released chan struct{}
	calls    atomic.Int32
}

func newStuckEngine() *stuckEngine {
	return &stuckEngine{
		started: make(chan string, 1000), ended: make(chan string, 1000), released: make(chan struct{}),
	}
}

func (e *stuckEngine) Query(ctx context.Context, q query.Query) (query.Result, error) {
	e.calls.Add(1)
	if strings.Contains(q.Text, "stuck") {
		e.started <- q.Text
		select {
		case <-e.released:
		case <-ctx.Done():
			e.ended <- q.Text
			return query.Result{}, ctx.Err()
		}
	}
	return query.Result{Columns: []query.Column{{Name: "n", Type: "bigint"}}, Rows: [][]any{{int64(1)}}}, nil
}

// soon waits for something that a test would wait for without end otherwise.
func soon[T any](t *testing.T, what string, c <-chan T) (value T) {
	t.Helper()
	select {
	case value = <-c:
	case <-time.After(5 * time.Second): // less than a query may take
		t.Fatal("this does not happen: ", what)
	}
	return value
}

// promptly makes a call that must not wait for a query.
func promptly(t *testing.T, s http.Handler, status int, method, target, body string, headers ...string) mocktest.Answer {
	t.Helper()
	done := make(chan mocktest.Answer, 1)
	go func() { done <- mocktest.Call(t, s, method, target, body, headers...) }()
	return soon(t, "an answer to "+method+" "+target, done).Want(status)
}

// leaving calls with a context of its own, and reports whether there was an answer.
func leaving(ctx context.Context, s http.Handler, method, target, body string, headers ...string) <-chan bool {
	answered := make(chan bool, 1)
	ctx = context.WithValue(ctx, http.ServerContextKey, &http.Server{})
	r := httptest.NewRequestWithContext(ctx, method, target, strings.NewReader(body))
	r.Header.Set("Authorization", mocktest.Admin)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	go func() {
		defer func() { answered <- recover() == nil }() // net/http closes the connection of a handler that panics
		s.ServeHTTP(httptest.NewRecorder(), r)
	}()
	return answered
}

const inA = "X-Understudy-World"

// newStuck makes a mock whose world a has a job that is due and whose query is stuck: a request waits for it.
func newStuck(
	t *testing.T, statement string, opts ...mockserver.Option,
) (s *mockserver.Server, e *stuckEngine, waiting <-chan bool, leave func()) {
	t.Helper()
	e = newStuckEngine()
	s = mocktest.NewServer(t, append(opts, mockserver.WithQueryEngine(e))...)
	mocktest.Call(t, s, "POST", "/_understudy/worlds", `{"id":"a","scenario":"empty"}`).Want(201)
	mocktest.Call(t, s, "POST", "/core/v3/database/create/shop", "", inA, "a").Want(200)
	mocktest.Call(t, s, "POST", "/core/v3/job/issue/trino/shop", statement, inA, "a").Want(200)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	waiting = leaving(ctx, s, "POST", "/_understudy/worlds/a/clock", `{"advance":"1m"}`)
	soon(t, "the query begins", e.started)
	return s, e, waiting, cancel
}

func TestAWorldNeverWaitsForAQuery(t *testing.T) {
	t.Parallel()
	s, e, waiting, _ := newStuck(t, `{"query":"SELECT stuck"}`)
	for _, r := range []struct {
		status                    int
		method, target, body, key string
	}{
		{200, "GET", "/_understudy/health", "", ""},
		{200, "GET", "/_understudy/worlds", "", ""},
		{200, "GET", "/_understudy/worlds/a/clock", "", ""},
		{200, "PUT", "/_understudy/worlds/a/checkpoints/one", "", ""},
		{200, "POST", "/_understudy/worlds/a/checkpoints/one/restore", "", ""},
		{201, "POST", "/_understudy/worlds", `{"id":"b","fork":"a"}`, ""},
		{200, "GET", "/core/v3/database/list", "", "a"},
		{200, "POST", "/core/v3/database/create/more", "", "a"},
		{200, "POST", "/core/v3/job/issue/trino/shop", `{"query":"SELECT 2"}`, "a"},
		{200, "GET", "/core/v3/job/status/2", "", "a"},
		{200, "GET", "/workflow/api/pools", "", "a"},
		{200, "GET", "/workflow/api/pools", "", "b"},
		{200, "GET", "/workflow/api/pools", "", "default"},
		{200, "POST", "/core/v3/job/kill/1", "", "b"},
		{200, "GET", "/core/v3/job/status/1", "", "b"},
		{200, "POST", "/_understudy/worlds/b/reset", "", ""},
		{204, "DELETE", "/_understudy/worlds/b", "", ""},
		{200, "POST", "/_understudy/worlds/a/reset", "", ""},
		{204, "DELETE", "/_understudy/worlds/a", "", ""},
	} {
		var world []string
		if r.key != "" {
			world = []string{inA, r.key}
		}
		promptly(t, s, r.status, r.method, r.target, r.body, world...)
	}
	close(e.released)
	if !soon(t, "the request that waits is answered", waiting) {
		t.Error("the request that waited has no answer")
	}
}

func TestWhoAsksForAResultWaitsAndAllGetTheSame(t *testing.T) {
	t.Parallel()
	s, e, waiting, _ := newStuck(t, `{"query":"SELECT stuck"}`)
	promptly(t, s, 201, "POST", "/_understudy/worlds", `{"id":"b","fork":"a"}`)
	results := make(chan mocktest.Answer, 4)
	for _, target := range []string{"/core/v3/job/result/1?format=json", "/core/v3/job/status/1"} {
		for _, world := range []string{"a", "b"} {
			go func() { results <- mocktest.Call(t, s, "GET", target, "", inA, world) }()
		}
	}
	select {
	case got := <-results:
		t.Errorf("an answer without the result: %s", got.Body)
	case <-time.After(50 * time.Millisecond):
	}
	close(e.released)
	if !soon(t, "the clock has moved", waiting) {
		t.Error("the clock did not move")
	}
	for range 4 {
		got := soon(t, "an answer", results).Want(200)
		if body := strings.TrimSpace(got.Body); body != "[1]" && !strings.Contains(body, `"status":"success"`) {
			t.Errorf("answer %s", body)
		}
	}
	if n := e.calls.Load(); n != 1 {
		t.Errorf("the query ran %d times, want once", n)
	}
}

func TestAQueryEndsWithTheLastWhoWaitsForIt(t *testing.T) {
	t.Parallel()
	s, e, waiting, leave := newStuck(t, `{"query":"SELECT stuck"}`)
	ctx, alsoLeave := context.WithCancel(t.Context())
	other := leaving(ctx, s, "GET", "/core/v3/job/status/1", "", inA, "a")
	leave()
	if soon(t, "who left is let go", waiting) {
		t.Error("who left got an answer")
	}
	alsoLeave()
	if soon(t, "the other who left is let go", other) {
		t.Error("the other who left got an answer")
	}
	soon(t, "the query is given up", e.ended)
	if text := promptly(t, s, 200, "GET", "/_understudy/worlds/a/journal", "").Body; strings.Contains(text,
		"getJobStatus") {
		t.Errorf("the journal has an exchange that nobody has seen the end of: %s", text)
	}
	close(e.released)
	got := promptly(t, s, 200, "GET", "/core/v3/job/status/1", "", inA, "a")
	if !strings.Contains(got.Body, `"status":"success"`) || !strings.Contains(got.Body, `"duration":4`) {
		t.Errorf("asked again: %s", got.Body)
	}
}

func TestCallersThatLeaveLeaveNothingBehind(t *testing.T) { //nolint:paralleltest // it counts goroutines, those of others as well
	s, e, waiting, leave := newStuck(t, `{"query":"SELECT stuck"}`)
	leave()
	soon(t, "who left is let go", waiting)
	soon(t, "the query is given up", e.ended)
	var left []string
	ctx, cancel := context.WithCancel(t.Context())
	var all []<-chan bool
	for range 200 {
		all = append(all, leaving(ctx, s, "GET", "/core/v3/job/result/1", "", inA, "a"))
	}
	soon(t, "one query for all begins", e.started)
	cancel()
	for _, answered := range all {
		soon(t, "a caller that left is let go", answered)
	}
	for range 100 {
		if left = stacks(); len(left) == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%d goroutines are left, the first one: %s", len(left), left[0])
}

// stacks are those of goroutines that serve requests or run queries.
func stacks() (list []string) {
	buffer := make([]byte, 4<<20)
	for stack := range strings.SplitSeq(string(buffer[:runtime.Stack(buffer, true)]), "\n\n") {
		if strings.Contains(stack, "jobs.(*run)") || strings.Contains(stack, "mockserver.(*Server).serve") {
			list = append(list, stack)
		}
	}
	return list
}

func TestAServerClosesAtOnce(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"Close", "Shutdown"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			s, e, _, leave := newStuck(t, `{"query":"SELECT stuck"}`)
			leave()
			soon(t, "the query is given up", e.ended)
			server := httptest.NewUnstartedServer(nil)
			server.Config = s.HTTPServer()
			server.Start()
			failed := make(chan error, 1)
			go func() {
				r, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+"/core/v3/job/status/1", nil)
				if err != nil {
					failed <- err
					return
				}
				r.Header.Set("Authorization", mocktest.Admin)
				r.Header.Set(inA, "a")
				response, err := http.DefaultClient.Do(r)
				if err == nil {
					_ = response.Body.Close()
				}
				failed <- err
			}()
			soon(t, "the query begins again", e.started)
			closed := make(chan error, 1)
			go func() {
				if way == "Close" {
					closed <- server.Config.Close()
					return
				}
				closed <- server.Config.Shutdown(context.WithoutCancel(t.Context()))
			}()
			if err := soon(t, "the server has closed", closed); err != nil {
				t.Error(err)
			}
			soon(t, "the query is given up", e.ended)
			if soon(t, "the request ends", failed) == nil {
				t.Error("a request was answered although its query did not end")
			}
		})
	}
}
