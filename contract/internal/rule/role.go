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
		Title: "a caller whose role is too small for an operation is refused every time",
		Watches: "Pools and pool rules, and setting and deleting profile options, are for administrators; exporting " +
			"policies is for them and delegated admins; listing sub users is for everybody but sub users. To others " +
			"they answer 403. Each refusal is a chance, and each success of a caller who was refused before.",
		Evidence: "The same caller is refused, served, and refused again, in that order: who has which role is not in a " +
			"recording, but a caller who is refused with 403 has not the role at that time, and whoever is no sub " +
			"user's parent is no administrator either. That nobody gave them the role and took it back is assumed. " +
			"Or: sub users are listed for a caller under whose name a job ran, and that is the name of exactly one " +
			"sub user.",
		Inconclusive: "A success after a refusal, until another refusal follows: somebody may have given them the role.",
		Passes: "A success of a caller who was never refused; callers whose keys are hidden alike; a request under way at " +
			"the time of the refusal; an export of policies that is refused and then not, since it takes a feature " +
			"flag, too. Transferring tables is limited to accounts that no recording tells of, and is not judged.",
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
		r.message = fmt.Sprintf("a caller was served who is none of the %s, as refusals before and after show", c.servedAs)
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
		message: fmt.Sprintf("a caller was served who was refused before, by %s; they may have been given the role since",
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
		message: fmt.Sprintf("sub users were listed for a caller by the name of sub user %s", namesakes[0]),
	}, report.Fail, append([]*Event{user.proof}, c.named...)...)
}

// knowsName reports whether the name of a caller was known when the exchange in hand began.
func (st *step) knowsName(c *callerState) bool {
	return c.name != "" && st.known(c.named[0]) && st.known(c.named[1])
}

func (c class) String() string {
	return [...]string{"administrators", "administrators and delegated admins", "users who are no sub users"}[c]
}
