package rule

import (
	"fmt"
	"net/http"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

var subUserRemoval = watch{
	about: report.RuleDoc{
		ID: SubUserRemoval, Provenance: specs.Assumed,
		Title: "a removed sub user is gone, with its tokens, and its keys are refused from then on",
		Watches: "Removals of sub users, and then lists of sub users and of tokens, and requests with a key of the sub user " +
			"on any interface except event ingestion, that began after a removal succeeded. Removing it a second time " +
			"is answered with 404, which is only assumed. Its refresh tokens and codes are also revoked, which no " +
			"response shows.",
		Evidence: "A list shows the sub user or one of its tokens; one of its keys is accepted; it is removed again with " +
			"success. A key belongs to the sub user if a job or a schedule that was created with it shows the sub " +
			"user's name before the removal, and no other sub user has that name; that no other user has it is certain " +
			"if the key was also refused the list of sub users, and assumed otherwise.",
		Inconclusive: "The recording shows none of its keys; the name on a key is the name of two sub users, or of a user who was " +
			"allowed to list sub users.",
		Passes: "Events with its key, which is checked after the response; invalid requests, which may be refused before " +
			"their key is checked; a name that became known only after the removal; keys that cannot be told apart " +
			"because they are redacted; removals that were refused or had no response.",
	},
	see: seeSubUserRemoval,
}

func seeSubUserRemoval(st *step) {
	st.used(SubUserRemoval)
	if !st.relisted(SubUserRemoval) && st.isListOf(SubUserRemoval) && st.s.removals[subUsers] > 0 {
		st.judge(ruling{rule: SubUserRemoval, aspect: "list"}, report.Pass)
	}
	if st.isListOf(TokenRevocation) {
		st.tokensOfLeavers()
	}
	st.keysOfLeaver()
	st.leaverWithKey()
}

// tokensOfLeavers looks at a list of tokens for those of removed sub users.
func (st *step) tokensOfLeavers() {
	r := ruling{rule: SubUserRemoval, aspect: "tokens", provenance: specs.Documented}
	violated := false
	for _, f := range st.Tokens {
		x := st.s.lookUp(thing{subUsers, f.User})
		removal := st.deletion(x)
		if removal == nil {
			continue
		}
		violated = true
		evidence := x.evidence()
		if before, ok := st.s.tokens.get(f.ID); ok {
			evidence = append(evidence, before.proof)
		}
		r.message = fmt.Sprintf("token %s of sub user %s is listed after the sub user was removed", f.ID, f.User)
		st.judge(r, report.Fail, evidence...)
	}
	if !violated && st.s.removals[subUsers] > 0 {
		st.judge(r, report.Pass)
	}
}

// keysOfLeaver looks at a removal of a sub user none of whose keys is known.
func (st *step) keysOfLeaver() {
	if st.Operation != "core.removeSubUser" || !st.OK() || st.deletion(st.s.lookUp(st.Named)) != nil {
		return
	}
	user, ok := st.s.subUsers.get(st.ID)
	if ok && user.name != "" {
		if keys, _ := st.s.keysOf.get(user.name); len(keys) > 0 {
			return
		}
	}
	st.judge(ruling{
		rule: SubUserRemoval, aspect: "unknown", provenance: specs.Documented,
		message: fmt.Sprintf("sub user %s was removed; the recording does not show which keys it had", st.ID),
	}, report.Inconclusive)
}

// leaverWithKey looks at a request with a key that was a removed sub user's.
func (st *step) leaverWithKey() {
	c := st.s.caller(st.Caller)
	if c == nil || !st.knowsName(c) || !st.looksAtKey() {
		return
	}
	gone, ok := st.s.leavers.get(c.name)
	if !ok || !st.known(gone.removal) || !before(c.named[1], gone.removal) {
		return
	}
	r := ruling{rule: SubUserRemoval, aspect: "key", provenance: specs.Documented}
	evidence := append([]*Event{gone.listing, gone.removal}, c.named...)
	sub := c.refused[parents]
	switch {
	case st.Status == http.StatusUnauthorized || st.Status == http.StatusForbidden:
		st.judge(r, report.Pass)
	case !st.OK():
	case !gone.unique, c.parent != nil && sub == nil:
		r.message = fmt.Sprintf("a key was accepted whose owner has the name of the removed sub user %s, but may be another user", gone.id)
		st.judge(r, report.Inconclusive, evidence...)
	default:
		if sub == nil {
			r.provenance = specs.Assumed
		}
		r.message = fmt.Sprintf("a key of sub user %s was accepted after the sub user was removed", gone.id)
		st.judge(r, report.Fail, append(evidence, sub)...)
	}
}
