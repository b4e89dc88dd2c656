package contract

import (
	"slices"

	"svc.example/understudy/contract/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/contract/rule"
)

// RuleDocs says of every rule what it is about, in the order of reports.
func RuleDocs() []report.RuleDoc { return slices.Concat(judge.Docs(), rule.Docs()) }
