package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

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

func tryBudgets(ctx context.Context, t *trial) (string, error) {
	m, err := t.serve(ctx, "--scenario", "empty", "--clock", "auto", "--state-limit", fmt.Sprint(stateLimit),
		"--memory-limit", fmt.Sprint(memoryLimit), "--journal-limit", fmt.Sprint(journalLimit))
	if err != nil {
		return "", err
	}
	f := &filling{mock: m, trial: t, refused: map[int]int{}}
	if err := m.walk(ctx, step{200, http.MethodPost, "/core/v3/database/create/full", ""},
		step{200, http.MethodPost, "/core/v3/table/create/full/sales", ""},
		step{200, http.MethodPost, "/core/v3/bulk_import/create/load/full/sales", ""}); err != nil {
		return "", err
	}
	for n := range budgetFills {
		if err := f.fill(ctx, n); err != nil {
			return "", err
		}
	}
	if f.refusals() == 0 {
		return "", errors.New("nothing was refused, so the limit was not reached")
	}
	if err := f.room(ctx); err != nil {
		return "", err
	}
	if err := f.journals(ctx); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d requests of %d MiB, %d refused (%v by status); a world had %.1f MiB at most, the server %.1f "+
		"of %d; room again after deleting", f.sent, f.bytes>>20, f.refusals(), f.refused, mib(f.mostWorld), mib(f.mostAll),
		memoryLimit>>20), nil
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
func (f *filling) fill(ctx context.Context, n int) error {
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
	if err := f.send(ctx, s, headers...); err != nil || !strings.Contains(s.path, "/job/issue") {
		return err
	}
	_, err := f.want(ctx, http.StatusOK, http.MethodPost, control+"/worlds/default/clock", `{"untilIdle":true}`)
	return errors.Join(err, f.measure(ctx))
}

// send sends a request that may be refused, if the reason is a limit, and looks at what the worlds take then.
func (f *filling) send(ctx context.Context, s step, headers ...string) error {
	a, err := f.call(ctx, s.method, s.path, s.body, headers...)
	if err != nil {
		return err
	}
	f.sent++
	f.bytes += int64(len(s.body))
	if a.status != s.status {
		f.refused[a.status]++
		if a.status >= 500 || !saysLimit(s.path, a) {
			return fmt.Errorf("%s %s: %d %.300s, want %d, or 4xx with the flag's name", s.method, s.path, a.status, a.body,
				s.status)
		}
	}
	return f.measure(ctx)
}

// saysLimit reports whether a refusal says which limit is reached. Errors of the ingestion interface have no text.
func saysLimit(path string, a answer) bool {
	return strings.Contains(a.body, "--state-limit") || strings.Contains(a.body, "--memory-limit") ||
		strings.HasPrefix(path, "/ingestion/") && a.status == http.StatusRequestEntityTooLarge
}

// measure returns an error if a world or all of them take more than they may.
func (f *filling) measure(ctx context.Context) error {
	all, err := f.memory(ctx)
	if err != nil {
		return err
	}
	worlds, err := f.want(ctx, http.StatusOK, http.MethodGet, control+"/worlds", "")
	if err != nil {
		return err
	}
	f.mostAll = max(f.mostAll, all)
	for _, bytes := range worlds.get("worlds.#.bytes").Array() {
		f.mostWorld = max(f.mostWorld, bytes.Int())
	}
	if f.mostWorld > stateLimit+historyLimit+journalLimit || f.mostAll > memoryLimit {
		return fmt.Errorf("a world takes %.2f MiB, all of them %.2f MiB, after %d requests", mib(f.mostWorld), mib(f.mostAll),
			f.sent)
	}
	return nil
}

// room deletes what the world has, and wants it to take something again. A reset keeps the checkpoints, and no
// operation deletes one, so they are made anew.
func (f *filling) room(ctx context.Context) error {
	if err := f.walk(ctx, step{204, http.MethodDelete, control + "/jobs/results", ""},
		step{204, http.MethodDelete, control + "/chats/turns", ""},
		step{200, http.MethodPost, control + "/worlds/default/reset", ""}); err != nil {
		return err
	}
	for n := range budgetCheckpoints {
		if _, err := f.want(ctx, http.StatusOK, http.MethodPut, fmt.Sprintf("%s/worlds/default/checkpoints/c%d", control, n),
			""); err != nil {
			return err
		}
	}
	return f.walk(ctx, step{200, http.MethodPost, "/core/v3/database/create/room", ""},
		step{
			201, http.MethodPost, control + "/jobs/results",
			fmt.Sprintf(`{"query":"q","columns":[["t","varchar"]],"rows":[[%q]]}`,
				strings.Repeat("x", 2<<20)),
		})
}

// journals fills the server with worlds whose journals are long.
func (f *filling) journals(ctx context.Context) error {
	for n := range budgetJournal {
		id := fmt.Sprint("j", n)
		if _, err := f.want(ctx, http.StatusCreated, http.MethodPost, control+"/worlds",
			fmt.Sprintf(`{"id":%q}`, id)); err != nil {
			return err
		}
		for range 12 {
			body := `{"name":"` + strings.Repeat("x", 100<<10) + `"}`
			if _, err := f.call(ctx, http.MethodPost, "/_worlds/"+id+"/workflow/api/pools", body); err != nil {
				return err
			}
		}
		if err := f.measure(ctx); err != nil {
			return err
		}
	}
	return nil
}
