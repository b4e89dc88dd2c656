package rule

import (
	"fmt"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// dwhDeletion: deleting an integration of a data warehouse removes it with its workflow project and its bulk load
// sessions. To read, change, run or delete it again, or to ask for its configurations, sessions and attempts, is
// answered with 404, and lists no longer show it; in the workflow interface, the project is not found, and neither it
// nor its schedules are listed.
//
// Its chance is an exchange that began after a deletion had succeeded. The project is the one that an answer showed with
// the integration, that of the deletion included; where none did, the deletion is inconclusive. No violation: a deletion
// that is repeated with success; a project of the same name under another id; one that belongs to another integration by
// now; refusals that come before the question whether something is there; the sessions and attempts of the project,
// which stay readable in the workflow interface.
func dwhDeletion(st *step) {
	st.used(DWHDeletion)
	if !st.relisted(DWHDeletion) && st.isListOf(DWHDeletion) && !st.partial && st.s.removals[warehouses] > 0 {
		st.judge(ruling{rule: DWHDeletion, aspect: "list"}, report.Pass)
	}
	st.outlived(DWHDeletion)
	if st.Operation == "dwh.deleteDwhIntegration" && st.OK() {
		st.projectless()
	}
}

// projectless looks at a deletion of an integration whose workflow project is not known.
func (st *step) projectless() {
	x := st.s.lookUp(st.named)
	if len(st.belongs) > 0 || x != nil && (x.parted != nil || x.gone != nil) {
		return
	}
	st.judge(ruling{
		rule: DWHDeletion, aspect: "unknown", provenance: specs.Documented,
		message: fmt.Sprintf("integration %s was deleted; the recording does not show its workflow project", st.ID),
	}, report.Inconclusive)
}
