package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/tools/must"
)

var clocks = promise{
	name: "clocks",
	says: "However far a clock is moved, it reports correctly how far it came, and the server keeps working.",
	tried: "a world with a schedule of every minute, one without, each moved by 876,000 h, up to and beyond the year " +
		"9999, back, by invalid lengths, by random ones, and until idle; reads after each move; health and another world " +
		"meanwhile",
	try: tryClocks,
}

// lastYear is the year in which clocks end.
var lastYear = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

func tryClocks(ctx context.Context, t *trial) string {
	m := t.serve(ctx)
	m.newClocks(ctx)
	health := m.watch(ctx, control+"/health")
	other := m.watch(ctx, "/workflow/api/pools")
	moves := &times{}
	stood := 0
	for _, world := range []string{"minutes", "quiet"} {
		bodies := []string{
			`{"advance":"876000h"}`, `{"untilIdle":true}`, `{"mode":"frozen","now":"2001-01-01T00:00:00Z"}`,
			`{"advance":"99999999999999h"}`, `{"advance":"-1h"}`, `{"advance":"1e9h"}`, `{"advance":""}`,
			fmt.Sprintf(`{"advance":"%dh"}`, 1+t.random.IntN(24*7)), fmt.Sprintf(`{"advance":"%dns"}`, 1+t.random.IntN(1e9)),
			`{"mode":"frozen","now":"9998-12-31T23:59:00Z"}`, `{"advance":"48h"}`,
			`{"mode":"auto","now":"9999-06-01T00:00:00Z"}`,
			`{"mode":"auto"}`, `{"untilIdle":true}`,
		}
		for _, body := range bodies {
			must.In(fmt.Sprintf("world %s, %s", world, body), func() {
				if !m.move(ctx, world, body, moves) {
					stood++
				}
			})
		}
	}
	prompt, others := health(), other()
	if worst := max(prompt.worst(), others.worst()); worst > promptly {
		must.Fatalf("while clocks moved, health took %v and another world %v", ms(prompt.worst()),
			ms(others.worst()))
	}
	return fmt.Sprintf("%d moves, the longest took %v; %d stood before their end and said so; meanwhile health took %v "+
		"at most, another world %v", len(moves.all), ms(moves.worst()), stood, ms(prompt.worst()), ms(others.worst()))
}

// newClocks makes a world with a schedule of every minute, and one without any.
func (m *mock) newClocks(ctx context.Context) {
	const minutes = "/_worlds/minutes/core/v3"
	m.walk(ctx,
		step{201, http.MethodPost, control + "/worlds", `{"id":"quiet","scenario":"empty","clock":"frozen"}`},
		step{201, http.MethodPost, control + "/worlds", `{"id":"minutes","scenario":"quickstart","clock":"frozen"}`},
		step{200, http.MethodPost, minutes + "/database/create/clock", ""},
		step{
			200, http.MethodPost, minutes + "/schedule/create/one",
			`{"cron":"* * * * *","type":"trino","query":"SELECT 1","database":"clock","retry_limit":1}`,
		})
}

// move moves a clock, and looks at whether the answer is true. It reports whether the clock came as far as was asked.
func (m *mock) move(ctx context.Context, world, body string, moves *times) (complete bool) {
	path := control + "/worlds/" + world + "/clock"
	before := m.want(ctx, http.StatusOK, http.MethodGet, path, "")
	moved := must.Get(m.call(ctx, http.MethodPost, path, body))
	moves.add(moved.took)
	after := m.want(ctx, http.StatusOK, http.MethodGet, path, "")
	now, was := timeOf(after.get("now")), timeOf(before.get("now"))
	switch {
	case moved.status != http.StatusOK && moved.status != http.StatusBadRequest:
		must.Fatalf("%d %.300s", moved.status, moved.body)
	case moved.status == http.StatusBadRequest && !now.Equal(was):
		must.Fatalf("refused, but the clock moved from %v to %v", was, now)
	case now.Before(was) || !now.Before(lastYear):
		must.Fatalf("the clock moved from %v to %v", was, now)
	case moved.status == http.StatusBadRequest:
		complete = true
	default:
		must.Do(honest(moved, was, body))
		complete = moved.get("complete").Bool()
	}
	m.readable(ctx, world)
	return complete
}

// honest returns an error if a clock says that it came farther than it did, or that nothing is overdue that is.
func honest(moved answer, was time.Time, body string) error {
	now, next := timeOf(moved.get("now")), moved.get("nextEvent")
	if moved.get("idle").Bool() && next.Text() != "" && timeOf(next).Before(now) {
		return fmt.Errorf("idle with an event that is overdue: %s", moved.body)
	}
	target := now
	if text := jsontree.Find(body, "advance").Text(); text != "" {
		if by, err := time.ParseDuration(text); err == nil {
			target = was.Add(by)
		}
	}
	if text := jsontree.Find(body, "now"); text.Exists() {
		target = timeOf(text)
	}
	if moved.get("complete").Bool() == now.Before(target) {
		return fmt.Errorf("it reports complete wrongly, for a move of %v: %s", target, moved.body)
	}
	return nil
}

func timeOf(v jsontree.Value) (t time.Time) {
	_ = t.UnmarshalText([]byte(v.Text()))
	return t
}

// readable reads all of a world.
func (m *mock) readable(ctx context.Context, world string) {
	for _, path := range []string{
		"/core/v3/job/list", "/core/v3/schedule/list", "/workflow/api/attempts", "/workflow/api/schedules",
	} {
		if a := m.want(ctx, http.StatusOK, http.MethodGet, "/_worlds/"+world+path, ""); a.took > promptly {
			must.Fatalf("GET %s took %v", path, ms(a.took))
		}
	}
	m.want(ctx, http.StatusOK, http.MethodGet, control+"/worlds", "")
}
