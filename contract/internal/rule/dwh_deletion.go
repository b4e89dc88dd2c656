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
		Watches: "Exchanges that name or list an integration, its configurations, sessions and attempts, its workflow " +
			"project or the schedules of that project, after its deletion succeeded. Requests that name it are answered " +
			"with 404, and lists do not show it.",
		Evidence: "The integration, its project or a schedule of the project is read, changed, run or listed after the " +
			"deletion. The project is the one that a response showed with the integration, including the response to " +
			"the deletion.",
		Inconclusive: "A deletion whose workflow project is not shown by any response; an integration that still exists " +
			"after a request to delete it that had no response, or was answered with 5xx or 202.",
		Passes: "A repeated deletion that succeeds; an id that is assigned again; a project with the same name under " +
			"another id, or that belongs to another integration by then; one page of several that lacks it; refusals " +
			"for reasons that are checked before existence; the sessions and attempts of the project, which can still " +
			"be read in the workflow interface.",
	},
	Check: checkDWHDeletion,
}

func checkDWHDeletion(st *history.Step) {
	checkUses(st, DWHDeletion)
	if !checkListed(st, DWHDeletion) && isListOf(st, DWHDeletion) && !st.Partial &&
		st.State.Removals[facts.Warehouses] > 0 {
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
