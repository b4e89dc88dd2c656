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
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"svc.example/understudy/internal/tools/must"
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

func trySoak(ctx context.Context, t *trial) string {
	goroutines := runtime.NumGoroutine()
	server := must.Get(mockserver.New(mockserver.WithScenario("full-account"), mockserver.WithQueryEngine(sqlite.New()),
		mockserver.WithClock("auto"), mockserver.WithJournalLimit(32<<10), mockserver.WithStateLimit(512<<10),
		mockserver.WithRecordLimit(64<<10), mockserver.WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))))
	listening := httptest.NewUnstartedServer(nil)
	listening.Config = server.HTTPServer()
	listening.Start()
	m := &mock{url: listening.URL, client: newClient()}
	var seen string
	err := must.Catch(func() { seen = soakFor(ctx, m, t) })
	m.client.CloseIdleConnections()
	listening.Close()
	must.Do(errors.Join(err, server.Close()))
	left := 0
	for range 100 {
		if left = runtime.NumGoroutine() - goroutines; left <= 0 {
			return seen + "; no goroutine left"
		}
		time.Sleep(100 * time.Millisecond)
	}
	must.Fatalf("%s; %d goroutines are left:\n%s", seen, left, stacks())
	return ""
}

// soakFor lets clients do what they like until the time is over, and compares the heap.
func soakFor(ctx context.Context, m *mock, t *trial) string {
	worlds := min(soakWorlds, 2*int(t.time.Seconds()+1))
	agent := m.prepareSoak(ctx, worlds)
	busy, cancel := context.WithTimeout(ctx, t.time)
	defer cancel()
	begin := time.Now()
	var done atomic.Int64
	var pause sync.RWMutex
	failed := make(chan error, 1)
	go func() {
		failed <- must.Catch(func() {
			must.Together(soakClients, func(i int) {
				c := &soaker{
					mock: m, random: rand.New(rand.NewPCG(t.seed, uint64(i))), agent: agent, worlds: worlds, done: &done,
					pause: &pause,
				}
				defer cancel() // so that all end with the first
				c.soak(busy)
			})
		})
	}()
	sleep(busy, t.time/6)
	first := liveHeap(busy, &pause, t.time/60)
	sleep(busy, t.time-time.Since(begin)-t.time/12)
	last := liveHeap(busy, &pause, t.time/60)
	must.Do(<-failed)
	seen := fmt.Sprintf("%d requests to %d worlds in %v, none answered with 5xx; live heap %d MiB after a sixth, %d MiB "+
		"at the end (%+.1f %%)",
		done.Load(), worlds, t.time, first>>20, last>>20, 100*(float64(last)/float64(first)-1))
	if float64(last) > soakGrowth*float64(first) {
		must.Fatalf("%s", seen)
	}
	return seen
}

