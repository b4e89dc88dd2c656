package guide

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"svc.example/understudy/docs"
)

// Hit is a part of a page that a search has found.
type Hit struct {
	Address string // such as guide/faults#delays
	Slug    string
	Title   string // of the page
	Heading string // that the part stands under; empty before the first one
	Excerpt []Fragment
}

// Fragment is a piece of an excerpt.
type Fragment struct {
	Text  string
	Match bool // it is a word that was searched for
}

// part holds what stands under one heading of a page.
type part struct {
	page              docs.Page
	id, heading, text string
	weights           map[string]float64 // of its words
}

// allParts splits all pages at their headings, and weighs their words: those of titles and headings far more than those
// of a text, which count each time, but less each time, and those that few parts have more than others. The beginning
// of a page stands for all of it.
func allParts() (parts []part) {
	for _, page := range docs.Pages() {
		source := []byte(page.Text())
		parts = append(parts, part{page: page})
		for n := parse(source).FirstChild(); n != nil; n = n.NextSibling() {
			if heading, ok := n.(*ast.Heading); !ok {
				last := &parts[len(parts)-1]
				last.text += plain(n, source) + " "
			} else if heading.Level > 1 {
				parts = append(parts, part{page: page, id: idOf(heading), heading: plain(heading, source)})
			}
		}
	}
	having := map[string]float64{} // parts, by word
	for i := range parts {
		p := &parts[i]
		text := words(p.text)
		p.weights = map[string]float64{}
		for _, w := range text {
			p.weights[w]++
		}
		for w, n := range p.weights {
			p.weights[w] = math.Log2(1+n) / math.Log10(10+float64(len(text)))
		}
		for _, w := range words(p.heading) {
			p.weights[w] += 10
		}
		for _, w := range words(p.page.Title) {
			p.weights[w]++
			if p.id == "" {
				p.weights[w] += 23
			}
		}
		for w := range p.weights {
			having[w]++
		}
	}
	for _, p := range parts {
		for w := range p.weights {
			p.weights[w] *= math.Log2(1 + float64(len(parts))/having[w])
		}
	}
	return parts
}

// Search returns the parts of pages that have every word of q, or a word that begins like it, the best first; or those
// that have most of its words, if none has them all. It returns limit hits at most, and three at most of a page.
func (g *Guide) Search(q string, limit int) (hits []Hit) {
	const mostOfAPage = 3
	terms := termsOf(q)
	ofPage := map[string]int{}
	for _, p := range rank(g.parts(), terms) {
		if len(hits) >= limit {
			break
		}
		if ofPage[p.page.Slug]++; ofPage[p.page.Slug] <= mostOfAPage {
			hits = append(hits, Hit{
				g.address(p.page.Slug, p.id), p.page.Slug, p.page.Title, p.heading,
				excerpt(cmp.Or(strings.Join(strings.Fields(p.text), " "), p.page.Summary), terms),
			})
		}
	}
	return hits
}

// rank returns the parts that have the most terms, by their weights. A word that only begins like a term counts half.
func rank(parts []part, terms []string) (found []*part) {
	scores, most := map[*part]float64{}, 1
	for i := range parts {
		p, matched := &parts[i], 0
		for _, term := range terms {
			best := 0.0
			for word, weight := range p.weights {
				if word == term {
					best = max(best, weight)
				} else if strings.HasPrefix(word, term) {
					best = max(best, weight/2)
				}
			}
			if scores[p] += best; best > 0 {
				matched++
			}
		}
		if matched > most {
			found, most = nil, matched
		}
		if matched == most {
			found = append(found, p)
		}
	}
	slices.SortStableFunc(found, func(a, b *part) int { return cmp.Compare(scores[b], scores[a]) })
	return found
}

// termsOf returns the first few words of a question, without the s of a plural, so that it finds the singular as well.
func termsOf(q string) (terms []string) {
	const longest, most = 200, 8
	for _, w := range words(q[:min(len(q), longest)]) {
		if len(w) > 3 && !strings.HasSuffix(w, "ss") {
			w = strings.TrimSuffix(w, "s")
		}
		if !slices.Contains(terms, w) && len(terms) < most {
			terms = append(terms, w)
		}
	}
	return terms
}

var word = regexp.MustCompile(`[\pL\p{Nd}]+`)

// words returns the words of a text in lower case.
func words(text string) []string { return word.FindAllString(strings.ToLower(text), -1) }

// excerpt returns some 200 bytes of a text in which words begin like the terms, with these words marked. They begin a
// little before the one after which the most of the terms follow, and end between words.
func excerpt(text string, terms []string) (fragments []Fragment) {
	const length, before = 200, 60
	all := word.FindAllStringIndex(text, -1)
	term := func(at []int) int {
		found := strings.ToLower(text[at[0]:at[1]])
		return slices.IndexFunc(terms, func(term string) bool { return strings.HasPrefix(found, term) })
	}
	places := slices.DeleteFunc(slices.Clone(all), func(at []int) bool { return term(at) < 0 })
	best, most := 0, 0
	for i, first := range places {
		near := map[int]bool{}
		for n := i; n < len(places) && places[n][1] <= first[0]+length-before; n++ {
			near[term(places[n])] = true
		}
		if len(near) > most {
			best, most = first[0], len(near)
		}
	}
	from, to := 0, len(text)
	if best > before {
		from = all[slices.IndexFunc(all, func(at []int) bool { return at[0] >= best-before })][0]
	}
	if to > from+length {
		for _, at := range all {
			if at[1] <= from+length {
				to = at[1]
			}
		}
	}
	if from > 0 {
		fragments = append(fragments, Fragment{Text: "… "})
	}
	for _, place := range places {
		if place[0] >= from && place[1] <= to {
			fragments = append(fragments, Fragment{Text: text[from:place[0]]}, Fragment{text[place[0]:place[1]], true})
			from = place[1]
		}
	}
	fragments = append(fragments, Fragment{Text: text[from:to]})
	if to < len(text) {
		fragments = append(fragments, Fragment{Text: " …"})
	}
	return fragments
}
