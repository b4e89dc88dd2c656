package rule

import (
	"net/http"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

var ingestionAuth = watch{
	about: report.RuleDoc{
		ID: IngestionAuth, Provenance: specs.Assumed,
		Title: "an event without a key is refused with 403, and one with a wrong key answered with 200",
		Watches: "Events without a key, and events with one that was answered with 401 before on another interface and not " +
			"accepted since. The key is in Authorization, or, without that header, in one of its own; one in the " +
			"query is none. Keys are looked at after the answer, so that a wrong one is answered with 200 like any " +
			"other. That an event without one is refused with 403 is only assumed.",
		Evidence: "An event without a key was accepted, and the recording shows Authorization headers elsewhere; an event " +
			"with a key that is known to be wrong was refused with 401 or 403.",
		Inconclusive: "No request of the recording has an Authorization header, which many tools leave out; an event was " +
			"refused whose key is not known to be wrong: it may be a good one that may not import.",
		Passes: "A wrong key in a header of its own beside a good one in Authorization, which decides; a key that was " +
			"taken out, or hidden like others; a key that was wrong before and was accepted since; other refusals, " +
			"such as 400.",
	},
	see: seeIngestionAuth,
}

func seeIngestionAuth(st *step) {
	switch f := st.Ingested; {
	case f == nil:
	case f.Key == noKey:
		st.keyless(f)
	case f.Key == withKey:
		st.wrongKey()
	}
}

func (st *step) keyless(f *eventFact) {
	r := ruling{
		rule: IngestionAuth, aspect: "none", provenance: specs.Assumed, operation: st.Operation,
		message: "an event without a key was accepted",
	}
	if f.IsInQuery {
		r.message = "an event whose key is only in the query was accepted"
	}
	switch {
	case st.Status == http.StatusForbidden:
		st.judge(r, report.Pass)
	case !st.OK():
	case st.s.keeping != nil:
		st.judge(r, report.Fail, st.s.keeping)
	default:
		r.message += "; the recording may have been stripped of it"
		st.judge(r, report.Inconclusive)
	}
}

func (st *step) wrongKey() {
	r := ruling{rule: IngestionAuth, aspect: "wrong", provenance: specs.Documented}
	isRefused := st.Status == http.StatusUnauthorized || st.Status == http.StatusForbidden
	var rejection *Event
	if c := st.s.caller(st.Caller); c != nil && c.rejected != nil && st.known(c.rejected) {
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
