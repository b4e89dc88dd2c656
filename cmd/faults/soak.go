package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
)

const soakName = "soak"

var soak = promise{
	name: soakName,
	says: "The mock can run indefinitely: its heap levels off, and nothing is left running.",
	tried: "64 clients in 1,000 worlds (two for each second, if that is less), in this process: forks, checkpoints, " +
		"resets, worlds made anew, events, queries, pools, chats, states dumped and loaded, clocks; journals of 32 KiB and " +
		"states of 512 KiB, so that a sixth of the time fills them; the median of five live heaps, while no client is " +
		"busy, after a sixth and at the end; goroutines before and after",
	try: trySoak,
}

const (
	soakClients = 64
	soakWorlds  = 1000 // of a soak that is long enough to fill them in a sixth of its time
	heapSamples = 5
	soakGrowth  = 1.10
)

func trySoak(ctx context.Context, t *trial) (string, error) {
	goroutines := runtime.NumGoroutine()
	server, err := mockserver.New(mockserver.WithScenario("full-account"), mockserver.WithQueryEngine(sqlite.New()),
		mockserver.WithClock("auto"), mockserver.WithJournalLimit(32<<10), mockserver.WithStateLimit(512<<10),
		mockserver.WithRecordLimit(64<<10), mockserver.WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil))))
	if err != nil {
		return "", err
	}
	listening := httptest.NewUnstartedServer(nil)
	listening.Config = server.HTTPServer()
	listening.Start()
	m := &mock{url: listening.URL, client: newClient()}
	seen, err := soakFor(ctx, m, t)
	m.client.CloseIdleConnections()
	listening.Close()
	if err := errors.Join(err, server.Close()); err != nil {
		return "", err
	}
	left := 0
	for range 100 {
		if left = runtime.NumGoroutine() - goroutines; left <= 0 {
			return seen + "; no goroutine left", nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return "", fmt.Errorf("%s; %d goroutines are left:\n%s", seen, left, stacks())
}

// soakFor lets clients do what they like until the time is over, and compares the heap.
func soakFor(ctx context.Context, m *mock, t *trial) (string, error) {
	worlds := min(soakWorlds, 2*int(t.time.Seconds()+1))
	agent, err := m.prepareSoak(ctx, worlds)
	if err != nil {
		return "", err
	}
	busy, cancel := context.WithTimeout(ctx, t.time)
	defer cancel()
	begin := time.Now()
	var done atomic.Int64
	var pause sync.RWMutex
	failed := make(chan error, 1)
	go func() {
		failed <- together(soakClients, func(i int) error {
			c := &soaker{
				mock: m, random: rand.New(rand.NewPCG(t.seed, uint64(i))), agent: agent, worlds: worlds, done: &done,
				pause: &pause,
			}
			err := c.soak(busy)
			if err != nil {
				cancel()
			}
			return err
		})
	}()
	sleep(busy, t.time/6)
	first := liveHeap(busy, &pause, t.time/60)
	sleep(busy, t.time-time.Since(begin)-t.time/12)
	last := liveHeap(busy, &pause, t.time/60)
	if err := <-failed; err != nil {
		return "", err
	}
	seen := fmt.Sprintf("%d requests to %d worlds in %v, none answered with 5xx; live heap %d MiB after a sixth, %d MiB "+
		"at the end (%+.1f %%)",
		done.Load(), worlds, t.time, first>>20, last>>20, 100*(float64(last)/float64(first)-1))
	if float64(last) > soakGrowth*float64(first) {
		return "", errors.New(seen)
	}
	return seen, nil
}

// prepareSoak makes the worlds, and returns the id of an agent that all of them have.
func (m *mock) prepareSoak(ctx context.Context, worlds int) (agent string, err error) {
	agents, err := m.want(ctx, http.StatusOK, http.MethodGet, "/llm/api/agents", "")
	if err != nil {
		return "", err
	}
	return agents.get("data.0.id").String(), each(soakClients, worlds, func(i int) error {
		body := fmt.Sprintf(`{"id":"s%d","fork":"default"}`, i)
		if i%3 == 0 { // about as many as there are later, so that the heap begins where it levels off
			body = fmt.Sprintf(`{"id":"s%d","seed":%d}`, i, i)
		}
		_, err := m.want(ctx, http.StatusCreated, http.MethodPost, control+"/worlds", body)
		return err
	})
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// liveHeap returns the median of some samples of the heap, each taken right after the garbage is collected.
func liveHeap(ctx context.Context, clients *sync.RWMutex, pause time.Duration) uint64 {
	var samples []uint64
	for range heapSamples {
		var m runtime.MemStats
		clients.Lock()
		runtime.GC()
		runtime.GC() // what pools hold survives the first
		runtime.ReadMemStats(&m)
		clients.Unlock()
		samples = append(samples, m.HeapAlloc)
		sleep(ctx, pause)
	}
	slices.Sort(samples)
	return samples[len(samples)/2]
}

// stacks returns the stacks of all goroutines.
func stacks() string {
	buffer := make([]byte, 1<<20)
	return string(buffer[:runtime.Stack(buffer, true)])
}
