package simulation_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
)

// Verdicts on a planted violation.
const (
	caught       = "caught"
	inconclusive = "inconclusive"
	silent       = "silent"
)

// tally counts what became of some recordings, by verdict, and the false alarms.
type tally struct {
	verdicts map[string]int
	alarms   int
	valid    int // recordings without a violation
}

func (t *tally) String() string {
	return fmt.Sprintf("%d / %d / %d | %d of %d", t.verdicts[caught], t.verdicts[inconclusive], t.verdicts[silent],
		t.alarms, t.valid)
}

func (t *tally) violations() int {
	return t.verdicts[caught] + t.verdicts[inconclusive] + t.verdicts[silent]
}

// outcome collects what all trials gave, by rule, by loss, and together; complete recordings apart from lossy ones.
type outcome struct {
	sync.Mutex
	tallies map[string]*tally
	lines   []string // what is wrong, a line each
	broken  []string // what is wrong with the simulator itself
}

const (
	complete = "complete"
	lossy    = "lossy"
)

func (t *trial) kind() string {
	if len(t.loss.kinds) == 0 {
		return complete
	}
	return lossy
}

func (o *outcome) tally(name string) *tally {
	if o.tallies[name] == nil {
		o.tallies[name] = &tally{verdicts: map[string]int{}}
	}
	return o.tallies[name]
}

// note takes the report on a trial. Explain says what is behind a false alarm.
func (o *outcome) note(t *trial, r *contract.Report, explain func(contract.Finding) string) {
	if t.violation == nil {
		o.noteValid(t, r, explain)
		return
	}
	o.Lock()
	defer o.Unlock()
	verdict := t.verdict(r)
	for _, name := range append([]string{t.kind(), t.kind() + " " + t.violation.rule}, t.loss.kinds...) {
		o.tally(name).verdicts[verdict]++
	}
	if verdict != caught {
		o.lines = append(o.lines, fmt.Sprintf("%s: seed %d (%s) %s: %s%s", verdict, t.seed, t.loss, t.violation.rule,
			t.violation.kind, t.said(r)))
	}
}

func (o *outcome) noteValid(t *trial, r *contract.Report, explain func(contract.Finding) string) {
	alarms := map[string]string{}
	var broken []string
	for _, f := range r.Findings {
		switch _, isKnown := alarms[f.Rule]; {
		case f.Verdict != report.Fail || f.Disputed || isKnown:
		case !temporal(f.Rule):
			broken = append(broken, fmt.Sprintf("seed %d: %s %s: %s %s", t.seed, f.Rule, f.Operation, f.Message, f.Pointer))
		default:
			alarms[f.Rule] = fmt.Sprintf("false alarm: seed %d (%s) %s at %d of %v: %s; %s", t.seed, t.loss, f.Rule, f.Exchange,
				t.who(f.Evidence), f.Message, explain(f))
		}
	}
	o.Lock()
	defer o.Unlock()
	o.broken = append(o.broken, broken...)
	for _, name := range append([]string{t.kind()}, t.loss.kinds...) {
		o.tally(name).valid++
		o.tally(name).alarms += len(alarms)
	}
	for rule, line := range alarms {
		o.lines = append(o.lines, line)
		o.tally(t.kind()+" "+rule).alarms++
	}
}

// table returns the outcome as Markdown.
func (o *outcome) table() string {
	var b strings.Builder
	const columns = "caught / inconclusive / silent | valid: false alarms |"
	fmt.Fprintf(&b, "| rule | complete: %s lossy: %s\n|---|---|---|---|---|\n", columns, columns)
	for _, rule := range contract.Rules() {
		if temporal(rule) {
			o.write(&b, rule, complete+" "+rule, lossy+" "+rule)
		}
	}
	o.write(&b, "all", complete, lossy)
	fmt.Fprintf(&b, "\n| loss | %s\n|---|---|---|\n", columns)
	for _, loss := range allLosses() {
		o.write(&b, loss, loss)
	}
	return b.String()
}

func (o *outcome) write(b *strings.Builder, title string, names ...string) {
	fmt.Fprintf(b, "| %s |", title)
	for _, name := range names {
		t := *o.tally(name)
		if kind, _, isRule := strings.Cut(name, " "); isRule && (kind == complete || kind == lossy) {
			t.valid = o.tally(kind).valid
		}
		fmt.Fprintf(b, " %s |", &t)
	}
	fmt.Fprintln(b)
}

// assert holds the outcome against what is wanted: of complete histories all is caught and nothing else is; of lossy
// ones 65 of 100 violations, and at most 2 false alarms in 1,000.
func (o *outcome) assert(t *testing.T) {
	t.Helper()
	whole, part := o.tally(complete), o.tally(lossy)
	if n := whole.violations() - whole.verdicts[caught]; n > 0 {
		t.Errorf("%d of %d violations in complete histories were not caught: want all caught", n, whole.violations())
	}
	if whole.alarms > 0 {
		t.Errorf("%d false alarms in complete histories: want none", whole.alarms)
	}
	if n := part.verdicts[caught]; n*100 < part.violations()*65 {
		t.Errorf("%d of %d violations in lossy histories were caught: want 65 of 100", n, part.violations())
	}
	if most := max(1, part.valid*2/1000); part.alarms > most {
		t.Errorf("%d false alarms in %d lossy histories: want %d at most", part.alarms, part.valid, most)
	}
}

// sorted lists the lines in an order that does not depend on the workers.
func sorted(lines []string) []string { return slices.Sorted(slices.Values(lines)) }

// kinds counts the false alarms by what is behind them, for the long form.
func (o *outcome) kinds() map[string]int {
	kinds := map[string]int{}
	for _, line := range o.lines {
		if reason := line[strings.LastIndex(line, "; ")+1:]; strings.HasPrefix(line, "false alarm") {
			if i := strings.Index(reason, "#"); i >= 0 {
				reason = reason[:i] + reason[strings.LastIndex(reason, ", "):]
			}
			kinds[strings.TrimRight(reason, "0123456789")]++
		}
	}
	return kinds
}
