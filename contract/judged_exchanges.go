package contract

import (
	"cmp"
	"math"
	"slices"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording/verdict"
)

// What is kept of the verdicts of a growing recording. Of what came before, only the report knows.
const (
	maxLiveVerdicts = 200_000 // exchanges
	maxLiveFindings = 50_000  // of exchanges alone, and as many of the rules between them
)

// chance is the verdict of one rule that had one chance.
type chance struct {
	exchange int32
	rule     uint8
	outcome  uint8
}

// judgedExchanges holds verdicts and findings of exchanges, in their order.
type judgedExchanges struct {
	chances  []chance
	findings []report.Finding
	dropped  int // the findings on exchanges up to this one are not all kept
}

// watch keeps the verdicts and the findings of a gatherer.
func (j *judgedExchanges) watch(g *gatherer, ruleNumbers map[string]uint8) {
	g.onCheck = func(exchange int, rule string, v report.Verdict) {
		if exchange > 0 {
			j.chances = append(j.chances, chance{int32(exchange), ruleNumbers[rule], outcomeNumber(v)})
		}
	}
	g.onFinding = func(f *report.Finding) { j.findings = append(j.findings, *f) }
}

// liveOutcomes are the outcomes by the numbers that a chance has.
func liveOutcomes() [4]verdict.Outcome {
	return [...]verdict.Outcome{verdict.Skipped, verdict.Pass, verdict.Inconclusive, verdict.Fail}
}

func outcomeNumber(v report.Verdict) uint8 {
	outcomes := liveOutcomes()
	return uint8(slices.Index(outcomes[:], verdict.Outcome(v)))
}

// sort brings verdicts that came in any order into that of the exchanges.
func (j *judgedExchanges) sort() {
	slices.SortFunc(j.chances, func(a, b chance) int {
		return cmp.Or(cmp.Compare(a.exchange, b.exchange), cmp.Compare(a.rule, b.rule), cmp.Compare(a.outcome, b.outcome))
	})
	slices.SortStableFunc(j.findings, func(a, b report.Finding) int { return cmp.Compare(a.Exchange, b.Exchange) })
}

// isTooLong reports whether there is enough to forget that it is worth the work.
func (j *judgedExchanges) isTooLong(first int) bool {
	return len(j.findings) > maxLiveFindings || len(j.chances) > 0 && int(j.chances[0].exchange) < first
}

// forget drops the exchanges before a number, and the oldest findings when there are too many.
func (j *judgedExchanges) forget(first int) {
	j.chances = slices.Delete(j.chances, 0, lowerChance(j.chances, first))
	n := lowerFinding(j.findings, first)
	if rest := len(j.findings) - n; rest > maxLiveFindings {
		n += rest - maxLiveFindings*3/4
		j.dropped = j.findings[n-1].Exchange
	}
	j.findings = slices.Delete(j.findings, 0, n)
}

// of returns what is kept of an exchange.
func (j *judgedExchanges) of(exchange int) ([]chance, []report.Finding) {
	return j.chances[lowerChance(j.chances, exchange):lowerChance(j.chances, exchange+1)],
		j.findings[lowerFinding(j.findings, exchange):lowerFinding(j.findings, exchange+1)]
}

func lowerChance(list []chance, exchange int) int {
	n, _ := slices.BinarySearchFunc(list, exchange, func(c chance, exchange int) int {
		return cmp.Compare(int(c.exchange), exchange)
	})
	return n
}

func lowerFinding(list []report.Finding, exchange int) int {
	n, _ := slices.BinarySearchFunc(list, exchange, func(f report.Finding, exchange int) int {
		return cmp.Compare(f.Exchange, exchange)
	})
	return n
}

// differences returns the exchanges whose verdicts or findings differ between two.
func (j *judgedExchanges) differences(other *judgedExchanges) map[int]bool {
	differ := map[int]bool{}
	own, others := judgedRun{rest: *j}, judgedRun{rest: *other}
	for {
		exchange := min(own.next(), others.next())
		if exchange == math.MaxInt {
			return differ
		}
		own.take(exchange)
		others.take(exchange)
		if !slices.Equal(own.chances, others.chances) || !slices.EqualFunc(own.findings, others.findings, isSameFinding) {
			differ[exchange] = true
		}
	}
}

// judgedRun holds the verdicts and findings of one exchange, with the rest that follows.
type judgedRun struct {
	rest     judgedExchanges
	chances  []chance
	findings []report.Finding
}

// next returns the number of the exchange that follows, or the largest number.
func (r *judgedRun) next() int {
	next := math.MaxInt
	if len(r.rest.chances) > 0 {
		next = int(r.rest.chances[0].exchange)
	}
	if len(r.rest.findings) > 0 {
		next = min(next, r.rest.findings[0].Exchange)
	}
	return next
}

// take takes what follows, if it is of an exchange.
func (r *judgedRun) take(exchange int) {
	n := 0
	for n < len(r.rest.chances) && int(r.rest.chances[n].exchange) == exchange {
		n++
	}
	r.chances, r.rest.chances = r.rest.chances[:n], r.rest.chances[n:]
	for n = 0; n < len(r.rest.findings) && r.rest.findings[n].Exchange == exchange; {
		n++
	}
	r.findings, r.rest.findings = r.rest.findings[:n], r.rest.findings[n:]
}

func isSameFinding(a, b report.Finding) bool {
	return a.ID == b.ID && a.Verdict == b.Verdict && a.Severity == b.Severity && a.Message == b.Message &&
		a.Pointer == b.Pointer && slices.Equal(a.Evidence, b.Evidence)
}
