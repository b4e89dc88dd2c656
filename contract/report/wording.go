package report

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"svc.example/understudy/internal/evidence"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// label returns the severity of a group in a word or two.
func (g *Group) label() string {
	switch {
	case g.Verdict == Inconclusive:
		return string(Inconclusive)
	case g.Accepted:
		return string(g.Severity) + " (accepted)"
	case g.Disputed:
		return string(g.Severity) + " (disputed)"
	}
	return string(g.Severity)
}

// where returns the operation or interface of a finding, or the empty string.
func (f *Finding) where() string {
	if f.Operation != "" {
		return f.Operation
	}
	return string(f.Interface)
}

// times returns the number of occurrences in words, or the empty string for one.
func (g *Group) times() string {
	if g.Count < 2 {
		return ""
	}
	return fmt.Sprintf("×%d, first at #%d", g.Count, g.Exchange)
}

// at returns the place of a finding in its exchange, and the value found there; it is empty where that goes without
// saying.
func (f *Finding) at() string {
	switch {
	case f.Found != "" && f.Pointer != "":
		return fmt.Sprintf("at %s: %s", f.Pointer, f.Found)
	case f.Pointer == "/response":
		return ""
	case f.Pointer != "":
		return "at " + f.Pointer
	}
	return ""
}

// about lists what is known of a group in plain lines: its message, the value that was found with its place, and the
// verdicts of the engines.
func (g *Group) about() []string {
	list := []string{plain(g.Message)}
	if g.Found != "" {
		list = append(list, plain(g.at()))
	}
	for _, v := range g.Engines {
		list = append(list, plain(v.inWords()))
	}
	return list
}

// inWords returns the verdict as a sentence.
func (v EngineVerdict) inWords() string {
	if v.Message == "" {
		return fmt.Sprintf("%s says %s", v.Engine, v.Verdict)
	}
	return fmt.Sprintf("%s says %s: %s", v.Engine, v.Verdict, v.Message)
}

// says returns the place of the document that a finding refers to, and how sure that fact is.
func (f *Finding) says() string {
	if f.Spec.File == "" {
		return ""
	}
	says := fmt.Sprintf("see %s:%d (%s)", f.Spec.File, f.Spec.Line, provenanceInWords(f.Provenance))
	if f.Spec.Says != "" {
		says += ": " + f.Spec.Says
	}
	return says
}

// next returns what to do about a finding, in one line; it is empty where nothing is left to do.
func (r *Report) next(g *Group) string {
	switch {
	case r.Comparison != nil || g.Accepted:
		return ""
	case g.Verdict == Inconclusive:
		return fmt.Sprintf("next: understudy rules %s says what a recording has to show", g.Rule)
	case g.Disputed && !r.DisputedFails:
		return "next: compare what the engines say with the document; --disputed fail lets no such finding pass"
	case r.Breaks(&g.Finding):
		return fmt.Sprintf("next: understudy rules %s explains it; an entry of --baseline accepts it: {id: %s}", g.Rule, g.ID)
	}
	return fmt.Sprintf("next: understudy rules %s explains it; --severity %s=error lets it fail the check", g.Rule,
		strings.Trim(g.Rule+"@"+g.Operation, "@"))
}

func provenanceInWords(p specs.Provenance) string {
	switch p {
	case specs.Client:
		return "known from client code"
	case specs.Assumed:
		return "an assumption"
	case specs.Public:
		return "from public interface documents"
	case specs.Documented:
	}
	return "documented"
}

// answer returns the status of an exchange as text.
func (l *ExchangeLine) answer() string {
	text := "no response"
	if l.Status != 0 {
		text = fmt.Sprint(l.Status)
	}
	if f, ok := recording.ParseFault(l.Fault); ok {
		text += fmt.Sprintf(" (fault %s)", f.ID)
	}
	return text
}

// place returns the place of an exchange in its recording, by its line and its number. It leaves out the line where the
// whole file is one line, and the number where each exchange has a line of its own.
func (l *ExchangeLine) place() string {
	switch {
	case l.Entry > 1 && l.Line <= 1:
		return fmt.Sprintf("%s, entry %d", l.File, l.Entry)
	case l.Line == 0:
		return l.File
	case l.Entry == 0 || l.Entry == l.Line:
		return fmt.Sprintf("%s:%d", l.File, l.Line)
	}
	return fmt.Sprintf("%s:%d, entry %d", l.File, l.Line, l.Entry)
}

// line returns one exchange in one line: #4 POST /api/pool_rules → 201.
func (r *Report) line(number int) string {
	l, ok := r.Shown[number]
	if !ok {
		return fmt.Sprintf("#%d", number)
	}
	return l.inWords()
}

// String returns the exchange in one line, with its place in the recording.
func (l ExchangeLine) String() string { return l.inWords() }

func (l *ExchangeLine) inWords() string {
	return fmt.Sprintf("#%d %s %s → %s  (%s)", l.Exchange, l.Method, l.URL, l.answer(), l.place())
}

// chain returns the evidence of a finding, or the exchange that it was found in.
func (f *Finding) chain() []int {
	if len(f.Evidence) == 0 {
		return []int{f.Exchange}
	}
	return f.Evidence
}

