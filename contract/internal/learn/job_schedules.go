package learn

import (
	"fmt"
	"slices"
	"time"

	"github.com/tidwall/gjson"
)

func (l *learner) jobSchedules() *sequence {
	s := newSequence()
	for _, t := range l.things.of(jobScheduleKind) {
		o := t.first()
		if !o.Exists() {
			continue
		}
		m := newMapping()
		m.copy(o, "id", "createdAt=created_at")
		m.set("name", t.id)
		m.shown(t, "cron", "timezone", "delay", "database", "type", "query", "priority", "retryLimit=retry_limit",
			"engineVersion=engine_version")
		m.set("target", target(o.Get("result")))
		m.set("user", l.people.referByName(o.Get("user_name").String()))
		s.add(m)
	}
	l.addUnseenSchedules(s)
	return s
}

// target returns the target of a result without what is secret in it.
func target(v gjson.Result) string {
	if isRedacted(v.String()) {
		return ""
	}
	return clean(v.String())
}

// addUnseenSchedules adds schedules that no answer shows, and that issued jobs while the recording ran: jobs that no
// request issued, and that were created every hour, or every day at the same time.
func (l *learner) addUnseenSchedules(s *sequence) {
	isListed := func(e *Exchange) bool { return e.name() == "core.listSchedules" && e.ok() }
	if slices.ContainsFunc(l.exchanges, isListed) {
		return
	}
	seen := map[string]bool{}
	for _, t := range l.things.all(jobKind) {
		query := l.queryOf(t)
		if t.made != nil || !t.late || query == "" || seen[query] || l.isScheduled(query) {
			continue
		}
		seen[query] = true
		cron, first := cronOf(l.createdWith(query))
		if cron == "" {
			continue
		}
		o, m := l.whole(t), newMapping()
		m.set("name", fmt.Sprintf("unknown_%d", len(seen)))
		m.set("cron", cron)
		m.set("query", query)
		m.copy(o, "database", "type", "priority", "retryLimit=retry_limit", "engineVersion=engine_version")
		m.set("target", target(o.Get("result")))
		m.set("user", l.people.referByName(o.Get("user_name").String()))
		m.set("createdAt", timeText(first.Add(-24*time.Hour)))
		s.addGuessed(m, "no answer shows it, and it issued the jobs with this query, which no request did")
	}
}

// isScheduled reports whether a schedule that is known has a query.
func (l *learner) isScheduled(query string) bool {
	return slices.ContainsFunc(l.things.all(jobScheduleKind), func(t *thing) bool {
		return t.last().Get("query").String() == query
	})
}

// createdWith lists when the jobs with a query were created that no request issued, in order.
func (l *learner) createdWith(query string) (times []time.Time) {
	for _, t := range l.things.all(jobKind) {
		if at := instant(l.whole(t).Get("created_at").String()); t.made == nil && l.queryOf(t) == query && !at.IsZero() {
			times = append(times, at)
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	return times
}

// cronOf returns the cron expression of a schedule that issued jobs at some times, an hour or a day apart, and the
// first of them. It returns nothing for other times, or for fewer than two.
func cronOf(times []time.Time) (cron string, first time.Time) {
	if len(times) < 2 {
		return "", first
	}
	first = times[0]
	isEvery := func(d time.Duration) bool {
		for i, at := range times[1:] {
			if at.Sub(times[i])%d != 0 || at.Equal(times[i]) {
				return false
			}
		}
		return first.Equal(first.Truncate(time.Minute)) && times[len(times)-1].Sub(times[len(times)-2]) == d
	}
	switch {
	case isEvery(24 * time.Hour):
		return fmt.Sprintf("%d %d * * *", first.Minute(), first.Hour()), first
	case isEvery(time.Hour):
		return fmt.Sprintf("%d * * * *", first.Minute()), first
	}
	return "", first
}
