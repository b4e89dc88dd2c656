package ownership

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"svc.example/understudy/specs"
)

// Conclude returns the bases that there is enough evidence for, in the order of the documents, the busiest first. The
// notes say what looked like an interface and was not taken for one, and which option would say that it is.
func (g *Guesser) Conclude() (held []*Base, notes []string) {
	for i := range g.sightings {
		g.sightings[i].decide()
	}
	for _, d := range g.addresses.documents {
		if _, isGiven := g.addresses.given[d.Interface]; isGiven {
			continue
		}
		bases := 0
		for _, c := range g.likely(d) {
			switch {
			case c.trial.IsLost():
				notes = append(notes, c.lost())
			case c.isEnough(c.won):
				if bases++; bases <= maxGuesses {
					held = append(held, c.base)
				}
			case len(c.tied) > 0:
				notes = append(notes, c.alike(g.addresses.documents))
			}
		}
	}
	slices.Sort(notes)
	return held, slices.Compact(notes)
}

// likely lists the candidates of a document whose addresses may be enough, the one that most exchanges fit first.
func (g *Guesser) likely(d *specs.Document) []*candidate {
	list := slices.DeleteFunc(slices.Collect(maps.Values(g.candidates)), func(c *candidate) bool {
		return c.document != d || !c.isEnough(c.asked)
	})
	slices.SortFunc(list, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.host, b.host), cmp.Compare(a.path, b.path))
	})
	return list
}

// decide gives an exchange to the candidate with the best score of those that it fits, or else of those that it does
// not fit: what breaks the contract of one interface is rarely another's. An exchange that fits one counts against
// none; one that fits none counts against all.
func (s *sighting) decide() {
	if len(s.fitting) > 0 {
		if winner := s.give(s.fitting); winner != nil && s.isTelling {
			winner.trial.count(true)
		}
		return
	}
	s.give(s.refuted)
	for _, c := range s.refuted {
		if s.isTelling {
			c.trial.count(false)
		}
	}
}

// give returns the candidate with the best score, which has the operation. Of equal ones none has it.
func (s *sighting) give(claimants []claimant) (winner *candidate) {
	best := bestOf(claimants)
	if len(best) == 1 {
		if s.isEvidence {
			best[0].won[best[0].operation] = true
		}
		return best[0].candidate
	}
	for _, c := range best {
		for _, other := range best {
			if other.candidate != c.candidate {
				c.tied[other.candidate] = true
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

func (c *candidate) lost() string {
	return fmt.Sprintf("%s looked like %s, but %d of %d exchanges do not fit: they are not judged; add %s to judge them "+
		"anyway",
		c.base.URL, c.document.Interface, c.trial.Refuted, c.trial.Claimed, c.base.Confirmation())
}

// alike says that as much speaks for other interfaces as for this one.
func (c *candidate) alike(documents []*specs.Document) string {
	rivals := append(slices.Collect(maps.Keys(c.tied)), c)
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

// Confirmation is the option that says that a guess is right.
func (b *Base) Confirmation() string { return "--base " + string(b.Interface) + "=" + b.URL }
