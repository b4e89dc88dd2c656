package contract

import (
	"os"
	"slices"
	"strings"

	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// takeRuleResult counts a verdict of a rule between exchanges, and keeps its finding. A pass has none.
func (g *gatherer) takeRuleResult(v history.Result) {
	g.countCheck(v.Exchange, v.Rule, v.Operation, v.Verdict, 1)
	g.RulesJudged = g.RulesJudged || v.Verdict == report.Pass || v.Verdict == report.Fail
	if v.Finding != nil {
		g.order++
		g.keepFinding(*v.Finding, ofRules+g.order, v.Lines...)
	}
}

// The order of the findings on an exchange: those of the exchange alone come first.
const (
	ofRules       = 1 << 32
	ofCredentials = 1 << 48
)

// keepFinding keeps a finding, if it is one of the first with its fingerprint, and counts it in any case. The order is
// that among the findings of an exchange.
func (g *gatherer) keepFinding(f report.Finding, order int64, lines ...report.Line) {
	if g.isDisabled(f.Rule, f.Operation) {
		return
	}
	if level := g.checker.config.severity(f.Rule, f.Operation); level != "" && f.Verdict == report.Fail {
		f.Severity = level
	}
	g.Guesses.lowerSeverity(&f, lines)
	if f.Accepted = g.checker.config.baseline.accepts(&f); f.Accepted {
		g.Accepted[f.ID]++
	}
	g.checker.redactFinding(&f)
	f.Spec.Says = g.statementOf(&f)
	if g.onFinding != nil {
		g.onFinding(&f)
	}
	one := foundFinding{f, findingPlace{f.Exchange, order}, lines}
	isFirst := g.Found.add(one, g.checker.breaks)
	if found := g.checker.config.found; found != nil && isFirst && g.checker.breaks(&f) {
		found(&f, lines)
	}
}

// isDisabled reports whether a rule is switched off on an operation.
func (g *gatherer) isDisabled(rule, operation string) bool {
	return g.disabled[rule] || g.checker.config.severity(rule, operation) == Off
}

// redactFinding takes credentials out of a finding: its messages and pointers quote names, paths and media types.
func (c *Checker) redactFinding(f *report.Finding) {
	f.Message = c.redactor.Text(f.Message)
	if strings.Contains(f.Pointer, "@") {
		tokens := strings.Split(f.Pointer, "/")
		for i, token := range tokens {
			tokens[i] = specs.EscapePointer(c.redactor.Text(unescape.Replace(token)))
		}
		f.Pointer = strings.Join(tokens, "/")
	}
	if len(f.Engines) == 0 {
		return
	}
	f.Engines = slices.Clone(f.Engines) // the judge keeps its own
	for i := range f.Engines {
		f.Engines[i].Message = c.redactor.Text(f.Engines[i].Message)
	}
}

// unescape undoes specs.EscapePointer.
var unescape = strings.NewReplacer("~1", "/", "~0", "~")

type statementKey struct{ iface, file, pointer string }

// statementOf returns the document's statement at the place of a finding, in one line.
func (g *gatherer) statementOf(f *report.Finding) string {
	key := statementKey{string(f.Interface), f.Spec.File, f.Spec.Pointer}
	says, known := g.statements[key]
	if known || f.Spec.File == "" {
		return says
	}
	for _, d := range g.checker.documents {
		for _, d := range []*specs.Document{d, d.Extras} {
			if d != nil && d.Interface == f.Interface && d.File == f.Spec.File {
				says = d.Says(f.Spec.Pointer)
			}
		}
	}
	g.statements[key] = says
	return says
}

// onDisk reports whether a name of a recording is that of a file, and not of what a zip archive or memory holds.
func (g *gatherer) onDisk(file string) bool {
	known, ok := g.isFile[file]
	if !ok {
		info, err := os.Stat(file)
		known = err == nil && info.Mode().IsRegular()
		g.isFile[file] = known
	}
	return known
}
