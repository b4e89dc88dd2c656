package rule

import (
	"fmt"
	"net/http"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// useAfterDelete: what was deleted is gone. Reading, changing or deleting it again is answered with 404, nothing new may
// refer to it, and lists no longer show it. That goes for pools, pool rules, projects and the secrets of projects.
//
// Its chance is an exchange that began after a deletion had succeeded. No violation: a deletion that is repeated with
// success, since clients repeat requests; what was made anew under the same id or key; refusals that come before the
// question whether something is there (400, 401, 403, 409, 422); what a deleted project leaves behind, such as its
// sessions and attempts, which stay readable.
func useAfterDelete(st *step) {
	switch st.Operation {
	case "getPool", "updatePool", "deletePool":
		st.used("pool", st.s.poolEntity(st.ID), specs.Public)
	case "getPoolRule", "updatePoolRule", "deletePoolRule":
		st.used("pool rule", st.s.ruleEntity(st.ID), specs.Public)
	case "getProject", "deleteProject":
		st.used("project", st.s.projects.entries[st.ID], specs.Client)
	}
	switch st.Operation {
	case "createPoolRule", "updatePoolRule":
		st.referred()
	case "listPools", "listPoolRules", "listProjects", "listProjectSecrets":
		st.shown()
	}
}

// deleted returns the deletion of an entity, if it is certain and was over when the exchange began.
func (st *step) deleted(x *entity) *Event {
	if x == nil || x.gone == nil || x.unsure != nil || !st.known(x.gone) || !isDeletion(x.gone) {
		return nil
	}
	return x.gone
}

func isDeletion(e *Event) bool {
	switch e.Operation {
	case "deletePool", "deletePoolRule", "deleteProject", "deleteProjectSecret":
		return true
	}
	return false
}

func (st *step) used(noun string, x *entity, p specs.Provenance) {
	deletion := st.deleted(x)
	if deletion == nil {
		return
	}
	r := ruling{rule: UseAfterDelete, aspect: "use", provenance: p}
	isRepeat := st.Operation == deletion.Operation
	switch {
	case st.Status == http.StatusNotFound:
		st.judge(r, report.Pass)
	case st.OK() && !isRepeat:
		r.message = fmt.Sprintf("%s %s was used after it was deleted", noun, st.ID)
		st.judge(r, report.Fail, x.created, deletion)
	}
}

// referred looks at rules that are pointed at a deleted pool. That this is refused is only assumed.
func (st *step) referred() {
	deletion := st.deleted(st.s.poolEntity(st.poolID))
	if deletion == nil {
		return
	}
	r := ruling{rule: UseAfterDelete, aspect: "reference", provenance: specs.Assumed}
	switch {
	case st.OK():
		r.message = fmt.Sprintf("a pool rule was pointed at pool %s after that was deleted", st.poolID)
		st.judge(r, report.Fail, deletion)
	case st.Status == http.StatusBadRequest || st.Status == http.StatusNotFound:
		st.judge(r, report.Pass)
	}
}

// shown looks at lists for what was deleted before they were asked for.
func (st *step) shown() {
	if !st.OK() || !st.listed || st.Opaque {
		return
	}
	r := ruling{rule: UseAfterDelete, aspect: "list", provenance: specs.Public}
	verdict := report.Pass
	look := func(noun string, x *entity) {
		if deletion := st.deleted(x); deletion != nil {
			verdict = report.Fail
			r.message = fmt.Sprintf("%s %s is listed after it was deleted", noun, x.id)
			st.judge(r, report.Fail, x.created, deletion)
		}
	}
	for _, fact := range st.pools {
		look("pool", st.s.poolEntity(fact.id))
	}
	for _, fact := range st.rules {
		look("pool rule", st.s.ruleEntity(fact.id))
	}
	r.provenance = specs.Client
	for _, fact := range st.projects {
		look("project", st.s.projects.entries[fact.id])
	}
	for _, key := range st.secrets {
		if st.contested(func(e *Event) bool { return e.Operation == "putProjectSecret" && e.ID == st.ID && e.Key == key }) {
			continue
		}
		look("secret", st.s.secrets.entries[st.ID+"/"+key])
	}
	if verdict == report.Pass && st.s.deletions > 0 {
		st.judge(r, report.Pass)
	}
}
