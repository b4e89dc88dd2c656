package fault_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// limited makes a server whose scenario has limits: and the database shop.
func limited(t *testing.T, limits string, opts ...mockserver.Option) *mockserver.Server {
	t.Helper()
	folder := t.TempDir()
	file := filepath.Join(folder, "limited", "scenario.yaml")
	text := "description: Limits.\nnow: 2026-01-15T09:30:00Z\nseed: 1\ncore: {databases: [{name: shop}]}\n" +
		"account: {limits: " + limits + "}\n"
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	opts = append([]mockserver.Option{mockserver.WithScenarios(folder), mockserver.WithScenario("limited")}, opts...)
	return mocktest.NewServer(t, opts...)
}

const issueTrino = "/core/v3/job/issue/trino/shop"

// Requests beyond the limit are answered in the form of their interface, until the world's clock has moved on.
func TestRequestsPerSecond(t *testing.T) {
	t.Parallel()
	const message = "the account may send 2 requests per second"
	for name, c := range map[string]struct{ method, target, body, want string }{
		"ingestion": {"POST", "/ingestion/postback/v3/event/shop/orders", `{"a":1}`, `{}`},
		"audience":  {"GET", "/audience/audiences/1/segments", "", `{"code":"429","message":"` + message + `"}`},
		"dwh": {"GET", "/dwh/v1/dwh/", "", `{"error":{"code":429,"detail":{},"message":"` + message +
			`","title":"Too Many Requests"}}`},
		"core": {"GET", "/core/v3/database/list", "", `{"error":"` + message + `","message":"` + message + `","text":"` +
			message + `","severity":"error","status_code":429}`},
		"llm":      {"GET", "/llm/api/agents", "", `{"status":"429","error":"` + message + `"}`},
		"workflow": {"GET", "/workflow/api/pools", "", `{"message":"` + message + `","status":429}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := limited(t, "{requestsPerSecond: 2}")
			send := func() mocktest.Answer { return mocktest.Call(t, s, c.method, c.target, c.body) }
			for range 2 {
				if a := send(); a.Status == 429 {
					t.Fatalf("refused at once: %s", a.Body)
				}
			}
			refused := send().Want(429)
			if got := strings.TrimSpace(refused.Body); got != c.want || refused.Header.Get("Retry-After") != "1" {
				t.Errorf("%s, Retry-After %q; want %s, 1", got, refused.Header.Get("Retry-After"), c.want)
			}
			s.World("").Advance(time.Second)
			if a := send(); a.Status == 429 {
				t.Errorf("refused after the time to wait: %s", a.Body)
			}
		})
	}
	t.Run("are counted for each world by itself, and anew after a reset", func(t *testing.T) {
		t.Parallel()
		s := limited(t, "{requestsPerSecond: 1}")
		fork := s.World("").Fork()
		statuses := ""
		for _, world := range []string{"default", fork.ID(), "default"} {
			statuses += fmt.Sprint(" ",
				mocktest.Call(t, s, "GET", "/workflow/api/pools", "", "X-Understudy-World", world).Status)
		}
		s.World("").Reset()
		if statuses += fmt.Sprint(" ", mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Status); statuses != " 200 200 429 200" {
			t.Errorf("statuses%s, want 200 200 429 200", statuses)
		}
	})
	t.Run("are not counted if the key is unknown", func(t *testing.T) {
		t.Parallel()
		s := limited(t, "{requestsPerSecond: 1}")
		for range 3 {
			mocktest.Call(t, s, "GET", "/workflow/api/pools", "", "Authorization", "SVC1 9/none").Want(401)
		}
		mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)
	})
	t.Run("are counted once if the mock delivers them twice", func(t *testing.T) {
		t.Parallel()
		s := limited(t, "{requestsPerSecond: 2}")
		mocktest.Plan(t, s.World(""), "ingestion.* effect=twice")
		for _, want := range []string{"effect=twice", "effect=twice", "effect=none"} {
			got := mocktest.Call(t, s, "POST", "/ingestion/postback/v3/event/shop/orders", `{"a":1}`).Header.Get("X-Understudy-Fault")
			if !strings.HasSuffix(got, want) {
				t.Errorf("the fault is %s, want %s", got, want)
			}
		}
	})
	t.Run("under an auto clock a retry succeeds at once", func(t *testing.T) {
		t.Parallel()
		s := limited(t, "{requestsPerSecond: 1}", mockserver.WithClock("auto"))
		for _, status := range []int{200, 429, 200, 429, 200} {
			mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(status)
		}
	})
}

func TestConcurrentQueries(t *testing.T) {
	t.Parallel()
	const query = `{"query":"SELECT 1"}`
	t.Run("beyond the limit are refused until a job has ended", func(t *testing.T) {
		t.Parallel()
		s := limited(t, "{concurrentQueries: 2}")
		mocktest.Call(t, s, "POST", issueTrino, query).Want(200)
		s.World("").Advance(2 * time.Second)
		mocktest.Call(t, s, "POST", issueTrino, query).Want(200)
		refused := mocktest.Call(t, s, "POST", issueTrino, query).Want(429)
		const want = "the account may have 2 jobs queued or running at a time, and has 2"
		if got := jsontree.Find(refused.Body, "message").Text(); got != want || refused.Header.Get("Retry-After") != "3" {
			t.Errorf("%q, Retry-After %q; want %q, 3", got, refused.Header.Get("Retry-After"), want)
		}
		mocktest.Call(t, s, "GET", "/core/v3/job/list", "").Want(200)
		s.World("").Advance(3 * time.Second)
		mocktest.Call(t, s, "POST", issueTrino, query).Want(200)
		mocktest.Call(t, s, "POST", issueTrino, query).Want(429)
	})
	t.Run("under an auto clock a retry succeeds at once", func(t *testing.T) {
		t.Parallel()
		s := limited(t, "{concurrentQueries: 1}", mockserver.WithClock("auto"))
		for _, status := range []int{200, 429, 200} {
			mocktest.Call(t, s, "POST", issueTrino, query).Want(status)
		}
	})
	t.Run("are never exceeded, however many are issued at once", func(t *testing.T) {
		t.Parallel()
		s := limited(t, "{concurrentQueries: 3}")
		var issued atomic.Int64
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if a := mocktest.Call(t, s, "POST", issueTrino, query); a.Status == 200 {
					issued.Add(1)
				}
			})
		}
		if all.Wait(); issued.Load() != 3 {
			t.Errorf("%d jobs were issued, want 3", issued.Load())
		}
	})
	t.Run("stay limited in what is dumped and loaded", func(t *testing.T) {
		t.Parallel()
		s := limited(t, "{concurrentQueries: 1}")
		dump := mocktest.Call(t, s, "GET", "/_understudy/worlds/default/state", "").Want(200)
		mocktest.Call(t, s, "POST", "/_understudy/worlds", `{"id":"w","scenario":"empty"}`).Want(201)
		mocktest.Call(t, s, "PUT", "/_understudy/worlds/w/state", dump.Body).Want(200)
		for _, status := range []int{200, 429} {
			mocktest.Call(t, s, "POST", issueTrino, query, "X-Understudy-World", "w").Want(status)
		}
	})
}

func TestWrongLimits(t *testing.T) {
	t.Parallel()
	for limits, want := range map[string]string{
		"{requestsPerSecond: 0}":   "scenario.yaml:5: account.limits.requestsPerSecond: ",
		"{concurrentQueries: two}": "scenario.yaml:5: account.limits.concurrentQueries: ",
		"{requestsPerMinute: 9}":   "requestsPerMinute",
	} {
		folder := t.TempDir()
		text := "description: Limits.\nnow: 2026-01-15T09:30:00Z\nseed: 1\naccount:\n  limits: " + limits + "\n"
		if err := os.Mkdir(filepath.Join(folder, "x"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "x", "scenario.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := mockserver.New(mockserver.WithScenarios(folder), mockserver.WithScenario("x"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", limits, err, want)
		}
	}
}
