package report

import (
	"fmt"
	"strings"

	"svc.example/understudy/internal/evidence"
)

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
		Kind: r.kindOf(g), Where: plain(g.where()), Sure: provenanceInWords(g.Provenance), Title: r.Docs[g.Rule].Title,
		Search: strings.ToLower(short(plain(strings.Join([]string{g.Rule, g.where(), g.ID, g.Pointer, g.Message}, " ")),
			maxMessage)),
	}
	v.Versus, v.Next = r.versus(g), strings.TrimPrefix(plain(r.next(g)), "next: ")
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

// kindOf returns the kind of a group by which a reader filters.
func (r *Report) kindOf(g *Group) string {
	switch {
	case r.Breaks(&g.Finding):
		return r.fault()
	case g.Verdict == Inconclusive:
		return string(Inconclusive)
	case g.Accepted:
		return "accepted"
	case g.Disputed:
		return "disputed"
	}
	return string(g.Severity)
}
