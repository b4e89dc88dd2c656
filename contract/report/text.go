package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"svc.example/understudy/specs"
)

// WriteText writes the report for people: findings grouped by what deviates, the worst first, each with the exchanges
// that prove it and the place in the document; then the counts.
func (r *Report) WriteText(w io.Writer) error {
	t := &textWriter{Writer: bufio.NewWriter(w), r: r}
	for i := range r.Groups {
		t.group(&r.Groups[i])
	}
	t.summary()
	return t.Flush()
}

type textWriter struct {
	*bufio.Writer
	r *Report
}

func (t *textWriter) line(format string, args ...any) { fmt.Fprintf(t, format+"\n", args...) }

const textWidth = 110

func (t *textWriter) group(g *Group) {
	label := string(g.Severity)
	switch {
	case g.Verdict == Inconclusive:
		label = string(Inconclusive)
	case g.Disputed:
		label += " (disputed)"
	}
	where := g.Operation
	if where == "" {
		where = g.Interface
	}
	times := ""
	if g.Count > 1 {
		times = fmt.Sprintf("  ×%d, first at #%d", g.Count, g.Exchange)
	}
	t.line("%s  %s  %s%s", label, g.Rule, where, times)
	t.wrap("  ", g.Message)
	for _, v := range g.Voices {
		t.wrap("  ", strings.TrimSpace(fmt.Sprintf("the %s judge says %s %s", v.Judge, v.Verdict, v.Message)))
	}
	if g.Pointer != "" && g.Pointer != "/response" {
		t.line("  at %s", g.Pointer)
	}
	for _, number := range g.Evidence {
		t.line("  %s", t.exchange(number))
	}
	if g.Spec.File != "" {
		t.line("  %s:%d says so (%s)", g.Spec.File, g.Spec.Line, provenanceWord(g))
	}
	t.line("")
}

func provenanceWord(g *Group) string {
	switch g.Provenance {
	case specs.Client:
		return "known from the code of clients"
	case specs.Assumed:
		return "an assumption"
	case specs.Public:
		return "from public interface documents"
	case specs.Documented:
	}
	return "documented"
}

// exchange is one exchange in one line: #4 POST /api/pool_rules → 201.
func (t *textWriter) exchange(number int) string {
	line, ok := t.r.Shown[number]
	if !ok {
		return fmt.Sprintf("#%d", number)
	}
	status := "no answer"
	if line.Status != 0 {
		status = fmt.Sprint(line.Status)
	}
	url := line.URL
	if over := len([]rune(url)) - textWidth + 30; over > 0 {
		url = string([]rune(url)[:textWidth-31]) + "…"
	}
	return fmt.Sprintf("#%d %s %s → %s  (%s:%d)", number, line.Method, url, status, line.File, line.Line)
}

// wrap writes text in lines of readable width.
func (t *textWriter) wrap(indent, text string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(indent)+len(line)+1+len(word) > textWidth {
			t.line("%s%s", indent, line)
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	if line != "" {
		t.line("%s%s", indent, line)
	}
}

func (t *textWriter) summary() {
	r := t.r
	for _, note := range r.Notes {
		t.line("note: %s", note)
	}
	if r.Omitted > 0 {
		t.line("note: %d more findings are counted above but not listed", r.Omitted)
	}
	t.line("exchanges  %d read: %d matched, %d unmatched, %d ignored",
		r.Exchanges.Read, r.Exchanges.Matched, r.Exchanges.Unmatched, r.Exchanges.Ignored)
	t.line("checks     %d pass, %d fail, %d inconclusive, %d skipped",
		r.Checks.Pass, r.Checks.Fail, r.Checks.Inconclusive, r.Checks.Skipped)
	t.line("coverage   %d of %d documented operations", r.Coverage.Covered, r.Coverage.Documented)
	t.line("")
	t.line("%-24s %9s %9s %9s %13s", "rule", "triggered", "pass", "fail", "inconclusive")
	for _, rule := range r.Rules {
		t.line("%-24s %9d %9d %9d %13d", rule.ID, rule.Triggered, rule.Pass, rule.Fail, rule.Inconclusive)
	}
	t.line("")
	t.line("%s", r.Outcome())
}

// Outcome is the report in one sentence.
func (r *Report) Outcome() string {
	if r.Exchanges.Matched == 0 {
		return "nothing was checked: no exchange belongs to an interface of the platform"
	}
	var rules []string
	count := 0
	for i := range r.Groups {
		if g := &r.Groups[i]; r.Breaks(&g.Finding) {
			count += g.Count
			if len(rules) == 0 || rules[len(rules)-1] != g.Rule {
				rules = append(rules, g.Rule)
			}
		}
	}
	if count == 0 {
		return "the recording conforms"
	}
	noun := "violations"
	if count == 1 {
		noun = "violation"
	}
	return fmt.Sprintf("the recording breaks the contract: %d %s of %s", count, noun, strings.Join(dedupe(rules), ", "))
}

func dedupe(list []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, s := range list {
		if !seen[s] {
			out = append(out, s)
		}
		seen[s] = true
	}
	return out
}
