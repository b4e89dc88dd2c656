package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"svc.example/understudy/internal/tools/must"
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

func tryStuck(ctx context.Context, t *trial) string {
	m := t.serve(ctx, "--drain-time", "2s")
	stuck, leave := context.WithCancel(ctx)
	defer leave()
	var waiting sync.WaitGroup
	var queries atomic.Int64
	for i := range stuckWorlds {
		id := fmt.Sprint("stuck", i)
		m.newStuck(ctx, id)
		waiting.Go(func() {
			queries.Add(1)
			defer queries.Add(-1)
			m.keepStuck(stuck, id)
		})
	}
	times := m.timeOthers(ctx)
	if n := queries.Load(); n < stuckWorlds-reset {
		must.Fatalf("only %d worlds are stuck", n)
	}
	m.leaveEarly(ctx)
	begin := time.Now()
	if code := m.terminate(2*time.Second + promptly); code != 0 {
		must.Fatalf("after SIGTERM the exit code is %d: %s", code, m.stderr())
	}
	leave()
	waiting.Wait()
	return fmt.Sprintf("%d answers beside %d stuck worlds, half of them within %v, 99 of 100 within %v, the last after "+
		"%v; no connection of %d callers is left; SIGTERM took %v", len(times.all), stuckWorlds, ms(times.quantile(0.5)),
		ms(times.quantile(0.99)), ms(times.worst()), stuckLeavers, ms(time.Since(begin)))
}

// newStuck makes a world with a database.
func (m *mock) newStuck(ctx context.Context, id string) {
	m.walk(ctx,
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

// timeOthers sends requests that have nothing to do with the queries, and returns how long they take.
func (m *mock) timeOthers(ctx context.Context) *times {
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
			seen.add(m.want(ctx, s.status, s.method, s.path, s.body).took)
		}
		time.Sleep(20 * time.Millisecond)
	}
	for n := range reset { // worlds that nothing was asked of above
		for _, s := range []step{
			{200, http.MethodPost, fmt.Sprintf("%s/worlds/stuck%d/reset", control, stuckWorlds-1-n), ""},
			{204, http.MethodDelete, fmt.Sprintf("%s/worlds/stuck%d", control, stuckWorlds-1-n), ""},
		} {
			seen.add(m.want(ctx, s.status, s.method, s.path, s.body).took)
		}
	}
	if worst := seen.worst(); worst > promptly {
		must.Fatalf("an answer that waits for no query took %v, want %v at most", worst, promptly)
	}
	return seen
}

// leaveEarly requests a result that does not come, and leaves. The mock has to close the connections.
func (m *mock) leaveEarly(ctx context.Context) {
	a := m.want(ctx, 200, http.MethodPost, "/_worlds/stuck0/core/v3/job/issue/trino/stuck",
		fmt.Sprintf(`{"query":%q}`, endless[0]))
	before := m.connections()
	leaving, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	path := "/_worlds/stuck0/core/v3/job/result/" + a.get("job_id").Text()
	must.Together(stuckLeavers, func(int) { _, _ = m.call(leaving, http.MethodGet, path, "") })
	m.client.CloseIdleConnections()
	left := 0
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if left = m.connections(); left <= before {
			return
		}
	}
	must.Fatalf("%d callers left, but %d connections are open, and were %d before", stuckLeavers, left, before)
}

var dueWork = promise{
	name: "due-work",
	says: "Work that falls due together costs what it costs apart.",
	tried: "5,000 and 20,000 jobs under a frozen, an automatic and the real clock, exports of results, runs of " +
		"schedules and jobs with queued results, by 4 clients, and then settled; CPU time that settling takes, " +
		"and the peak memory of the process",
	try: tryDueWork,
}

const (
	dueFew, dueMany = 5_000, 20_000
	dueTime         = 10 * time.Second // of CPU, to settle many
	dueMemory       = 300 << 10        // KiB at most
)

// dueKind is one kind of work, and how it is settled.
type dueKind struct {
	name, clock string
	issue       func(ctx context.Context, m *mock, n int)
	settle      func(ctx context.Context, m *mock, n int)
}

