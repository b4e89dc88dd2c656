package rule

import (
	"fmt"
	"hash/maphash"
	"net/http"

	"svc.example/understudy/contract/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// role: pools and pool rules are for administrators; to others they answer 403. Who has which role is not in a recording,
// but it shows: a caller who is refused with 403 is no administrator at that time.
//
// Its chance is a refusal, which is a pass, and a success of a caller who was refused before. Such a success is a
// violation when the same caller is refused again afterwards; until then somebody may have given them the role, which is
// inconclusive. That nobody gave them the role and took it back is only assumed. Callers are told apart by their credentials, or by what stands in their place.
func role(st *step) {
	if st.caller == 0 || !forAdministrators[st.Operation] {
		return
	}
	r := ruling{rule: Role, aspect: "administrators", provenance: specs.Public}
	c, known := st.s.callers.get(st.caller)
	switch {
	case st.Status == http.StatusForbidden:
		if known && c.served != nil && st.known(c.served) {
			r.message = "a caller was served who is no administrator, as refusals before and after show"
			r.operation, r.provenance = c.served.Operation, specs.Assumed
			st.judge(r, report.Fail, c.refused, c.served)
		} else {
			st.judge(r, report.Pass)
		}
		st.s.callers.put(st.caller, &callerState{refused: st.Event})
	case st.OK() && known && st.known(c.refused):
		if c.served != nil {
			c.served = st.Event
			return
		}
		c.served = st.Event
		r.message = fmt.Sprintf("a caller was served who was refused before, by %s; they may have been given the role since",
			c.refused.Operation)
		st.judge(r, report.Inconclusive, c.refused)
	}
}

// callerState is what is known of the role of a caller.
type callerState struct {
	refused *Event // the last refusal
	served  *Event // the last success since
}

var forAdministrators = map[string]bool{
	"listPools": true, "createPool": true, "getPool": true, "updatePool": true, "deletePool": true,
	"listPoolRules": true, "createPoolRule": true, "getPoolRule": true, "updatePoolRule": true, "deletePoolRule": true,
}

var callerSeed = maphash.MakeSeed()

// callerOf tells callers apart without keeping their credentials. It is 0 when there are none.
func callerOf(r *judge.Result) uint64 {
	if value := r.Item.Request.Headers.Value("Authorization"); value != "" {
		return maphash.String(callerSeed, value) | 1
	}
	return 0
}
