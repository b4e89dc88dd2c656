package learn

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/tidwall/gjson"

	"svc.example/understudy/contract/internal/learn/rights"
)

// steps lists what all exchanges say of permissions, and change of them. A repetition without a change in between
// counts once, so that a long recording takes no longer than it must.
func (p *people) steps(callers []*caller) (steps []rights.Step) {
	p.index = map[string]int{}
	for i, c := range callers {
		p.index[c.identity] = i
	}
	p.removes = p.mayRemove()
	seen := map[string]bool{}
	for _, e := range p.exchanges {
		c, known := p.index[e.Credential().Identity]
		if !known {
			c = -1
		}
		body, _ := e.JSONResponse()
		key := fmt.Sprint(c, e.name(), e.Status(), e.Item.Request.URL, len(body.Raw))
		step := rights.Step{}
		if e.ok() {
			step.Change = p.changeOf(e, c, body)
		}
		if step.Change != nil {
			clear(seen)
		} else if seen[key] {
			continue
		}
		seen[key] = true
		if known {
			step.Before = p.claims(e, c)
		}
		if e.ok() {
			step.After = append(p.shownOf(e, body), p.seenBy(e, c, body)...)
		} else {
			step.After = refusedRole(e)
		}
		if step.Change != nil || len(step.Before)+len(step.After) > 0 {
			steps = append(steps, step)
		}
	}
	return steps
}

// mayRemove reports whether a user is removed while the recording runs, or a key refused as an unknown one is.
func (p *people) mayRemove() bool {
	return slices.ContainsFunc(p.exchanges, func(e *Exchange) bool {
		isRemoval := e.name() == "core.removeUser" || e.name() == "core.removeSubUser"
		return e.Status() == http.StatusUnauthorized || isRemoval && e.ok()
	})
}

// changeOf returns what a request changes of permissions, or nil.
func (p *people) changeOf(e *Exchange, c int, body gjson.Result) func(*rights.State) {
	request, _ := e.JSONRequest()
	user, policy, group := param(e, "user_id"), param(e, "policy_id"), param(e, "policy_group_id_or_taggable_name")
	switch e.name() {
	case "core.attachPolicyToUser", "core.attachUserToPolicy":
		return rights.Attach(user, policy)
	case "core.detachPolicyFromUser", "core.detachUserFromPolicy":
		return rights.Detach(user, policy)
	case "core.updateUserPolicies":
		return rights.SetUserPolicies(user, texts(request.Get("policy_ids")))
	case "core.updatePolicyUsers":
		return rights.SetPolicyUsers(policy, texts(request.Get("user_ids")))
	case "core.updatePolicyPermissions":
		return rights.SetPolicyPermissions(policy, membersOf(request), permissionsIn(body))
	case "core.updateUserPermissions":
		return rights.SetOwnPermissions(user, membersOf(request), permissionsIn(body.Get("permissions")))
	case "core.setTagUsers":
		return rights.SetTagged(param(e, "tag"), texts(request.Get("user_ids")))
	case "core.setTagDelegatedAdmins":
		return rights.SetManaging(param(e, "tag"), texts(request.Get("user_ids")))
	case "core.updatePolicyGroupPolicies":
		return rights.SetGroupPolicies(group, texts(request.Get("policy_ids")))
	case "core.addDelegatedAdmin", "core.removeDelegatedAdmin":
		return rights.SetDelegated(param(e, "user_email"), e.name() == "core.addDelegatedAdmin")
	case "core.createPolicy":
		return rights.AddPolicy(body.Get("id").String())
	case "core.deletePolicy":
		return rights.RemovePolicy(policy)
	case "core.createPolicyGroup":
		return rights.AddGroup(body.Get("id").String(), body.Get("taggable_name").String())
	case "core.deletePolicyGroup":
		return rights.RemoveGroup(group)
	}
	return p.otherChange(e, c, body)
}

// otherChange returns what a request changes of users, tokens and databases, or nil.
func (p *people) otherChange(e *Exchange, c int, body gjson.Result) func(*rights.State) {
	switch e.name() {
	case "core.addUser":
		return rights.AddUser(body.Get("id").String(), body.Get("email").String())
	case "core.removeUser":
		return rights.RemoveUser(param(e, "name"))
	case "core.removeSubUser":
		return rights.RemoveUser(param(e, "sub_user_id"))
	case "core.removeOauthToken":
		return rights.RemoveToken(param(e, "oauth_token_id"))
	case "core.listOauthTokens":
		if over := p.tokensOver(e); len(over) > 0 {
			return rights.DropTokens(over)
		}
	case "core.createDatabase":
		return rights.AddDatabase(c, param(e, "database_name"), body.Get("id").String())
	case "core.deleteDatabase":
		return rights.RemoveDatabase(param(e, "database_name"))
	}
	return nil
}

// tokensOver lists the tokens that are over at the time of an exchange.
func (p *people) tokensOver(e *Exchange) (ids []string) {
	for _, t := range p.things.of(tokenKind) {
		o := t.first()
		end := instant(o.Get("expires_at").String())
		if !end.IsZero() && !end.After(e.At) && !o.Get("refreshable").Bool() {
			ids = append(ids, t.id)
		}
	}
	return ids
}

func membersOf(object gjson.Result) (names []string) {
	object.ForEach(func(name, _ gjson.Result) bool {
		names = append(names, name.Str)
		return true
	})
	return names
}

// permissionsIn reads permissions in their wire form.
func permissionsIn(object gjson.Result) rights.Permissions {
	all := rights.Permissions{}
	object.ForEach(func(kind, entries gjson.Result) bool {
		for _, entry := range entries.Array() {
			one := map[string]string{}
			entry.ForEach(func(name, value gjson.Result) bool {
				one[name.Str] = value.String()
				return true
			})
			all[kind.Str] = append(all[kind.Str], one)
		}
		return true
	})
	return all
}
