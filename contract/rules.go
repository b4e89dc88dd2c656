package contract

import (
	"slices"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/internal/rule"
	"svc.example/understudy/contract/report"
)

// RuleDocs returns the documentation of every rule, in the order of reports.
func RuleDocs() []report.RuleDoc { return slices.Concat(judge.Docs(), rule.Docs()) }
