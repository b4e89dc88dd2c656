package rule

import (
	"net/http"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// ingestionAuth: keys of events are looked at after the answer, so that an event with a wrong key is answered with 200
// like any other. The key is in Authorization, or, without that header, in one of its own. An event that has it in
// neither, or in the query only, has none and is refused with 403; the status is assumed.
//
// Its chances are events without a key, and events with one that was answered with 401 before on another interface and
// not accepted since. An event without a key that was accepted is a violation only where the recording shows
// Authorization headers elsewhere: many tools leave them out. A refusal with 403 of a key of which nothing is known is
// inconclusive; such a key may be a good one that may not import.
func ingestionAuth(st *step) {
	if st.keyed {
		st.s.keeping = st.Event
		st.settle(IngestionAuth)
	}
	switch f := st.event; {
	case f == nil:
	case f.key == noKey:
		st.keyless(f)
	case f.key == withKey:
		st.wrongKey()
	}
}

func (st *step) keyless(f *eventFact) {
	r := ruling{
		rule: IngestionAuth, aspect: "none", provenance: specs.Assumed, operation: st.Operation,
		message: "an event without a key was accepted",
	}
	if f.isInQuery {
		r.message = "an event whose key is only in the query was accepted"
	}
	switch {
	case st.Status == http.StatusForbidden:
		st.judge(r, report.Pass)
	case !st.OK():
	case st.s.keeping != nil:
		st.judge(r, report.Fail, st.s.keeping)
	default:
		p := &pending{ruling: r}
		p.ruling.message += "; the recording may have been stripped of it"
		p.ruling.evidence = []*Event{st.Event}
		event := st.Event
		p.look = func(later *step) bool {
			r.verdict, r.evidence = report.Fail, []*Event{later.Event, event}
			later.say(r)
			return true
		}
		st.await(IngestionAuth, p)
	}
}

func (st *step) wrongKey() {
	r := ruling{rule: IngestionAuth, aspect: "wrong", provenance: specs.Documented}
	isRefused := st.Status == http.StatusUnauthorized || st.Status == http.StatusForbidden
	var rejection *Event
	if c := st.s.caller(st.caller); c != nil && c.rejected != nil && st.known(c.rejected) {
		if c.accepted == nil || before(c.accepted, c.rejected) {
			rejection = c.rejected
		}
	}
	switch {
	case rejection != nil && isRefused:
		r.message = "an event with a wrong key was refused at once"
		st.judge(r, report.Fail, rejection)
	case rejection != nil && st.OK():
		st.judge(r, report.Pass)
	case isRefused:
		r.message = "an event was refused; the recording does not show what is wrong with its key"
		st.judge(r, report.Inconclusive)
	}
}
