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
			"assigned twice",
		Watches: "Exchanges that began after a deletion succeeded and name or show what was deleted, or a part of it: " +
			"resources of every kind that a document describes with x-resources, including documents of your own. " +
			"Tokens, sub users and integrations of the data warehouse interface have rules of their own. Also requests " +
			"that refer to a deleted resource in something new, which is only assumed to be refused; jobs with a domain " +
			"key that another job has; and requests with an API key that was removed.",
		Evidence: "The deleted resource is read, changed, listed or shown, or something new refers to it. What belonged to it " +
			"counts as well, if the document says that it is deleted along with it and a response showed that it " +
			"belonged to it; the document also says how certain either is. Or a second job got a domain key that is " +
			"already used up. Or a removed key is accepted.",
		Inconclusive: "The resource exists after a request to delete it that had no response, or was answered with 5xx or 202, so " +
			"that the outcome is unknown.",
		Passes: "A repeated deletion that succeeds, since clients repeat requests; a resource that was created anew under " +
			"the same id or name by a request of the recording, by a query or an event that may have created it, or, as " +
			"its id or time of creation shows, by another caller; one page of several, or a filtered list, that lacks " +
			"it; refusals for reasons that are checked before existence (400, 401, 403, 409, 422); what the document " +
			"does not describe as deleted along with it, such as the sessions and attempts of a project.",
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
		r.message = "an API key was accepted after it was removed"
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
		r.message = st.text(x.thing) + " was referenced after it was deleted"
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
