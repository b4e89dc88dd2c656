package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query"
)

// stuckQueries is how many worlds wait for queries that do not end.
const stuckQueries = 16

// waiting is a query engine whose queries take no processor and never end, so that what is measured is what waits for
// them, and not what the machine does besides.
type waiting struct{ running atomic.Int32 }

func (w *waiting) Query(ctx context.Context, _ query.Query) (query.Result, error) {
	w.running.Add(1)
	defer w.running.Add(-1)
	<-ctx.Done()
	return query.Result{}, ctx.Err()
}

// besideStuck compares the requests of one world while others wait for queries that never end with those while none
// does. The rounds alternate.
func besideStuck(ctx context.Context) (string, string, error) {
	const rounds, requests = 20, 3000
	engine := &waiting{}
	mock, err := mockserver.New(mockserver.WithScenario("empty"), mockserver.WithClock("frozen"), mockserver.WithQueryEngine(engine))
	if err != nil {
		return "", "", err
	}
	s, err := dial(ctx, mock)
	if err != nil {
		return "", "", err
	}
	defer s.close()
	request := func(int64) string {
		return "GET /workflow/api/pools/1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: SVC1 1/admin\r\n\r\n"
	}
	var took [2]time.Duration
	var n atomic.Int64
	for range rounds {
		for i := range took {
			release := func() {}
			if i == 1 {
				if release, err = stick(ctx, mock, engine); err != nil {
					return "", "", err
				}
			}
			start := time.Now()
			err := s.play(requests, &n, request)
			took[i] += time.Since(start)
			release()
			if err != nil {
				return "", "", err
			}
		}
	}
	perSecond := func(d time.Duration) float64 { return rounds * requests / d.Seconds() }
	return fmt.Sprintf("%.2f", took[0].Seconds()/took[1].Seconds()),
		fmt.Sprintf("%.0f/s against %.0f/s; the queries take no processor", perSecond(took[1]), perSecond(took[0])), nil
}

// stick makes worlds, in each of which a request waits for a query. Release lets the requests go and deletes the worlds.
func stick(ctx context.Context, mock *mockserver.Server, engine *waiting) (release func(), err error) {
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
		if err := errors.Join(post(ctx, w, "/core/v3/database/create/stuck", "{}", nil),
			post(ctx, w, "/core/v3/job/issue/trino/stuck", `{"query":"SELECT 1"}`, nil)); err != nil {
			release()
			return nil, err
		}
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
	return release, nil
}
