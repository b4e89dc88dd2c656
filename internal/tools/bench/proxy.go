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
func recordingProxy(back *httptest.Server) (*proxy.Proxy, func(), error) {
	file, err := os.CreateTemp("", "understudy-bench-*.ndjson")
	if err != nil {
		return nil, nil, err
	}
	p, err := proxy.New(proxy.Config{
		Targets: map[specs.Interface]string{specs.Workflow: back.URL + "/workflow"}, Recording: file,
	})
	return p, func() {
		_ = p.Close()
		_ = file.Close()
		_ = os.Remove(file.Name())
	}, err
}

// bareProxy is the least that a reverse proxy of the standard library needs to keep up.
func bareProxy(back *httptest.Server) (http.Handler, error) {
	address, err := url.Parse(back.URL)
	return &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(address) },
		Transport: &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true},
	}, err
}

const proxied = "GET /workflow/api/pools HTTP/1.1\r\nHost: localhost\r\nAuthorization: SVC1 1/admin\r\n\r\n"

// proxyCosts compares requests through the proxy, which records them, with those through a bare one, over 16
// connections and over one.
func proxyCosts(ctx context.Context) (string, string, error) {
	back := service()
	defer back.Close()
	p, end, err := recordingProxy(back)
	if err != nil {
		return "", "", err
	}
	defer end()
	handler, err := bareProxy(back)
	if err != nil {
		return "", "", err
	}
	var servers [2]*server
	for i, handler := range []http.Handler{handler, p} {
		if servers[i], err = dial(ctx, handler); err != nil {
			return "", "", err
		}
		defer servers[i].close()
	}
	const rounds, requests = 20, 1600
	var took [2]time.Duration
	var alone [2][]time.Duration
	var n atomic.Int64
	for range rounds {
		for i, server := range servers {
			start := time.Now()
			if err := server.play(requests, &n, func(int64) string { return proxied }); err != nil {
				return "", "", err
			}
			took[i] += time.Since(start)
			for range 50 {
				start = time.Now()
				if _, _, _, err := server.sample(proxied); err != nil {
					return "", "", err
				}
				alone[i] = append(alone[i], time.Since(start))
			}
		}
	}
	perSecond := func(d time.Duration) float64 { return float64(rounds*requests) / d.Seconds() }
	return fmt.Sprintf("%.2f", took[0].Seconds()/took[1].Seconds()),
		fmt.Sprintf("%.0f/s against %.0f/s; one at a time %v against %v", perSecond(took[1]), perSecond(took[0]),
			median(alone[1]).Round(time.Microsecond), median(alone[0]).Round(time.Microsecond)), nil
}

func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}

// proxyDownload returns the memory that a large download through the proxy takes, with the service and the client in
// the same process.
func proxyDownload(ctx context.Context) (string, string, error) {
	const size = 2 << 30
	return proxyMemory(ctx, func(server *server) (string, error) {
		start := time.Now()
		_, err := io.WriteString(server.conns[0], "GET /workflow/api/files HTTP/1.1\r\nHost: localhost\r\n"+
			fmt.Sprintf("X-Size: %d\r\n\r\n", int64(size)))
		if err == nil {
			err = skipAnswer(server.read[0])
		}
		return fmt.Sprintf("%.0f MiB/s", size/time.Since(start).Seconds()/(1<<20)), err
	})
}

// proxyRequests returns the memory that so many requests take.
func proxyRequests(requests int) func(context.Context) (string, string, error) {
	return func(ctx context.Context) (string, string, error) {
		return proxyMemory(ctx, func(server *server) (string, error) {
			start := time.Now()
			var n atomic.Int64
			err := server.play(requests, &n, func(int64) string { return proxied })
			return fmt.Sprintf("%d requests, %.0f/s", requests, float64(requests)/time.Since(start).Seconds()), err
		})
	}
}

// proxyMemory returns the most memory that the heap takes while something goes through a proxy.
func proxyMemory(ctx context.Context, use func(*server) (string, error)) (string, string, error) {
	back := service()
	defer back.Close()
	p, end, err := recordingProxy(back)
	if err != nil {
		return "", "", err
	}
	defer end()
	server, err := dial(ctx, p)
	if err != nil {
		return "", "", err
	}
	defer server.close()
	if _, _, _, err := server.sample(proxied); err != nil { // documents are loaded
		return "", "", err
	}
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
	seen, err := use(server)
	close(stop)
	watching.Wait()
	return fmt.Sprintf("%.1f MiB", (float64(most)-float64(before.HeapAlloc))/(1<<20)), seen, err
}
