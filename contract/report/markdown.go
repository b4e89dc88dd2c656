package report

import (
	"cmp"
	_ "embed" // the template
	"fmt"
	"io"
	"strings"
	"text/template"
	"unicode/utf8"

	"svc.example/understudy/internal/evidence"
	"svc.example/understudy/specs/recording"
)

// Limits of GitHub: characters of a comment, and bytes of the summary of a step.
const (
	maxComment         = 65_536
	MaxSummary         = 1 << 20 // bytes of GITHUB_STEP_SUMMARY
	maxCitedBody       = 1500    // bytes of a body in a comment
	maxCitedChain      = 6       // exchanges of a finding
	maxCitedOperations = 20
	footerReserve      = 300
)

//go:embed markdown.tmpl
var markdownTemplate string

// WriteMarkdown writes the report for a comment on a pull request, within its limit.
func (r *Report) WriteMarkdown(w io.Writer) error { return r.WriteSummary(w, maxComment) }

// WriteSummary writes the report as Markdown of at most limit bytes, such as MaxSummary for the summary of a step in
// GitHub Actions. It is cut at the end of a finding, and says what was cut.
func (r *Report) WriteSummary(w io.Writer, limit int) error {
	templates, err := template.New("markdown").Funcs(r.markdownFunctions()).Parse(markdownTemplate)
	if err != nil {
		return err
	}
	filled := func(name string, value any) string {
		var b strings.Builder
		err = cmp.Or(err, templates.ExecuteTemplate(markdownSpelling.guard(&b), name, value))
		return b.String()
	}
	var b strings.Builder
	b.WriteString(filled("head", r))
	if b.Len()+footerReserve > limit {
		return fmt.Errorf("a summary in %d bytes: the head alone takes %d", limit, b.Len()+footerReserve)
	}
	left, isUndecided := 0, false
	for i := range r.Groups {
		g := &r.Groups[i]
		if g.Verdict == Inconclusive {
			isUndecided = true
			continue
		}
		block := filled("finding", g)
		if left > 0 || b.Len()+len(block)+footerReserve > limit {
			left++
			continue
		}
		b.WriteString(block)
	}
	if left > 0 {
		fmt.Fprintf(&b, "\n> … and %s of findings are not shown: the report's size limit is reached. The HTML and the "+
			"JSON report have them.\n", count(left, "more kind"))
	}
	if rest := filled("undecided", r); isUndecided && b.Len()+len(rest) <= limit {
		b.WriteString(rest)
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// markdownFunctions returns what the templates call.
func (r *Report) markdownFunctions() template.FuncMap {
	return template.FuncMap{
		"maxChain": func() int { return maxCitedChain }, "maxOperations": func() int { return maxCitedOperations },
		"over": func(n, most int) int { return max(0, n-most) },
		"md": func(most int, text string) string {
			if most > 0 {
				text = short(text, most)
			}
			return escapeMarkdown(text)
		},
		"code": codeSpan, "fenced": fenced,
		"cell": func(text string) string { return strings.ReplaceAll(codeSpan(text), "|", `\|`) },

		"nothing": r.isNothing, "gates": r.gates, "faults": r.Exchanges.injectedInWords,
		"tally":  func() string { return r.CountFindings("") },
		"judged": r.Judged.inWords, "engines": r.enginesInWords,
		"undecided": func(rule string) *tally {
			for _, t := range r.tally(rule) {
				if t.Kind == string(Inconclusive) {
					return &tally{rule, t.Count}
				}
			}
			return nil
		},
		"differ":    func() int { return r.Comparison.Compared - r.Comparison.Agree },
		"differing": func() []Agreement { return r.Comparison.differing() },
		"skipped":   func() string { return r.Comparison.skippedInWords() },
		"masks":     func() []string { return r.Comparison.usedMasks() },

		"label": (*Group).label, "where": func(g *Group) string { return g.where() }, "times": (*Group).times,
		"verdict": EngineVerdict.inWords, "provenance": provenanceInWords, "next": r.next,
		"also":  func(g *Group) string { return r.also(g, maxListed) },
		"chain": func(g *Group) []int { return g.chain() },
		"document": func(g *Group) string {
			if g.Spec.File == "" || r.Comparison != nil {
				return ""
			}
			return fmt.Sprintf("%s:%d", r.specURI(g.Spec), g.Spec.Line)
		},
		"sides": func(g *Group) string {
			a := r.sidesAt(&g.Finding)
			if a == nil {
				return ""
			}
			return strings.Join(append([]string{"- as recorded, + as answered"}, a.Sides.unified()...), "\n")
		},
		"exchanges": func(n int) string { return count(n, "exchange") }, "exchange": r.exchangeText,
	}
}

// exchangeText returns an exchange as text: its line, and its bodies if they are known.
func (r *Report) exchangeText(number int) string {
	text := plain(short(r.line(number), 500)) + "\n"
	e := r.Evidence[number]
	if e == nil {
		return text
	}
	if body := bodyText(e.Request.Body); body != "" {
		text += "\n→ " + body + "\n"
	}
	if e.Response != nil {
		if body := bodyText(e.Response.Body); body != "" {
			text += "\n← " + body + "\n"
		}
	}
	return text
}

func bodyText(b *recording.Body) string {
	switch {
	case b == nil || len(b.Bytes) == 0:
		return ""
	case !utf8.Valid(b.Bytes) && !b.Truncated:
		return fmt.Sprintf("(%d bytes that are not text)", len(b.Bytes))
	}
	text := strings.ToValidUTF8(string(b.Bytes[:min(len(b.Bytes), maxCitedBody)]), "")
	if len(b.Bytes) > maxCitedBody || b.Truncated {
		text += "…"
	}
	return evidence.Visible(text) // with its line breaks, without characters that hide or reverse text
}

// fenced returns a block of code with a fence that is longer than any in it.
func fenced(kind, text string) string {
	fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	return fence + kind + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n\n"
}

// codeSpan returns a piece of code within a line. In code nothing is a mention, a reference or HTML.
func codeSpan(text string) string {
	if text == "" {
		return ""
	}
	ticks := strings.Repeat("`", longestRun(text, '`')+1)
	return ticks + " " + plain(text) + " " + ticks
}

func longestRun(text string, of rune) int {
	longest, run := 0, 0
	for _, c := range text {
		if run++; c != of {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

// escapeMarkdown escapes a text for Markdown, so that it has no markup, HTML, mentions or references.
func escapeMarkdown(text string) string {
	var b strings.Builder
	for _, c := range plain(text) {
		switch {
		case c == '@', c == '#':
			b.WriteString(string(c) + "<!-- -->") // a name from a recording must notify no person
		case c < utf8.RuneSelf && strings.ContainsRune("\\`*_{}[]()<>+-.!|~&$:", c):
			b.WriteString(`\` + string(c))
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}
