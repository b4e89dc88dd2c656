// Package rule holds the temporal rules: what must hold over several exchanges. Rules are passive: they see what was
// recorded and never send anything. They look back only, entity by entity and world by world, and need positive
// evidence: a violation names the exchanges that created, referenced and broke. An unknown history, or requests that
// overlapped, give an inconclusive verdict, never a violation.
//
// Each rule is one file, which begins with its description: what must hold, what it checks, what counts as a
// violation, and what does not.
package rule

import (
	"slices"

	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/report"
)

// Names of the rules. They are part of the interface.
const (
	Role            = "role"
	PoolDeletion    = "pool-deletion"
	DefaultPool     = "default-pool"
	PoolRuleOrder   = "pool-rule-order"
	AttemptResume   = "attempt-resume"
	TokenRevocation = "token-revocation"
	SubUserRemoval  = "sub-user-removal"
	TableRecovery   = "table-recovery"
	DWHDeletion     = "dwh-deletion"
	DWHTarget       = "dwh-target"
	UseAfterDelete  = "use-after-delete"
	IngestionSize   = "ingestion-size"
	IngestionAuth   = "ingestion-auth"
	IngestionTime   = "ingestion-time"
	Consistency     = "consistency"
)

// Docs returns what the rules are about, in the order of reports.
func Docs() []report.RuleDoc {
	docs := make([]report.RuleDoc, len(All))
	for i := range All {
		docs[i] = All[i].Doc
	}
	return docs
}

// IsOfPlatform reports whether a rule is about what only the platform has. The others judge any document.
func IsOfPlatform(id string) bool {
	return slices.Contains(Names(), id) && id != UseAfterDelete && id != Consistency
}

// Names lists the rules, in the order of reports.
func Names() []string {
	names := make([]string, len(All))
	for i := range All {
		names[i] = All[i].Doc.ID
	}
	return names
}

// All holds the rules, in the order of reports.
var All = []history.Rule{
	role, poolDeletion, defaultPool, poolRuleOrder, attemptResume, tokenRevocation, subUserRemoval, tableRecovery,
	dwhDeletion, dwhTarget, useAfterDelete, ingestionSize, ingestionAuth, ingestionTime,
	consistency,
}
