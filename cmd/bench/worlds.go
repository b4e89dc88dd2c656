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
	"svc.example/understudy/mockserver"
)

func transport(ctx context.Context) (string, string, error) {
	var failure error
	result := testing.Benchmark(func(b *testing.B) {
		client := mockserver.NewTransport(b, mockserver.WithScenario("empty")).Client()
		for b.Loop() {
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://workflow.svc.example/api/pools/1", nil)
			if err != nil {
				failure = err
				return
			}
			r.Header.Set("Authorization", "SVC1 1/admin")
			response, err := client.Do(r)
			if err != nil {
				failure = err
				return
			}
			_ = response.Body.Close()
		}
	})
	return micros(result), fmt.Sprintf("%d allocations, http.Client included", result.AllocsPerOp()), failure
}

// assertion measures the cost of a test that asserts what it recorded: a checker is made each time.
func assertion(ctx context.Context) (string, string, error) {
	var failure error
	result := testing.Benchmark(func(b *testing.B) {
		recorder := contract.NewRecorder(mockserver.NewTransport(b, mockserver.WithScenario("empty")))
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://workflow.svc.example/api/pools/1", nil)
		if err != nil {
			failure = err
			return
		}
		request.Header.Set("Authorization", "SVC1 1/admin")
		response, err := recorder.RoundTrip(request)
		if err != nil {
			failure = err
			return
		}
		_, failure = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		contract.AssertConforms(b, recorder) // the engines are made once in a process
		for b.Loop() {
			contract.AssertConforms(b, recorder)
		}
	})
	return micros(result), "of one exchange; six documents", failure
}

func micros(r testing.BenchmarkResult) string {
	return fmt.Sprintf("%.1f µs", float64(r.NsPerOp())/1e3)
}

// fullScenario is the scenario with something on every interface.
const fullScenario = "full-account"

func fork(context.Context) (string, string, error) {
	s, err := mockserver.New(mockserver.WithScenario(fullScenario), mockserver.WithClock("frozen"))
	if err != nil {
		return "", "", err
	}
	result := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			_ = s.World("").Fork().Delete()
		}
	})
	reset := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			s.World("").Reset()
		}
	})
	return micros(result), "a reset takes " + micros(reset), nil
}

// forkedWorld returns the heap that a world takes which was forked, under the clock that is the server's default.
func forkedWorld(ctx context.Context) (string, string, error) {
	each, err := idleWorlds(ctx, "real", `{"fork":"default"}`)
	return each, "a fork; one that is made of a scenario takes as much, unless its clock is real", err
}

// scenarioWorld returns the heap that a world takes which was made of a scenario under the real clock. It shares
// nothing with others, because the times in it are its own.
func scenarioWorld(ctx context.Context) (string, string, error) {
	each, err := idleWorlds(ctx, "real", `{}`)
	return each, "of " + fullScenario + "; with a frozen clock it is a fork of the first one", err
}

// idleWorlds makes worlds through the control interface, and says how much heap each of them takes.
func idleWorlds(ctx context.Context, clock mockserver.ClockMode, body string) (string, error) {
	s, err := mockserver.New(mockserver.WithScenario(fullScenario), mockserver.WithClock(clock))
	if err != nil {
		return "", err
	}
	create := func() error {
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/_understudy/worlds", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, r); w.Code != http.StatusCreated {
			return fmt.Errorf("make a world: %d %s", w.Code, w.Body)
		}
		return nil
	}
	if err := create(); err != nil { // what all of them share is there then
		return "", err
	}
	const worlds = 1000
	before := heap()
	for range worlds {
		if err := create(); err != nil {
			return "", err
		}
	}
	each := float64(heap()-before) / worlds
	runtime.KeepAlive(s)
	return fmt.Sprintf("%.1f KiB", each/1024), nil
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