func dueKinds() []dueKind {
	const issue = "/core/v3/job/issue/trino/shop"
	jobs := func(ctx context.Context, m *mock, n int) {
		m.repeat(ctx, n, func(int) step { return step{200, http.MethodPost, issue, `{"query":"SELECT 1"}`} })
	}
	move := func(body string) func(context.Context, *mock, int) {
		return func(ctx context.Context, m *mock, _ int) {
			moved := m.want(ctx, http.StatusOK, http.MethodPost, control+"/worlds/default/clock", body)
			if !moved.get("complete").Bool() {
				must.Fatalf("after %s the clock is %s", body, moved.body)
			}
		}
	}
	return []dueKind{
		{"jobs", "frozen", jobs, move(`{"advance":"1h"}`)},
		{"jobs, read one by one", "auto", jobs, func(ctx context.Context, m *mock, n int) {
			m.repeat(ctx, n, func(i int) step {
				return step{200, http.MethodGet, fmt.Sprint("/core/v3/job/status/", i+1), ""}
			})
		}},
		{"jobs", "real", jobs, move(`{"advance":"1m"}`)},
		{"exports", "frozen", func(ctx context.Context, m *mock, n int) {
			jobs(ctx, m, n/2)
			m.repeat(ctx, n/2, func(i int) step {
				return step{200, http.MethodPost, fmt.Sprint("/core/v3/job/result_export/", i%10+1), `{"result":"s3://b/x"}`}
			})
		}, move(`{"advance":"1h"}`)},
		{"runs of schedules", "frozen", func(ctx context.Context, m *mock, n int) {
			m.repeat(ctx, n/10, func(i int) step {
				return step{
					200, http.MethodPost, fmt.Sprint("/core/v3/schedule/create/every", i),
					`{"cron":"* * * * *","type":"trino","query":"SELECT 1","database":"shop"}`,
				}
			})
		}, move(`{"advance":"630s"}`)},
		{"queued results", "frozen", func(ctx context.Context, m *mock, n int) {
			m.repeat(ctx, n/10, func(i int) step {
				return step{
					201, http.MethodPost, control + "/jobs/results",
					fmt.Sprintf(`{"query":"q%d","times":10,"columns":[["a","bigint"]],"rows":[[1]]}`, i),
				}
			})
		}, func(ctx context.Context, m *mock, n int) {
			m.repeat(ctx, n, func(i int) step {
				return step{200, http.MethodPost, issue, fmt.Sprintf(`{"query":"q%d"}`, i/10)}
			})
			move(`{"advance":"1h"}`)(ctx, m, n)
		}},
	}
}

// repeat takes n steps, by 4 clients.
func (m *mock) repeat(ctx context.Context, n int, next func(int) step) {
	each(4, n, func(i int) { m.walk(ctx, next(i)) })
}

func tryDueWork(ctx context.Context, t *trial) string {
	var seen []string
	for _, kind := range dueKinds() {
		must.In(fmt.Sprintf("%s, %s clock", kind.name, kind.clock), func() {
			few, _ := t.settle(ctx, kind, dueFew)
			many, peak := t.settle(ctx, kind, dueMany)
			switch {
			case many > dueTime || many > few*dueMany/dueFew*3/2+time.Second/2:
				must.Fatalf("%d took %v of CPU time, and %d took %v", dueMany, ms(many), dueFew, ms(few))
			case peak > dueMemory:
				must.Fatalf("%d took %d MiB, want %d at most", dueMany, peak>>10, dueMemory>>10)
			}
			seen = append(seen,
				fmt.Sprintf("%s, %s clock: %v and %v, %d MiB", kind.name, kind.clock, ms(few), ms(many), peak>>10))
		})
	}
	return strings.Join(seen, "; ")
}

// settle issues work and settles it. It returns how much CPU time settling took, and how many KiB the process at most.
func (t *trial) settle(ctx context.Context, kind dueKind, n int) (cpu time.Duration, peak int64) {
	m := t.serve(ctx, "--scenario", "empty", "--clock", kind.clock)
	defer m.kill()
	m.walk(ctx, step{200, http.MethodPost, "/core/v3/database/create/shop", ""})
	kind.issue(ctx, m, n)
	before := m.cpuTime()
	kind.settle(ctx, m, n)
	return m.cpuTime() - before, m.status("VmHWM")
}

// cpuTime returns how much CPU time the process has taken, as Linux counts it.
func (m *mock) cpuTime() time.Duration {
	_, rest, _ := strings.Cut(m.proc("stat"), ") ") // behind the name of the program
	fields := strings.Fields(rest)
	const user, system, tick = 11, 12, 10 * time.Millisecond
	return time.Duration(must.Get(strconv.Atoi(fields[user]))+must.Get(strconv.Atoi(fields[system]))) * tick
}
