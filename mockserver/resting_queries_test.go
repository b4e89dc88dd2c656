package mockserver_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/query"
)

// engineFunc is a query engine that is a function.
type engineFunc func(context.Context, query.Query) (query.Result, error)

func (f engineFunc) Query(ctx context.Context, q query.Query) (query.Result, error) { return f(ctx, q) }

// While requests come in, a query that takes long lets them go first, though not without end.
func TestALongQueryLetsRequestsGoFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s *mockserver.Server
		var early, alone, beside, inAll time.Duration
		rest := func(q query.Query) time.Duration {
			begin := clock.Wall()
			q.Pause()
			return clock.Wall().Sub(begin)
		}
		s = mocktest.NewServer(t, mockserver.WithScenario("empty"), mockserver.WithQueryEngine(engineFunc(
			func(_ context.Context, q query.Query) (query.Result, error) {
				health := func() { mocktest.Call(t, s, "GET", "/_understudy/health", "").Want(http.StatusOK) }
				health()
				early = rest(q)
				time.Sleep(time.Second)
				alone = rest(q)
				for range 2000 {
					health()
					slept := rest(q)
					inAll += slept
					beside = max(beside, slept)
				}
				return query.Result{Columns: []query.Column{{Name: "n", Type: "bigint"}}, Rows: [][]any{{int64(1)}}}, nil
			})))
		mocktest.Call(t, s, "POST", "/core/v3/database/create/shop", "").Want(200)
		mocktest.Call(t, s, "POST", "/core/v3/job/issue/trino/shop", `{"query":"SELECT 1"}`).Want(200)
		mocktest.Call(t, s, "POST", "/_understudy/worlds/default/clock", `{"advance":"1h"}`).Want(200)
		mocktest.Call(t, s, "GET", "/core/v3/job/result/1", "").Want(200)
		if early != 0 || alone != 0 {
			t.Errorf("the query rests for %v at its begin, and for %v when no request comes in", early, alone)
		}
		if beside == 0 || inAll < time.Second || inAll > 20*time.Second {
			t.Errorf("beside requests it rests for %v at a time, and %v in all", beside, inAll)
		}
	})
}
