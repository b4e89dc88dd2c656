package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"svc.example/understudy/internal/tools/must"
)

var manyWorlds = promise{
	name: "worlds",
	says: "A world that is deleted leaves nothing behind, and there are no more worlds than allowed.",
	tried: "10,000 worlds, each with a seed of its own, made, used and deleted by 16 clients; then worlds up to the " +
		"default `--max-worlds` and one more; memory of the process and of health before and after",
	try: tryWorlds,
}

const (
	worldsUsed   = 10_000
	worldsWarm   = 2_000     // until the process is as large as it will be
	worldsGrowth = 100 << 10 // KiB that the process may grow; a tenth of what it would if it forgot no world
)

func tryWorlds(ctx context.Context, t *trial) string {
	m := t.serve(ctx)
	seed := t.random.Uint64N(1 << 40)
	use := func(from, n int) {
		each(16, n, func(i int) { m.useWorld(ctx, fmt.Sprint("s", i), seed+uint64(from+i)) })
	}
	bytes := m.memory(ctx)
	use(0, worldsWarm)
	before := m.status("VmRSS")
	use(worldsWarm, worldsUsed)
	after := m.status("VmRSS")
	if after > before+worldsGrowth {
		must.Fatalf("the process grew from %d to %d MiB", before>>10, after>>10)
	}
	m.fillWorlds(ctx, seed)
	if left := m.memory(ctx); left != bytes {
		must.Fatalf("health says that worlds take %d bytes, and said %d at the beginning", left, bytes)
	}
	return fmt.Sprintf("%d MiB after %d worlds, %d MiB after %d more; health's bytes are the same to the byte; "+
		"world 10,001 is refused with 409", before>>10, worldsWarm, after>>10, worldsUsed)
}

// memory returns how many bytes the worlds take, by the mock's health.
func (m *mock) memory(ctx context.Context) int64 { return m.health(ctx).get("memory.bytes").Int() }

// useWorld makes a world, does a little in it, and deletes it.
func (m *mock) useWorld(ctx context.Context, id string, seed uint64) {
	body := fmt.Sprintf(`{"id":%q,"seed":%d,"clock":"frozen","mintKeys":true}`, id, seed)
	m.walk(ctx, step{201, http.MethodPost, control + "/worlds", body},
		step{200, http.MethodPost, "/_worlds/" + id + "/core/v3/database/create/used", ""},
		step{200, http.MethodGet, "/_worlds/" + id + "/workflow/api/pools", ""},
		step{204, http.MethodDelete, control + "/worlds/" + id, ""})
}

// fillWorlds makes as many worlds as there may be, and one more, which is to be refused, and deletes them.
func (m *mock) fillWorlds(ctx context.Context, seed uint64) {
	limit := int(m.health(ctx).get("worlds.limit").Int())
	if limit != 10_000 {
		must.Fatalf("the limit of worlds is %d, want 10,000", limit)
	}
	create := func(status, i int) {
		body := fmt.Sprintf(`{"id":"f%d","scenario":"empty","seed":%d,"clock":"frozen"}`, i, seed+uint64(i))
		m.want(ctx, status, http.MethodPost, control+"/worlds", body)
	}
	each(16, limit-1, func(i int) { create(http.StatusCreated, i) })
	create(http.StatusConflict, limit)
	each(16, limit-1, func(i int) {
		m.want(ctx, http.StatusNoContent, http.MethodDelete, fmt.Sprint(control, "/worlds/f", i), "")
	})
}

var budgets = promise{
	name: "budgets",
	says: "No world and no server exceeds its limits; refusals give the reason, and deleting makes room again.",
	tried: "`--state-limit 8MiB --memory-limit 48MiB --journal-limit 1MiB`; a world is filled in random order with " +
		"parts, results, jobs, events, turns and checkpoints, then 60 worlds with journals; the bytes of health and of the " +
		"worlds after each request",
	try: tryBudgets,
}

const (
	stateLimit    = 8 << 20
	historyLimit  = stateLimit // of what only a history holds
	journalLimit  = 1 << 20
	memoryLimit   = 48 << 20
	budgetFills   = 400
	budgetJournal = 60 // worlds

	budgetCheckpoints = 5
)

func tryBudgets(ctx context.Context, t *trial) string {
	m := t.serve(ctx, "--scenario", "empty", "--clock", "auto", "--state-limit", fmt.Sprint(stateLimit),
		"--memory-limit", fmt.Sprint(memoryLimit), "--journal-limit", fmt.Sprint(journalLimit))
	f := &filling{mock: m, trial: t, refused: map[int]int{}}
	m.walk(ctx, step{200, http.MethodPost, "/core/v3/database/create/full", ""},
		step{200, http.MethodPost, "/core/v3/table/create/full/sales", ""},
		step{200, http.MethodPost, "/core/v3/bulk_import/create/load/full/sales", ""})
	for n := range budgetFills {
		f.fill(ctx, n)
	}
	if f.refusals() == 0 {
		must.Fatalf("nothing was refused, so the limit was not reached")
	}
	f.room(ctx)
	f.journals(ctx)
	return fmt.Sprintf("%d requests of %d MiB, %d refused (%v by status); a world had %.1f MiB at most, the server %.1f "+
		"of %d; room again after deleting", f.sent, f.bytes>>20, f.refusals(), f.refused, mib(f.mostWorld), mib(f.mostAll),
		memoryLimit>>20)
}