// specURI returns the address of a document, for tools that show it beside a finding. A user's own goes by its path;
// ours are embedded, and go by their path in the repository that they come from.
func (r *Report) specURI(s Spec) string {
	if r.isOwn(s) {
		return strings.ReplaceAll(s.File, `\`, "/")
	}
	return path.Join(cmp.Or(r.Root, "specs"), s.File)
}

// isOwn reports whether a document is a user's own, which is on their disk.
func (r *Report) isOwn(s Spec) bool { return slices.Contains(r.Own, s.File) }

// count returns a number of things, such as 1 finding or 2 findings.
func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// plain returns a text from a recording in one line, without control characters.
func plain(text string) string { return evidence.Plain(text) }

func short(text string, most int) string { return evidence.Short(text, most) }

// idleRules counts the rules that were never triggered.
func (r *Report) idleRules() []string {
	var names []string
	for _, rule := range r.Rules {
		if rule.Triggered == 0 {
			names = append(names, rule.ID)
		}
	}
	return names
}

// kinds lists the words for what findings mean for the check, those first that fail it.
func (r *Report) kinds() []string {
	return []string{r.fault(), "disputed", string(Warning), string(Notice), string(Inconclusive), "accepted"}
}

// kindOf returns the word for what a finding means for the check: violation, or difference in a comparison, if it
// fails it.
func (r *Report) kindOf(f *Finding) string {
	switch {
	case r.Breaks(f):
		return r.fault()
	case f.Verdict == Inconclusive:
		return string(Inconclusive)
	case f.Accepted:
		return "accepted"
	case f.Disputed:
		return "disputed"
	}
	return string(f.Severity)
}

// tally is the number of findings of one kind.
type tally struct {
	Kind  string
	Count int
}

// Label returns the word for so many findings of the kind.
func (t tally) Label() string {
	switch t.Kind {
	case "disputed", string(Inconclusive), "accepted", "passed":
		return t.Kind
	}
	return strings.TrimLeft(count(t.Count, t.Kind), "0123456789 ")
}

// tally counts the findings of a rule, or of all rules if it is empty, by their kinds. All forms of a report show these
// numbers, and not those of failed checks: a check may have several findings, and one that only warns fails as well.
// The kind that fails the check comes first, even without any; the others are there where there are some.
func (r *Report) tally(rule string) (list []tally) {
	counts := map[string]int{}
	for i := range r.Groups {
		if g := &r.Groups[i]; rule == "" || g.Rule == rule {
			counts[r.kindOf(&g.Finding)] += g.Count
		}
	}
	for _, kind := range r.kinds() {
		if counts[kind] > 0 || rule == "" && kind == r.fault() {
			list = append(list, tally{kind, counts[kind]})
		}
	}
	return list
}

// CountFindings returns in one line how many findings of each kind there are, of a rule or, if that is empty, of all
// rules: "2 violations, 1 warning".
func (r *Report) CountFindings(rule string) string { return inWords(r.tally(rule)) }

func inWords(list []tally) string {
	var words []string
	for _, t := range list {
		words = append(words, fmt.Sprintf("%d %s", t.Count, t.Label()))
	}
	return strings.Join(words, ", ")
}

// tallyByLabel returns the numbers of findings for programs, none left out.
func (r *Report) tallyByLabel() map[string]int {
	numbers := map[string]int{}
	for _, kind := range r.kinds() {
		numbers[tally{Kind: kind}.Label()] = 0
	}
	for _, t := range r.tally("") {
		numbers[tally{Kind: t.Kind}.Label()] = t.Count
	}
	return numbers
}

// ruleInWords returns how often a rule had something to judge, and what came of it.
func (r *Report) ruleInWords(rule *Rule) string {
	list := r.tally(rule.ID)
	if rule.Pass > 0 {
		list = append(list, tally{"passed", rule.Pass})
	}
	return fmt.Sprintf("%s %d: %s", rule.ID, rule.Triggered, inWords(list))
}

// inWords returns the counts in one line.
func (e *Exchanges) inWords() string {
	text := fmt.Sprintf("%d read: %d matched, %d unmatched, %d ignored", e.Read, e.Matched, e.Unmatched, e.Ignored)
	if e.Broken > 0 {
		text += fmt.Sprintf(", and %d unreadable", e.Broken)
	}
	if e.Injected > 0 {
		text += "; " + e.injectedInWords()
	}
	return text
}

// injectedInWords returns how many answers were injected.
func (e *Exchanges) injectedInWords() string { return count(e.Injected, "injected fault") }

// others lists the occurrences of a finding beside the first one, at most so many of them, and how many more there are.
func (g *Group) others(most int) (list []Occurrence, more int) {
	if len(g.Occurrences) > 1 {
		list = g.Occurrences[1:min(len(g.Occurrences), 1+most)]
	}
	return list, max(0, g.Count-1-len(list))
}

// occurrence returns one of a group's in a few words: #12 (traffic.har:40, entry 12), with its place in the exchange
// where that is not the one of the first.
func (r *Report) occurrence(g *Group, o Occurrence) string {
	words := fmt.Sprintf("#%d", o.Exchange)
	if o.Pointer != g.Pointer {
		words += " " + o.Pointer
	}
	if line, ok := r.Shown[o.Exchange]; ok && line.File != "" {
		words += " (" + line.place() + ")"
	}
	return words
}

// also lists the other occurrences of a finding in a sentence, at most so many of them.
func (r *Report) also(g *Group, most int) string {
	others, more := g.others(most)
	if len(others) == 0 {
		return ""
	}
	var words []string
	for _, o := range others {
		words = append(words, r.occurrence(g, o))
	}
	sentence := "also " + strings.Join(words, ", ")
	if more > 0 {
		sentence += fmt.Sprintf(" and %d more", more)
	}
	return sentence
}
