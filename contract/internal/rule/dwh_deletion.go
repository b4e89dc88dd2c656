package rule

import (
	"fmt"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

var dwhDeletion = history.Rule{
	Doc: report.RuleDoc{
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
	Check: checkDWHDeletion,
}

func checkDWHDeletion(st *history.Step) {
	checkUses(st, DWHDeletion)
	if !checkListed(st, DWHDeletion) && isListOf(st, DWHDeletion) && !st.Partial && st.State.Removals[facts.Warehouses] > 0 {
		st.Judge(history.Ruling{Rule: DWHDeletion, Aspect: "list"}, report.Pass)
	}
	checkOutlived(st, DWHDeletion)
	if st.Operation == "dwh.deleteDwhIntegration" && st.OK() {
		checkProjectless(st)
	}
}

// checkProjectless looks at a deletion of an integration whose workflow project is not known.
func checkProjectless(st *history.Step) {
	x := st.State.LookUp(st.Target)
	if len(st.Memberships) > 0 || x != nil && (x.ChildSeenBy != nil || x.DeletedBy != nil) {
		return
	}
	st.Judge(history.Ruling{
		Rule: DWHDeletion, Aspect: "unknown", Provenance: specs.Documented,
		Message: fmt.Sprintf("integration %s was deleted; the recording does not show its workflow project", st.ID),
	}, report.Inconclusive)
}
