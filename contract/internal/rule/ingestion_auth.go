package rule

import (
	"net/http"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

var ingestionAuth = watch{
	about: report.RuleDoc{
		ID: IngestionAuth, Provenance: specs.Assumed,
		Title: "an event without a key is refused with 403, and one with a wrong key is answered with 200",
		Watches: "Events without a key, and events with a key that was answered with 401 before on another interface and has " +
			"not been accepted since. The key is in Authorization or, without that header, in a header of its own; a " +
			"key in the query does not count. Keys are checked after the response, so a wrong one is answered with 200 " +
			"like any other. That an event without a key is refused with 403 is only assumed.",
		Evidence: "An event without a key was accepted, and the recording has Authorization headers elsewhere; an event with " +
			"a key that is known to be wrong was refused with 401 or 403.",
		Inconclusive: "No request in the recording has an Authorization header, which many tools leave out; an event was refused " +
			"whose key is not known to be wrong: it may be a valid key that may not import.",
		Passes: "A wrong key in a separate header beside a valid one in Authorization, which decides; a key that was " +
			"removed, or redacted like others; a key that was wrong before and was accepted since; other refusals, such " +
			"as 400.",
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
		r.message += "; it may have been removed from the recording"
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
		r.message = "an event with a wrong key was refused instead of accepted"
		st.judge(r, report.Fail, rejection)
	case rejection != nil && st.OK():
		st.judge(r, report.Pass)
	case isRefused:
		r.message = "an event was refused; the recording does not show what is wrong with its key"
		st.judge(r, report.Inconclusive)
	}
}
