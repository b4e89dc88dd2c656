package proxy_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"svc.example/understudy/contract/replay/proxy"
	"svc.example/understudy/specs"
)

func TestExchangeIsPassedOnAndRecorded(t *testing.T) {
	t.Parallel()
	var asked *http.Request
	var body string
	s := stand(t, func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		asked, body = r, string(text)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"id":"4","name":"nightly"}`)
	})
	const key = "SVC1 1/0123456789abcdef"
	answer := do(t, "POST", s.url("/api/pools?a=1&b=%zz;"), `{"name":"nightly"}`, "Authorization", key,
		"Content-Type", "application/json", "X-Forwarded-For", "10.0.0.1")
	if answer.status != 201 || answer.body != `{"id":"4","name":"nightly"}` {
		t.Errorf("the client got %+v", answer)
	}
	if asked.RequestURI != "/api/pools?a=1&b=%zz;" || body != `{"name":"nightly"}` ||
		"http://"+asked.Host != s.service.URL || asked.Header.Get("Authorization") != key ||
		asked.Header.Get("X-Forwarded-For") != "10.0.0.1" {
		t.Errorf("the service got %s %s %v %s", asked.RequestURI, asked.Host, asked.Header, body)
	}
	e := s.record.only(t)
	if e.Seq != 1 || e.Operation != "workflow.createPool" || e.Request.URL != s.service.URL+"/api/pools?a=1&b=%zz;" ||
		string(e.Request.Body.Bytes) != `{"name":"nightly"}` || string(e.Response.Body.Bytes) != answer.body ||
		e.Response.Body.Truncated || strings.Contains(e.Request.Headers.Value("Authorization"), "0123456789") ||
		e.Start.IsZero() || e.End.Before(e.Start) {
		t.Errorf("recorded is %+v", e)
	}
}

// An event is there as soon as the service has sent it, and the end when the exchange is recorded.
func TestEventsPassOneByOne(t *testing.T) {
	t.Parallel()
	next := make(chan struct{})
	s := stand(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, event := range []string{"one", "two", "three"} {
			_, _ = io.WriteString(w, "data: "+event+"\n\n")
			_ = http.NewResponseController(w).Flush()
			<-next
		}
	})
	request, err := http.NewRequestWithContext(t.Context(), "GET", s.url("/api/chats/1/stream"), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := plainClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	lines := bufio.NewReader(response.Body)
	for _, event := range []string{"one", "two", "three"} {
		if line, err := lines.ReadString('\n'); line != "data: "+event+"\n" || err != nil {
			t.Fatalf("got %q, %v; want the event %s", line, err, event)
		}
		_, _ = lines.ReadString('\n')
		if len(s.record.exchanges(t)) != 0 {
			t.Error("the exchange is recorded before its end")
		}
		next <- struct{}{}
	}
	if _, err := lines.ReadByte(); err != io.EOF {
		t.Errorf("want the end, not %v", err)
	}
	if e := s.record.only(t); string(e.Response.Body.Bytes) != "data: one\n\ndata: two\n\ndata: three\n\n" {
		t.Errorf("recorded is %q", e.Response.Body.Bytes)
	}
}

func TestProblemsOfTheServiceAreNotItsAnswers(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(nil)
	closed.Close()
	reset := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		c, _, _ := http.NewResponseController(w).Hijack()
		_ = c.Close()
	}))
	t.Cleanup(reset.Close)
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(slow.Close)
	secure := httptest.NewTLSServer(nil)
	t.Cleanup(secure.Close)
	for name, tt := range map[string]struct {
		target string
		status int
	}{
		"refused": {closed.URL, 502},
		"reset":   {reset.URL, 502},
		"timeout": {slow.URL, 504},
		"tls":     {secure.URL, 502},
		"dns":     {"http://no-such-host.invalid", 502},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := stand(t, nil, func(c *proxy.Config) {
				c.Targets[specs.Workflow], c.AnswerTimeout = tt.target, 50e6
			})
			answer := do(t, "GET", s.url("/api/pools"), "")
			if answer.status != tt.status || answer.header.Get("X-Understudy-Error") != name {
				t.Errorf("the client got %+v, want %d %s", answer, tt.status, name)
			}
			if e := s.record.only(t); e.Response != nil || len(e.Notes) != 1 {
				t.Errorf("recorded is %+v", e)
			}
		})
	}
}

func TestHealthAndRefusals(t *testing.T) {
	t.Parallel()
	s := stand(t, func(http.ResponseWriter, *http.Request) {})
	for path, want := range map[string]string{
		"/_understudy/health": `200 `, "/core/v3/job/list": "502 no-target", "/nowhere": "404 no-interface",
		"/_understudy/worlds": "404 no-control",
	} {
		answer := do(t, "GET", s.front.URL+path, "")
		if got := fmt.Sprint(answer.status, " ", answer.header.Get("X-Understudy-Error")); got != want {
			t.Errorf("%s: %s, want %s: %s", path, got, want, answer.body)
		}
	}
}

func TestAnswerIsRecordedBeforeItsEndIsPassedOn(t *testing.T) {
	t.Parallel()
	for name, service := range map[string]http.HandlerFunc{
		"with a length": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "10")
			_, _ = io.WriteString(w, "0123456789")
		},
		"in chunks": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "01234")
			_ = http.NewResponseController(w).Flush()
			_, _ = io.WriteString(w, "56789")
		},
		"without a body": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stuck := &stuckWriter{come: make(chan struct{}), let: make(chan struct{})}
			s := stand(t, service, func(c *proxy.Config) { c.Recording = stuck })
			ended := make(chan struct{})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				defer close(ended)
				request, _ := http.NewRequestWithContext(ctx, "GET", s.url("/api/pools"), http.NoBody)
				response, err := plainClient.Do(request)
				if err != nil {
					return
				}
				defer response.Body.Close()
				_, _ = io.ReadAll(response.Body)
			}()
			<-stuck.come
			select {
			case <-ended:
				t.Error("the client has all of the answer before it is recorded")
			default:
			}
			close(stuck.let)
			<-ended
		})
	}
}

// stuckWriter takes nothing before it is let go, and signals when the first line comes.
type stuckWriter struct {
	once      sync.Once
	come, let chan struct{}
}

func (w *stuckWriter) Write(b []byte) (int, error) {
	w.once.Do(func() { close(w.come) })
	<-w.let
	return len(b), nil
}

// A client sees that an answer broke off, whether or not the proxy records.
func TestAnswersThatBreakOffWithoutARecording(t *testing.T) {
	t.Parallel()
	s := stand(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "abc")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}, func(c *proxy.Config) { c.Recording, c.Log = nil, slog.New(slog.NewTextHandler(t.Output(), nil)) })
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1/workflow/api/pools", http.NoBody)
	w := httptest.NewRecorder()
	s.proxy.ServeHTTP(w, r)
	if w.Body.String() != "abc" {
		t.Errorf("got %q", w.Body)
	}
}
