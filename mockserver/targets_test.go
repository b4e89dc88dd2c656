package mockserver_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// realService stands in for the real service, and notes what it is asked.
type realService struct {
	*httptest.Server
	mu    sync.Mutex
	asked []*http.Request
	sent  []string // bodies
}

func newRealService(t *testing.T, answer http.HandlerFunc) *realService {
	t.Helper()
	s := &realService{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.asked, s.sent = append(s.asked, r), append(s.sent, string(body))
		s.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// requests returns the requests that came, with their bodies.
func (s *realService) requests() ([]*http.Request, []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked), slices.Clone(s.sent)
}

func answerPools(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Location", "/gw/api/pools/7")
	w.Header().Set("Content-Length", "13")
	_, _ = io.WriteString(w, `{"real":true}`)
}

func TestAnInterfaceIsPassedOn(t *testing.T) {
	t.Parallel()
	service := newRealService(t, answerPools)
	var text bytes.Buffer
	s := mocktest.NewServer(t, mockserver.WithTarget(specs.Workflow, service.URL+"/gw/"), mockserver.WithRecording(&text))
	got := mocktest.Call(t, s, "POST", "/workflow/api/pools?a=%2F&b=+", `{"name":"x","password":"geheim"}`, "X-Understudy-World", "default",
		"X-Understudy-Token", "t", "X-Forwarded-For", "10.0.0.1", "X-Client", "c", "Connection", "X-Hop", "X-Hop", "1",
		"Accept-Encoding", "br, gzip;q=0.5", "Authorization", "SVC1 1/staging-secret")
	got.Want(200)
	if got.Body != `{"real":true}` || got.Header.Get("Location") != "/workflow/api/pools/7" ||
		got.Header.Get("X-Understudy-Exchange") != "1" {
		t.Errorf("the client got %s, %v", got.Body, got.Header)
	}
	requests, bodies := service.requests()
	r := requests[0]
	want := http.Header{
		"Authorization": {"SVC1 1/staging-secret"}, "Content-Type": {"application/json"}, "X-Forwarded-For": {"10.0.0.1"},
		"X-Client": {"c"}, "Accept-Encoding": {"gzip"}, "Content-Length": {"32"},
	}
	id := r.Header.Get("X-Understudy-Proxy")
	r.Header.Del("X-Understudy-Proxy")
	if diff := cmp.Diff(want, r.Header); diff != "" || id == "" {
		t.Errorf("the service got headers (-want +got), loop header %q:\n%s", id, diff)
	}
	if r.RequestURI != "/gw/api/pools?a=%2F&b=+" || r.Host != strings.TrimPrefix(service.URL, "http://") ||
		bodies[0] != `{"name":"x","password":"geheim"}` {
		t.Errorf("the service got %s at %s with %s", r.RequestURI, r.Host, bodies[0])
	}
	e := mocktest.LastExchange(t, s)
	if e.Operation != "workflow.createPool" || e.Response.Status != 200 || string(e.Response.Body.Bytes) != `{"real":true}` ||
		e.Response.Headers.Value("Location") != "/workflow/api/pools/7" || s.World("").Calls("workflow.createPool", 200) != 1 {
		t.Errorf("the journal has %+v", e)
	}
	if all := text.String() + fmt.Sprintf("%+v %s", e, e.Request.Body.Bytes); strings.Contains(all, "geheim") ||
		strings.Contains(all, "staging-secret") || strings.Count(text.String(), "\n") != 1 {
		t.Errorf("recorded is %s", all)
	}
	mocktest.Call(t, s, "GET", "/core/v3/database/list", "").Want(200) // which the mock answers
	mocktest.Call(t, s, "GET", mocktest.OnePool, "", "X-Understudy-Target", "mock").Want(200)
	if after, _ := service.requests(); len(after) != 1 || s.Target(specs.Workflow) != service.URL+"/gw" || s.Target(specs.Core) != "" {
		t.Errorf("the service got %d requests; it is at %q", len(after), s.Target(specs.Workflow))
	}
}

// Whatever the mock would refuse, add or know better goes to the service, and comes back as it is.
func TestWhatPassesIsNotJudgedOnTheWay(t *testing.T) {
	t.Parallel()
	service := newRealService(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "<")
	})
	s := mocktest.NewServer(t, mockserver.WithTarget(specs.Core, service.URL),
		mockserver.WithTarget(specs.Ingestion, service.URL),
		mockserver.WithBaseURL(specs.Core, "https://core.example/base"))
	for _, request := range [][]string{
		{"GET", "/core/v3/database/list", "/v3/database/list"},
		{"POST", "/core/v3/no/such", "/v3/no/such"},
		{"GET", "/core/other", "/other"},
		{"PROPFIND", "http://core.localhost/v3/x", "/v3/x"},
		{"GET", "https://core.example/base/database/list", "/v3/database/list"},
		{"OPTIONS", "/ingestion/x", "/x"},
		{"GET", "/_worlds/default/core/v3//job/list", "/v3//job/list"},
	} {
		got := mocktest.Call(t, s, request[0], request[1], "", "Authorization", "", "Prefer", "code=200",
			"Origin", "https://a.example", "Access-Control-Request-Method", "POST")
		requests, _ := service.requests()
		asked := requests[len(requests)-1]
		if got.Status != 418 || got.Body != "<" || got.Header.Get("Content-Type") != "" ||
			asked.RequestURI != request[2] || asked.Method != request[0] || asked.Header.Get("Prefer") != "code=200" {
			t.Errorf("%v: the client got %d %v, the service %s %s", request, got.Status, got.Header, asked.Method,
				asked.RequestURI)
		}
	}
	if journal, err := s.World("").Journal(); len(journal) != 7 || journal[0].Operation != "core.listDatabases" || err != nil {
		t.Errorf("the journal has %d exchanges, error %v", len(journal), err)
	}
}

