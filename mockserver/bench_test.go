package mockserver_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// nothing is a ResponseWriter that costs nothing.
type nothing struct{ header http.Header }

func (n nothing) Header() http.Header         { return n.header }
func (n nothing) Write(b []byte) (int, error) { return len(b), nil }
func (n nothing) WriteHeader(int)             {}

func (n nothing) SetWriteDeadline(time.Time) error { return nil }

// counting keeps the status.
type counting struct {
	nothing
	status int
}

func (c *counting) WriteHeader(status int) { c.status = status }

func BenchmarkServe(b *testing.B) {
	for _, path := range []string{"/workflow/api/pools/1", "/workflow/api/attempts", "/workflow/api/attempts/1"} {
		b.Run("GET "+path, func(b *testing.B) {
			s, err := mockserver.New(mockserver.WithScenario("quickstart"), mockserver.WithClock("frozen"))
			if err != nil {
				b.Fatal(err)
			}
			r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, path, nil)
			r.Header.Set("Authorization", mocktest.Admin)
			b.ReportAllocs()
			for b.Loop() {
				s.ServeHTTP(nothing{http.Header{}}, r)
			}
		})
	}
}

// BenchmarkFaults serves with faults planned that match nothing, of other operations, paths, callers and requests.
func BenchmarkFaults(b *testing.B) {
	for name, words := range map[string]string{
		"none": "", "1000 of other operations": "core.issueJob nth=%d status=503",
		"1000 of other paths":   "workflow.getPool path=/api/pools/%d status=503",
		"1000 of other callers": "workflow.getPool caller=1/user-%d status=503",
		"1000 of other users":   "caller=user-%d@shop.example status=503",
		"1000 of other keys":    "workflow.getPool caller=1/%040x status=503",
		"1000 of other headers": "workflow.getPool request.headers.X-Try=%d status=503",
	} {
		b.Run(name, func(b *testing.B) {
			s, err := mockserver.New(mockserver.WithScenario("quickstart"), mockserver.WithClock("frozen"))
			if err != nil {
				b.Fatal(err)
			}
			for i := range 1000 {
				if words == "" {
					break
				}
				f, err := fixtures.ParseFault(fmt.Sprintf(words, i+2))
				if err == nil {
					_, err = s.World("").Fault(f)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/workflow/api/pools/1", nil)
			r.Header.Set("Authorization", mocktest.Admin)
			s.ServeHTTP(nothing{http.Header{}}, r) // the first request after a plan has changed makes an index of it
			b.ReportAllocs()
			for b.Loop() {
				s.ServeHTTP(nothing{http.Header{}}, r)
			}
		})
	}
}

// BenchmarkWrite serves requests that change a world, which is reset now and then. A # in a body stands for the number
// of the request since then.
func BenchmarkWrite(b *testing.B) {
	for _, w := range []struct{ name, method, path, body string }{
		{"create a pool", http.MethodPost, "/workflow/api/pools", `{"name":"pool #","concurrencyLimit":1}`},
		{
			"create a pool rule", http.MethodPost, "/workflow/api/pool_rules", `{"priority":10#,"poolId":"1",` +
				`"conditions":[{"type":"project_name","operator":"starts_with","values":["p"]}]}`,
		},
		{"update a pool", http.MethodPatch, "/workflow/api/pools/2", `{"concurrencyLimit":3}`},
		{
			"start an attempt", http.MethodPut, "/workflow/api/attempts", `{"workflowId":"1","sessionTime":` +
				`"2026-01-15T09:30:00Z","retryAttemptName":"retry #","params":{}}`,
		},
		{"ingest an event", http.MethodPost, "/ingestion/postback/v3/event/shop/page_views", `{"user":"u#","price":1.5}`},
		{"kill a job", http.MethodPost, "/core/v3/job/kill/1", ""},
		{"create a thing of a user's document", http.MethodPost, "/shop/v1/customers", `{"email":"a#@x"}`},
	} {
		b.Run(w.name, func(b *testing.B) {
			s, err := mockserver.New(mockserver.WithClock("frozen"), mockserver.WithSpec("shop", "testdata/orders.yaml"))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			answer := counting{}
			for n := 0; b.Loop(); n++ {
				if n%8 == 0 {
					s.World("").Reset()
				}
				body := strings.ReplaceAll(w.body, "#", strconv.Itoa(n%8))
				r, err := http.NewRequestWithContext(b.Context(), w.method, w.path, strings.NewReader(body))
				if err != nil {
					b.Fatal(err)
				}
				r.Header.Set("Authorization", mocktest.Admin)
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("X-SVC-Write-Key", "1/write")
				answer.header = http.Header{}
				if s.ServeHTTP(&answer, r); answer.status >= 300 {
					b.Fatal(answer.status)
				}
			}
		})
	}
}

func BenchmarkTransport(b *testing.B) {
	client := mockserver.NewTransport(b).Client()
	b.ReportAllocs()
	for b.Loop() {
		r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "https://workflow.svc.example/api/pools/1", nil)
		if err != nil {
			b.Fatal(err)
		}
		r.Header.Set("Authorization", mocktest.Admin)
		response, err := client.Do(r)
		if err != nil {
			b.Fatal(err)
		}
		_ = response.Body.Close()
	}
}

func BenchmarkFork(b *testing.B) {
	s, err := mockserver.New(mockserver.WithClock("frozen"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		_ = s.World("").Fork().Delete()
	}
}

func BenchmarkNewTransport(b *testing.B) {
	for b.Loop() {
		mockserver.NewTransport(b)
	}
}

// BenchmarkRecord serves, and records to a file, for one client after the other and for many at once.
func BenchmarkRecord(b *testing.B) {
	open := func(b *testing.B) *mockserver.Server {
		b.Helper()
		file, err := os.OpenFile(filepath.Join(b.TempDir(), "t.ndjson"), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = file.Close() })
		s, err := mockserver.New(mockserver.WithClock("frozen"), mockserver.WithRecording(file))
		if err != nil {
			b.Fatal(err)
		}
		return s
	}
	request := func(b *testing.B) *http.Request {
		b.Helper()
		r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/workflow/api/pools/1", nil)
		r.Header.Set("Authorization", mocktest.Admin)
		return r
	}
	b.Run("one after the other", func(b *testing.B) {
		s, r := open(b), request(b)
		b.ReportAllocs()
		for b.Loop() {
			s.ServeHTTP(nothing{http.Header{}}, r)
		}
	})
	b.Run("at once", func(b *testing.B) {
		s := open(b)
		b.ReportAllocs()
		b.SetParallelism(16)
		b.RunParallel(func(pb *testing.PB) {
			r := request(b)
			for pb.Next() {
				s.ServeHTTP(nothing{http.Header{}}, r)
			}
		})
	})
}
