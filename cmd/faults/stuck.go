package main

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

var stuckQueries = promise{
	name: "stuck-queries",
	says: "Queries that never end block only those who wait for their results.",
	tried: "24 worlds in which such queries run one after another, recursive ones and regular expressions; another " +
		"world, health, list, reset and delete meanwhile; 100 callers that disconnect; SIGTERM",
	try: tryStuck,
}

const (
	stuckWorlds  = 24
	stuckTime    = 15 * time.Second
	promptly     = 2 * time.Second // on a machine whose cores are all busy with queries
	stuckLeavers = 100
	reset        = 4 // worlds that are reset and deleted while they are stuck
)

// The queries that never end, or would not without limits.
var endless = []string{
	`WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t`,
	`SELECT regexp_like(hex(zeroblob(900000)), '(0|00|000)*1')`,
	`WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) ` +
		`SELECT a.n FROM t a, t b WHERE a.n = b.n + 1 AND a.n < 0`,
}

func tryStuck(ctx context.Context, t *trial) (string, error) {
	m, err := t.serve(ctx, "--drain-time", "2s")
	if err != nil {
		return "", err
	}
	stuck, leave := context.WithCancel(ctx)
	defer leave()
	var waiting sync.WaitGroup
	var queries atomic.Int64
	for i := range stuckWorlds {
		id := fmt.Sprint("stuck", i)
		if err := m.newStuck(ctx, id); err != nil {
			return "", err
		}
		waiting.Go(func() {
			queries.Add(1)
			defer queries.Add(-1)
			m.keepStuck(stuck, id)
		})
	}
	times, err := m.timeOthers(ctx)
	if err != nil {
		return "", err
	}
	if n := queries.Load(); n < stuckWorlds-reset {
		return "", fmt.Errorf("only %d worlds are stuck", n)
	}
	if err := m.leaveEarly(ctx); err != nil {
		return "", err
	}
	begin := time.Now()
	code, err := m.terminate(2*time.Second + promptly)
	if err == nil && code != 0 {
		err = fmt.Errorf("after SIGTERM the exit code is %d: %s", code, m.stderr())
	}
	leave()
	waiting.Wait()
	return fmt.Sprintf("%d answers beside %d stuck worlds, half of them within %v, 99 of 100 within %v, the last after "+
		"%v; no connection of %d callers is left; SIGTERM took %v", len(times.all), stuckWorlds, ms(times.quantile(0.5)),
		ms(times.quantile(0.99)), ms(times.worst()), stuckLeavers, ms(time.Since(begin))), err
}

// newStuck makes a world with a database.
func (m *mock) newStuck(ctx context.Context, id string) error {
	return m.walk(ctx,
		step{201, http.MethodPost, control + "/worlds", fmt.Sprintf(`{"id":%q,"scenario":"empty","clock":"frozen"}`, id)},
		step{200, http.MethodPost, "/_worlds/" + id + "/core/v3/database/create/stuck", ""})
}

// keepStuck issues jobs, and waits for each, until its context ends. The world may be reset or deleted meanwhile.
func (m *mock) keepStuck(ctx context.Context, id string) {
	for n := 0; ctx.Err() == nil; n++ {
		query := fmt.Sprintf(`{"query":%q}`, endless[n%len(endless)])
		if a, err := m.call(ctx, http.MethodPost, "/_worlds/"+id+"/core/v3/job/issue/trino/stuck", query); err != nil ||
			a.status != 200 {
			return
		}
		if _, err := m.call(ctx, http.MethodPost, control+"/worlds/"+id+"/clock", `{"advance":"1h"}`); err != nil {
			return
		}
	}
}

// timeOthers does what does not concern the queries, and returns how long that takes.
func (m *mock) timeOthers(ctx context.Context) (*times, error) {
	seen := &times{}
	for end, n := time.Now().Add(stuckTime), 0; time.Now().Before(end); n++ {
		for _, s := range []step{
			{200, http.MethodGet, control + "/health", ""},
			{200, http.MethodGet, control + "/worlds", ""},
			{200, http.MethodGet, "/workflow/api/pools", ""},
			{200, http.MethodPost, fmt.Sprint("/core/v3/database/create/other", n), ""},
			{200, http.MethodGet, fmt.Sprintf("/_worlds/stuck%d/workflow/api/pools", n%8), ""},
			{201, http.MethodPost, control + "/worlds", fmt.Sprintf(`{"id":"brief%d","fork":"stuck%d"}`, n, n%8)},
			{204, http.MethodDelete, fmt.Sprint(control, "/worlds/brief", n), ""},
		} {
			a, err := m.want(ctx, s.status, s.method, s.path, s.body)
			if err != nil {
				return nil, err
			}
			seen.add(a.took)
		}
		time.Sleep(20 * time.Millisecond)
	}
	for n := range reset { // worlds that nothing was asked of above
		for _, s := range []step{
			{200, http.MethodPost, fmt.Sprintf("%s/worlds/stuck%d/reset", control, stuckWorlds-1-n), ""},
			{204, http.MethodDelete, fmt.Sprintf("%s/worlds/stuck%d", control, stuckWorlds-1-n), ""},
		} {
			a, err := m.want(ctx, s.status, s.method, s.path, s.body)
			if err != nil {
				return nil, err
			}
			seen.add(a.took)
		}
	}
	if worst := seen.worst(); worst > promptly {
		return nil, fmt.Errorf("an answer that waits for no query took %v, want %v at most", worst, promptly)
	}
	return seen, nil
}

// leaveEarly ask for a result that does not come, and leave. The mock is to close their connections.
func (m *mock) leaveEarly(ctx context.Context) error {
	a, err := m.want(ctx, 200, http.MethodPost, "/_worlds/stuck0/core/v3/job/issue/trino/stuck",
		fmt.Sprintf(`{"query":%q}`, endless[0]))
	if err != nil {
		return err
	}
	before, err := m.connections()
	if err != nil {
		return err
	}
	leaving, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	path := "/_worlds/stuck0/core/v3/job/result/" + a.get("job_id").String()
	_ = together(stuckLeavers, func(int) error {
		_, err := m.call(leaving, http.MethodGet, path, "")
		return err
	})
	m.client.CloseIdleConnections()
	left := 0
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if left, err = m.connections(); err != nil || left <= before {
			return err
		}
	}
	return fmt.Errorf("%d callers left, but %d connections are open, and were %d before", stuckLeavers, left, before)
}
