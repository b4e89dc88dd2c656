package report

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"svc.example/understudy/internal/evidence"
)

var (
	//go:embed html/page.html
	pageHTML string
	//go:embed html/comparison.html
	comparisonHTML string
	//go:embed html/page.css
	pageCSS string
	//go:embed html/page.js
	pageJS string
)

// Limits of a page, which a browser must be able to open. What exceeds them is counted.
const (
	maxPageFindings = 400
	maxPageChain    = 8
	maxPageList     = 200
	maxMessage      = 2000
)

// WriteHTML writes the report as one page that needs nothing else: no network, no font, no server. Without JavaScript
// it is whole; with it, findings can be filtered and searched.
func (r *Report) WriteHTML(w io.Writer) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"percent": func(p float64) string { return fmt.Sprintf("%.0f %%", p) },
		"number":  groupDigits,
		"plain":   plain,
		"head":    func(n int, list []Unmatched) []Unmatched { return list[:min(n, len(list))] },
	}).Parse(evidence.Templates + comparisonHTML + pageHTML)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(markupSpelling.guard(w))
	if err := t.Execute(out, r.page()); err != nil {
		return err
	}
	return out.Flush()
}

// page holds the values that the template shows.
type page struct {
	*Report
	CSS                 template.CSS
	JS                  template.JS
	Policy              string
	Verdict             string // pass, fail, or nothing
	Headline            string
	Command             string // that writes such a page
	Detail              string // what the outcome says beyond the headline
	Breaking, Kinds     int
	Tally               []tally
	Findings            []findingView
	Hidden              int // findings beyond those
	Interfaces, RuleIDs []string
	Heat                []heat
	Idle                int
	Alarms              []string
}

// tally is one number of the headline.
type tally struct {
	Label, Kind string
	Count       int
}

// JudgedInWords returns how many bodies were judged.
func (p *page) JudgedInWords() string { return p.Judged.inWords() }

// FaultsInWords returns how many faults were injected.
func (p *page) FaultsInWords() string { return p.Exchanges.injectedInWords() }

// EnginesInWords returns which engines judged how much.
func (p *page) EnginesInWords() string { return p.enginesInWords() }

func (r *Report) page() *page {
	styles := evidence.Styles + pageCSS
	p := &page{
		Report: r, CSS: template.CSS(styles), JS: template.JS(pageJS), // both are ours, embedded
		Policy: fmt.Sprintf(
			"default-src 'none'; style-src '%s'; script-src '%s'; img-src data:; base-uri 'none'; form-action 'none'",
			hashOf(styles), hashOf(pageJS)),
		Verdict: "pass", Heat: r.heatMap(), Idle: len(r.idleRules()),
	}
	r.headline(p)
	for i := range r.Groups {
		g := &r.Groups[i]
		p.Interfaces, p.RuleIDs = append(p.Interfaces, string(g.Interface)), append(p.RuleIDs, g.Rule)
		if i < maxPageFindings {
			p.Findings = append(p.Findings, r.findingView(g, i))
		}
	}
	p.Hidden = len(r.Groups) - len(p.Findings)
	p.Interfaces, p.RuleIDs = distinct(p.Interfaces), distinct(p.RuleIDs)
	for _, gate := range r.junitGates() {
		if gate.Failure != nil {
			p.Alarms = append(p.Alarms, strings.Split(gate.Failure.Text, "\n")...)
		}
	}
	if more := len(p.Alarms) - maxPageList; more > 0 {
		p.Alarms = append(p.Alarms[:maxPageList], fmt.Sprintf("and %d more", more))
	}
	return p
}

// headline fills in the verdict, and the number of findings of each kind.
func (r *Report) headline(p *page) {
	switch {
	case r.isNothing():
		p.Verdict = "nothing"
	case r.Failed():
		p.Verdict = "fail"
	}
	defer func() { p.Headline = r.title(p) }()
	p.Command = "understudy check"
	if r.Comparison != nil {
		p.Command = "understudy compare"
	}
	if _, detail, found := strings.Cut(r.Outcome(), ": "); found {
		p.Detail = strings.ToUpper(detail[:1]) + detail[1:]
	}
	breaking, rest := r.violations()
	p.Breaking = breaking
	p.Tally = []tally{{r.fault() + "s", r.fault(), breaking}}
	for _, t := range []tally{
		{"disputed", "disputed", 0},
		{"warnings", "warning", 0},
		{"notices", "notice", 0},
		{"inconclusive", "inconclusive", 0},
		{"accepted", "accepted", 0},
	} {
		if t.Count = rest[t.Kind]; t.Count > 0 {
			p.Tally = append(p.Tally, t)
		}
	}
}

// hashOf returns the name of a script or style in the content security policy that allows it.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func distinct(list []string) []string {
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), func(s string) bool { return s == "" })
}

// groupDigits formats a number with its digits in groups of three.
func groupDigits(n int) string {
	digits := fmt.Sprint(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "\u202f" + digits[at:]
	}
	return digits
}
