package rule

import (
	"fmt"
	"time"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

var ingestionTime = history.Rule{
	Doc: report.RuleDoc{
		ID: IngestionTime, Provenance: specs.Documented,
		Title: "an event's own time is not used if it is older than 7 days or more than 3 days ahead",
		Watches: "Events that succeeded and claim a time outside of that window, by at least a day, and then the last " +
			"records of their table.",
		Evidence: "A record of the table has all of the event's plain values and the time that the event claims. That no " +
			"other event created such a record, within its window, is true as far as the recording shows.",
		Inconclusive: "The recording does not show the event's record: the last records of the table were not read, or not " +
			"as JSON, or none of them has the event's values; or rows were imported, which have times of their own.",
		Passes: "A record with the event's values and the time of receipt; another record with the claimed time; an event " +
			"with a wrong key, which does not create a record; times near the edges of the window, since the document " +
			"counts from the current date; events whose bodies were not recorded or have no plain values.",
	},
	Check: checkIngestionTime,
}

// How far from its receipt the time of an event may be, with a day of grace, and how soon a record is made.
const (
	oldestEvent  = 8 * 24 * time.Hour
	newestEvent  = 4 * 24 * time.Hour
	soonRecorded = 10 * time.Minute
)

// untimely is an event that claims a time which is not to be used, and waits for its record.
type untimely struct {
	history.Pending
	event *facts.Exchange
}

func checkIngestionTime(st *history.Step) {
	if len(st.Records) > 0 {
		st.Resolve(IngestionTime)
	}
	if st.Ingested == nil || !st.OK() || !isUntimely(st.Ingested.Record, st.EndedAt()) {
		return
	}
	u := &untimely{event: st.Exchange}
	u.Ruling = history.Ruling{
		Rule: IngestionTime, Aspect: "window", Operation: st.Operation, Provenance: specs.Documented,
		Evidence: []*facts.Exchange{st.Exchange},
		Message:  "an event claims a time that must not be used; the recording does not show its record",
	}
	u.Look = u.find
	st.Await(IngestionTime, &u.Pending)
}

// find looks for the record of the event among those of its table.
func (u *untimely) find(st *history.Step) bool {
	if st.Target != u.event.Target || !st.OK() || !facts.Before(u.event, st.Exchange) {
		return false
	}
	claimed := u.event.Ingested.Record
	for i := range st.Records {
		shown := &st.Records[i]
		isSoon := time.Unix(shown.Time, 0).Sub(u.event.EndedAt()).Abs() <= soonRecorded
		if !shown.Has(claimed.Values) || shown.Time != claimed.Time && !isSoon {
			continue
		}
		if shown.Time == claimed.Time && mayBeImported(st) {
			continue
		}
		u.Ruling.Verdict = report.Pass
		if shown.Time == claimed.Time {
			u.Ruling.Verdict = report.Fail
			u.Ruling.Message = fmt.Sprintf("a record has the time %s that its event claims; the event was received at %s",
				time.Unix(claimed.Time, 0).UTC().Format(time.RFC3339), u.event.EndedAt().UTC().Format(time.RFC3339))
			u.Ruling.Evidence = []*facts.Exchange{st.Exchange, u.event}
		}
		st.Say(u.Ruling)
		return true
	}
	return false
}

// mayBeImported reports whether a record of the table may come from elsewhere than from an event.
func mayBeImported(st *history.Step) bool {
	x := st.State.LookUp(st.Target)
	return st.State.Loaded != nil || x != nil && x.ImportedBy != nil
}

// isUntimely reports whether a time is out of the window, when the record is received at another one.
func isUntimely(r *facts.Record, received time.Time) bool {
	if r == nil || received.IsZero() || len(r.Values) == 0 {
		return false
	}
	ahead := time.Unix(r.Time, 0).Sub(received)
	return ahead < -oldestEvent || ahead > newestEvent
}
