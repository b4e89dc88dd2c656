package proxy_test

import (
	"io"
	"maps"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"svc.example/understudy/contract/replay/proxy"
	"svc.example/understudy/internal/plant"
)

// TestSmallRequestsPassBesideBombs sends all bombs at once. A small request beside them is answered and recorded as if
// it were alone, what the proxy takes is bounded, and so is how long a bomb waits.
func TestSmallRequestsPassBesideBombs(t *testing.T) { //nolint:paralleltest // it measures memory and time
	const small, wait, all, memory = 10, 5 * time.Second, 2 * time.Minute, 768 << 20
	bombs := map[string]plant.Bomb{}
	for _, bomb := range plant.Bombs() {
		bombs["/api/"+bomb.Name] = bomb
	}
	s := stand(t, func(w http.ResponseWriter, r *http.Request) {
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
		under.Go(func() { do(t, "GET", s.url(path), "") })
	}
	for range small {
		asked := time.Now()
		do(t, "GET", s.url("/api/pools"), "")
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
	for _, e := range s.record.exchanges(t) {
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

// A body that is left out, since it would take too long to search, is marked as such, and nothing of it stays.
func TestBodiesThatAreTooDearAreLeftOut(t *testing.T) {
	t.Parallel()
	text := strings.Repeat(`{"password":"geheim"},`, 700_000)
	s := stand(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(plant.Compress("gzip", []byte("["+strings.Repeat(`"\u0061",`, 1<<20)+text)))
	}, func(c *proxy.Config) { c.BodyLimit = 4 << 20 })
	do(t, "GET", s.url("/api/pools"), "")
	e := s.record.only(t)
	body := e.Response.Body
	if !body.Truncated || body.Size == 0 || strings.Contains(string(body.Bytes), "geheim") {
		t.Errorf("recorded are %d bytes, %+v", len(body.Bytes), e.Notes)
	}
}
