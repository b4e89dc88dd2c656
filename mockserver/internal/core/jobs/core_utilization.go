package jobs

import (
	"strconv"
	"time"

	"svc.example/understudy/mockserver/internal/core/wire"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// The intervals in which the use of cores is counted (assumed).
const (
	coreInterval  = time.Hour
	coreIntervals = 24 // unless the request gives from and to
	maxIntervals  = 24 * 92
)

type coreUtilizationForm struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Interval int64  `json:"interval"`
	History  []int  `json:"history"`
}

// GetAccountCoreUtilization returns how many cores were used. It counts a core for each job that ran in an interval.
func GetAccountCoreUtilization(c *op.Call) (op.Reply, error) {
	to, err := coreTime(c, "to", c.Now)
	if err != nil {
		return op.Reply{}, err
	}
	from, err := coreTime(c, "from", to.Add(-coreIntervals*coreInterval))
	if err != nil {
		return op.Reply{}, err
	}
	n := int((to.Sub(from) + coreInterval - 1) / coreInterval)
	if n < 0 || n > maxIntervals {
		return op.Reply{}, op.Invalid("from", "want a time at most 92 days before to, which is %s", wire.DateTime(to))
	}
	form := coreUtilizationForm{
		From: wire.DateTime(from), To: wire.DateTime(from.Add(time.Duration(n) * coreInterval)),
		Interval: int64(coreInterval / time.Second),
		History:  make([]int, n),
	}
	for _, job := range table.All(&c.World.Core.Jobs) {
		waitForEnd(c, job)
		countCores(form.History, job, from, c.Now)
	}
	return op.OK(form)
}

// countCores adds a job to the intervals in which it ran.
func countCores(history []int, job world.Job, from, now time.Time) {
	if job.StartAt.IsZero() {
		return
	}
	end := job.EndAt
	if end.IsZero() {
		end = now
	}
	if end.Before(from) {
		return
	}
	first := max(0, int(job.StartAt.Sub(from)/coreInterval))
	for i := first; i < len(history) && !from.Add(time.Duration(i)*coreInterval).After(end); i++ {
		history[i]++
	}
}

// coreTime returns a time of the query, in a form that clients print, or in unix seconds.
func coreTime(c *op.Call, name string, fallback time.Time) (time.Time, error) {
	text := c.Text(name)
	if text == "" {
		return fallback, nil
	}
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil && seconds >= 0 && seconds <= wire.MaxTime {
		return time.Unix(seconds, 0).UTC(), nil
	}
	for _, layout := range []string{
		"2006-01-02 15:04:05 MST", "2006-01-02 15:04:05 -0700", time.RFC3339, time.DateTime, time.DateOnly,
	} {
		if at, err := time.Parse(layout, text); err == nil && at.Year() > 0 && at.Unix() <= wire.MaxTime {
			return at.UTC(), nil
		}
	}
	return fallback, op.Invalid(name, "want a time, such as %s, not %q", wire.DateTime(fallback), text)
}

// IssueWithin queues a job for a request, within the account's limit on concurrent queries. Jobs of schedules are
// issued without one.
func IssueWithin(w *world.State, job world.Job, at time.Time) (world.Job, error) {
	if err := requireFreeSlot(w, at); err != nil {
		return job, err
	}
	return Issue(w, job, at)
}

// requireFreeSlot refuses a request that would issue a job while as many are queued or running as the account may have
// at a time. It says when the first of them ends.
func requireFreeSlot(w *world.State, now time.Time) error {
	most := w.Account.Limits.ConcurrentQueries
	if most == 0 {
		return nil
	}
	active := 0
	var first time.Time
	for _, job := range table.All(&w.Core.Jobs) {
		if job.Status.Finished() {
			continue
		}
		active++
		if end := endOf(w, job); first.IsZero() || end.Before(first) {
			first = end
		}
	}
	if active < most {
		return nil
	}
	return op.TooMany(first.Sub(now), "the account may have %d %s queued or running at a time, and has %d", most,
		plural(most, "job"), active)
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// endOf returns when a job that is under way is expected to end.
func endOf(w *world.State, job world.Job) time.Time {
	if job.Status == world.JobQueued {
		return job.StepAt.Add(runningTime(w, job))
	}
	return job.StepAt
}
