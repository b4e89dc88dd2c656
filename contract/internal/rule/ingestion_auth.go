package rule

import (
	"net/http"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

var ingestionAuth = history.Rule{
	Doc: report.RuleDoc{
		ID: IngestionAuth, Provenance: specs.Assumed,
		Title: "an event without a key is refused with 403, and one with a wrong key is answered with 200",
		Watches: "Events without a key, and events with a key that was answered with 401 before on another interface and " +
			"has not been accepted since. The key is in Authorization or, without that header, in a header of its own; a " +
			"key in the query does not count. Keys are checked after the response, so a wrong one is answered with 200 " +
			"like any other. That an event without a key is refused with 403 is only assumed.",
		Evidence: "An event without a key was accepted, and the recording has Authorization headers elsewhere; an event " +
			"with a key that is known to be wrong was refused with 401 or 403.",
		Inconclusive: "No request in the recording has an Authorization header, which many tools leave out; an event was " +
			"refused whose key is not known to be wrong: it may be a valid key that may not import.",
		Passes: "A wrong key in a separate header beside a valid one in Authorization, which decides; a key that was " +
			"removed, or redacted like others; a key that was wrong before and was accepted since; other refusals, such " +
			"as 400.",
	},
	Check: checkIngestionAuth,
}

func checkIngestionAuth(st *history.Step) {
	switch f := st.Ingested; {
	case f == nil:
	case f.Key == facts.NoKey:
		checkKeylessEvent(st, f)
	case f.Key == facts.WithKey:
		checkWrongKey(st)
	}
}

func checkKeylessEvent(st *history.Step, f *facts.Event) {
	r := history.Ruling{
		Rule: IngestionAuth, Aspect: "none", Provenance: specs.Assumed, Operation: st.Operation,
		Message: "an event without a key was accepted",
	}
	if f.IsInQuery {
		r.Message = "an event whose key is only in the query was accepted"
	}
	switch {
	case st.Status == http.StatusForbidden:
		st.Judge(r, report.Pass)
	case !st.OK():
	case st.State.KeepsKeys != nil:
		st.Judge(r, report.Fail, st.State.KeepsKeys)
	default:
		r.Message += "; it may have been removed from the recording"
		st.Judge(r, report.Inconclusive)
	}
}

func checkWrongKey(st *history.Step) {
	r := history.Ruling{Rule: IngestionAuth, Aspect: "wrong", Provenance: specs.Documented}
	isRefused := st.Status == http.StatusUnauthorized || st.Status == http.StatusForbidden
	var rejection *facts.Exchange
	if c := st.State.Caller(st.Caller); c != nil && c.Rejected != nil && st.Known(c.Rejected) {
		if c.Accepted == nil || facts.Before(c.Accepted, c.Rejected) {
			rejection = c.Rejected
		}
	}
	switch {
	case rejection != nil && isRefused:
		r.Message = "an event with a wrong key was refused instead of accepted"
		st.Judge(r, report.Fail, rejection)
	case rejection != nil && st.OK():
		st.Judge(r, report.Pass)
	case isRefused:
		r.Message = "an event was refused; the recording does not show what is wrong with its key"
		st.Judge(r, report.Inconclusive)
	}
}
