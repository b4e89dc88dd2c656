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

	"svc.example/understudy/specs/recording"
)

var (
	//go:embed html/page.html
	pageHTML string
	//go:embed html/page.css
	pageCSS string
	//go:embed html/page.js
	pageJS string
)

// What a page shows in full. The rest is counted: a page that a browser cannot open is useless.
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
		"number":  grouped,
		"plain":   plain,
		"head":    func(n int, list []Unmatched) []Unmatched { return list[:min(n, len(list))] },
	}).Parse(pageHTML)
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

// findingView is a finding on the page.
type findingView struct {
	*Group
	Message  string // in the place of the group's: without what would hide or turn other text
	Pointer  string
	Found    string
	Kind     string // violation, accepted, disputed, warning, notice, or inconclusive
	Where    string
	Sure     string
	Title    string // of the rule
	Search   string
	Evidence []exchangeView
	More     int
	Others   []string // where else it is
	Uncited  int      // how many more there are
	Document string
	Says     string // what the document states, where there is no excerpt
	Excerpt  []excerptLine
	Opened   bool
}

type excerptLine struct {
	Number int
	Text   string
	Marked bool
}

// exchangeView is an exchange on the page: request and response side by side.
type exchangeView struct {
	Line
	Answer, Class, Place string
	Role                 string // what it has to do with the finding
	Known                bool   // there is more than a line
	URLMarked            bool
	StatusMarked         bool
	Request, Response    *messageView
	Curl                 string
}

type messageView struct {
	Headers []headerView
	Body    *bodyView
}

type headerView struct {
	Name, Value string
	Marked      bool
}

// JudgedInWords returns how many bodies were judged.
func (p *page) JudgedInWords() string { return p.Judged.inWords() }

// EnginesInWords returns which engines judged how much.
func (p *page) EnginesInWords() string { return p.enginesInWords() }

func (r *Report) page() *page {
	p := &page{
		Report: r, CSS: template.CSS(pageCSS), JS: template.JS(pageJS), // both are ours, embedded
		Policy: fmt.Sprintf(
			"default-src 'none'; style-src '%s'; script-src '%s'; img-src data:; base-uri 'none'; form-action 'none'",
			hashOf(pageCSS), hashOf(pageJS)),
		Verdict: "pass", Heat: r.heatMap(), Idle: len(r.unsaid()),
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

// headline fills in what a reader sees first: the verdict, and how much there is of each kind.
func (r *Report) headline(p *page) {
	switch {
	case r.isNothing():
		p.Verdict = "nothing"
	case r.Failed():
		p.Verdict = "fail"
	}
	if _, detail, found := strings.Cut(r.Outcome(), ": "); found {
		p.Detail = strings.ToUpper(detail[:1]) + detail[1:]
	}
	breaking, rest := r.violations()
	p.Breaking = breaking
	p.Tally = []tally{{"violations", "violation", breaking}}
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

func (r *Report) findingView(g *Group, i int) findingView {
	v := findingView{
		Group: g, Message: short(plain(g.Message), maxMessage), Pointer: plain(g.Pointer), Found: plain(g.Found),
		Kind: r.kindOf(g), Where: plain(g.where()), Sure: sureness(g.Provenance), Title: r.Docs[g.Rule].Title,
		Search: strings.ToLower(short(plain(strings.Join([]string{g.Rule, g.where(), g.ID, g.Pointer, g.Message}, " ")),
			maxMessage)),
	}
	v.Opened = i == 0 && v.Kind == "violation"
	if g.Spec.File != "" {
		v.Document = plain(fmt.Sprintf("%s:%d", g.Spec.File, g.Spec.Line))
	}
	excerpt := r.Excerpts[g.Spec]
	if len(excerpt.Lines) == 0 {
		v.Says = plain(g.Spec.Says)
	}
	for n, text := range excerpt.Lines {
		number := excerpt.First + n
		v.Excerpt = append(v.Excerpt, excerptLine{number, short(plain(text), maxLineRunes), number == g.Spec.Line})
	}
	others, uncited := g.others(len(g.Occurrences))
	for _, o := range others {
		v.Others = append(v.Others, short(plain(r.occurrence(g, o)), maxLineRunes))
	}
	v.Uncited = uncited
	chain := g.chain()
	for n, number := range chain {
		if n == maxPageChain-1 && len(chain) > maxPageChain { // the last one is where it broke
			v.More = len(chain) - maxPageChain
			number = chain[len(chain)-1]
		}
		if n == maxPageChain {
			break
		}
		v.Evidence = append(v.Evidence, r.exchangeView(&g.Finding, number))
	}
	return v
}

// kindOf returns the kind of a group by which a reader filters.
func (r *Report) kindOf(g *Group) string {
	switch {
	case r.Breaks(&g.Finding):
		return "violation"
	case g.Verdict == Inconclusive:
		return string(Inconclusive)
	case g.Accepted:
		return "accepted"
	case g.Disputed:
		return "disputed"
	}
	return string(g.Severity)
}

func (r *Report) exchangeView(f *Finding, number int) exchangeView {
	v := exchangeView{Line: r.Shown[number], Role: "evidence"}
	v.Exchange, v.Method, v.URL, v.File = number, plain(v.Method), plain(v.URL), plain(v.File)
	if number == f.Exchange {
		v.Role = "the finding"
	}
	v.Answer, v.Place = v.Line.answer(), v.Line.place()
	v.Class = "none"
	if v.Status >= 100 && v.Status < 600 {
		v.Class = fmt.Sprintf("s%d", v.Status/100)
	}
	e := r.Evidence[number]
	if e == nil {
		return v
	}
	command, _ := Curl(e)
	v.Known, v.Curl = true, visible(command) // who copies it pastes no control characters into a terminal
	pointer := ""
	if number == f.Exchange {
		pointer = f.Pointer
	}
	v.URLMarked = isBelow(pointer, "/request/url") || isBelow(pointer, "/request/query") ||
		isBelow(pointer, "/request/path")
	v.StatusMarked = isBelow(pointer, "/response/status")
	v.Request = viewMessage(e.Request.Headers, e.Request.Body, pointer, "/request")
	if e.Response != nil {
		v.Response = viewMessage(e.Response.Headers, e.Response.Body, pointer, "/response")
	}
	return v
}

func isBelow(pointer, root string) bool {
	return pointer == root || strings.HasPrefix(pointer, root+"/")
}

// viewMessage shows a request or a response. A header that the finding misses has a line of its own.
func viewMessage(headers recording.Headers, body *recording.Body, pointer, side string) *messageView {
	m := &messageView{}
	missing := ""
	if isBelow(pointer, side+"/headers") {
		missing = strings.TrimPrefix(strings.TrimPrefix(pointer, side+"/headers"), "/")
	}
	for _, h := range headers {
		line := headerView{Name: plain(h[0]), Value: short(plain(h[1]), maxLineRunes)}
		if missing != "" && strings.EqualFold(h[0], strings.TrimPrefix(pointer, side+"/headers/")) {
			line.Marked, missing = true, ""
		}
		m.Headers = append(m.Headers, line)
	}
	if missing != "" {
		m.Headers = append(m.Headers, headerView{Name: plain(missing), Value: "(not there)", Marked: true})
	}
	m.Body = viewBody(body, strings.TrimPrefix(pointer, side+"/body"), isBelow(pointer, side+"/body"))
	return m
}

// grouped is a number whose digits are in groups of three.
func grouped(n int) string {
	digits := fmt.Sprint(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "\u202f" + digits[at:]
	}
	return digits
}
