package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
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

// assertion is what a test pays that asserts what it recorded: a checker is made each time.
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

// whole is the scenario with something on every interface.
const whole = "full-account"

func fork(context.Context) (string, string, error) {
	s, err := mockserver.New(mockserver.WithScenario(whole), mockserver.WithClock("frozen"))
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

func idle(context.Context) (string, string, error) {
	s, err := mockserver.New(mockserver.WithScenario(whole), mockserver.WithClock("frozen"))
	if err != nil {
		return "", "", err
	}
	const worlds = 1000
	before := heap()
	for range worlds {
		s.World("").Fork()
	}
	each := float64(heap()-before) / worlds
	runtime.KeepAlive(s)
	return fmt.Sprintf("%.1f KiB", each/1024), fmt.Sprintf("over %d worlds", worlds), nil
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