func TestFaultsAndStubsComeBeforeTheTarget(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		fault  string
		status int
		body   string // of the answer; empty: any
		asked  int    // how often the service is
		effect string
	}{
		"an answer in the place of the service's": {"workflow.createPool status=503", 503, "", 0, "answer=injected; effect=none"},
		"an answer after the service has acted":   {"workflow.createPool status=503 effect=once", 503, "", 1, "answer=injected; effect=once"},
		"a request that is delivered twice":       {"workflow.createPool effect=twice", 200, `{"real":true}`, 2, "effect=twice"},
		"an answer that is late":                  {"workflow.createPool delay=1ms", 200, `{"real":true}`, 1, "effect=once"},
		"a call that the fault is not for":        {"workflow.getPool status=503", 200, `{"real":true}`, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := fixtures.ParseFault(tt.fault)
			if err != nil {
				t.Fatal(err)
			}
			service := newRealService(t, answerPools)
			s := mocktest.NewServer(t, mockserver.WithTarget(specs.Workflow, service.URL), mockserver.WithFaults(f))
			got := mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"name":"x"}`)
			_, bodies := service.requests()
			if got.Status != tt.status || len(bodies) != tt.asked || tt.body != "" && got.Body != tt.body ||
				!strings.HasSuffix(got.Header.Get("X-Understudy-Fault"), tt.effect) {
				t.Errorf("got %d %s %v; the service was asked %d times", got.Status, got.Body, got.Header, len(bodies))
			}
			if slices.ContainsFunc(bodies, func(body string) bool { return body != `{"name":"x"}` }) {
				t.Errorf("the service got %q", bodies)
			}
			if e := mocktest.LastExchange(t, s); e.Response.Status != tt.status || string(e.Request.Body.Bytes) != `{"name":"x"}` {
				t.Errorf("the journal has %+v", e)
			}
		})
	}
	t.Run("a stub, and a fault of the request itself", func(t *testing.T) {
		t.Parallel()
		service := newRealService(t, answerPools)
		s := mocktest.NewServer(t, mockserver.WithTarget(specs.Workflow, service.URL))
		if _, err := s.World("").Stub(fixtures.Fault{
			Calls: fixtures.Calls{
				Operation: "workflow.createPool", Request: fixtures.RequestParts{Body: map[string]any{"name": "x"}},
			}, First: 1, Body: map[string]any{"stub": true},
		}); err != nil {
			t.Fatal(err)
		}
		const path = "/workflow/api/pools"
		bodies := []string{
			mocktest.Call(t, s, "POST", path, `{"name":"x"}`).Body, mocktest.Call(t, s, "POST", path, `{"name":"x"}`).Body,
		}
		injected := mocktest.Call(t, s, "GET", mocktest.OnePool, "", "X-Understudy-Inject", "status=500")
		if asked, _ := service.requests(); !slices.Equal(bodies, []string{`{"stub":true}`, `{"real":true}`}) ||
			injected.Status != 500 || len(asked) != 1 {
			t.Errorf("got %q and %d; the service was asked %d times", bodies, injected.Status, len(asked))
		}
	})
}

// A body that is larger than faults look at goes on whole all the same.
func TestLargeBodiesPass(t *testing.T) {
	t.Parallel()
	for _, size := range []int{10 << 20, 20 << 20} {
		content := strings.Repeat("0123456789abcde\n", size/16)
		var got string
		service := newRealService(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, content) })
		s := mocktest.NewServer(t, mockserver.WithTarget(specs.Workflow, service.URL),
			mockserver.WithFaults(fixtures.Fault{Calls: fixtures.Calls{Operation: "workflow.getPool"}, Status: 500}))
		answer := mocktest.Call(t, s, "POST", "/workflow/api/pools", content)
		if _, bodies := service.requests(); len(bodies) == 1 {
			got = bodies[0]
		}
		if answer.Body != content || got != content {
			t.Errorf("%d bytes came back, and %d arrived", len(answer.Body), len(got))
		}
		e := mocktest.LastExchange(t, s)
		for _, body := range []*recording.Body{e.Request.Body, e.Response.Body} {
			if len(body.Bytes) == 0 || len(body.Bytes) > 1<<20 || !body.Truncated {
				t.Errorf("the journal has %d bytes, truncated: %v", len(body.Bytes), body.Truncated)
			}
		}
	}
}

// Each part of a stream comes when the service sends it.
func TestStreamsPass(t *testing.T) {
	t.Parallel()
	next := make(chan struct{})
	service := newRealService(t, func(w http.ResponseWriter, _ *http.Request) {
		for i := range 3 {
			fmt.Fprintf(w, "part %d\n", i)
			_ = http.NewResponseController(w).Flush()
			<-next
		}
	})
	s := mockserver.Start(t, mockserver.WithTarget(specs.Workflow, service.URL))
	response := getFrom(t, s.URL(specs.Workflow)+"/api/pools")
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for i := range 3 {
		if !lines.Scan() || lines.Text() != fmt.Sprint("part ", i) {
			t.Errorf("got %q, %v", lines.Text(), lines.Err())
		}
		next <- struct{}{}
	}
	if lines.Scan() {
		t.Errorf("got %q", lines.Text())
	}
	if e := mocktest.LastExchange(t, s); string(e.Response.Body.Bytes) != "part 0\npart 1\npart 2\n" || e.Response.Body.Truncated {
		t.Errorf("the journal has %s", e.Response.Body.Bytes)
	}
}

// getFrom asks a server for a page.
func getFrom(t *testing.T, url string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := (&http.Client{Transport: &http.Transport{}}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

// What a service does not answer is answered in the interface's own form of errors, and the next request is tried anew.
func TestTargetsThatDoNotAnswer(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	slow := newRealService(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	secure.Config.ErrorLog = nil
	transport := &http.Transport{ResponseHeaderTimeout: 50 * time.Millisecond}
	for name, tt := range map[string]struct {
		address, kind, message string
		status                 int
	}{
		"down":                      {gone.URL, "refused", " refused the connection", 502},
		"without a name":            {"https://nothing.invalid/gw", "dns", "cannot be resolved", 502},
		"late":                      {slow.URL, "timeout", "did not answer in time", 504},
		"with an unknown authority": {secure.URL, "tls", "unknown authority", 502},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mocktest.NewServer(t, mockserver.WithTarget(specs.Core, tt.address), mockserver.WithTargetTransport(transport))
			for range 2 {
				got := mocktest.Call(t, s, "GET", "/core/v3/database/list", "")
				if got.Status != tt.status || got.Header.Get("X-Understudy-Error") != tt.kind ||
					got.Header.Get("X-Understudy-Exchange") == "" ||
					!strings.Contains(got.Body, `"message":"no answer of `+tt.address) || !strings.Contains(got.Body, tt.message) {
					t.Errorf("got %d %s %v", got.Status, got.Body, got.Header)
				}
			}
			if e := mocktest.LastExchange(t, s); e.Response != nil || len(e.Notes) != 1 || !strings.Contains(e.Notes[0], tt.message) {
				t.Errorf("the journal has %+v", e)
			}
			mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)
			late := mocktest.Call(t, s, "GET", "/core/v3/database/list", "", "X-Understudy-Inject", "effect=once delay=1ms")
			if late.Status != tt.status || late.Header.Get("X-Understudy-Error") != tt.kind {
				t.Errorf("with a fault: got %d %s", late.Status, late.Body)
			}
		})
	}
}

