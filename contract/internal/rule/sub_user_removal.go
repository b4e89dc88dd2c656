package rule

import (
	"fmt"
	"net/http"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

var subUserRemoval = history.Rule{
	Doc: report.RuleDoc{
		ID: SubUserRemoval, Provenance: specs.Assumed,
		Title: "a removed sub user is gone, with its tokens, and its keys are refused from then on",
		Watches: "Removals of sub users, and then lists of sub users and of tokens, and requests with a key of the sub " +
			"user on any interface except event ingestion, that began after a removal succeeded. Removing it a second time " +
			"is answered with 404, which is only assumed. Its refresh tokens and codes are also revoked, which no " +
			"response shows.",
		Evidence: "A list shows the sub user or one of its tokens; one of its keys is accepted; it is removed again with " +
			"success. A key belongs to the sub user if a job or a schedule that was created with it shows the sub " +
			"user's name before the removal, and no other sub user has that name; that no other user has it is certain " +
			"if the key was also refused the list of sub users, and assumed otherwise.",
		Inconclusive: "The recording shows none of its keys; the name on a key is the name of two sub users, or of a user " +
			"who was allowed to list sub users.",
		Passes: "Events with its key, which is checked after the response; invalid requests, which may be refused before " +
			"their key is checked; a name that became known only after the removal; keys that cannot be told apart " +
			"because they are redacted; removals that were refused or had no response.",
	},
	Check: checkSubUserRemoval,
}

func checkSubUserRemoval(st *history.Step) {
	checkUses(st, SubUserRemoval)
	if !checkListed(st, SubUserRemoval) && isListOf(st, SubUserRemoval) && st.State.Removals[facts.SubUsers] > 0 {
		st.Judge(history.Ruling{Rule: SubUserRemoval, Aspect: "list"}, report.Pass)
	}
	if isListOf(st, TokenRevocation) {
		checkTokensOfRemoved(st)
	}
	noteKeysOfRemoved(st)
	checkKeyOfRemoved(st)
}

// checkTokensOfRemoved looks at a list of tokens for those of removed sub users.
func checkTokensOfRemoved(st *history.Step) {
	r := history.Ruling{Rule: SubUserRemoval, Aspect: "tokens", Provenance: specs.Documented}
	violated := false
	for _, f := range st.Tokens {
		x := st.State.LookUp(facts.Entity{Kind: facts.SubUsers, ID: f.User})
		removal := st.Deletion(x)
		if removal == nil {
			continue
		}
		violated = true
		evidence := x.DeletionEvidence()
		if before, ok := st.State.Tokens.Get(f.ID); ok {
			evidence = append(evidence, before.Proof)
		}
		r.Message = fmt.Sprintf("token %s of sub user %s is listed after the sub user was removed", f.ID, f.User)
		st.Judge(r, report.Fail, evidence...)
	}
	if !violated && st.State.Removals[facts.SubUsers] > 0 {
		st.Judge(r, report.Pass)
	}
}

// noteKeysOfRemoved looks at a removal of a sub user none of whose keys is known.
func noteKeysOfRemoved(st *history.Step) {
	if st.Operation != "core.removeSubUser" || !st.OK() || st.Deletion(st.State.LookUp(st.Target)) != nil {
		return
	}
	user, ok := st.State.SubUsers.Get(st.ID)
	if ok && user.Name != "" {
		if keys, _ := st.State.KeysOf.Get(user.Name); len(keys) > 0 {
			return
		}
	}
	st.Judge(history.Ruling{
		Rule: SubUserRemoval, Aspect: "unknown", Provenance: specs.Documented,
		Message: fmt.Sprintf("sub user %s was removed; the recording does not show which keys it had", st.ID),
	}, report.Inconclusive)
}

// checkKeyOfRemoved looks at a request with a key that was a removed sub user's.
func checkKeyOfRemoved(st *history.Step) {
	c := st.State.Caller(st.Caller)
	if c == nil || !knowsName(st, c) || !st.LooksAtKey() {
		return
	}
	gone, ok := st.State.RemovedUsers.Get(c.Name)
	if !ok || !st.Known(gone.Removal) || !facts.Before(c.Named[1], gone.Removal) {
		return
	}
	r := history.Ruling{Rule: SubUserRemoval, Aspect: "key", Provenance: specs.Documented}
	evidence := append([]*facts.Exchange{gone.Listing, gone.Removal}, c.Named...)
	sub := c.Refused[history.Parents]
	switch {
	case st.Status == http.StatusUnauthorized || st.Status == http.StatusForbidden:
		st.Judge(r, report.Pass)
	case !st.OK():
	case !gone.Unique, c.Parent != nil && sub == nil:
		r.Message = fmt.Sprintf(
			"a key was accepted whose owner has the name of the removed sub user %s, but may be another user", gone.ID)
		st.Judge(r, report.Inconclusive, evidence...)
	default:
		if sub == nil {
			r.Provenance = specs.Assumed
		}
		r.Message = fmt.Sprintf("a key of sub user %s was accepted after the sub user was removed", gone.ID)
		st.Judge(r, report.Fail, append(evidence, sub)...)
	}
}
