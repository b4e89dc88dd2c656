package plant_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"svc.example/understudy/contract/replay/proxy"
	"svc.example/understudy/internal/tools/plant"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// standIn is a service of the tests' own, with a proxy before it.
type standIn struct {
	proxy    *proxy.Proxy
	front    *httptest.Server
	client   http.Transport
	recorded bytes.Buffer // a line for each exchange, before its answer ends
}

// stand starts a service, and a proxy before its workflow interface that records so much of each body.
func stand(t *testing.T, limit int64, service http.HandlerFunc) *standIn {
	t.Helper()
	back := httptest.NewServer(service)
	s := &standIn{client: http.Transport{DisableCompression: true}}
	var err error
	s.proxy, err = proxy.New(proxy.Config{
		Targets: map[specs.Interface]string{specs.Workflow: back.URL}, Recording: &s.recorded, BodyLimit: limit,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.front = httptest.NewUnstartedServer(nil)
	s.front.Config = s.proxy.HTTPServer(s.proxy)
	s.front.Start()
	t.Cleanup(func() {
		s.client.CloseIdleConnections()
		s.front.Close()
		back.Close()
		if err := s.proxy.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// send sends a message to the workflow interface, and reads the whole answer.
func (s *standIn) send(t *testing.T, method, path string, m plant.Message) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.front.URL+"/workflow"+path, bytes.NewReader(m.Body))
	if err != nil {
		t.Error(err)
		return
	}
	maps.Copy(r.Header, m.Header)
	answer, err := s.client.RoundTrip(r)
	if err != nil {
		t.Error(err)
		return
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		t.Error(err)
	}
}

// TestNoSecretIsRecorded sends secrets through the proxy, 2,000 unless PLANT says how many. None is in the recording.
func TestNoSecretIsRecorded(t *testing.T) {
	t.Parallel()
	want, _ := strconv.Atoi(os.Getenv("PLANT"))
	if want == 0 {
		want = 2000
	}
	seed, _ := strconv.ParseUint(os.Getenv("SEED"), 10, 64)
	const limit = 3000
	var now *plant.Exchange
	s := stand(t, limit, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		maps.Copy(w.Header(), now.Answer.Header)
		w.WriteHeader(now.Status)
		_, _ = w.Write(now.Answer.Body)
	})
	generator := plant.New(seed, limit)
	planted, leaks := 0, 0
	for planted < want && leaks < 5 {
		now = generator.Next()
		planted += now.Secrets
		s.recorded.Reset()
		s.send(t, now.Method, now.Path, now.Request)
		if left := plant.Find(s.recorded.Bytes()); len(left) > 0 {
			leaks++
			t.Errorf("%s: left is %q", now.Kind, left)
		}
		if bytes.Count(s.recorded.Bytes(), []byte("\n")) != 1 {
			t.Fatalf("%s: recorded is %q", now.Kind, s.recorded.Bytes())
		}
	}
	t.Logf("%d secrets", planted)
}

// TestSmallRequestsPassBesideBombs sends all bombs at once. A small request beside them is answered and recorded as if
// it were alone, what the proxy takes is bounded, and so is how long a bomb waits.
func TestSmallRequestsPassBesideBombs(t *testing.T) { //nolint:paralleltest // it measures memory and time
	const small, wait, all, memory = 10, 5 * time.Second, 2 * time.Minute, 768 << 20
	bombs := map[string]plant.Bomb{}
	for _, bomb := range plant.Bombs() {
		bombs["/api/"+bomb.Name] = bomb
	}
	s := stand(t, 0, func(w http.ResponseWriter, r *http.Request) {
		if bomb, ok := bombs[r.URL.Path]; ok {
			maps.Copy(w.Header(), bomb.Header)
			_, _ = w.Write(bomb.Body)
			return
		}
		_, _ = io.WriteString(w, `{"name":"nightly","password":"geheim"}`)
	})
	most := highestHeap(t)
	var under sync.WaitGroup
	begin := time.Now()
	for path := range bombs {
		under.Go(func() { s.send(t, "GET", path, plant.Message{}) })
	}
	for range small {
		asked := time.Now()
		s.send(t, "GET", "/api/pools", plant.Message{})
		if took := time.Since(asked); took > wait {
			t.Errorf("a small request took %v", took)
		}
		time.Sleep(20 * time.Millisecond)
	}
	under.Wait()
	if took := time.Since(begin); took > all || most() > memory {
		t.Errorf("all took %v and %d MiB", took, most()>>20)
	}
	whole := 0
	for line := range bytes.Lines(s.recorded.Bytes()) {
		var e recording.Exchange
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if strings.HasSuffix(e.Request.URL, "/api/pools") && strings.HasPrefix(string(e.Response.Body.Bytes),
			`{"name":"nightly"`) {
			whole++
		}
	}
	if health := s.proxy.Health(); health.Recorded != int64(len(bombs)+small) || health.Unrecorded != 0 || whole != small {
		t.Errorf("recorded are %+v, %d small answers", health, whole)
	}
}

// highestHeap watches the heap, and returns a function that returns how large it was at most.
func highestHeap(t *testing.T) func() uint64 {
	t.Helper()
	var mu sync.Mutex
	var most uint64
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop) })
	go func() {
		for {
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			mu.Lock()
			most = max(most, now.HeapAlloc)
			mu.Unlock()
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func() uint64 {
		mu.Lock()
		defer mu.Unlock()
		return most
	}
}
