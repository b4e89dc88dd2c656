package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"svc.example/understudy/contract/replay/proxy"
	"svc.example/understudy/internal/tools/must"
	"svc.example/understudy/specs"
)

// service returns the server behind a proxy. It answers with a list, or with as many bytes as it is asked for.
func service() *httptest.Server {
	const list = `{"pools":[{"id":"1","name":"default","concurrencyLimit":14,"default":true},{"id":"2","name":"etl",` +
		`"concurrencyLimit":4,"default":false}]}`
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var size int64
		if _, err := fmt.Sscan(r.Header.Get("X-Size"), &size); err == nil {
			w.Header().Set("Content-Length", fmt.Sprint(size))
			_, _ = io.CopyN(w, zeros{}, size)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, list)
	}))
}

// zeros is an endless body.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// recordingProxy returns a proxy before a service that records to a file.
func recordingProxy(back *httptest.Server) (p *proxy.Proxy, end func()) {
	file := must.Get(os.CreateTemp("", "understudy-bench-*.ndjson"))
	p = must.Get(proxy.New(proxy.Config{
		Targets: map[specs.Interface]string{specs.Workflow: back.URL + "/workflow"}, Recording: file,
	}))
	return p, func() {
		_ = p.Close()
		_ = file.Close()
		_ = os.Remove(file.Name())
	}
}

// bareProxy is the least that a reverse proxy of the standard library needs to keep up.
func bareProxy(back *httptest.Server) http.Handler {
	address := must.Get(url.Parse(back.URL))
	return &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(address) },
		Transport: &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true},
	}
}

const proxied = "GET /workflow/api/pools HTTP/1.1\r\nHost: localhost\r\nAuthorization: SVC1 1/admin\r\n\r\n"

// proxyCosts compares requests through the proxy, which records them, with those through a bare one, over 16
// connections and over one.
func proxyCosts(ctx context.Context) (string, string) {
	back := service()
	defer back.Close()
	p, end := recordingProxy(back)
	defer end()
	var servers [2]*server
	for i, handler := range []http.Handler{bareProxy(back), p} {
		servers[i] = dial(ctx, handler)
		defer servers[i].close()
	}
	const rounds, requests = 20, 1600
	var took [2]time.Duration
	var alone [2][]time.Duration
	var n atomic.Int64
	for range rounds {
		for i, server := range servers {
			start := time.Now()
			server.play(requests, &n, func(int64) string { return proxied })
			took[i] += time.Since(start)
			for range 50 {
				start = time.Now()
				server.sample(proxied)
				alone[i] = append(alone[i], time.Since(start))
			}
		}
	}
	perSecond := func(d time.Duration) float64 { return float64(rounds*requests) / d.Seconds() }
	return fmt.Sprintf("%.2f", took[0].Seconds()/took[1].Seconds()),
		fmt.Sprintf("%.0f/s against %.0f/s; one at a time %v against %v", perSecond(took[1]), perSecond(took[0]),
			median(alone[1]).Round(time.Microsecond), median(alone[0]).Round(time.Microsecond))
}

func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}

// proxyDownload returns the memory that a large download through the proxy takes, with the service and the client in
// the same process.
func proxyDownload(ctx context.Context) (string, string) {
	const size = 2 << 30
	return proxyMemory(ctx, func(server *server) string {
		start := time.Now()
		must.Get(fmt.Fprintf(server.conns[0], "GET /workflow/api/files HTTP/1.1\r\nHost: localhost\r\nX-Size: %d\r\n\r\n",
			int64(size)))
		skipAnswer(server.read[0])
		return fmt.Sprintf("%.0f MiB/s", size/time.Since(start).Seconds()/(1<<20))
	})
}

// proxyRequests returns the memory that so many requests take.
func proxyRequests(requests int) func(context.Context) (string, string) {
	return func(ctx context.Context) (string, string) {
		return proxyMemory(ctx, func(server *server) string {
			start := time.Now()
			var n atomic.Int64
			server.play(requests, &n, func(int64) string { return proxied })
			return fmt.Sprintf("%d requests, %.0f/s", requests, float64(requests)/time.Since(start).Seconds())
		})
	}
}

// proxyMemory returns the most memory that the heap takes while something goes through a proxy.
func proxyMemory(ctx context.Context, use func(*server) string) (string, string) {
	back := service()
	defer back.Close()
	p, end := recordingProxy(back)
	defer end()
	server := dial(ctx, p)
	defer server.close()
	server.sample(proxied) // documents are loaded
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	stop, most := make(chan struct{}), uint64(0)
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			most = max(most, now.HeapAlloc)
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	})
	seen := use(server)
	close(stop)
	watching.Wait()
	return fmt.Sprintf("%.1f MiB", (float64(most)-float64(before.HeapAlloc))/(1<<20)), seen
}
