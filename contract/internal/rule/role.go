package rule

import (
	"fmt"
	"net/http"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// class is a class of callers, each a part of the next.
type class int

const (
	administrators class = iota
	delegates            // administrators and delegated admins
	parents              // everybody but sub users
	classes
)

// reserve is the class of callers that an operation is reserved for.
type reserve struct {
	to    class
	sure  specs.Provenance
	mixed bool // it is also refused for other reasons than the role, so that a refusal does not prove it
}

var reserved = map[string]reserve{
	"workflow.listPools":      {to: administrators, sure: specs.Public},
	"workflow.createPool":     {to: administrators, sure: specs.Public},
	"workflow.getPool":        {to: administrators, sure: specs.Public},
	"workflow.updatePool":     {to: administrators, sure: specs.Public},
	"workflow.deletePool":     {to: administrators, sure: specs.Public},
	"workflow.listPoolRules":  {to: administrators, sure: specs.Public},
	"workflow.createPoolRule": {to: administrators, sure: specs.Public},
	"workflow.getPoolRule":    {to: administrators, sure: specs.Public},
	"workflow.updatePoolRule": {to: administrators, sure: specs.Public},
	"workflow.deletePoolRule": {to: administrators, sure: specs.Public},

	"core.setProfileOption":    {to: administrators, sure: specs.Documented},
	"core.deleteProfileOption": {to: administrators, sure: specs.Documented},
	"core.exportPolicies":      {to: delegates, sure: specs.Documented, mixed: true}, // a feature flag
	"core.listSubUsers":        {to: parents, sure: specs.Documented},
}

var role = watch{
	about: report.RuleDoc{
		ID: Role, Provenance: specs.Assumed,
		Title: "a caller whose role does not allow an operation is always refused",
		Watches: "Pools and pool rules, and setting and deleting profile options, are for administrators; exporting policies " +
			"is for administrators and delegated admins; listing sub users is for everyone except sub users. Others get " +
			"403. The rule judges each refusal, and each success of a caller who was refused before.",
		Evidence: "The same caller is refused, succeeds, and is refused again, in that order. A recording does not show who " +
			"has which role, but a caller who is refused with 403 does not have the role at that time, and whoever is " +
			"not a sub user's parent is not an administrator either. It is assumed that the role was not granted and " +
			"revoked in between. Or: sub users are listed for a caller under whose name a job ran, and that is the name " +
			"of exactly one sub user.",
		Inconclusive: "A success after a refusal, until another refusal follows: the caller may have been granted the role.",
		Passes: "A success of a caller who was never refused; callers whose keys cannot be told apart because they are " +
			"redacted; a request that overlaps the refusal; an export of policies that is refused once and then " +
			"succeeds, since it also depends on a feature flag. Transferring tables is limited to accounts that " +
			"recordings do not show, and is not judged.",
	},
	see: seeRole,
}

func seeRole(st *step) {
	c, left := st.s.caller(st.Caller), reserved[st.Operation]
	if c == nil || left.sure == "" {
		return
	}
	switch {
	case st.Status == http.StatusForbidden:
		st.refusedRole(c, left)
	case st.OK():
		st.servedRole(c, left)
		if left.to == parents {
			st.servedSubUser(c)
		}
	}
}

func (st *step) refusedRole(c *callerState, left reserve) {
	r := ruling{rule: Role, aspect: left.to.String(), provenance: left.sure}
	if c.served != nil && !left.mixed && c.servedAs <= left.to && st.known(c.served) {
		r.message = fmt.Sprintf("a request succeeded although refusals before and after show that its caller is not one of the %s", c.servedAs)
		r.aspect, r.operation, r.provenance = c.servedAs.String(), c.served.Operation, specs.Assumed
		st.judge(r, report.Fail, c.refusal(c.servedAs), c.served)
	} else {
		st.judge(r, report.Pass)
	}
	if !left.mixed {
		c.refused[left.to], c.served = st.Event, nil
	}
}

// refusal is the last one that shows that a caller is not of a class.
func (c *callerState) refusal(of class) *Event {
	var last *Event
	for _, e := range c.refused[of:] {
		if e != nil && (last == nil || e.Number > last.Number) {
			last = e
		}
	}
	return last
}

func (st *step) servedRole(c *callerState, left reserve) {
	refusal := c.refusal(left.to)
	if refusal == nil || !st.known(refusal) {
		return
	}
	isFirst := c.served == nil
	c.served, c.servedAs = st.Event, left.to
	if !isFirst {
		return
	}
	st.judge(ruling{
		rule: Role, aspect: left.to.String(), provenance: left.sure,
		message: fmt.Sprintf("a request of a caller succeeded who was refused before, by %s; the role may have been granted since",
			refusal.Operation),
	}, report.Inconclusive, refusal)
}

// servedSubUser looks whether who got a list of sub users is one of them.
func (st *step) servedSubUser(c *callerState) {
	namesakes, _ := st.s.named.get(c.name)
	if len(namesakes) != 1 || !st.knowsName(c) {
		return
	}
	user, ok := st.s.subUsers.get(namesakes[0])
	if x := st.s.lookUp(thing{subUsers, namesakes[0]}); !ok || !st.known(user.proof) || x == nil || x.gone != nil {
		return
	}
	st.judge(ruling{
		rule: Role, aspect: parents.String(), provenance: specs.Assumed,
		message: fmt.Sprintf("sub users were listed for a caller who has the name of sub user %s", namesakes[0]),
	}, report.Fail, append([]*Event{user.proof}, c.named...)...)
}

// knowsName reports whether the name of a caller was known when the exchange in hand began.
func (st *step) knowsName(c *callerState) bool {
	return c.name != "" && st.known(c.named[0]) && st.known(c.named[1])
}

func (c class) String() string {
	return [...]string{"administrators", "administrators and delegated admins", "users who are not sub users"}[c]
}
