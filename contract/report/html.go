package report

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"

	"svc.example/understudy/internal/evidence"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording/snippet"
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
		"number":  evidence.Number,
		"plain":   plain,
		"tally":   r.tally, "faults": r.Exchanges.injectedInWords, "judged": r.Judged.inWords, "engines": r.enginesInWords,
		"head": func(n int, list []Unmatched) []Unmatched { return list[:min(n, len(list))] },
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
	for _, g := range r.gates() {
		if g.Fails() {
			p.Alarms = append(p.Alarms, g.Faults...)
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
	p.Tally = r.tally("")
	p.Breaking = p.Tally[0].Count
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

// findingView is a finding on the page.
type findingView struct {
	*Group
	Message  string // in the place of the group's: without what would hide or turn other text
	Pointer  string
	Found    string
	Kind     string // violation or difference, accepted, disputed, warning, notice, or inconclusive
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
	Next     string // what to do about it
	Opened   bool
	Versus   *versusView
}

type excerptLine struct {
	Number int
	Text   string
	Marked bool
}

func (r *Report) findingView(g *Group, i int) findingView {
	v := findingView{
		Group: g, Message: short(plain(g.Message), maxMessage), Pointer: plain(g.Pointer), Found: plain(g.Found),
		Kind: r.kindOf(&g.Finding), Where: plain(g.where()), Sure: provenanceInWords(g.Provenance),
		Title: r.Docs[g.Rule].Title,
		Search: strings.ToLower(short(plain(strings.Join([]string{g.Rule, g.where(), g.ID, g.Pointer, g.Message}, " ")),
			maxMessage)),
	}
	if a := r.sidesAt(&g.Finding); a != nil {
		v.Versus = &versusView{a.First, a.Sides.rows()}
	}
	v.Next = strings.TrimPrefix(plain(r.next(g)), "next: ")
	v.Opened = i == 0 && v.Kind == r.fault()
	if g.Spec.File != "" && r.Comparison == nil {
		v.Document = plain(fmt.Sprintf("%s:%d", g.Spec.File, g.Spec.Line))
	}
	excerpt := r.Excerpts[g.Spec]
	if len(excerpt.Lines) == 0 {
		v.Says = plain(g.Spec.Says)
	}
	for n, text := range excerpt.Lines {
		number := excerpt.First + n
		v.Excerpt = append(v.Excerpt, excerptLine{number, short(plain(text), evidence.MaxLine), number == g.Spec.Line})
	}
	others, uncited := g.others(len(g.Occurrences))
	for _, o := range others {
		v.Others = append(v.Others, short(plain(r.occurrence(g, o)), evidence.MaxLine))
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

// exchangeView is an exchange on the page: request and response side by side.
type exchangeView struct {
	ExchangeLine
	Answer, Class, Place string
	Role                 string // what it has to do with the finding
	Known                bool   // there is more than a line
	URLMarked            bool
	StatusMarked         bool
	Request, Response    *evidence.Message
	Curl                 string
}

func (r *Report) exchangeView(f *Finding, number int) exchangeView {
	v := exchangeView{ExchangeLine: r.Shown[number], Role: "evidence"}
	v.Exchange, v.Method, v.URL, v.File = number, plain(v.Method), plain(v.URL), plain(v.File)
	if number == f.Exchange {
		v.Role = "the finding"
	}
	v.Answer, v.Place = v.ExchangeLine.answer(), v.ExchangeLine.place()
	v.Class = evidence.Class(v.Status)
	e := r.Evidence[number]
	if e == nil {
		return v
	}
	command, _ := snippet.Curl(e)
	v.Known, v.Curl = true, command
	pointer := ""
	if number == f.Exchange {
		pointer = f.Pointer
	}
	v.URLMarked = evidence.IsBelow(pointer, "/request/url") || evidence.IsBelow(pointer, "/request/query") ||
		evidence.IsBelow(pointer, "/request/path")
	v.StatusMarked = evidence.IsBelow(pointer, "/response/status")
	v.Request = evidence.View(e.Request.Headers, e.Request.Body, pointer, "/request")
	if e.Response != nil {
		v.Response = evidence.View(e.Response.Headers, e.Response.Body, pointer, "/response")
	}
	return v
}

// agreementView is the agreement of an operation on the page.
type agreementView struct {
	*Agreement
	Finding string // the id of its first finding, empty if there is none on the page
}

// Percent returns the share of the answers that agree, in percent.
func (a agreementView) Percent() float64 {
	return Axis{Covered: a.Agree, Documented: a.Compared}.Percent()
}

// versusView is the two answers of an exchange on the page.
type versusView struct {
	Exchange int
	Rows     []sideRow
}

// Agreements lists the agreement of each operation.
func (p *page) Agreements() (list []agreementView) {
	for i := range p.Comparison.Operations {
		view := agreementView{Agreement: &p.Comparison.Operations[i]}
		for j := range p.Findings {
			if p.Findings[j].Operation == view.Operation {
				view.Finding = p.Findings[j].ID
				break
			}
		}
		list = append(list, view)
	}
	return list
}

// Differing returns how many operations have an answer that differs.
func (p *page) Differing() int { return len(p.Comparison.differing()) }

// With names what the recording was compared with.
func (p *page) With() string { return plain(p.Comparison.With) }

// title returns the headline of the page.
func (r *Report) title(p *page) string {
	of := 0
	if r.Comparison != nil {
		of = 1
	}
	switch {
	case p.Verdict == "nothing":
		return [...]string{"Nothing was checked", "Nothing was compared"}[of]
	case p.Verdict == "pass":
		return [...]string{"The recording conforms", "The answers agree"}[of]
	case p.Breaking > 0:
		return [...]string{"The recording violates the contract", "The answers differ"}[of]
	}
	return [...]string{"The check fails", "The comparison fails"}[of]
}

// heat is the coverage of one interface: operations down, statuses across.
type heat struct {
	Interface           specs.Interface
	Statuses            []string
	Rows                []heatRow
	Covered, Documented int
}

// Share returns the touched share of the operations, in percent.
func (h heat) Share() float64 { return Axis{Covered: h.Covered, Documented: h.Documented}.Percent() }

type heatRow struct {
	Operation string // without its interface
	Exchanges int
	Cells     []heatCell
	Parts     []heatPart // parameters, enums, properties
}

// heatPart counts the touched parts of one kind of an operation, and names the others.
type heatPart struct {
	Seen, All int
	Missed    string
}

// heatCell is one status of one operation: seen, unseen (documented, but not answered), undocumented, or none.
type heatCell struct {
	State, Status, Text, Title string
}

// maxMissed is the largest number of untouched parts that a page lists for one operation.
const maxMissed = 30

// heatMap shows coverage by interface, those of the platform first.
func (r *Report) heatMap() (list []heat) {
	rank := func(name string) int {
		if at := slices.Index(specs.Interfaces(), specs.Interface(name)); at >= 0 {
			return at
		}
		return len(specs.Interfaces())
	}
	names := r.Coverage.Interfaces()
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	for _, name := range names {
		list = append(list, r.heatOf(specs.Interface(name)))
	}
	return list
}

func (r *Report) heatOf(iface specs.Interface) heat {
	own := r.Coverage.Of(iface)
	operations := append(slices.Sorted(maps.Keys(own.Operations)), slices.Sorted(maps.Keys(own.Untouched))...)
	h := heat{Interface: iface, Documented: len(operations)}
	documented := map[string][]string{}
	for _, name := range operations {
		touched := r.Coverage.Operations[name]
		all := slices.Concat(touched.Responses.Covered, touched.Responses.Uncovered, r.Coverage.Untouched[name])
		for _, response := range all {
			status, _, _ := strings.Cut(response, " ")
			documented[name] = append(documented[name], status)
		}
		h.Statuses = append(append(h.Statuses, documented[name]...), slices.Collect(maps.Keys(touched.Statuses))...)
		if touched.Exchanges > 0 {
			h.Covered++
		}
	}
	slices.Sort(h.Statuses)
	h.Statuses = slices.Compact(h.Statuses)
	for _, name := range operations {
		h.Rows = append(h.Rows, r.heatRow(name, h.Statuses, documented[name]))
	}
	return h
}

func (r *Report) heatRow(name string, statuses, documented []string) heatRow {
	touched := r.Coverage.Operations[name]
	_, operation, _ := strings.Cut(name, ".")
	row := heatRow{Operation: operation, Exchanges: touched.Exchanges}
	for _, status := range statuses {
		row.Cells = append(row.Cells, cellOf(status, touched.Statuses[status], documented, touched.Statuses))
	}
	for _, p := range []Parts{touched.Parameters, touched.Enums, touched.Properties} {
		part := heatPart{Seen: len(p.Covered), All: len(p.Covered) + len(p.Uncovered)}
		if len(p.Uncovered) > 0 {
			part.Missed = "never seen: " + strings.Join(p.Uncovered[:min(len(p.Uncovered), maxMissed)], ", ")
			if more := len(p.Uncovered) - maxMissed; more > 0 {
				part.Missed += fmt.Sprintf(" and %d more", more)
			}
		}
		row.Parts = append(row.Parts, part)
	}
	return row
}

// cellOf returns the cell of a status. A status is also documented by its class or by the default.
func cellOf(status string, seen int, documented []string, answered map[string]int) heatCell {
	cell := heatCell{Status: status}
	isDocumented := len(documented) == 0 ||
		slices.ContainsFunc(documented, func(d string) bool { return covers(d, status) })
	switch {
	case seen > 0 && isDocumented:
		cell.State, cell.Text, cell.Title = "seen", compact(seen), fmt.Sprintf("%s: seen %d times", status, seen)
	case seen > 0:
		cell.State, cell.Text = "undocumented", compact(seen)+"!"
		cell.Title = fmt.Sprintf("%s: seen %d times, and not documented", status, seen)
	case !slices.Contains(documented, status):
	case slices.ContainsFunc(slices.Collect(maps.Keys(answered)),
		func(s string) bool { return s != status && covers(status, s) }):
		cell.State, cell.Text, cell.Title = "seen", "✓", status+": seen"
	default:
		cell.State, cell.Text, cell.Title = "unseen", "·", status+": documented, never seen"
	}
	return cell
}

// covers reports whether what is documented for a status, its class, or the default fits an answer.
func covers(documented, status string) bool {
	return documented == status || documented == "default" ||
		len(documented) == 3 && strings.HasSuffix(strings.ToUpper(documented), "XX") && documented[0] == status[0]
}

// compact formats a number in at most four characters.
func compact(n int) string {
	switch {
	case n >= 1_000_000:
		return fmt.Sprintf("%dM", n/1_000_000)
	case n >= 1000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprint(n)
}
