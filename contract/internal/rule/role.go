package rule

import (
	"fmt"
	"net/http"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// reserve is the class of callers that an operation is reserved for.
type reserve struct {
	to    history.Class
	sure  specs.Provenance
	mixed bool // it is also refused for other reasons than the role, so that a refusal does not prove it
}

var reserved = map[string]reserve{
	"workflow.listPools":      {to: history.Administrators, sure: specs.Public},
	"workflow.createPool":     {to: history.Administrators, sure: specs.Public},
	"workflow.getPool":        {to: history.Administrators, sure: specs.Public},
	"workflow.updatePool":     {to: history.Administrators, sure: specs.Public},
	"workflow.deletePool":     {to: history.Administrators, sure: specs.Public},
	"workflow.listPoolRules":  {to: history.Administrators, sure: specs.Public},
	"workflow.createPoolRule": {to: history.Administrators, sure: specs.Public},
	"workflow.getPoolRule":    {to: history.Administrators, sure: specs.Public},
	"workflow.updatePoolRule": {to: history.Administrators, sure: specs.Public},
	"workflow.deletePoolRule": {to: history.Administrators, sure: specs.Public},

	"core.setProfileOption":    {to: history.Administrators, sure: specs.Documented},
	"core.deleteProfileOption": {to: history.Administrators, sure: specs.Documented},
	"core.exportPolicies":      {to: history.Delegates, sure: specs.Documented, mixed: true}, // a feature flag
	"core.listSubUsers":        {to: history.Parents, sure: specs.Documented},
}

var role = history.Rule{
	Doc: report.RuleDoc{
		ID: Role, Provenance: specs.Assumed,
		Title: "a caller whose role does not allow an operation is always refused",
		Watches: "Pools and pool rules, and setting and deleting profile options, are for administrators; exporting " +
			"policies is for administrators and delegated admins; listing sub users is for everyone except sub users. Others " +
			"get 403. The rule judges each refusal, and each success of a caller who was refused before.",
		Evidence: "The same caller is refused, succeeds, and is refused again, in that order. A recording does not show " +
			"who has which role, but a caller who is refused with 403 does not have the role at that time, and whoever is " +
			"not a sub user's parent is not an administrator either. It is assumed that the role was not granted and " +
			"revoked in between. Or: sub users are listed for a caller under whose name a job ran, and that is the name " +
			"of exactly one sub user.",
		Inconclusive: "A success after a refusal, until another refusal follows: the caller may have been granted the role.",
		Passes: "A success of a caller who was never refused; callers whose keys cannot be told apart because they are " +
			"redacted; a request that overlaps the refusal; an export of policies that is refused once and then " +
			"succeeds, since it also depends on a feature flag. Transferring tables is limited to accounts that " +
			"recordings do not show, and is not judged.",
	},
	Check: checkRole,
}

func checkRole(st *history.Step) {
	c, left := st.State.Caller(st.Caller), reserved[st.Operation]
	if c == nil || left.sure == "" {
		return
	}
	switch {
	case st.Status == http.StatusForbidden:
		checkRefusal(st, c, left)
	case st.OK():
		checkService(st, c, left)
		if left.to == history.Parents {
			checkServedSubUser(st, c)
		}
	}
}

func checkRefusal(st *history.Step, c *history.Caller, left reserve) {
	r := history.Ruling{Rule: Role, Aspect: left.to.String(), Provenance: left.sure}
	if c.Served != nil && !left.mixed && c.ServedAs <= left.to && st.Known(c.Served) {
		r.Message = fmt.Sprintf(
			"a request succeeded although refusals before and after show that its caller is not one of the %s", c.ServedAs)
		r.Aspect, r.Operation, r.Provenance = c.ServedAs.String(), c.Served.Operation, specs.Assumed
		st.Judge(r, report.Fail, c.Refusal(c.ServedAs), c.Served)
	} else {
		st.Judge(r, report.Pass)
	}
	if !left.mixed {
		c.Refused[left.to], c.Served = st.Exchange, nil
	}
}

func checkService(st *history.Step, c *history.Caller, left reserve) {
	refusal := c.Refusal(left.to)
	if refusal == nil || !st.Known(refusal) {
		return
	}
	isFirst := c.Served == nil
	c.Served, c.ServedAs = st.Exchange, left.to
	if !isFirst {
		return
	}
	st.Judge(history.Ruling{
		Rule: Role, Aspect: left.to.String(), Provenance: left.sure,
		Message: fmt.Sprintf(
			"a request of a caller succeeded who was refused before, by %s; the role may have been granted since",
			refusal.Operation),
	}, report.Inconclusive, refusal)
}

// checkServedSubUser looks whether who got a list of sub users is one of them.
func checkServedSubUser(st *history.Step, c *history.Caller) {
	namesakes, _ := st.State.Named.Get(c.Name)
	if len(namesakes) != 1 || !knowsName(st, c) {
		return
	}
	user, ok := st.State.SubUsers.Get(namesakes[0])
	if x := st.State.LookUp(facts.Entity{Kind: facts.SubUsers, ID: namesakes[0]}); !ok || !st.Known(user.Proof) ||
		x == nil || x.DeletedBy != nil {
		return
	}
	st.Judge(history.Ruling{
		Rule: Role, Aspect: history.Parents.String(), Provenance: specs.Assumed,
		Message: fmt.Sprintf("sub users were listed for a caller who has the name of sub user %s", namesakes[0]),
	}, report.Fail, append([]*facts.Exchange{user.Proof}, c.Named...)...)
}

// knowsName reports whether the name of a caller was known when the exchange in hand began.
func knowsName(st *history.Step, c *history.Caller) bool {
	return c.Name != "" && st.Known(c.Named[0]) && st.Known(c.Named[1])
}
