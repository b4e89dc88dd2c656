package proxy_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"svc.example/understudy/contract/replay/proxy"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// recorded is a recording in memory.
type recorded struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *recorded) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(b)
}

// exchanges returns what is recorded so far.
func (r *recorded) exchanges(t *testing.T) (list []recording.Exchange) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for line := range bytes.Lines(r.text.Bytes()) {
		var e recording.Exchange
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		list = append(list, e)
	}
	return list
}

// only returns the one exchange that is recorded.
func (r *recorded) only(t *testing.T) recording.Exchange {
	t.Helper()
	list := r.exchanges(t)
	if len(list) != 1 {
		t.Fatalf("%d exchanges are recorded, want 1: %+v", len(list), list)
	}
	return list[0]
}

// standIn is a service of the tests' own, with a proxy before it.
type standIn struct {
	service *httptest.Server
	proxy   *proxy.Proxy
	front   *httptest.Server
	record  *recorded
}

// stand starts a service and a proxy before its workflow interface.
func stand(t *testing.T, service http.HandlerFunc, change ...func(*proxy.Config)) *standIn {
	t.Helper()
	back := httptest.NewServer(service)
	t.Cleanup(back.Close)
	return before(t, back, change...)
}

// before starts a proxy before a service.
func before(t *testing.T, back *httptest.Server, change ...func(*proxy.Config)) *standIn {
	t.Helper()
	s := &standIn{service: back, record: &recorded{}}
	c := proxy.Config{Targets: map[specs.Interface]string{specs.Workflow: back.URL}, Recording: s.record}
	for _, change := range change {
		change(&c)
	}
	var err error
	if s.proxy, err = proxy.New(c); err != nil {
		t.Fatal(err)
	}
	s.front = httptest.NewUnstartedServer(nil)
	s.front.Config = s.proxy.HTTPServer(s.proxy)
	s.front.Start()
	t.Cleanup(func() {
		s.front.Close()
		if err := s.proxy.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// url is an address of the workflow interface behind the proxy.
func (s *standIn) url(path string) string { return s.front.URL + "/workflow" + path }

// plainClient follows no redirects and decodes nothing.
var plainClient = &http.Client{
	Transport:     &http.Transport{DisableCompression: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// got is an answer that a client has got in full.
type got struct {
	status          int
	header, trailer http.Header
	body            string
}

// do sends a request, and reads its answer.
func do(t *testing.T, method, url, body string, header ...string) got {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Add(header[i], header[i+1])
	}
	response, err := plainClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("after %d bytes: %v", len(text), err)
	}
	return got{response.StatusCode, response.Header, response.Trailer, string(text)}
}
