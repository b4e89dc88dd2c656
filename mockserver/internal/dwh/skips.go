package dwh

// The rules that a test may switch off, to prove that the contract suite notices. Each is one guard in the code, and
// its name begins with the name of the contract's rule that must notice.
const (
	SkipDeletionProject     = "dwh-deletion/project"     // the workflow project of a deleted integration stays
	SkipDeletionSessions    = "dwh-deletion/sessions"    // its bulk load sessions stay
	SkipDeletionIntegration = "dwh-deletion/integration" // the integration itself stays

	SkipTarget        = "dwh-target/missing" // targets need not exist
	SkipTargetCreates = "dwh-target/creates" // target tables that are missing are made
)

// Skippable lists the rules that can be switched off.
func Skippable() []string {
	return []string{
		SkipDeletionProject, SkipDeletionSessions, SkipDeletionIntegration, SkipTarget, SkipTargetCreates,
	}
}
