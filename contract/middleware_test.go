package contract_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/specs/recording"
)

// served returns the recording of one request to a handler, and the response.
func served(t *testing.T, method, body string, handler http.HandlerFunc) (*recording.Exchange, *http.Response) {
	t.Helper()
	recorder := contract.NewRecorder(nil)
	server := httptest.NewServer(recorder.Handler(handler))
	server.Config.ErrorLog = nil
	defer server.Close()
	request, err := http.NewRequestWithContext(t.Context(), method, server.URL+"/workflow/api/pools?a=1",
		strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "SVC1 1/geheim")
	response, err := server.Client().Do(request)
	if err == nil {
		t.Cleanup(func() { _ = response.Body.Close() })
		_, _ = io.Copy(io.Discard, response.Body)
	}
	var list []*recording.Exchange
	for deadline := time.Now().Add(10 * time.Second); len(list) == 0 && time.Now().Before(deadline); {
		list = recorder.Exchanges() // the handler returns a moment after the client has its answer
	}
	if len(list) != 1 {
		t.Fatalf("%d exchanges, want 1", len(list))
	}
	if e := list[0]; e.Request.URL != server.URL+"/workflow/api/pools?a=1" || strings.Contains(fmt.Sprint(e), "geheim") {
		t.Errorf("exchange %+v", e)
	}
	return list[0], response
}

func TestHandlerRecordsWhatIsServed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		method, body string
		handler      http.HandlerFunc
		request      *recording.Body
		want         *recording.Response // of its headers only the Content-Type
	}{
		"an answer with a status": {
			"POST", `{"a":1}`, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusCreated)
				_, _ = io.WriteString(w, "{")
				_, _ = io.WriteString(w, "}")
				w.Header().Set("X-Late", "is not sent")
			},
			&recording.Body{Bytes: []byte(`{"a":1}`)},
			&recording.Response{
				Status: 201, Headers: recording.Headers{{"Content-Type", "application/json"}},
				Body: &recording.Body{Bytes: []byte("{}")},
			},
		},
		"a Content-Type that the server guesses": {
			"GET", "", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") }, nil,
			&recording.Response{
				Status: 200, Headers: recording.Headers{{"Content-Type", "text/html; charset=utf-8"}},
				Body: &recording.Body{Bytes: []byte("<html>")},
			},
		},
		"a handler that does nothing": {
			"GET", "", func(http.ResponseWriter, *http.Request) {}, nil,
			&recording.Response{Status: 200, Headers: recording.Headers{}, Body: &recording.Body{}},
		},
		"a body that is copied from a reader": {
			"GET", "", func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.(io.ReaderFrom).ReadFrom(strings.NewReader("plain"))
			}, nil,
			&recording.Response{
				Status: 200, Headers: recording.Headers{{"Content-Type", "text/plain; charset=utf-8"}},
				Body: &recording.Body{Bytes: []byte("plain")},
			},
		},
		"early hints, and then an answer": {
			"GET", "", func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusEarlyHints)
				w.WriteHeader(http.StatusNoContent)
			}, nil,
			&recording.Response{Status: 204, Headers: recording.Headers{}, Body: &recording.Body{}},
		},
		"HEAD has no body": {
			"HEAD", "", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, "{}")
			}, nil,
			&recording.Response{Status: 200, Headers: recording.Headers{{"Content-Type", "application/json"}}},
		},
		"a request that nobody reads": {
			"POST", "unread", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) },
			&recording.Body{Truncated: true},
			&recording.Response{Status: 418, Headers: recording.Headers{}, Body: &recording.Body{}},
		},
		"a connection that is taken over": {
			"GET", "", func(w http.ResponseWriter, _ *http.Request) {
				conn, _, _ := w.(http.Hijacker).Hijack()
				_ = conn.Close()
			}, nil, nil,
		},
		"a panic": {
			"GET", "", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, nil, nil,
		},
		"a panic halfway": {
			"GET", "", func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, "half")
				panic(http.ErrAbortHandler)
			}, nil,
			&recording.Response{
				Status: 200, Headers: recording.Headers{}, Body: &recording.Body{Bytes: []byte("half"), Truncated: true},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, _ := served(t, tt.method, tt.body, tt.handler) //nolint:bodyclose // served does
			if diff := cmp.Diff(tt.request, e.Request.Body); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.want, e.Response); diff != "" {
				t.Errorf("response (-want +got):\n%s", diff)
			}
			if e.Start.IsZero() || e.End.Before(e.Start) {
				t.Errorf("from %v to %v", e.Start, e.End)
			}
		})
	}
}

func TestHandlerKeepsStreamsStreams(t *testing.T) {
	t.Parallel()
	recorder := contract.NewRecorder(nil)
	next := make(chan string)
	server := httptest.NewServer(recorder.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for text := range next {
			_, _ = io.WriteString(w, text+"\n")
			w.(http.Flusher).Flush()
		}
	})))
	defer server.Close()
	defer close(next)
	go func() { next <- "one" }()
	lines := bufio.NewScanner(get(t, server.Client(), server.URL).Body) //nolint:bodyclose // get does
	for _, text := range []string{"one", "two"} {
		if text == "two" {
			next <- text
		}
		if !lines.Scan() || lines.Text() != text {
			t.Fatalf("read %q, %v", lines.Text(), lines.Err())
		}
	}
}

func TestAssertConformsOfAServer(t *testing.T) {
	t.Parallel()
	recorder := contract.NewRecorder(nil)
	server := httptest.NewServer(recorder.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"pools":[{"id":7}]}`)
	})))
	defer server.Close()
	_, _ = io.Copy(io.Discard, get(t, server.Client(), server.URL+"/workflow/api/pools").Body) //nolint:bodyclose // get does
	server.Close()
	f := &failing{TB: t}
	contract.AssertConforms(f, recorder)
	if !strings.Contains(f.said.String(), "/response/body/pools/0/id") {
		t.Errorf("said %s", f.said.String())
	}
}
