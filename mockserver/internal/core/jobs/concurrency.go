package jobs

import (
	"time"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

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
