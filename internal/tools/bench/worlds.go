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

// idleWorld returns the most heap that a world takes which nothing has used yet, under any clock, a fork or not.
func idleWorld(ctx context.Context) (string, string, error) {
	most, seen := 0.0, []string{}
	for _, mode := range []mockserver.ClockMode{mockserver.ClockReal, mockserver.ClockFrozen, mockserver.ClockAuto} {
		for _, body := range []string{`{"fork":"default"}`, `{}`, `{"mintKeys":true}`} {
			each, err := heapOfWorlds(ctx, mode, body, false)
			if err != nil {
				return "", "", err
			}
			most, seen = max(most, each), append(seen, fmt.Sprintf("%.1f", each))
		}
	}
	return fmt.Sprintf("%.1f KiB", most), "a fork, one of " + fullScenario + ", one with keys; under the clocks real, " +
		"frozen, auto: " + strings.Join(seen, ", "), nil
}

// usedWorld returns the heap that a world takes which was made of a scenario under the real clock, and was read once.
// It shares nothing with others, because the times in it are its own.
func usedWorld(ctx context.Context) (string, string, error) {
	each, err := heapOfWorlds(ctx, mockserver.ClockReal, `{}`, true)
	if err != nil {
		return "", "", err
	}
	fork, err := heapOfWorlds(ctx, mockserver.ClockReal, `{"fork":"default"}`, true)
	return fmt.Sprintf("%.1f KiB", each), fmt.Sprintf("of %s, with the real clock; a fork takes %.1f KiB; with journals",
		fullScenario, fork), err
}

// heapOfWorlds makes worlds through the control interface, and returns how many KiB of heap each of them takes, also
// after a request in each if they are to be used.
func heapOfWorlds(ctx context.Context, clock mockserver.ClockMode, body string, used bool) (float64, error) {
	s, err := mockserver.New(mockserver.WithScenario(fullScenario), mockserver.WithClock(clock))
	if err != nil {
		return 0, err
	}
	serve := func(method, target, body string) error {
		r := httptest.NewRequestWithContext(ctx, method, target, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "SVC1 1/admin")
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, r); w.Code >= http.StatusBadRequest {
			return fmt.Errorf("%s %s: %d %s", method, target, w.Code, w.Body)
		}
		return nil
	}
	create := func(id string) error {
		err := serve(http.MethodPost, "/_understudy/worlds", strings.Replace(body, "{", `{"id":"`+id+`",`, 1))
		if err == nil && used {
			err = serve(http.MethodGet, "/_worlds/"+id+"/workflow/api/projects", "")
		}
		return err
	}
	if body == "{}" {
		body = `{"mintKeys":false}`
	}
	if err := create("first"); err != nil { // what all of them share is there then
		return 0, err
	}
	const worlds = 1000
	heap()
	before := heap()
	for i := range worlds {
		if err := create(fmt.Sprint("bench", i)); err != nil {
			return 0, err
		}
	}
	heap() // which also frees what pools of buffers hold until the second time
	each := (float64(heap()) - float64(before)) / worlds / 1024
	runtime.KeepAlive(s)
	return each, nil
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
