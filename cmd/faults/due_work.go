package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

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
	issue       func(ctx context.Context, m *mock, n int) error
	settle      func(ctx context.Context, m *mock, n int) error
}

func dueKinds() []dueKind {
	const issue = "/core/v3/job/issue/trino/shop"
	jobs := func(ctx context.Context, m *mock, n int) error {
		return m.repeat(ctx, n, func(int) step { return step{200, http.MethodPost, issue, `{"query":"SELECT 1"}`} })
	}
	move := func(body string) func(context.Context, *mock, int) error {
		return func(ctx context.Context, m *mock, _ int) error {
			moved, err := m.want(ctx, http.StatusOK, http.MethodPost, control+"/worlds/default/clock", body)
			if err == nil && !moved.get("complete").Bool() {
				err = fmt.Errorf("after %s the clock is %s", body, moved.body)
			}
			return err
		}
	}
	return []dueKind{
		{"jobs", "frozen", jobs, move(`{"advance":"1h"}`)},
		{"jobs, read one by one", "auto", jobs, func(ctx context.Context, m *mock, n int) error {
			return m.repeat(ctx, n, func(i int) step {
				return step{200, http.MethodGet, fmt.Sprint("/core/v3/job/status/", i+1), ""}
			})
		}},
		{"jobs", "real", jobs, move(`{"advance":"1m"}`)},
		{"exports", "frozen", func(ctx context.Context, m *mock, n int) error {
			if err := jobs(ctx, m, n/2); err != nil {
				return err
			}
			return m.repeat(ctx, n/2, func(i int) step {
				return step{200, http.MethodPost, fmt.Sprint("/core/v3/job/result_export/", i%10+1), `{"result":"s3://b/x"}`}
			})
		}, move(`{"advance":"1h"}`)},
		{"runs of schedules", "frozen", func(ctx context.Context, m *mock, n int) error {
			return m.repeat(ctx, n/10, func(i int) step {
				return step{
					200, http.MethodPost, fmt.Sprint("/core/v3/schedule/create/every", i),
					`{"cron":"* * * * *","type":"trino","query":"SELECT 1","database":"shop"}`,
				}
			})
		}, move(`{"advance":"630s"}`)},
		{"queued results", "frozen", func(ctx context.Context, m *mock, n int) error {
			return m.repeat(ctx, n/10, func(i int) step {
				return step{
					201, http.MethodPost, control + "/jobs/results",
					fmt.Sprintf(`{"query":"q%d","times":10,"columns":[["a","bigint"]],"rows":[[1]]}`, i),
				}
			})
		}, func(ctx context.Context, m *mock, n int) error {
			err := m.repeat(ctx, n, func(i int) step {
				return step{200, http.MethodPost, issue, fmt.Sprintf(`{"query":"q%d"}`, i/10)}
			})
			return errors.Join(err, move(`{"advance":"1h"}`)(ctx, m, n))
		}},
	}
}

// repeat takes n steps, by 4 clients.
func (m *mock) repeat(ctx context.Context, n int, next func(int) step) error {
	return each(4, n, func(i int) error { return m.walk(ctx, next(i)) })
}

func tryDueWork(ctx context.Context, t *trial) (string, error) {
	var seen []string
	for _, kind := range dueKinds() {
		few, _, err := t.settle(ctx, kind, dueFew)
		if err != nil {
			return "", fmt.Errorf("%d %s, %s clock: %w", dueFew, kind.name, kind.clock, err)
		}
		many, peak, err := t.settle(ctx, kind, dueMany)
		switch {
		case err != nil:
		case many > dueTime || many > few*dueMany/dueFew*3/2+time.Second/2:
			err = fmt.Errorf("they took %v of CPU time, and %d took %v", ms(many), dueFew, ms(few))
		case peak > dueMemory:
			err = fmt.Errorf("the process took %d MiB, want %d at most", peak>>10, dueMemory>>10)
		}
		if err != nil {
			return "", fmt.Errorf("%d %s, %s clock: %w", dueMany, kind.name, kind.clock, err)
		}
		seen = append(seen,
			fmt.Sprintf("%s, %s clock: %v and %v, %d MiB", kind.name, kind.clock, ms(few), ms(many), peak>>10))
	}
	return strings.Join(seen, "; "), nil
}

// settle issues work and settles it. It returns how much CPU time settling took, and how many KiB the process at most.
func (t *trial) settle(ctx context.Context, kind dueKind, n int) (cpu time.Duration, peak int64, err error) {
	m, err := t.serve(ctx, "--scenario", "empty", "--clock", kind.clock)
	if err != nil {
		return 0, 0, err
	}
	defer m.kill()
	if err := m.walk(ctx, step{200, http.MethodPost, "/core/v3/database/create/shop", ""}); err != nil {
		return 0, 0, err
	}
	if err := kind.issue(ctx, m, n); err != nil {
		return 0, 0, err
	}
	before, err := m.cpuTime()
	if err != nil {
		return 0, 0, err
	}
	if err := kind.settle(ctx, m, n); err != nil {
		return 0, 0, err
	}
	after, timeErr := m.cpuTime()
	peak, peakErr := m.status("VmHWM")
	return after - before, peak, errors.Join(timeErr, peakErr)
}

// cpuTime returns how much CPU time the process has taken, as Linux counts it.
func (m *mock) cpuTime() (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", m.command.Process.Pid))
	if err != nil {
		return 0, fmt.Errorf("%w: no /proc: %w", errNotTried, err)
	}
	_, rest, _ := strings.Cut(string(text), ") ") // behind the name of the program
	fields := strings.Fields(rest)
	const user, system, tick = 11, 12, 10 * time.Millisecond
	if len(fields) <= system {
		return 0, fmt.Errorf("/proc/PID/stat is %q", text)
	}
	ticks := 0
	for _, place := range []int{user, system} {
		n, err := strconv.Atoi(fields[place])
		if err != nil {
			return 0, fmt.Errorf("/proc/PID/stat: %w", err)
		}
		ticks += n
	}
	return time.Duration(ticks) * tick, nil
}
