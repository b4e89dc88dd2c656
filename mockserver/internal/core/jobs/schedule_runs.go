package jobs

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"svc.example/understudy/mockserver/internal/core/wire"
	"svc.example/understudy/mockserver/internal/dig"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// MaxDelay is the largest delay of a job after its slot, in seconds (assumed).
const MaxDelay = 366 * 24 * 3600

const historyKept = 90 * 24 * time.Hour // (client)

// SlotsOf returns the times at which a schedule is due. Without cron there are none.
func SlotsOf(s world.JobSchedule) (dig.Schedule, error) {
	zone, err := time.LoadLocation(s.Timezone)
	if err != nil || s.Timezone == "" || s.Timezone == "Local" { // the machine's own zone is not accepted
		return dig.Schedule{}, op.Unprocessable("timezone", "want the name of an IANA time zone, not %q", s.Timezone)
	}
	expression := s.Cron
	switch expression {
	case "":
		return dig.Schedule{}, nil
	case "@hourly":
		expression = "0 * * * *"
	case "@daily":
		expression = "0 0 * * *"
	}
	slots, err := dig.NewSchedule("cron", expression, zone)
	if err != nil {
		reason := strings.TrimPrefix(err.Error(), "cron> ")
		return slots, op.Unprocessable("cron", "%s; @hourly and @daily are also known", reason)
	}
	return slots, nil
}

// NextSlot returns the first time after a moment at which a schedule is due, or the zero time if there is none.
func NextSlot(s world.JobSchedule, after time.Time) (time.Time, error) {
	slots, err := SlotsOf(s)
	if err != nil {
		return time.Time{}, err
	}
	next := slots.Next(after)
	if next.IsZero() || next.Time.Unix() > wire.MaxTime {
		return time.Time{}, nil
	}
	return next.Time.UTC(), nil
}

// PutSchedule stores a schedule and plans the job of its next slot. A slot in the past is due at once.
func PutSchedule(w *world.State, s world.JobSchedule, now time.Time) world.JobSchedule {
	w.Cancel(world.DueEvent{At: s.PlannedAt, Kind: world.JobScheduleEvent, ID: s.ID})
	s.PlannedAt = time.Time{}
	if !s.Slot.IsZero() {
		s.PlannedAt = s.Slot.Add(time.Duration(s.Delay) * time.Second)
		if s.PlannedAt.Before(now) {
			s.PlannedAt = now
		}
		w.Plan(world.DueEvent{At: s.PlannedAt, Kind: world.JobScheduleEvent, ID: s.ID})
	}
	w.Core.Schedules.Put(s.ID, s)
	w.Core.ScheduleNames.Put(s.Name, s.ID)
	return s
}

// RunDueSchedule issues the job of a schedule's slot, and advances the schedule to its next slot. The job checks
// whether its user may still query.
func RunDueSchedule(w *world.State, e world.DueEvent) {
	s, ok := w.Core.Schedules.Get(e.ID)
	if !ok || !s.PlannedAt.Equal(e.At) {
		return
	}
	_, _ = Issue(w, JobForSlot(s, s.Slot), e.At) // without a domain key it cannot fail
	s.Slot, _ = NextSlot(s, s.Slot)              // the cron text compiled when the schedule was stored
	PutSchedule(w, s, e.At)
}

// JobForSlot returns a schedule's job for a slot.
func JobForSlot(s world.JobSchedule, slot time.Time) world.Job {
	return world.Job{
		Type: s.Type, Database: s.Database, Query: s.Query, Priority: s.Priority, RetryLimit: s.RetryLimit,
		ResultURL: s.ResultURL, Pool: s.Pool, EngineVersion: s.EngineVersion,
		User: cmp.Or(s.ExecutingUser, s.User), Schedule: s.ID, ScheduledAt: slot,
	}
}

type scheduledJobForm struct {
	JobID       int64  `json:"job_id"` // an integer here, and text everywhere else (public)
	Type        string `json:"type"`
	ScheduledAt string `json:"scheduled_at"`
}

// RunSchedule issues the jobs of consecutive slots, from the time in the path on. The first job gets the domain key
// (assumed).
func RunSchedule(c *op.Call) (op.Reply, error) {
	s, err := managedSchedule(c)
	if err != nil {
		return op.Reply{}, err
	}
	body := struct {
		Num       int64     `json:"num"`
		DomainKey domainKey `json:"domain_key"`
	}{Num: 1}
	if err := c.Decode(&body); err != nil {
		return op.Reply{}, err
	}
	times, err := runTimes(s, c.Param("schedule_time"), body.Num)
	if err != nil {
		return op.Reply{}, err
	}
	jobs := make([]scheduledJobForm, len(times))
	for i, at := range times {
		job := JobForSlot(s, at)
		if i == 0 {
			job.DomainKey = string(body.DomainKey)
		}
		if job, err = IssueWithin(c.World, job, c.Now); err != nil {
			return op.Reply{}, err
		}
		jobs[i] = scheduledJobForm{job.ID, job.Type, wire.DateTime(at)}
	}
	return op.OK(map[string]any{"jobs": jobs})
}

// runTimes returns the slots of a run: the time that the path names, and the schedule's own slots after it.
func runTimes(s world.JobSchedule, text string, num int64) ([]time.Time, error) {
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seconds < 0 || seconds > wire.MaxTime {
		return nil, op.Unprocessable("schedule_time", "want unix seconds, 0 to %d, not %q", wire.MaxTime, text)
	}
	if num < 1 || num > 10 {
		return nil, op.Unprocessable("num", "want 1 to 10, not %d", num)
	}
	times := []time.Time{time.Unix(seconds, 0).UTC()}
	for int64(len(times)) < num {
		next, err := NextSlot(s, times[len(times)-1])
		if err != nil {
			return nil, err
		}
		if next.IsZero() {
			return nil, op.Unprocessable("num", "schedule %s has only %d more runs from there", s.Name, len(times))
		}
		times = append(times, next)
	}
	return times, nil
}

// GetScheduleHistory lists the jobs of a schedule, the newest first, without the job at the position to.
func GetScheduleHistory(c *op.Call) (op.Reply, error) {
	s, err := scheduleFromPath(c)
	if err != nil {
		return op.Reply{}, err
	}
	from, err := position(c, "from", 0)
	if err != nil {
		return op.Reply{}, err
	}
	to, err := position(c, "to", from+jobsByDefault)
	if err != nil {
		return op.Reply{}, err
	}
	history, at := []jobForm{}, int64(0)
	for _, job := range table.Before(&c.World.Core.Jobs, 0) {
		if at >= to || c.Now.Sub(job.CreatedAt) > historyKept {
			break
		}
		if job.Schedule != s.ID {
			continue
		}
		if at >= from {
			waitForEnd(c, job)
			form := jobView(c.World, job)
			form.ScheduledAt, form.exportsForm = new(wire.DateTimeOrEmpty(job.ScheduledAt)), nil
			history = append(history, form)
		}
		at++
	}
	return op.OK(historyForm{Count: len(history), From: from, To: to, History: history})
}

type historyForm struct {
	Count   int       `json:"count"`
	From    int64     `json:"from"`
	To      int64     `json:"to"`
	History []jobForm `json:"history"`
}
