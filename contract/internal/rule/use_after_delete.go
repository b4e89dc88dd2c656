package rule

import (
	"fmt"
	"net/http"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

var useAfterDelete = watch{
	about: report.RuleDoc{
		ID: UseAfterDelete, Provenance: specs.Assumed,
		Title: "what was deleted is gone, with what belonged to it: 404, and no list shows it; a domain key is never " +
			"given twice",
		Watches: "Whatever began after a deletion had succeeded and names or shows what was deleted, or what is a part of " +
			"it: things of every resource that a document describes with x-resources, a user's own document included. " +
			"Tokens, sub users and integrations of the data warehouse interface have rules of their own. Also requests " +
			"that point something new at it, which is only assumed to be refused, jobs with a domain key that another job " +
			"has, and requests with an API key that was removed.",
		Evidence: "It is read, changed, listed or shown, or something new is pointed at it. What belonged to it counts as " +
			"well, if the document says that it goes along and an answer showed that it belonged to it; how sure either " +
			"is, the document says, too. Or a second job got a domain key, which is used up for ever. Or a removed key is " +
			"taken.",
		Inconclusive: "It is there after a request to delete it that was not answered, or with 5xx or 202, so that nobody " +
			"knows what became of it.",
		Passes: "A deletion that is repeated with success, since clients repeat requests; what was made anew under the " +
			"same id or name, be it by a request of the recording, by a query or an event that may have made it, or, " +
			"as its id or its birth shows, by somebody else; one page of several, or a filtered list, that lacks it; " +
			"refusals that come before the question whether something is there (400, 401, 403, 409, 422); what the " +
			"document does not say to go along, such as the sessions and attempts of a project.",
	},
	see: seeUseAfterDelete,
}

func seeUseAfterDelete(st *step) {
	st.used(UseAfterDelete)
	st.referred()
	st.outlived(UseAfterDelete)
	if !st.relisted(UseAfterDelete) && st.isListOf(UseAfterDelete) && !st.Partial && st.s.removals[st.of] > 0 {
		st.judge(ruling{rule: UseAfterDelete, aspect: "list"}, report.Pass)
	}
	st.reissued()
	st.droppedKey()
}

// droppedKey looks at a request with an API key that was removed.
func (st *step) droppedKey() {
	c := st.s.caller(st.Caller)
	if c == nil || !st.known(c.dropped) || !st.looksAtKey() {
		return
	}
	r := ruling{rule: UseAfterDelete, aspect: "key", provenance: specs.Client}
	switch {
	case st.Status == http.StatusUnauthorized || st.Status == http.StatusForbidden:
		st.judge(r, report.Pass)
	case st.OK():
		r.message = "an API key was taken after it was removed"
		st.judge(r, report.Fail, c.dropped)
	}
}

// referred looks at what is pointed at something deleted. That this is refused is only assumed.
func (st *step) referred() {
	for _, t := range st.Refers {
		if x := st.s.lookUp(t); st.deletion(x) != nil {
			st.referredTo(x)
		}
	}
}

func (st *step) referredTo(x *entity) {
	r := ruling{rule: UseAfterDelete, aspect: "reference", provenance: specs.Assumed}
	switch {
	case st.OK():
		r.message = st.text(x.thing) + " was referred to after it was deleted"
		r.excuses = st.remade(x)
		st.judge(r, report.Fail, x.evidence()...)
	case st.Status == http.StatusBadRequest, st.Status == http.StatusNotFound, st.Status == http.StatusUnprocessableEntity:
		st.judge(r, report.Pass)
	}
}

// reissued looks at jobs with a domain key that another job has, which is refused with 409 as long as anybody
// remembers.
func (st *step) reissued() {
	if st.Issued == nil || st.Issued.DomainKey == "" {
		return
	}
	first, ok := st.s.domainKeys.get(st.Issued.DomainKey)
	if !ok || !st.known(first) {
		return
	}
	r := ruling{rule: UseAfterDelete, aspect: "domain key", provenance: specs.Client}
	switch {
	case st.Status == http.StatusConflict:
		st.judge(r, report.Pass)
	case st.OK():
		r.message = fmt.Sprintf("a second job, %s, got the domain key of job %s", st.Issued.ID, first.Issued.ID)
		if st.Issued.ID == first.Issued.ID {
			r.message = fmt.Sprintf("job %s was issued again with its domain key and answered with success instead of 409", first.Issued.ID)
		}
		st.judge(r, report.Fail, first)
	}
}