func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// filling is a mock that is filled, and what is seen of it.
type filling struct {
	*mock
	*trial
	sent               int
	bytes              int64       // of all requests
	refused            map[int]int // by status
	mostWorld, mostAll int64
}

func (f *filling) refusals() (n int) {
	for _, count := range f.refused {
		n += count
	}
	return n
}

// fill sends a request that makes the world larger.
func (f *filling) fill(ctx context.Context, n int) {
	text := strings.Repeat("x", 1+f.random.IntN(512<<10))
	s := []step{
		{200, http.MethodPut, fmt.Sprint("/core/v3/bulk_import/upload_part/load/p", n), text},
		{
			201, http.MethodPost, control + "/jobs/results",
			fmt.Sprintf(`{"query":"q%d","columns":[["t","varchar"]],"rows":[[%q]]}`, n, text),
		},
		{200, http.MethodPost, "/core/v3/job/issue/trino/full", fmt.Sprintf(`{"query":"q%d"}`, f.random.IntN(n+1))},
		{
			200, http.MethodPost, "/ingestion/postback/v3/event/full/sales",
			fmt.Sprintf(`{"n":%d,"text":%q}`, n, text[:len(text)/8]),
		},
		{200, http.MethodPut, fmt.Sprintf("%s/worlds/default/checkpoints/c%d", control, n%budgetCheckpoints), ""},
		{201, http.MethodPost, control + "/chats/turns", fmt.Sprintf(`{"events":[{"content":%q}]}`, text)},
		{200, http.MethodPost, "/core/v3/database/create/" + fmt.Sprint("more", n), ""},
	}[f.random.IntN(7)]
	var headers []string
	if s.method == http.MethodPut {
		headers = []string{"Content-Type", "application/octet-stream"}
	}
	f.send(ctx, s, headers...)
	if strings.Contains(s.path, "/job/issue") {
		f.want(ctx, http.StatusOK, http.MethodPost, control+"/worlds/default/clock", `{"untilIdle":true}`)
		f.measure(ctx)
	}
}

// send sends a request that may be refused, if the reason is a limit, and looks at what the worlds take then.
func (f *filling) send(ctx context.Context, s step, headers ...string) {
	a := must.Get(f.call(ctx, s.method, s.path, s.body, headers...))
	f.sent++
	f.bytes += int64(len(s.body))
	if a.status != s.status {
		f.refused[a.status]++
		if a.status >= 500 || !saysLimit(s.path, a) {
			must.Fatalf("%s %s: %d %.300s, want %d, or 4xx with the flag's name", s.method, s.path, a.status, a.body,
				s.status)
		}
	}
	f.measure(ctx)
}

// saysLimit reports whether a refusal says which limit is reached. Errors of the ingestion interface have no text.
func saysLimit(path string, a answer) bool {
	return strings.Contains(a.body, "--state-limit") || strings.Contains(a.body, "--memory-limit") ||
		strings.HasPrefix(path, "/ingestion/") && a.status == http.StatusRequestEntityTooLarge
}

// measure ends the attempt if a world or all of them take more than they may.
func (f *filling) measure(ctx context.Context) {
	all := f.memory(ctx)
	worlds := f.want(ctx, http.StatusOK, http.MethodGet, control+"/worlds", "")
	f.mostAll = max(f.mostAll, all)
	for bytes := range worlds.get("worlds.#.bytes").List {
		f.mostWorld = max(f.mostWorld, bytes.Int())
	}
	if f.mostWorld > stateLimit+historyLimit+journalLimit || f.mostAll > memoryLimit {
		must.Fatalf("a world takes %.2f MiB, all of them %.2f MiB, after %d requests", mib(f.mostWorld), mib(f.mostAll),
			f.sent)
	}
}

// room deletes what the world has, and wants it to take something again. A reset keeps the checkpoints, and no
// operation deletes one, so they are made anew.
func (f *filling) room(ctx context.Context) {
	f.walk(ctx, step{204, http.MethodDelete, control + "/jobs/results", ""},
		step{204, http.MethodDelete, control + "/chats/turns", ""},
		step{200, http.MethodPost, control + "/worlds/default/reset", ""})
	for n := range budgetCheckpoints {
		f.want(ctx, http.StatusOK, http.MethodPut, fmt.Sprintf("%s/worlds/default/checkpoints/c%d", control, n), "")
	}
	f.walk(ctx, step{200, http.MethodPost, "/core/v3/database/create/room", ""},
		step{
			201, http.MethodPost, control + "/jobs/results",
			fmt.Sprintf(`{"query":"q","columns":[["t","varchar"]],"rows":[[%q]]}`, strings.Repeat("x", 2<<20)),
		})
}

// journals fills the server with worlds whose journals are long.
func (f *filling) journals(ctx context.Context) {
	for n := range budgetJournal {
		id := fmt.Sprint("j", n)
		f.want(ctx, http.StatusCreated, http.MethodPost, control+"/worlds", fmt.Sprintf(`{"id":%q}`, id))
		for range 12 {
			body := `{"name":"` + strings.Repeat("x", 100<<10) + `"}`
			must.Get(f.call(ctx, http.MethodPost, "/_worlds/"+id+"/workflow/api/pools", body))
		}
		f.measure(ctx)
	}
}
