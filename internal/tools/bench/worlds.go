package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/internal/tools/must"
	"svc.example/understudy/mockserver"
)

func transport(ctx context.Context) (string, string) {
	result := benchmark(func(b *testing.B) {
		client := mockserver.NewTransport(b, mockserver.WithScenario("empty")).Client()
		for b.Loop() {
			response, err := client.Do(getPoolRequest(ctx))
			must.Do(err)
			_ = response.Body.Close()
		}
	})
	return micros(result), fmt.Sprintf("%d allocations, http.Client included", result.AllocsPerOp())
}

// assertion measures the cost of a test that asserts what it recorded: a checker is made each time.
func assertion(ctx context.Context) (string, string) {
	result := benchmark(func(b *testing.B) {
		recorder := contract.NewRecorder(mockserver.NewTransport(b, mockserver.WithScenario("empty")))
		response, err := recorder.RoundTrip(getPoolRequest(ctx))
		must.Do(err)
		must.Get(io.Copy(io.Discard, response.Body))
		_ = response.Body.Close()
		contract.AssertConforms(b, recorder) // the engines are made once in a process
		for b.Loop() {
			contract.AssertConforms(b, recorder)
		}
	})
	return micros(result), "of one exchange; six documents"
}

// benchmark runs a benchmark, whose first error ends the attempt.
func benchmark(run func(*testing.B)) testing.BenchmarkResult {
	var failure error
	result := testing.Benchmark(func(b *testing.B) { failure = must.Catch(func() { run(b) }) })
	must.Do(failure)
	return result
}

func getPoolRequest(ctx context.Context) *http.Request {
	r := must.Get(http.NewRequestWithContext(ctx, http.MethodGet, "https://workflow.svc.example/api/pools/1", nil))
	r.Header.Set("Authorization", "SVC1 1/admin")
	return r
}

func micros(r testing.BenchmarkResult) string {
	return fmt.Sprintf("%.1f µs", float64(r.NsPerOp())/1e3)
}

// fullScenario is the scenario with something on every interface.
const fullScenario = "full-account"

func fork(context.Context) (string, string) {
	s := must.Get(mockserver.New(mockserver.WithScenario(fullScenario), mockserver.WithClock("frozen")))
	result := benchmark(func(b *testing.B) {
		for b.Loop() {
			_ = s.World("").Fork().Delete()
		}
	})
	reset := benchmark(func(b *testing.B) {
		for b.Loop() {
			s.World("").Reset()
		}
	})
	return micros(result), "a reset takes " + micros(reset)
}

// idleWorld returns the most heap that a world takes which nothing has used yet, under any clock, a fork or not.
func idleWorld(ctx context.Context) (string, string) {
	most, seen := 0.0, []string{}
	for _, mode := range []mockserver.ClockMode{mockserver.ClockReal, mockserver.ClockFrozen, mockserver.ClockAuto} {
		for _, body := range []string{`{"fork":"default"}`, `{}`, `{"mintKeys":true}`} {
			each := heapOfWorlds(ctx, mode, body, false)
			most, seen = max(most, each), append(seen, fmt.Sprintf("%.1f", each))
		}
	}
	return fmt.Sprintf("%.1f KiB", most), "a fork, one of " + fullScenario + ", one with keys; under the clocks real, " +
		"frozen, auto: " + strings.Join(seen, ", ")
}

// usedWorld returns the heap that a world takes which was made of a scenario under the real clock, and was read once.
// It shares nothing with others, because the times in it are its own.
func usedWorld(ctx context.Context) (string, string) {
	each := heapOfWorlds(ctx, mockserver.ClockReal, `{}`, true)
	fork := heapOfWorlds(ctx, mockserver.ClockReal, `{"fork":"default"}`, true)
	return fmt.Sprintf("%.1f KiB", each), fmt.Sprintf("of %s, with the real clock; a fork takes %.1f KiB; with journals",
		fullScenario, fork)
}

// heapOfWorlds makes worlds through the control interface, and returns how many KiB of heap each of them takes, also
// after a request in each if they are to be used.
func heapOfWorlds(ctx context.Context, clock mockserver.ClockMode, body string, used bool) float64 {
	s := must.Get(mockserver.New(mockserver.WithScenario(fullScenario), mockserver.WithClock(clock)))
	serve := func(method, target, body string) {
		r := httptest.NewRequestWithContext(ctx, method, target, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "SVC1 1/admin")
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, r); w.Code >= http.StatusBadRequest {
			must.Fatalf("%s %s: %d %s", method, target, w.Code, w.Body)
		}
	}
	create := func(id string) {
		serve(http.MethodPost, "/_understudy/worlds", strings.Replace(body, "{", `{"id":"`+id+`",`, 1))
		if used {
			serve(http.MethodGet, "/_worlds/"+id+"/workflow/api/projects", "")
		}
	}
	if body == "{}" {
		body = `{"mintKeys":false}`
	}
	create("first") // what all of them share is there then
	const worlds = 1000
	heap()
	before := heap()
	for i := range worlds {
		create(fmt.Sprint("bench", i))
	}
	heap() // which also frees what pools of buffers hold until the second time
	each := (float64(heap()) - float64(before)) / worlds / 1024
	runtime.KeepAlive(s)
	return each
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
