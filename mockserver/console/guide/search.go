package guide

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

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
	page    docs.Page
	id      string
	heading string
	text    string
	weights map[string]float64 // of its words
}

// index holds all parts, and counts those that have a word.
type index struct {
	parts  []part
	having map[string]int
}

// The weight of a word by where it stands. In the text it counts each time, but less each time.
const (
	inTitle   = 24
	inHeading = 10
	inText    = 1
)

func newIndex(pages []docs.Page) *index {
	x := &index{having: map[string]int{}}
	for _, page := range pages {
		for _, p := range partsOf(page) {
			p.weigh()
			for w := range p.weights {
				x.having[w]++
			}
			x.parts = append(x.parts, p)
		}
	}
	return x
}

// partsOf splits a page at its headings.
func partsOf(page docs.Page) []part {
	source := []byte(page.Text())
	parts := []part{{page: page}}
	for n := parse(source).FirstChild(); n != nil; n = n.NextSibling() {
		if heading, ok := n.(*ast.Heading); ok {
			if heading.Level > 1 {
				parts = append(parts, part{page: page, id: idOf(heading), heading: plain(heading, source)})
			}
			continue
		}
		last := &parts[len(parts)-1]
		last.text = strings.TrimSpace(last.text + " " + plain(n, source))
	}
	return parts
}

func (p *part) weigh() {
	text := words(p.text)
	p.weights = map[string]float64{}
	for _, w := range text {
		p.weights[w]++
	}
	for w, n := range p.weights {
		p.weights[w] = inText * math.Log2(1+n) / math.Log10(10+float64(len(text)))
	}
	for _, w := range words(p.heading) {
		p.weights[w] += inHeading
	}
	for _, w := range words(p.page.Title) {
		if p.id == "" {
			p.weights[w] += inTitle // the beginning of the page stands for all of it
		} else {
			p.weights[w] += inText
		}
	}
}

// Bounds of a question, so that none takes long.
const (
	longestQuestion = 200
	mostTerms       = 8
	mostOfAPage     = 3
)

// Search returns the parts of pages that have every word of q, or a word that begins like it, the best first; or those
// that have most of its words, if none has them all. It returns limit hits at most, and three at most of a page.
func (g *Guide) Search(q string, limit int) []Hit {
	terms := termsOf(q)
	if len(terms) == 0 || limit <= 0 {
		return nil
	}
	hits := []Hit{}
	ofPage := map[string]int{}
	for _, p := range g.index().rank(terms) {
		if ofPage[p.page.Slug]++; ofPage[p.page.Slug] > mostOfAPage {
			continue
		}
		hits = append(hits, Hit{
			Address: g.address(p.page.Slug, p.id), Slug: p.page.Slug, Title: p.page.Title, Heading: p.heading,
			Excerpt: excerpt(p, terms),
		})
		if len(hits) == limit {
			break
		}
	}
	return hits
}

// rank returns the parts that have the most terms, by their weights. A word that only begins like a term counts half,
// and one that many parts have says less about each of them.
func (x *index) rank(terms []string) (list []*part) {
	scores, most := map[*part]float64{}, 0
	for i := range x.parts {
		p, matched := &x.parts[i], 0
		for _, term := range terms {
			best := 0.0
			for word, weight := range p.weights {
				if !strings.HasPrefix(word, term) {
					continue
				}
				if word != term {
					weight /= 2
				}
				best = max(best, weight*math.Log2(1+float64(len(x.parts))/float64(x.having[word])))
			}
			if scores[p] += best; best > 0 {
				matched++
			}
		}
		if matched > most {
			list, most = nil, matched
		}
		if matched == most && most > 0 {
			list = append(list, p)
		}
	}
	slices.SortStableFunc(list, func(a, b *part) int { return cmp.Compare(scores[b], scores[a]) })
	return list
}

// termsOf returns the words of a question, without the s of a plural, so that it finds the singular as well.
func termsOf(q string) (terms []string) {
	if len(q) > longestQuestion {
		q = strings.ToValidUTF8(q[:longestQuestion], "")
	}
	for _, w := range words(q) {
		if len(w) > 3 && !strings.HasSuffix(w, "ss") {
			w = strings.TrimSuffix(w, "s")
		}
		if !slices.Contains(terms, w) && len(terms) < mostTerms {
			terms = append(terms, w)
		}
	}
	return terms
}

var word = regexp.MustCompile(`[\pL\p{Nd}]+`)

// words returns the words of a text in lower case.
func words(text string) []string { return word.FindAllString(strings.ToLower(text), -1) }

// The length of an excerpt in bytes, and how much of it stands before the first match.
const (
	excerptLength = 200
	excerptBefore = 60
)

// excerpt returns a piece of a part's text in which words begin like the terms, with these words marked. It begins a
// little before the first word after which the most terms follow.
func excerpt(p *part, terms []string) (fragments []Fragment) {
	text := cmp.Or(strings.Join(strings.Fields(p.text), " "), p.page.Summary)
	places := word.FindAllStringIndex(text, -1)
	term := func(place []int) int {
		word := strings.ToLower(text[place[0]:place[1]])
		return slices.IndexFunc(terms, func(term string) bool { return strings.HasPrefix(word, term) })
	}
	places = slices.DeleteFunc(places, func(place []int) bool { return term(place) < 0 })
	best, most := 0, 0
	for i, first := range places {
		near := map[int]bool{}
		for _, place := range places[i:] {
			if place[0]-first[0] > excerptLength-excerptBefore {
				break
			}
			near[term(place)] = true
		}
		if len(near) > most {
			best, most = first[0], len(near)
		}
	}
	from, to := window(text, best)
	add := func(text string, isMatch bool) {
		if text != "" {
			fragments = append(fragments, Fragment{text, isMatch})
		}
	}
	if from > 0 {
		add("… ", false)
	}
	end := from
	for _, place := range places {
		if place[0] >= from && place[1] <= to {
			add(text[end:place[0]], false)
			add(text[place[0]:place[1]], true)
			end = place[1]
		}
	}
	add(text[end:to], false)
	if to < len(text) {
		add(" …", false)
	}
	return fragments
}

// window returns where an excerpt around a word begins and ends: between words, where there are spaces.
func window(text string, at int) (from, to int) {
	if from = max(0, at-excerptBefore); from > 0 {
		from = whole(text, from)
		if space := strings.IndexByte(text[from:at], ' '); space >= 0 {
			from += space + 1
		}
	}
	if to = from + excerptLength; to >= len(text) {
		return from, len(text)
	}
	to = whole(text, to)
	if space := strings.LastIndexByte(text[from:to], ' '); space > excerptLength/2 {
		to = from + space
	}
	return from, to
}

// whole returns a place, or the one before it where a character begins.
func whole(text string, at int) int {
	for !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}
