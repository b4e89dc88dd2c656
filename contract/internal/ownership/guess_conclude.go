package ownership

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"svc.example/understudy/specs"
)

// Conclude returns the bases with enough evidence, in the order of the documents, those with the most exchanges first.
// The notes name rejected candidates, and the option that would confirm each.
func (g *Guesser) Conclude() (held []*Base, notes []string) {
	for i := range g.attempts {
		g.attempts[i].decide()
	}
	for _, d := range g.addresses.documents {
		if _, isGiven := g.addresses.given[d.Interface]; isGiven {
			continue
		}
		bases := 0
		for _, c := range g.likely(d) {
			switch {
			case c.trial.IsLost():
				notes = append(notes, c.refutedNote())
			case c.isEnough(c.attributed):
				if bases++; bases <= maxGuesses {
					held = append(held, c.base)
				}
			case len(c.tiedWith) > 0:
				notes = append(notes, c.tiedNote(g.addresses.documents))
			}
		}
	}
	slices.Sort(notes)
	return held, slices.Compact(notes)
}

// likely lists the candidates of a document with enough requested operations, the one that most exchanges fit first.
func (g *Guesser) likely(d *specs.Document) []*candidate {
	list := slices.DeleteFunc(slices.Collect(maps.Values(g.candidates)), func(c *candidate) bool {
		return c.document != d || !c.isEnough(c.requested)
	})
	slices.SortFunc(list, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.host, b.host), cmp.Compare(a.path, b.path))
	})
	return list
}

// decide attributes an exchange to the candidate with the best score among those that it fits, or else among those that
// it does not fit. An exchange that fits a candidate counts against none; one that fits none counts against all.
func (s *attempt) decide() {
	if len(s.fitting) > 0 {
		if winner := s.attribute(s.fitting); winner != nil && s.isConclusive {
			winner.trial.count(true)
		}
		return
	}
	s.attribute(s.refuted)
	for _, c := range s.refuted {
		if s.isConclusive {
			c.trial.count(false)
		}
	}
}

// attribute gives the operation to the candidate with the best score, and returns it, or nil if several are equal.
func (s *attempt) attribute(claimants []claimant) (winner *candidate) {
	best := bestOf(claimants)
	if len(best) == 1 {
		if s.isEvidence {
			best[0].attributed[best[0].operation] = true
		}
		return best[0].candidate
	}
	for _, c := range best {
		for _, other := range best {
			if other.candidate != c.candidate {
				c.tiedWith[other.candidate] = true
			}
		}
	}
	return nil
}

// bestOf lists the candidates that most exchanges fit.
func bestOf(claimants []claimant) (best []claimant) {
	for _, c := range claimants {
		if len(best) > 0 && c.score > best[0].score {
			best = best[:0]
		}
		if len(best) == 0 || c.score == best[0].score {
			best = append(best, c)
		}
	}
	return best
}

// refutedNote returns the note that most exchanges do not fit.
func (c *candidate) refutedNote() string {
	return fmt.Sprintf("%s looked like %s, but %d of %d exchanges do not fit: they are not judged; add %s to judge them "+
		"anyway",
		c.base.URL, c.document.Interface, c.trial.Refuted, c.trial.Claimed, c.base.Confirmation())
}

// tiedNote returns the note that several candidates fit equally well.
func (c *candidate) tiedNote(documents []*specs.Document) string {
	rivals := append(slices.Collect(maps.Keys(c.tiedWith)), c)
	slices.SortFunc(rivals, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(slices.Index(documents, a.document), slices.Index(documents, b.document)),
			cmp.Compare(a.path, b.path))
	})
	var names, options []string
	for _, rival := range rivals {
		names, options = append(names, string(rival.document.Interface)), append(options, rival.base.Confirmation())
	}
	return fmt.Sprintf("%s fits %s equally well, in %d exchanges: they are not judged; add %s",
		c.host, strings.Join(names, " and "), c.score, strings.Join(options, " or "))
}

// Confirmation returns the option that confirms a guess.
func (b *Base) Confirmation() string { return "--base " + string(b.Interface) + "=" + b.URL }
