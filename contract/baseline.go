package contract

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"

	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

// BaselineSchema is the JSON Schema, draft 2020-12, of a baseline.
//
//go:embed baseline.schema.json
var BaselineSchema string

// baseline holds the accepted findings, in the order of the file.
type baseline struct {
	file    string
	entries []report.BaselineEntry
	lists   map[string]bool // their fingerprints
}

// WithBaseline accepts the findings that a file lists, so that only others make a check fail. An entry that no longer
// occurs makes it fail, too. WriteBaseline writes such a file.
func WithBaseline(path string) Option {
	return func(c *config) error {
		content, err := source.ReadFile(path)
		if err != nil {
			return fmt.Errorf("read the baseline: %w", err)
		}
		c.baseline, err = readBaseline(path, content)
		return err
	}
}

var baselineSchema = sync.OnceValues(func() (*source.Schema, error) {
	const name = "baseline.schema.json"
	return source.Compile(name, map[string][]byte{name: []byte(BaselineSchema)}, nil)
})

func readBaseline(path string, content []byte) (*baseline, error) {
	text, err := source.Read(path, content)
	if err != nil {
		return nil, err
	}
	schema, err := baselineSchema()
	if err != nil {
		return nil, err
	}
	if err := source.Join(text.Check(schema)); err != nil {
		return nil, err
	}
	var file baselineFile
	if err := text.Decode(&file); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i, entry := range file.Findings {
		if seen[entry.ID] {
			return nil, text.Problem([]any{"findings", i, "id"}, "%s is listed twice", entry.ID)
		}
		seen[entry.ID] = true
	}
	return &baseline{file: path, entries: file.Findings, lists: seen}, nil
}

// accepts reports whether a finding is accepted.
func (b *baseline) accepts(f *report.Finding) bool {
	return b != nil && f.Verdict == report.Fail && b.lists[f.ID]
}

// report returns the result of the baseline, or nil if there is none, by how often each of its entries occurred.
func (b *baseline) report(occurred map[string]int) *report.Baseline {
	if b == nil {
		return nil
	}
	r := &report.Baseline{File: b.file, Entries: b.entries, Stale: []report.BaselineEntry{}}
	for _, entry := range b.entries {
		r.Accepted += occurred[entry.ID]
		if occurred[entry.ID] == 0 {
			r.Stale = append(r.Stale, entry)
		}
	}
	return r
}

// WriteBaseline writes a baseline that accepts every violation of a report. What the report's own baseline accepted
// stays accepted, with its reason, as long as it occurs.
func WriteBaseline(w io.Writer, r *Report) error {
	reasons := map[string]string{}
	if r.Baseline != nil {
		for _, old := range r.Baseline.Entries {
			reasons[old.ID] = old.Reason
		}
	}
	file := baselineFile{Findings: []report.BaselineEntry{}}
	for i := range r.Groups {
		if f := &r.Groups[i].Finding; f.Accepted || r.Breaks(f) {
			file.Findings = append(file.Findings, report.BaselineEntry{
				ID: f.ID, Rule: f.Rule, Operation: f.Operation, Pointer: f.Pointer, Message: f.Message, Reason: reasons[f.ID],
			})
		}
	}
	slices.SortFunc(file.Findings, func(a, b report.BaselineEntry) int {
		return cmp.Or(cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.ID, b.ID))
	})
	text, err := yaml.Marshal(file)
	if err != nil {
		return fmt.Errorf("write the baseline: %w", err)
	}
	head := baselineHead
	if r.Comparison != nil {
		head = strings.ReplaceAll(head, "understudy check", "understudy compare")
	}
	_, err = fmt.Fprintf(w, "%s%s", head, text)
	return err
}

const baselineHead = "# Findings that understudy check accepts. One that is not here fails the check, and so does an " +
	`entry that no longer
# occurs. Say why you accept each: reason is yours, the rest is written by understudy check --write-baseline.
`

// baselineFile is a baseline as a file holds it.
type baselineFile struct {
	Findings []report.BaselineEntry `json:"findings" yaml:"findings"`
}

// addRuleResult counts a verdict of a rule between exchanges, and keeps its finding. A pass has none.
func (g *gatherer) addRuleResult(v history.Result) {
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
func (g *gatherer) keepFinding(f report.Finding, order int64, lines ...report.ExchangeLine) {
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
		var redacted jsontext.Pointer
		for token := range jsontext.Pointer(f.Pointer).Tokens() {
			redacted = redacted.AppendToken(c.redactor.Text(token))
		}
		f.Pointer = string(redacted)
	}
	if len(f.Engines) == 0 {
		return
	}
	f.Engines = slices.Clone(f.Engines) // the judge keeps its own
	for i := range f.Engines {
		f.Engines[i].Message = c.redactor.Text(f.Engines[i].Message)
	}
}

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
			if d != nil && d.Interface == f.Interface && d.SourceOf(f.Spec.File) != nil {
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
