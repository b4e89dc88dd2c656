package contract

import (
	"testing"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording/verdict"
)

// Of a recording without end the last exchanges are known, and a bounded number of findings.
func TestLiveVerdictsAreForgotten(t *testing.T) {
	t.Parallel()
	const n = 3 * maxLiveVerdicts
	v := newLiveVerdicts(&Checker{})
	together := &judgedExchanges{}
	for number := 1; number <= n; number++ {
		alone := &judgedExchanges{
			chances:  []chance{{exchange: int32(number), rule: 1, outcome: outcomeNumber(report.Fail)}},
			findings: []report.Finding{{Exchange: number, Rule: v.rules[1], Verdict: report.Fail, Message: "it is wrong"}},
		}
		v.add(int64(number+1000), alone)
		together.chances = append(together.chances, chance{int32(number), 2, outcomeNumber(report.Pass)})
	}
	v.settle(together, n)
	kept := [...]int{len(v.numbers), n - v.first + 1, len(v.alone.chances), len(v.together.chances)}
	for _, k := range kept {
		if k > maxLiveVerdicts || k < maxLiveVerdicts/2 {
			t.Errorf("of %d exchanges %d are kept", n, kept)
		}
	}
	if k := len(v.alone.findings); k > maxLiveFindings || k < maxLiveFindings/2 {
		t.Errorf("%d findings are kept", k)
	}
	last, first := v.of(n), v.of(v.first)
	if last.Omitted || len(last.Findings) != 1 || last.Findings[0].Seq != n+1000 || len(last.Checks) != 2 {
		t.Errorf("of the last exchange %+v", last)
	}
	if !first.Omitted || len(first.Findings) != 0 || first.Outcome != verdict.Fail {
		t.Errorf("of the first one that is kept %+v", first)
	}
	if v.has(v.first-1) || v.has(n+1) {
		t.Error("more are known")
	}
}
