package learn

import (
	"net/http"
	"slices"

	"svc.example/understudy/contract/internal/learn/rights"
	"svc.example/understudy/specs"
)

// need is a kind of right that an operation asks for. The zero one is none: every user may call the operation.
type need int

const (
	_            need = iota
	toAdminister      // to be an administrator
	toDelegate        // to be that, or a delegated admin
	toSee             // a right on the database of the path
	toQuery
	toEdit
	toImport
	toDelete
	toSchedule  // to query the database of the body
	toCreate    // to make databases
	toBeReader  // to be the user of the path, or one who delegates
	toBeUser    // to be the user of the path, or an administrator
	toApply     // to be one who may apply the policy to the user
	toApplyAll  // the same, for the lists of the body
	toTag       // to be one who may put a tag on the users of the body
	toBeParent  // to be the one to whom the sub user belongs
	toListSubs  // to be no sub user
	toOwnToken  // to be the user of the token
	toOwnThings // to be the user of the job or schedule
	toOwnChat   // to be the user of the chat
	toAsk       // to query the database of the profiles
	toLoad      // to import into the database of the targets
)

// needOf lists the needs of the operations that not every user may call.
var needOf = needsOf(map[need][]string{
	toAdminister: {
		"core.createPolicy", "core.updatePolicy", "core.deletePolicy", "core.updateColumnPermissions",
		"core.updatePolicyPermissions", "core.updateUserPermissions", "core.setProfileOption", "core.deleteProfileOption",
		"core.createPolicyGroup", "core.updatePolicyGroup", "core.deletePolicyGroup", "core.updatePolicyGroupPolicies",
		"core.setTagDelegatedAdmins", "core.addDelegatedAdmin", "core.removeDelegatedAdmin", "core.addUser",
		"core.removeUser", "core.changePassword", "workflow.listPoolRules", "workflow.createPoolRule",
		"workflow.getPoolRule", "workflow.updatePoolRule", "workflow.deletePoolRule", "workflow.listPools",
		"workflow.createPool", "workflow.getPool", "workflow.updatePool", "workflow.deletePool",
	},
	toDelegate: {
		"core.listPolicies", "core.getPolicy", "core.exportPolicies", "core.getColumnPermissions",
		"core.getPolicyPermissions", "core.listAccessControlUsers", "core.listPolicyUsers", "core.listPolicyGroups",
		"core.getPolicyGroup", "core.listPolicyGroupPolicies", "core.listTagDelegatedAdmins", "core.listTagUsers",
	},
	toBeReader: {
		"core.listUserPolicies", "core.getAccessControlUser", "core.listProfileOptions", "core.getProfileOption",
	},
	toBeUser: {"core.listApiKeys", "core.addApiKey", "core.removeApiKey"},
	toApply: {
		"core.attachPolicyToUser", "core.detachPolicyFromUser", "core.attachUserToPolicy", "core.detachUserFromPolicy",
	},
	toApplyAll:  {"core.updateUserPolicies", "core.updatePolicyUsers"},
	toTag:       {"core.setTagUsers"},
	toListSubs:  {"core.listSubUsers"},
	toBeParent:  {"core.removeSubUser"},
	toOwnToken:  {"core.removeOauthToken"},
	toOwnThings: {"core.killJob", "core.updateSchedule", "core.deleteSchedule", "core.runSchedule"},
	toOwnChat:   {"llm.getChat", "llm.continueChat", "llm.getChatHistory"},
	toSee:       {"core.getDatabase", "core.listTables", "core.getTable", "core.getTableDistribution"},
	toQuery:     {"core.tailTable", "core.issueJob", "core.createExportJob"},
	toEdit: {
		"core.createTable", "core.createTableWithType", "core.deleteTable", "core.updateTable", "core.renameTable",
		"core.swapTables", "core.changeTableDatabase", "core.transferTable", "core.appendTableSchema",
		"core.updateTableSchema",
	},
	toImport: {
		"ingestion.ingestEvent", "ingestion.ingestEvents", "core.importTable", "core.importTableWithId",
		"core.createBulkImport",
	},
	toDelete:   {"core.deleteDatabase"},
	toAsk:      {"audience.createSegmentQuery", "audience.createSegment", "audience.createActivation"},
	toLoad:     {"dwh.createDwhIntegration", "dwh.updateDwhIntegration"},
	toSchedule: {"core.createSchedule"},
	toCreate:   {"core.createDatabase"},
})

func needsOf(table map[need][]string) map[string]need {
	needs := map[string]need{}
	for kind, operations := range table {
		for _, name := range operations {
			needs[name] = kind
		}
	}
	return needs
}

