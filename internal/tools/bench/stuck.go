package main

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"svc.example/understudy/internal/tools/must"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query"
	"svc.example/understudy/mockserver/query/sqlite"
)

// stuckQueries is the number of worlds that wait for queries without end.
const stuckQueries = 16

// queryHeadStart is a little longer than queries of the mock run before they let requests go first.
const queryHeadStart = 200 * time.Millisecond

const endless = `{"query":"WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t"}`

// countingEngine is a query engine that counts the queries that run.
type countingEngine struct {
	query.Engine
	running atomic.Int32
}

func (c *countingEngine) Query(ctx context.Context, q query.Query) (query.Result, error) {
	c.running.Add(1)
	defer c.running.Add(-1)
	return c.Engine.Query(ctx, q)
}

// besideStuck compares the requests of one world while others wait for queries that count for as long as they may, as
// many at a time as there are slots, with those while none does. It plays rounds of requests, and queries are stuck in
// every other one.
func besideStuck(ctx context.Context) (ratio, detail string) {
	const rounds, requests = 20, 3000
	engine := &countingEngine{Engine: sqlite.New()}
	mock := must.Get(mockserver.New(mockserver.WithScenario("empty"), mockserver.WithClock("frozen"),
		mockserver.WithQueryEngine(engine)))
	s := dial(ctx, mock)
	defer s.close()
	request := func(int64) string {
		return "GET /workflow/api/pools/1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: SVC1 1/admin\r\n\r\n"
	}
	var took [2]time.Duration
	var n atomic.Int64
	for i := range 2 * rounds {
		release := func() {}
		if i%2 == 1 {
			release = startStuckQueries(ctx, mock, engine)
		}
		start := time.Now()
		s.play(requests, &n, request)
		took[i%2] += time.Since(start)
		release()
	}
	perSecond := func(d time.Duration) float64 { return rounds * requests / d.Seconds() }
	return fmt.Sprintf("%.2f", took[0].Seconds()/took[1].Seconds()),
		fmt.Sprintf("%.0f/s against %.0f/s, on %d cores", perSecond(took[1]), perSecond(took[0]), runtime.GOMAXPROCS(0))
}

// startStuckQueries makes worlds, in each of which a request waits for a query. Release lets the requests go and
// deletes the worlds.
func startStuckQueries(ctx context.Context, mock *mockserver.Server, engine *countingEngine) (release func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	var worlds []*mockserver.World
	release = func() {
		cancel()
		wg.Wait()
		for _, w := range worlds {
			_ = w.Delete()
		}
	}
	for range stuckQueries {
		w := mock.World("").Fork()
		worlds = append(worlds, w)
		post(ctx, w, "/core/v3/database/create/stuck", "{}", nil)
		post(ctx, w, "/core/v3/job/issue/trino/stuck", endless, nil)
		wg.Go(func() {
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://localhost/_understudy/worlds/"+w.ID()+"/clock",
				strings.NewReader(`{"advance":"1h"}`))
			if err != nil {
				return
			}
			r.Header.Set("Content-Type", "application/json")
			if response, err := w.Client().Do(r); err == nil {
				_ = response.Body.Close()
			}
		})
	}
	for engine.running.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(queryHeadStart)
	return release
}