// A client sees that an answer broke off.
func TestAnswersOfTargetsThatBreakOff(t *testing.T) {
	t.Parallel()
	for _, length := range []string{"10", "100000"} { // which is read ahead, or not
		service := newRealService(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", length)
			_, _ = io.WriteString(w, "abc")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		})
		s := mockserver.Start(t, mockserver.WithTarget(specs.Workflow, service.URL))
		for address, client := range map[string]*http.Client{
			s.URL(specs.Workflow): {Transport: &http.Transport{}}, "https://workflow.svc.example": {
				Transport: mockserver.NewTransport(t, mockserver.WithTarget(specs.Workflow, service.URL)),
			},
		} {
			response, err := client.Get(address + "/api/pools") //nolint:noctx // of a test
			if err == nil {
				_, err = io.ReadAll(response.Body)
				response.Body.Close()
			}
			if err == nil {
				t.Errorf("with a length of %s, a client of %s sees no error", length, address)
			}
		}
		if e := mocktest.LastExchange(t, s); !e.Response.Body.Truncated || len(e.Notes) != 1 || !strings.Contains(e.Notes[0], "broke off") {
			t.Errorf("the journal has %+v", e)
		}
	}
}

func TestTargetsThatLeadBack(t *testing.T) {
	t.Parallel()
	var s *mockserver.Server
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.ServeHTTP(w, r) }))
	t.Cleanup(front.Close)
	s = mocktest.NewServer(t, mockserver.WithTarget(specs.Core, front.URL+"/core/v3"))
	got := mocktest.Call(t, s, "GET", "/core/v3/database/list", "")
	if got.Status != http.StatusLoopDetected || !strings.Contains(got.Body, "leads back to this server; want the address of") {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
}

