package rule

import (
	"fmt"
	"slices"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// tokenRevocation: removing a token revokes it and every other live token that the same user holds for the same client,
// and lists show live tokens only. To remove a revoked one again is answered with 404, which is only assumed.
//
// Its chances are lists of tokens that began after a removal had succeeded, and removals of tokens that were revoked
// before. That a token was revoked with another one takes a list from before the removal that shows the user and the
// client of both. Where no list did, or a listed token does not show whose it is, a list without a violation is
// inconclusive. A list is judged that was asked for by who saw the token before: others may see less. What came into
// being after the removal, which a list from before does not show, is another matter.
func tokenRevocation(st *step) {
	st.used(TokenRevocation)
	if !st.isListOf(TokenRevocation) {
		return
	}
	violated := st.relisted(TokenRevocation)
	st.s.revocations = slices.DeleteFunc(st.s.revocations, func(r *revocation) bool {
		if !st.known(r.removal) || r.known && st.caller != r.viewer && !violated {
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
	case len(st.tokens) > 0 && !r.known:
		verdict.message = fmt.Sprintf("whose token %s was is not known, and so are those that went with it", r.removal.ID)
		st.judge(verdict, report.Inconclusive, r.removal)
	case slices.ContainsFunc(st.tokens, st.isNobodys):
		verdict.message = fmt.Sprintf("tokens are listed that may be revoked with token %s; they do not show whose they are",
			r.removal.ID)
		st.judge(verdict, report.Inconclusive, r.removal)
	default:
		st.judge(verdict, report.Pass)
	}
}

// isNobodys reports whether it is not known, from this list nor from earlier ones, whose a token is.
func (st *step) isNobodys(f tokenFact) bool {
	if (owner{f.user, f.client}).isKnown() {
		return false
	}
	earlier, ok := st.s.tokens.get(f.id)
	return !ok || !earlier.isKnown()
}
