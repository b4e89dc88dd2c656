package rule

import (
	"fmt"
	"net/http"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

var useAfterDelete = history.Rule{
	Doc: report.RuleDoc{
		ID: UseAfterDelete, Provenance: specs.Assumed,
		Title: "what was deleted is gone, with what belonged to it: 404, and no list shows it; a domain key is never " +
			"assigned twice",
		Watches: "Exchanges that began after a deletion succeeded and name or show what was deleted, or a part of it: " +
			"resources of every kind that a document describes with x-resources, including documents of your own. " +
			"Tokens, sub users and integrations of the data warehouse interface have rules of their own. Also requests " +
			"that refer to a deleted resource in something new, which is only assumed to be refused; jobs with a domain " +
			"key that another job has; and requests with an API key that was removed. In documents of your own also what " +
			"refers says: must exist, and onDelete.",
		Evidence: "The deleted resource is read, changed, listed or shown, or something new refers to it. What belonged to " +
			"it counts as well, if the document says that it is deleted along with it and a response showed that it " +
			"belonged to it; the document also says how certain either is. Or a second job got a domain key that is " +
			"already used up. Or a removed key is accepted. In documents of your own also: something refers to what was " +
			"deleted or not found, although that must exist; a deletion succeeds although something refers to it, " +
			"with refuse; what referred to it is there, with cascade; or still refers to it, with clear.",
		Inconclusive: "The resource exists after a request to delete it that had no response, or was answered with 5xx or " +
			"202, so that the outcome is unknown.",
		Passes: "A repeated deletion that succeeds, since clients repeat requests; a resource that was created anew under " +
			"the same id or name by a request of the recording, by a query or an event that may have created it, or, as " +
			"its id or time of creation shows, by another caller; one page of several, or a filtered list, that lacks " +
			"it; refusals for reasons that are checked before existence (400, 401, 403, 409, 422); what the document " +
			"does not describe as deleted along with it, such as the sessions and attempts of a project.",
	},
	Check: checkUseAfterDelete,
}

func checkUseAfterDelete(st *history.Step) {
	checkUses(st, UseAfterDelete)
	checkReferences(st)
	checkDeletion(st)
	checkReferring(st)
	checkOutlived(st, UseAfterDelete)
	if !checkListed(st, UseAfterDelete) && isListOf(st, UseAfterDelete) && !st.Partial && st.State.Removals[st.Kind] > 0 {
		st.Judge(history.Ruling{Rule: UseAfterDelete, Aspect: "list"}, report.Pass)
	}
	checkOutlivedDatabase(st)
	checkReissuedID(st)
	checkRemovedKey(st)
}

// checkOutlivedDatabase looks for tables of a database that was deleted, in the one that was made under its name since.
func checkOutlivedDatabase(st *history.Step) {
	if !st.OK() || st.Verb == facts.Creates {
		return
	}
	for t := range st.Touched {
		in, isSame := st.OutlivedDatabase(t)
		if in == nil {
			continue
		}
		x := st.State.LookUp(t)
		r := history.Ruling{
			Rule: UseAfterDelete, Aspect: "database", Provenance: specs.Documented, IfComplete: !isSame,
			Message: fmt.Sprintf("%s is there, though %s was deleted with it before it was made anew", st.Text(t),
				st.Text(in.Entity)),
			Excuses: []history.Excuse{
				history.NewExcuse("created", t, in.LastDeletedBy, st.Exchange),
				history.NewExcuse(history.Recovered, t, in.LastDeletedBy, st.Exchange),
			},
		}
		st.Judge(r, report.Fail, x.Proof, in.LastDeletedBy, in.CreatedBy)
	}
}

// checkRemovedKey looks at a request with an API key that was removed.
func checkRemovedKey(st *history.Step) {
	c := st.State.Caller(st.Caller)
	if c == nil || !st.Known(c.Dropped) || !st.LooksAtKey() {
		return
	}
	r := history.Ruling{Rule: UseAfterDelete, Aspect: "key", Provenance: specs.Client}
	switch {
	case st.Status == http.StatusUnauthorized || st.Status == http.StatusForbidden:
		st.Judge(r, report.Pass)
	case st.OK():
		r.Message = "an API key was accepted after it was removed"
		st.Judge(r, report.Fail, c.Dropped)
	}
}

// checkReissuedID looks at jobs with a domain key that another job has, which is refused with 409 as long as anybody
// remembers.
func checkReissuedID(st *history.Step) {
	if k := st.Keyholder; k != nil && k.ID != "" && st.OK() {
		first, known := st.State.DomainKeys.Get(k.DomainKey)
		if known && st.Known(first) && first.Issued.ID != "" && first.Issued.ID != k.ID {
			st.Judge(history.Ruling{
				Rule: UseAfterDelete, Aspect: "domain key", Provenance: specs.Client,
				Message: fmt.Sprintf("the domain key of job %s leads to job %s", first.Issued.ID, k.ID),
			}, report.Fail, first)
		}
	}
	if st.Issued == nil || st.Issued.DomainKey == "" {
		return
	}
	first, ok := st.State.DomainKeys.Get(st.Issued.DomainKey)
	if !ok || !st.Known(first) {
		return
	}
	r := history.Ruling{Rule: UseAfterDelete, Aspect: "domain key", Provenance: specs.Client}
	switch {
	case st.Status == http.StatusConflict:
		st.Judge(r, report.Pass)
	case st.OK():
		r.Message = fmt.Sprintf("a second job, %s, got the domain key of job %s", st.Issued.ID, first.Issued.ID)
		if st.Issued.ID == first.Issued.ID {
			r.Message = fmt.Sprintf("job %s was issued again with its domain key and answered with success instead of 409",
				first.Issued.ID)
		}
		st.Judge(r, report.Fail, first)
	}
}
