package verdict_test

import (
	"testing"

	"svc.example/understudy/specs/recording/verdict"
)

// What makes no check fail is not called a failure: it has the severity of the worst finding.
func TestGrade(t *testing.T) {
	t.Parallel()
	notice := verdict.Finding{Rule: "a", Severity: "notice", Outcome: verdict.Fail}
	warning := verdict.Finding{Rule: "b", Severity: "warning", Outcome: verdict.Fail}
	disputed := verdict.Finding{Rule: "c", Severity: "error", Outcome: verdict.Fail}
	unknown := verdict.Finding{Rule: "a", Severity: "error", Outcome: verdict.Inconclusive}
	breaking := verdict.Finding{Rule: "d", Severity: "error", Outcome: verdict.Fail, Breaks: true}
	for name, test := range map[string]struct {
		outcome  verdict.Outcome
		findings []verdict.Finding
		want     string
	}{
		"pass":                              {verdict.Pass, nil, "pass"},
		"inconclusive":                      {verdict.Inconclusive, []verdict.Finding{unknown}, "inconclusive"},
		"only a notice":                     {verdict.Fail, []verdict.Finding{notice}, "notice"},
		"a notice beside what is not known": {verdict.Fail, []verdict.Finding{unknown, notice}, "notice"},
		"a warning beside notices":          {verdict.Fail, []verdict.Finding{notice, warning, notice}, "warning"},
		"an error that breaks nothing":      {verdict.Fail, []verdict.Finding{disputed, warning}, "error"},
		"one that breaks":                   {verdict.Fail, []verdict.Finding{notice, breaking}, "fail"},
		"findings that are not kept":        {verdict.Fail, nil, "fail"},
	} {
		v := verdict.Verdict{Outcome: test.outcome, Findings: test.findings}
		if got := v.Grade(); got != test.want {
			t.Errorf("%s: grade %q, want %q", name, got, test.want)
		}
	}
	v := verdict.Verdict{Outcome: verdict.Fail, Findings: []verdict.Finding{notice, breaking}}
	for rule, want := range map[string]string{"a": "notice", "d": "fail"} {
		if got := v.GradeOf(verdict.Check{Rule: rule, Outcome: verdict.Fail}); got != want {
			t.Errorf("rule %s: grade %q, want %q", rule, got, want)
		}
	}
}