// permits returns what a request needs, or nothing if the recording does not say enough of it.
func (p *people) permits(e *Exchange) (needs []rights.Need) {
	database := param(e, "database_name")
	switch needOf[e.name()] {
	case toAdminister:
		needs = []rights.Need{rights.Administers}
	case toDelegate:
		needs = []rights.Need{rights.Delegates}
	case toSee:
		needs = []rights.Need{rights.On(database, rights.Sees)}
	case toQuery:
		needs = []rights.Need{rights.On(database, rights.Query)}
	case toSchedule:
		body, _ := e.JSONRequest()
		if name := body.Get("database").String(); name != "" {
			needs = []rights.Need{rights.On(name, rights.Query)}
		}
	case toAsk:
		profiles, _ := p.profiles()
		needs = []rights.Need{rights.On(profiles, rights.Query)}
	case toLoad:
		if target := p.targetOf(e); target != "" {
			needs = []rights.Need{rights.On(target, rights.Import)}
		}
	case toEdit:
		needs = []rights.Need{rights.On(database, rights.Edit)}
	case toImport:
		needs = []rights.Need{rights.On(database, rights.Import)}
	case toDelete:
		needs = []rights.Need{rights.On(database, rights.Delete)}
	case toCreate:
		needs = []rights.Need{rights.Creates}
	case toBeReader:
		needs = []rights.Need{rights.Self(param(e, "user_id"), true)}
	case toBeUser:
		needs = []rights.Need{rights.Self(param(e, "name"), false)}
	case toListSubs:
		needs = []rights.Need{rights.NoSubUser}
	case toBeParent:
		needs = []rights.Need{rights.ParentOf(param(e, "sub_user_id"))}
	case toOwnToken, toOwnThings:
		if owner := p.ownerOf(e); owner != "" {
			needs = []rights.Need{rights.Self(owner, false)}
		}
	case toOwnChat:
		if maker := p.makerOf(e); maker >= 0 {
			needs = []rights.Need{rights.SameAs(maker)}
		}
	case toApply:
		needs = []rights.Need{rights.Applies(param(e, "user_id"), param(e, "policy_id"))}
	case toTag:
		body, _ := e.JSONRequest()
		needs = []rights.Need{rights.Tags(param(e, "tag"), texts(body.Get("user_ids")))}
	case toApplyAll:
		needs = []rights.Need{rights.Delegates}
	}
	if e.Operation().Interface == specs.LLM && (len(needs) == 0 || e.ok()) {
		needs = append(needs, rights.UsesLLM)
	}
	return needs
}

// ownerOf returns the user to whom the thing of a request belongs, or nothing.
func (p *people) ownerOf(e *Exchange) string {
	of := func(kind, id, member string) string {
		if t := p.things.find(kind, id); t != nil && id != "" {
			value, _ := t.value(member)
			return value.String()
		}
		return ""
	}
	switch e.name() {
	case "core.removeOauthToken":
		return of(tokenKind, param(e, "oauth_token_id"), "user_id")
	case "core.killJob":
		return of(jobKind, param(e, "job_id"), "user_name")
	}
	return of(jobScheduleKind, param(e, "schedule_name"), "user_name")
}

// makerOf returns the caller who made the chat of a request while the recording ran, or -1. The chat is still there.
func (p *people) makerOf(e *Exchange) int {
	for _, t := range p.things.all(chatKind) {
		isIts := slices.ContainsFunc(e.Operation().Actions(), func(a *specs.Action) bool {
			return len(a.Path) == 1 && param(e, a.Path[0]) == t.id
		})
		if isIts && t.made != nil && t.made.N < e.N && (t.gone == nil || t.gone.N > e.N) {
			if c, known := p.index[t.made.Credential().Identity]; known {
				return c
			}
		}
	}
	return -1
}

// claims lists what an exchange says of the rights of its caller.
func (p *people) claims(e *Exchange, c int) (claims []rights.Claim) {
	status := e.Status()
	if status == http.StatusUnauthorized {
		return []rights.Claim{rights.Removed(e.N, c, true)}
	}
	kind := needOf[e.name()]
	isHidden := kind == toOwnChat && status == http.StatusNotFound // as of a chat that is another user's
	if p.removes && e.Operation().Interface != "ingestion" {       // which answers a removed key as any other one
		claims = append(claims, rights.Removed(e.N, c, false))
	}
	isRoute := kind == toAdminister || kind == toDelegate // which is checked first
	isService := kind == 0 && e.Operation().Interface == specs.LLM && status != http.StatusBadRequest
	switch {
	case status == http.StatusForbidden && p.isOtherwiseRefused(e):
	case e.ok(), status == http.StatusForbidden, isHidden,
		(isRoute || isService) && status < http.StatusInternalServerError:
		for _, need := range p.permits(e) {
			claims = append(claims, need.Claim(e.N, c, status != http.StatusForbidden && !isHidden))
		}
	}
	return claims
}

// isOtherwiseRefused reports whether a request may have been refused for another reason than the caller's rights: for a
// thing that is protected from deletion, or a service that the account has not.
func (p *people) isOtherwiseRefused(e *Exchange) bool {
	isProtected := func(kind, id string) bool {
		return slices.ContainsFunc(p.things.all(kind), func(t *thing) bool {
			return t.id == id && slices.ContainsFunc(t.sights, func(s sight) bool {
				return s.object.Get("delete_protected").Bool()
			})
		})
	}
	database := param(e, "database_name")
	switch e.name() {
	case "core.deleteDatabase":
		return isProtected(databaseKind, database)
	case "core.deleteTable":
		return isProtected(tableKind, database+"/"+param(e, "table_name"))
	}
	return e.name() == "core.transferTable"
}
