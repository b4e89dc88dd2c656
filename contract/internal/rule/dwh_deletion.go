package rule

import (
	"fmt"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

var dwhDeletion = watch{
	about: report.RuleDoc{
		ID: DWHDeletion, Provenance: specs.Documented,
		Title: "a deleted integration is gone with its bulk load sessions and its workflow project",
		Watches: "Whatever names or lists an integration, its configurations, sessions and attempts, its workflow project " +
			"or the schedules of that, after its deletion had succeeded. To name it is answered with 404, and lists " +
			"do not show it.",
		Evidence: "It is read, changed, run or listed after it was deleted, or its project or a schedule of that is. The " +
			"project is the one that an answer showed with the integration, that of the deletion included.",
		Inconclusive: "A deletion of which no answer shows the workflow project; an integration that is there after a request to " +
			"delete it that was not answered, or with 5xx or 202.",
		Passes: "A deletion that is repeated with success; an id that is given again; a project of the same name under " +
			"another id, or that belongs to another integration by now; one page of several that lacks it; refusals " +
			"that come before the question whether something is there; the sessions and attempts of the project, " +
			"which stay readable in the workflow interface.",
	},
	see: seeDWHDeletion,
}

func seeDWHDeletion(st *step) {
	st.used(DWHDeletion)
	if !st.relisted(DWHDeletion) && st.isListOf(DWHDeletion) && !st.Partial && st.s.removals[warehouses] > 0 {
		st.judge(ruling{rule: DWHDeletion, aspect: "list"}, report.Pass)
	}
	st.outlived(DWHDeletion)
	if st.Operation == "dwh.deleteDwhIntegration" && st.OK() {
		st.projectless()
	}
}

// projectless looks at a deletion of an integration whose workflow project is not known.
func (st *step) projectless() {
	x := st.s.lookUp(st.Named)
	if len(st.Belongs) > 0 || x != nil && (x.parted != nil || x.gone != nil) {
		return
	}
	st.judge(ruling{
		rule: DWHDeletion, aspect: "unknown", provenance: specs.Documented,
		message: fmt.Sprintf("integration %s was deleted; the recording does not show its workflow project", st.ID),
	}, report.Inconclusive)
}
