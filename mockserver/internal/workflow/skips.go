package workflow

// The rules that a test may switch off, to prove that the contract suite notices. Each is one guard in the code, and
// its name begins with the name of the contract's rule that must notice.
const (
	SkipDeletionWithAttempts = "pool-deletion/attempts" // a pool is deleted while attempts run or wait in it
	SkipDeletionWithRules    = "pool-deletion/rules"    // a pool is deleted while a rule references it
	SkipDeletionOfDefault    = "pool-deletion/default"  // the default pool is deleted

	SkipDefaultUpdate = "default-pool/update" // the default pool is updated by hand
	SkipDefaultAbsorb = "default-pool/absorb" // the default pool does not take up what other pools take and give back

	SkipRuleOrder = "pool-rule-order/order" // rules are tried from the highest priority value down
	SkipFirstFit  = "pool-rule-order/first" // the last rule that fits wins

	SkipFailedOfSuccess = "attempt-resume/success" // an attempt that succeeded is resumed
	SkipCopies          = "attempt-resume/copies"  // nothing is taken over from the attempt resumed
	SkipFromFitsOne     = "attempt-resume/from"    // `from` may fit any number of tasks; the first one counts

	SkipConflict = "conflict-409" // a start that repeats another starts a second attempt with the same name
)

// Skippable lists the rules that can be switched off.
func Skippable() []string {
	return []string{
		SkipDeletionWithAttempts, SkipDeletionWithRules, SkipDeletionOfDefault, SkipDefaultUpdate, SkipDefaultAbsorb,
		SkipRuleOrder, SkipFirstFit, SkipFailedOfSuccess, SkipCopies, SkipFromFitsOne, SkipConflict,
	}
}
