package learn

import (
	"net/http"

	"github.com/tidwall/gjson"

	"svc.example/understudy/contract/internal/learn/rights"
)

// shownOf lists what an answer shows of permissions.
func (p *people) shownOf(e *Exchange, body gjson.Result) (claims []rights.Claim) {
	user, policy, tag := param(e, "user_id"), param(e, "policy_id"), param(e, "tag")
	group := param(e, "policy_group_id_or_taggable_name")
	switch e.name() {
	case "core.listPolicies", "core.listUserPolicies", "core.updateUserPolicies":
		claims = p.countsIn(e, body)
		if user != "" {
			claims = append(claims, rights.UserPolicies(e.N, user, idsIn(body, "id")))
		}
	case "core.getPolicy", "core.updatePolicy", "core.attachPolicyToUser", "core.attachUserToPolicy",
		"core.detachPolicyFromUser", "core.detachUserFromPolicy":
		claims = p.countsIn(e, gjson.Parse("["+body.Raw+"]"))
	case "core.listUsers":
		claims = p.allUsers(e, idsIn(body.Get("users"), "id"), false)
	case "core.listAccessControlUsers", "core.updatePolicyUsers":
		if policy == "" {
			claims = p.allUsers(e, idsIn(body, "user_id"), true)
		}
		for _, o := range body.Array() {
			claims = append(claims, p.userShown(e, o)...)
		}
	case "core.getAccessControlUser":
		claims = p.userShown(e, body)
	case "core.listPolicyUsers":
		claims = append(claims, rights.PolicyUsers(e.N, policy, idsIn(body, "user_id")))
	case "core.getPolicyPermissions", "core.updatePolicyPermissions":
		claims = append(claims, rights.PolicyPermissions(e.N, policy, permissionsIn(body)))
	case "core.updateUserPermissions":
		claims = append(claims, rights.OwnPermissions(e.N, user, permissionsIn(body.Get("permissions"))))
	case "core.exportPolicies":
		for _, o := range body.Get("policies").Array() {
			granted := permissionsIn(o.Get("permissions"))
			claims = append(claims, rights.PolicyPermissions(e.N, o.Get("id").String(), granted))
		}
	case "core.listTagUsers":
		claims = append(claims, rights.Tagged(e.N, tag, texts(body.Get("user_ids"))))
	case "core.listTagDelegatedAdmins":
		claims = append(claims, rights.Managing(e.N, tag, texts(body.Get("user_ids"))))
	case "core.listPolicyGroupPolicies":
		claims = append(claims, rights.GroupPolicies(e.N, group, texts(body.Get("policy_ids"))))
	case "core.getPolicyGroup", "core.listPolicyGroups", "core.updatePolicyGroup":
		claims = p.groupsShown(e, body)
	}
	return append(claims, p.rolesShown(e)...)
}

// allUsers lists that the users with some ids are all that there are.
func (p *people) allUsers(e *Exchange, ids []string, withSubUsers bool) (claims []rights.Claim) {
	for c := range len(p.index) {
		claims = append(claims, rights.IsAmong(e.N, c, ids, withSubUsers))
	}
	for i, u := range p.users {
		if u.id == "" {
			claims = append(claims, rights.UserIsAmong(e.N, i+1, ids, withSubUsers))
		}
	}
	return claims
}

func idsIn(list gjson.Result, member string) []string {
	ids := []string{}
	for _, o := range list.Array() {
		ids = append(ids, o.Get(member).String())
	}
	return ids
}

// countsIn lists how many users policies have.
func (p *people) countsIn(e *Exchange, policies gjson.Result) (claims []rights.Claim) {
	for _, o := range policies.Array() {
		if count := o.Get("user_count"); count.Exists() {
			claims = append(claims, rights.PolicyCount(e.N, o.Get("id").String(), int(count.Int())))
		}
	}
	return claims
}

func (p *people) userShown(e *Exchange, o gjson.Result) []rights.Claim {
	id := o.Get("user_id").String()
	return append([]rights.Claim{
		rights.UserPolicies(e.N, id, idsIn(o.Get("policies"), "id")),
		rights.AllPermissions(e.N, id, permissionsIn(o.Get("permissions"))),
	}, p.countsIn(e, o.Get("policies"))...)
}

func (p *people) groupsShown(e *Exchange, body gjson.Result) (claims []rights.Claim) {
	list := body.Array() // also of one object
	for _, o := range list {
		if count := o.Get("policy_count"); count.Exists() {
			claims = append(claims, rights.GroupCount(e.N, o.Get("id").String(), int(count.Int())))
		}
	}
	return claims
}

// rolesShown lists what requests about delegated admins show of the users.
func (p *people) rolesShown(e *Exchange) (claims []rights.Claim) {
	request, _ := e.JSONRequest()
	switch e.name() {
	case "core.addDelegatedAdmin", "core.removeDelegatedAdmin":
		claims = append(claims, rights.HasRole(e.N, param(e, "user_email"), rights.Restricted))
	case "core.setTagDelegatedAdmins":
		for _, id := range texts(request.Get("user_ids")) {
			claims = append(claims, rights.IsDelegated(e.N, id))
		}
	}
	return claims
}

// refusedRole returns the claim that a user is an administrator, since it cannot be made a delegated admin.
func refusedRole(e *Exchange) []rights.Claim {
	if e.name() != "core.addDelegatedAdmin" || e.Status() != http.StatusUnprocessableEntity {
		return nil
	}
	return []rights.Claim{rights.HasRole(e.N, param(e, "user_email"), rights.Administrator, rights.Owner)}
}

// seenBy lists what an answer shows of the rights of the caller: the databases, tokens and sub users that it may see.
func (p *people) seenBy(e *Exchange, c int, body gjson.Result) (claims []rights.Claim) {
	if c < 0 {
		return nil
	}
	switch e.name() {
	case "core.listDatabases":
		var names []string
		for _, o := range body.Get("databases").Array() {
			names = append(names, o.Get("name").String())
			claims = append(claims, databaseSeen(e, c, o)...)
		}
		claims = append(claims, rights.HiddenDatabases(e.N, c, names))
	case "core.getDatabase":
		claims = databaseSeen(e, c, body)
	case "core.listOauthTokens":
		claims = append(claims, rights.ListedTokens(e.N, c, idsIn(body.Get("oauth_tokens"), "id")))
	case "core.listSubUsers":
		claims = append(claims, rights.ListedSubUsers(e.N, c, idsIn(body.Get("sub_users"), "id")))
		for _, o := range body.Get("sub_users").Array() {
			claims = append(claims, rights.UserPolicies(e.N, o.Get("id").String(), idsIn(o.Get("policies"), "id")))
			claims = append(claims, p.countsIn(e, o.Get("policies"))...)
		}
	}
	return claims
}

// databaseSeen lists what an object of a database shows of the caller's rights on it.
func databaseSeen(e *Exchange, c int, o gjson.Result) (claims []rights.Claim) {
	add := func(r rights.Right, has bool) {
		claims = append(claims, rights.On(o.Get("name").String(), r).Claim(e.N, c, has))
	}
	add(rights.Sees, true)
	switch o.Get("permission").String() {
	case "administrator":
		add(rights.Delete, true)
	case "full_access":
		add(rights.Edit, true)
		add(rights.Delete, false)
	case "query_only":
		add(rights.Query, true)
		add(rights.Edit, false)
	case "import_only":
		add(rights.Import, true)
		add(rights.Query, false)
	}
	o.Get("database_permissions").ForEach(func(name, value gjson.Result) bool {
		add(rights.Right(name.Str), value.Bool())
		return true
	})
	return claims
}
