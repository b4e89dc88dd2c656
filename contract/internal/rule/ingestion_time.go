package rule

import (
	"fmt"
	"slices"
	"time"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

var ingestionTime = watch{
	about: report.RuleDoc{
		ID: IngestionTime, Provenance: specs.Documented,
		Title: "an event's own time is not used if it is older than 7 days or more than 3 days ahead",
		Watches: "Events that succeeded and claim a time outside of that window, by at least a day, and then the last " +
			"records of their table.",
		Evidence: "A record of the table has all of the event's plain values and the time that the event claims. That no " +
			"other event created such a record, within its window, is true as far as the recording shows.",
		Inconclusive: "The recording does not show the event's record: the last records of the table were not read, or not as " +
			"JSON, or none of them has the event's values; or rows were imported, which have times of their own.",
		Passes: "A record with the event's values and the time of receipt; another record with the claimed time; an event " +
			"with a wrong key, which does not create a record; times near the edges of the window, since the document " +
			"counts from the current date; events whose bodies were not recorded or have no plain values.",
	},
	see: seeIngestionTime,
}

// How far from its receipt the time of an event may be, with a day of grace, and how soon a record is made.
const (
	oldestEvent  = 8 * 24 * time.Hour
	newestEvent  = 4 * 24 * time.Hour
	soonRecorded = 10 * time.Minute
)

// untimely is an event that claims a time which is not to be used, and waits for its record.
type untimely struct {
	pending
	event *Event
}

func seeIngestionTime(st *step) {
	if len(st.Records) > 0 {
		st.settle(IngestionTime)
	}
	if st.Ingested == nil || !st.OK() || !st.Ingested.Record.isUntimely(st.over()) {
		return
	}
	u := &untimely{event: st.Event}
	u.ruling = ruling{
		rule: IngestionTime, aspect: "window", operation: st.Operation, provenance: specs.Documented, evidence: []*Event{st.Event},
		message: "an event claims a time that must not be used; the recording does not show its record",
	}
	u.look = u.find
	st.await(IngestionTime, &u.pending)
}

// isUntimely reports whether a time is out of the window, when the record is received at another one.
func (r *recordFact) isUntimely(received time.Time) bool {
	if r == nil || received.IsZero() || len(r.Values) == 0 {
		return false
	}
	ahead := time.Unix(r.Time, 0).Sub(received)
	return ahead < -oldestEvent || ahead > newestEvent
}

// find looks for the record of the event among those of its table.
func (u *untimely) find(st *step) bool {
	if st.Named != u.event.Named || !st.OK() || !before(u.event, st.Event) {
		return false
	}
	claimed := u.event.Ingested.Record
	for i := range st.Records {
		shown := &st.Records[i]
		isSoon := time.Unix(shown.Time, 0).Sub(u.event.over()).Abs() <= soonRecorded
		if !shown.has(claimed.Values) || shown.Time != claimed.Time && !isSoon {
			continue
		}
		if shown.Time == claimed.Time && st.mayBeImported() {
			continue
		}
		u.ruling.verdict = report.Pass
		if shown.Time == claimed.Time {
			u.ruling.verdict = report.Fail
			u.ruling.message = fmt.Sprintf("a record has the time %s that its event claims; the event was received at %s",
				time.Unix(claimed.Time, 0).UTC().Format(time.RFC3339), u.event.over().UTC().Format(time.RFC3339))
			u.ruling.evidence = []*Event{st.Event, u.event}
		}
		st.say(u.ruling)
		return true
	}
	return false
}

// mayBeImported reports whether a record of the table may come from elsewhere than from an event.
func (st *step) mayBeImported() bool {
	x := st.s.lookUp(st.Named)
	return st.s.loaded != nil || x != nil && x.filled != nil
}

// has reports whether a record has all of some values.
func (r *recordFact) has(values []uint64) bool {
	return !slices.ContainsFunc(values, func(v uint64) bool { return !slices.Contains(r.Values, v) })
}
