package world

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"

	"svc.example/understudy/mockserver/internal/dig"
)

// jobSchedules also plans their next runs.
func (l *loader) jobSchedules(*coreDump) {
	x := &l.w.Core
	for id, s := range x.Schedules.All() {
		if other, twice := x.ScheduleNames.Get(s.Name); twice {
			l.wrong("job schedule", id, "job schedule %d has the name %s already", other, s.Name)
		}
		x.ScheduleNames.Put(s.Name, id)
		if reason := l.wrongSchedule(s); reason != "" {
			l.wrong("job schedule", id, "%s", reason)
			continue
		}
		if !s.PlannedAt.IsZero() {
			l.w.Plan(Event{At: s.PlannedAt, Kind: JobScheduleEvent, ID: id})
		}
	}
}

func (l *loader) wrongSchedule(s JobSchedule) string {
	_, known := l.w.Account.Users.Get(s.User)
	_, executes := l.w.Account.Users.Get(s.ExecutingUser)
	zone, err := time.LoadLocation(s.Timezone)
	if err != nil {
		return fmt.Sprintf("timezone %q: want the IANA name of one", s.Timezone)
	}
	_, err = dig.NewSchedule("cron", s.Cron, zone)
	switch {
	case s.Name == "" || s.Type == "":
		return "want a name and a type"
	case !known || s.ExecutingUser != 0 && !executes:
		return "its user is none of the account"
	case err != nil && !slices.Contains([]string{"", "@hourly", "@daily"}, s.Cron):
		return err.Error()
	case s.Slot.IsZero() != s.PlannedAt.IsZero() || s.Cron == "" && !s.Slot.IsZero():
		return "want slot together with plannedAt, and neither without cron"
	}
	return ""
}

// jobs also plans their next steps.
func (l *loader) jobs(*coreDump) {
	x := &l.w.Core
	for id, j := range x.Jobs.All() {
		if reason := l.wrongJob(j); reason != "" {
			l.wrong("job", id, "%s", reason)
			continue
		}
		if j.DomainKey != "" {
			if other, twice := x.JobKeys.Get(j.DomainKey); twice {
				l.wrong("job", id, "job %d has the domainKey %s already", other, j.DomainKey)
			}
			x.JobKeys.Put(j.DomainKey, id)
		}
		if !j.StepAt.IsZero() {
			l.w.Plan(Event{At: j.StepAt, Kind: JobEvent, ID: id})
		}
	}
}

var jobStatuses = []JobStatus{JobQueued, JobRunning, JobSuccess, JobError, JobKilled}

func (l *loader) wrongJob(j Job) string {
	x := &l.w.Core
	_, user := l.w.Account.Users.Get(j.User)
	target, exports := x.Jobs.Get(j.ExportTarget)
	link, linked := x.Jobs.Get(j.LinkedExport)
	switch {
	case j.Type == "":
		return "want a type"
	case !user:
		return fmt.Sprintf("there is no user %d", j.User)
	case !slices.Contains(jobStatuses, j.Status):
		return fmt.Sprintf("status %q: want one of %v", j.Status, jobStatuses)
	case j.Status.Finished() == j.EndAt.IsZero() || j.Status.Finished() != j.StepAt.IsZero():
		return "want endAt when it is over, and stepAt as long as it is not"
	case j.StartAt.IsZero() && j.Status != JobQueued && j.Status != JobKilled:
		return "want startAt, as it did not stay queued"
	case j.Output != nil && (j.Status != JobSuccess || !j.Output.sound()):
		return "want an output of a success only, with as many rows as it counts"
	case j.Answer != nil && j.Answer.wrong() != "":
		return "its answer: " + j.Answer.wrong()
	case negative(j.Takes):
		return "want takes of 0 or more"
	case j.ExportTarget != 0 && (!exports || target.ID == j.ID),
		j.LinkedExport != 0 && (!linked || link.ExportTarget != j.ID):
		return "want exportTarget to be another job, and linkedExport the job that exports this one"
	}
	return ""
}

func (l *loader) results(d *coreDump) {
	for i, r := range d.Results {
		if _, err := regexp.Compile(r.Pattern); err != nil || r.Query == "" && r.Pattern == "" && r.DomainKey == "" {
			l.wrong("result", i+1, "want a query, a pattern in RE2 syntax, or a domainKey")
		}
		if reason := r.wrong(); reason != "" {
			l.wrong("result", i+1, "%s", reason)
		}
	}
	if d.JobTime.Queued < 0 || d.JobTime.Running < 0 {
		l.wrong("jobTime", "of the dump", "want queued and running of 0 or more")
	}
}

func (r QueuedResult) wrong() string {
	switch {
	case (r.Output == nil) == (r.Error == "") || r.Output != nil && !r.Output.sound():
		return "want an output, with as many rows as it counts, or an error"
	case r.Times < 0 || negative(r.Queued) || negative(r.Running):
		return "want times, queued and running of 0 or more"
	}
	return ""
}

func negative(d *time.Duration) bool { return d != nil && *d < 0 }

// sound reports whether the rows are what the formats of results are made from.
func (o *Output) sound() bool {
	if o.Dropped {
		return len(o.Rows) == 0
	}
	r := bytes.NewReader(o.Rows)
	d := msgpack.NewDecoder(r)
	for range o.Count {
		if n, err := d.DecodeArrayLen(); err != nil || n != len(o.Columns) {
			return false
		}
		for range o.Columns {
			if !soundValue(d, maxDepth) {
				return false
			}
		}
	}
	return o.Count >= 0 && o.Size >= 0 && r.Len() == 0
}

const maxDepth = 100 // of lists and objects within a value of a row

func soundValue(d *msgpack.Decoder, depth int) bool {
	code, err := d.PeekCode()
	switch {
	case err != nil || depth == 0:
		return false
	case msgpcode.IsFixedArray(code), code == msgpcode.Array16, code == msgpcode.Array32:
		n, err := d.DecodeArrayLen()
		for err == nil && n > 0 && soundValue(d, depth-1) {
			n--
		}
		return err == nil && n == 0
	case msgpcode.IsFixedMap(code), code == msgpcode.Map16, code == msgpcode.Map32:
		n, err := d.DecodeMapLen()
		for ; err == nil && n > 0; n-- {
			if _, err = d.DecodeString(); err != nil || !soundValue(d, depth-1) {
				return false
			}
		}
		return err == nil
	}
	_, err = d.DecodeInterface()
	return err == nil
}
