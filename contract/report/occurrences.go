package report

import (
	"fmt"
	"strings"
)

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
