package learn

import (
	"time"

	"github.com/tidwall/gjson"
)

// unix returns a time that is given in seconds since 1970.
func unix(v gjson.Result) time.Time {
	if v.Type != gjson.Number {
		return instant(v.String())
	}
	return time.Unix(0, int64(v.Float()*1e9)).UTC()
}

// jobs lists the jobs of the beginning, oldest first.
func (l *learner) jobs() *sequence {
	s := newSequence()
	for _, t := range byNumber(l.things.of(jobKind)) {
		o := t.first()
		if !o.Get("type").Exists() {
			o = l.whole(t)
		}
		if !o.Exists() && t.used != nil {
			s.addGuessed(l.unseenJob(t), "no answer shows more than its id, or its status")
		}
		if o.Exists() {
			s.add(l.job(t, o))
		}
	}
	return s
}

// domainKeyOf returns the key under which a request asked for a job.
func (l *learner) domainKeyOf(t *thing) string {
	for _, s := range t.sights {
		if s.name() == "core.getJobStatusByDomainKey" {
			return param(s.Exchange, "domain_key")
		}
	}
	return ""
}

// unseenJob returns a job of which a request needs no more than that it is there.
func (l *learner) unseenJob(t *thing) *mapping {
	m := newMapping()
	m.set("id", idOf(t.id))
	m.set("type", "trino")
	m.set("database", l.someDatabase())
	m.set("query", "select 1")
	m.set("domainKey", l.domainKeyOf(t))
	start, end := l.course(t)
	status := t.first().Get("status").String()
	switch {
	case end.After(l.begin) || end.IsZero() && !start.IsZero():
		status = "running"
	case end.IsZero() && status == "":
		status = "running"
	}
	m.set("status", status)
	m.set("createdAt", timeOf(t.first().Get("created_at")))
	m.set("startAt", timeText(start))
	if status != "queued" {
		m.set("endAt", timeText(end))
	}
	if result := l.resultOf(t); result != nil {
		m.set("result", result)
	}
	return m
}

// whole returns the first object of a job that shows more than its status.
func (l *learner) whole(t *thing) gjson.Result {
	for _, s := range t.sights {
		if s.object.Get("type").Exists() {
			return s.object
		}
	}
	return gjson.Result{}
}

func (l *learner) job(t *thing, o gjson.Result) *mapping {
	m := newMapping()
	m.set("id", idOf(t.id))
	m.set("type", o.Get("type"))
	m.set("database", o.Get("database"))
	query := o.Get("query").String()
	if o.Get("query").IsObject() {
		query = o.Get("query").Raw
	}
	m.add("query", scalar(query), "")
	m.set("priority", o.Get("priority").Int())
	m.set("retryLimit", o.Get("retry_limit").Int())
	m.set("engineVersion", o.Get("engine_version"))
	m.set("domainKey", l.domainKeyOf(t))
	for _, s := range t.sights {
		if name := param(s.Exchange, "schedule_name"); name != "" && s.object.Get("scheduled_at").String() != "" {
			m.set("schedule", name)
			m.set("scheduledAt", timeOf(s.object.Get("scheduled_at")))
			break
		}
	}
	m.set("target", target(o.Get("result")))
	m.set("user", l.people.referByName(o.Get("user_name").String()))
	status := o.Get("status").String()
	start, end := l.course(t)
	if start.IsZero() && !end.IsZero() {
		start = l.guessStart(t, end)
	}
	isOpen := end.IsZero() && !start.IsZero() && l.killOf(t) == nil
	if end.After(l.begin) || end.IsZero() {
		status = "running"
		if start.After(l.begin) || start.IsZero() {
			status = "queued"
		}
	}
	m.set("status", status)
	m.set("createdAt", timeOf(o.Get("created_at")))
	m.set("startAt", timeText(start))
	if l.isQueued(t) {
		return m // its end is that of its result
	}
	if isOpen {
		later := t.sights[len(t.sights)-1].At.Add(12 * time.Hour)
		m.guess("endAt", timeText(later.Truncate(time.Second)), "no answer shows its end")
	}
	m.set("endAt", timeText(end))
	if at := timeOf(o.Get("updated_at")); status != "running" && status != "queued" {
		m.set("updatedAt", at)
	}
	l.addEnd(m, t)
	return m
}

// addEnd adds the result of a job, or why it failed.
func (l *learner) addEnd(m *mapping, t *thing) {
	last := t.last()
	result := l.resultOf(t)
	switch {
	case last.Get("status").String() == "error":
		m.set("error", l.errorOf(t))
	case result != nil:
		m.set("result", result)
	}
	if last.Get("status").String() != "success" || instant(last.Get("end_at").String()).After(l.begin) {
		return
	}
	for _, s := range t.sights {
		if debug := s.object.Get("debug"); debug.IsObject() {
			if out := debug.Get("cmdout"); out.Type == gjson.String {
				m.add("cmdout", scalar(out.String()), "")
			}
			if out := debug.Get("stderr"); out.Type == gjson.String {
				m.add("stderr", scalar(out.String()), "")
			}
			return
		}
	}
}
