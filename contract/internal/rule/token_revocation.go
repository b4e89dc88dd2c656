package rule

import (
	"fmt"
	"slices"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

var tokenRevocation = watch{
	about: report.RuleDoc{
		ID: TokenRevocation, Provenance: specs.Assumed,
		Title: "a removed token is gone with every other live token of the same user for the same client",
		Watches: "Lists of tokens that began after a removal succeeded, and removals of tokens that were revoked before. " +
			"Lists show live tokens only; removing a revoked one again is answered with 404, which is only assumed. " +
			"Authorization codes that were not exchanged are revoked as well, but no response shows them, so they are " +
			"not judged.",
		Evidence: "A list shows the removed token, or one that belongs to the same user and client according to an earlier " +
			"list; a revoked token is removed again with success.",
		Inconclusive: "No earlier list shows whose token was removed, or a listed token does not show whose it is, so it may be " +
			"one that was revoked with it; it is not known whether the caller saw such tokens before.",
		Passes: "Tokens of the same user for another client; a token that no earlier list shows, which may be new; another " +
			"token under the id of a removed one; a list of another caller, who may see less; a list that overlaps the " +
			"removal; removals that were refused or had no response.",
	},
	see: seeTokenRevocation,
}

func seeTokenRevocation(st *step) {
	st.used(TokenRevocation)
	if !st.isListOf(TokenRevocation) {
		return
	}
	violated := st.relisted(TokenRevocation)
	st.s.revocations = slices.DeleteFunc(st.s.revocations, func(r *revocation) bool {
		isOthers := st.Caller != 0 && r.viewer != 0 && st.Caller != r.viewer
		if !st.known(r.removal) || r.known && isOthers && !violated {
			return false
		}
		if !violated {
			st.relieve(r)
		}
		return true
	})
}

// relieve judges a list that shows nothing which is known to be revoked by a removal.
func (st *step) relieve(r *revocation) {
	verdict := ruling{rule: TokenRevocation, aspect: "list", provenance: specs.Documented}
	switch {
	case len(st.Tokens) > 0 && !r.known:
		verdict.message = fmt.Sprintf("it is not known whose token %s was, nor which tokens were revoked with it", r.removal.ID)
		st.judge(verdict, report.Inconclusive, r.removal)
	case r.known && (st.Caller == 0 || r.viewer == 0):
		verdict.message = fmt.Sprintf("no token is listed that was revoked with token %s; it is not known whether this caller would see it",
			r.removal.ID)
		st.judge(verdict, report.Inconclusive, r.removal)
	case slices.ContainsFunc(st.Tokens, st.isNobodys):
		verdict.message = fmt.Sprintf("tokens are listed that may have been revoked with token %s; they do not show whose they are",
			r.removal.ID)
		st.judge(verdict, report.Inconclusive, r.removal)
	default:
		st.judge(verdict, report.Pass)
	}
}

// isNobodys reports whether it is not known, from this list nor from earlier ones, whose a token is.
func (st *step) isNobodys(f tokenFact) bool {
	if (owner{f.User, f.Client}).isKnown() {
		return false
	}
	earlier, ok := st.s.tokens.get(f.ID)
	return !ok || !earlier.isKnown()
}