func TestWrongTargets(t *testing.T) {
	t.Parallel()
	for want, option := range map[string]mockserver.Option{
		`target of core: want an absolute http or https address without a query, not "core.example"`: mockserver.WithTarget(specs.Core, "core.example"),
		`not "ftp://core.example"`:           mockserver.WithTarget(specs.Core, "ftp://core.example"),
		"want an address without a user":     mockserver.WithTarget(specs.Core, "https://u:p@core.example"),
		`unknown interface "cor"; want core`: mockserver.WithTarget("cor", "https://core.example"),
	} {
		if _, err := mockserver.New(option); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	s := mocktest.NewServer(t, mockserver.WithInterfaces(specs.Workflow),
		mockserver.WithTarget(specs.Core, "https://core.example"))
	mocktest.Call(t, s, "GET", "/core/v3/database/list", "").Want(404) // it is not served
}

// An interface of a document of the user's own is passed on as any other, and pages that the user lets in may read it.
func TestOwnInterfacesArePassedOn(t *testing.T) {
	t.Parallel()
	service := newRealService(t, answerPools)
	s := ownShop(t, mockserver.WithTarget("shop", service.URL), mockserver.WithCORS(shopPage))
	got := mocktest.Call(t, s, "GET", "/shop/api/pools", "", "Origin", shopPage)
	if got.Body != `{"real":true}` || got.Header.Get("Access-Control-Allow-Origin") != shopPage ||
		!strings.Contains(got.Header.Get("Access-Control-Expose-Headers"), "Location") {
		t.Errorf("got %s %v", got.Body, got.Header)
	}
	if e := mocktest.LastExchange(t, s); !strings.HasPrefix(e.Operation, "shop.") {
		t.Errorf("the journal has %+v", e)
	}
}