// prepareSoak makes the worlds, and returns the id of an agent that all of them have.
func (m *mock) prepareSoak(ctx context.Context, worlds int) (agent string) {
	agents := m.want(ctx, http.StatusOK, http.MethodGet, "/llm/api/agents", "")
	each(soakClients, worlds, func(i int) {
		body := fmt.Sprintf(`{"id":"s%d","fork":"default"}`, i)
		if i%3 == 0 { // about as many as there are later, so that the heap begins where it levels off
			body = fmt.Sprintf(`{"id":"s%d","seed":%d}`, i, i)
		}
		m.want(ctx, http.StatusCreated, http.MethodPost, control+"/worlds", body)
	})
	return agents.get("data.0.id").Text()
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

// soaker is a client that does all kinds of things in all worlds. Others do so in the same worlds, so that it takes any
// answer but 5xx.
type soaker struct {
	*mock
	random *rand.Rand
	agent  string
	worlds int
	done   *atomic.Int64
	pause  *sync.RWMutex // locked while the heap is looked at
}

func (c *soaker) soak(ctx context.Context) {
	acts := []func(context.Context, string){
		c.events, c.events, c.events, c.queries, c.pools, c.pools, c.chats, c.checkpoints, c.states, c.clocks, c.forks,
		c.recreate, c.recreate, c.reset,
	}
	for ctx.Err() == nil {
		c.pause.RLock()
		err := must.Catch(func() { acts[c.random.IntN(len(acts))](ctx, c.world()) })
		c.pause.RUnlock()
		if ctx.Err() == nil {
			must.Do(err)
		}
	}
}

func (c *soaker) world() string { return fmt.Sprint("s", c.random.IntN(c.worlds)) }

// ask sends a request, which must not be answered with 5xx.
func (c *soaker) ask(ctx context.Context, method, path, body string) answer {
	c.done.Add(1)
	a := must.Get(c.call(ctx, method, path, body))
	if a.status >= 500 {
		must.Fatalf("%s %s: %d %.300s", method, path, a.status, a.body)
	}
	return a
}

// sendAll sends requests one after another.
func (c *soaker) sendAll(ctx context.Context, steps ...step) {
	for _, s := range steps {
		c.ask(ctx, s.method, s.path, s.body)
	}
}

func worldPath(world, path string) string { return "/_worlds/" + world + path }

func (c *soaker) events(ctx context.Context, world string) {
	event := fmt.Sprintf(`{"user":%d,"text":%q}`, c.random.IntN(100), strings.Repeat("x", c.random.IntN(2000)))
	c.sendAll(ctx, step{method: http.MethodPost, path: worldPath(world, "/core/v3/database/create/soak")},
		step{method: http.MethodPost, path: worldPath(world, "/core/v3/table/create/soak/events")},
		step{method: http.MethodPost, path: worldPath(world, "/ingestion/postback/v3/event/soak/events"), body: event},
		step{method: http.MethodGet, path: worldPath(world, "/core/v3/table/list/soak")})
}

func (c *soaker) queries(ctx context.Context, world string) {
	query := fmt.Sprintf(`{"query":"SELECT %d AS n, count(*) AS c FROM events"}`, c.random.IntN(1000))
	issued := c.ask(ctx, http.MethodPost, worldPath(world, "/core/v3/job/issue/trino/soak"), query)
	if issued.status != http.StatusOK {
		return
	}
	job := issued.get("job_id").Text()
	c.sendAll(ctx, step{method: http.MethodGet, path: worldPath(world, "/core/v3/job/status/"+job)},
		step{method: http.MethodGet, path: worldPath(world, "/core/v3/job/result/"+job+"?format=json")})
}

func (c *soaker) pools(ctx context.Context, world string) {
	made := c.ask(ctx, http.MethodPost, worldPath(world, "/workflow/api/pools"),
		fmt.Sprintf(`{"name":"pool %d","concurrencyLimit":1}`, c.random.IntN(50)))
	c.sendAll(ctx, step{method: http.MethodGet, path: worldPath(world, "/workflow/api/pools")},
		step{method: http.MethodDelete, path: worldPath(world, "/workflow/api/pools/"+made.get("id").Text())})
}

// chats reads a stream of events to its end, or closes the connection in the middle of it.
func (c *soaker) chats(ctx context.Context, world string) {
	made := c.ask(ctx, http.MethodPost, worldPath(world, "/llm/api/chats"),
		fmt.Sprintf(`{"data":{"type":"chats","attributes":{"agentId":%q}}}`, c.agent))
	if made.status != http.StatusCreated {
		return
	}
	path := worldPath(world, "/llm/api/chats/"+made.get("data.id").Text()+"/continue")
	if c.random.IntN(4) > 0 {
		c.sendAll(ctx, step{method: http.MethodPost, path: path, body: `{"input":"Hello!"}`})
		return
	}
	r := must.Get(http.NewRequestWithContext(ctx, http.MethodPost, c.url+path, strings.NewReader(`{"input":"Good bye!"}`)))
	r.Header.Set("Authorization", authority)
	r.Header.Set("Content-Type", "application/json")
	response, err := c.client.Do(r)
	must.Do(err)
	_, _ = response.Body.Read(make([]byte, 10))
	must.Do(response.Body.Close())
}

func (c *soaker) checkpoints(ctx context.Context, world string) {
	path := fmt.Sprintf("%s/worlds/%s/checkpoints/c%d", control, world, c.random.IntN(3))
	c.sendAll(ctx, step{method: http.MethodPut, path: path}, step{method: http.MethodPost, path: path + "/restore"})
}

// states loads the state of a world into another.
func (c *soaker) states(ctx context.Context, world string) {
	dumped := c.ask(ctx, http.MethodGet, control+"/worlds/"+world+"/state", "")
	if dumped.status != http.StatusOK {
		return
	}
	c.sendAll(ctx,
		step{method: http.MethodPut, path: control + "/worlds/" + c.world() + "/state", body: dumped.body})
}

func (c *soaker) clocks(ctx context.Context, world string) {
	advance := fmt.Sprintf(`{"advance":"%dm"}`, c.random.IntN(24*60))
	c.sendAll(ctx, step{method: http.MethodPost, path: control + "/worlds/" + world + "/clock", body: advance},
		step{method: http.MethodGet, path: worldPath(world, "/workflow/api/attempts")})
}

// forks replaces a world by a fork of another.
func (c *soaker) forks(ctx context.Context, world string) {
	other := c.world()
	c.sendAll(ctx, step{method: http.MethodDelete, path: control + "/worlds/" + other},
		step{method: http.MethodPost, path: control + "/worlds", body: fmt.Sprintf(`{"id":%q,"fork":%q}`, other, world)})
}

func (c *soaker) recreate(ctx context.Context, world string) {
	body := fmt.Sprintf(`{"id":%q,"seed":%d,"mintKeys":true}`, world, c.random.Uint32())
	c.sendAll(ctx, step{method: http.MethodDelete, path: control + "/worlds/" + world},
		step{method: http.MethodPost, path: control + "/worlds", body: body})
}

func (c *soaker) reset(ctx context.Context, world string) {
	c.sendAll(ctx, step{method: http.MethodPost, path: control + "/worlds/" + world + "/reset"})
}
