package rule

import (
	"fmt"
	"slices"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

var tokenRevocation = history.Rule{
	Doc: report.RuleDoc{
		ID: TokenRevocation, Provenance: specs.Assumed,
		Title: "a removed token is gone with every other live token of the same user for the same client",
		Watches: "Lists of tokens that began after a removal succeeded, and removals of tokens that were revoked before. " +
			"Lists show live tokens only; removing a revoked one again is answered with 404, which is only assumed. " +
			"Authorization codes that were not exchanged are revoked as well, but no response shows them, so they are " +
			"not judged.",
		Evidence: "A list shows the removed token, or one that belongs to the same user and client according to an earlier " +
			"list; a revoked token is removed again with success.",
		Inconclusive: "No earlier list shows whose token was removed, or a listed token does not show whose it is, so it " +
			"may be one that was revoked with it; it is not known whether the caller saw such tokens before.",
		Passes: "Tokens of the same user for another client; a token that no earlier list shows, which may be new; another " +
			"token under the id of a removed one; a list of another caller, who may see less; a list that overlaps the " +
			"removal; removals that were refused or had no response.",
	},
	Check: checkTokenRevocation,
}

func checkTokenRevocation(st *history.Step) {
	checkUses(st, TokenRevocation)
	if !isListOf(st, TokenRevocation) {
		return
	}
	violated := checkListed(st, TokenRevocation)
	st.State.Revocations = slices.DeleteFunc(st.State.Revocations, func(r *history.Revocation) bool {
		isOthers := st.Caller != 0 && r.Viewer != 0 && st.Caller != r.Viewer
		if !st.Known(r.Removal) || r.Known && isOthers && !violated {
			return false
		}
		if !violated {
			passUnlisted(st, r)
		}
		return true
	})
}

// passUnlisted judges a list that shows nothing which is known to be revoked by a removal.
func passUnlisted(st *history.Step, r *history.Revocation) {
	verdict := history.Ruling{Rule: TokenRevocation, Aspect: "list", Provenance: specs.Documented}
	switch {
	case len(st.Tokens) > 0 && !r.Known:
		verdict.Message = fmt.Sprintf("it is not known whose token %s was, nor which tokens were revoked with it",
			r.Removal.ID)
		st.Judge(verdict, report.Inconclusive, r.Removal)
	case r.Known && (st.Caller == 0 || r.Viewer == 0):
		verdict.Message = fmt.Sprintf(
			"no token is listed that was revoked with token %s; it is not known whether this caller would see it",
			r.Removal.ID)
		st.Judge(verdict, report.Inconclusive, r.Removal)
	case slices.ContainsFunc(st.Tokens, func(f facts.Token) bool { return hasNoOwner(st, f) }):
		verdict.Message = fmt.Sprintf(
			"tokens are listed that may have been revoked with token %s; they do not show whose they are",
			r.Removal.ID)
		st.Judge(verdict, report.Inconclusive, r.Removal)
	default:
		st.Judge(verdict, report.Pass)
	}
}

// hasNoOwner reports whether it is not known, from this list nor from earlier ones, whose a token is.
func hasNoOwner(st *history.Step, f facts.Token) bool {
	if (facts.Owner{User: f.User, Client: f.Client}).IsKnown() {
		return false
	}
	earlier, ok := st.State.Tokens.Get(f.ID)
	return !ok || !earlier.IsKnown()
}
