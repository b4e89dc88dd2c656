package guide

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

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
	length  int // in words
}

// index holds, for each word, the parts that have it, each with its weight there.
type index struct {
	parts []part
	words []string // sorted
	found map[string]map[int]float64
}

// The weight of a word by where it stands. In the text it counts each time, but less each time.
const (
	inTitle   = 24
	inHeading = 10
	inText    = 1
)

func newIndex(pages []docs.Page) *index {
	x := &index{found: map[string]map[int]float64{}}
	for _, page := range pages {
		for _, p := range partsOf(page) {
			x.add(p)
		}
	}
	x.words = slices.Sorted(maps.Keys(x.found))
	return x
}

func (x *index) add(p part) {
	counts := map[string]float64{}
	for w := range words(p.text) {
		counts[w]++
		p.length++
	}
	for w, n := range counts {
		counts[w] = inText * math.Log2(1+n) / math.Log10(10+float64(p.length))
	}
	for w := range words(p.heading) {
		counts[w] += inHeading
	}
	for w := range words(p.page.Title) {
		if p.id == "" {
			counts[w] += inTitle // the beginning of the page stands for all of it
		} else {
			counts[w] += inText
		}
	}
	for w, weight := range counts {
		if x.found[w] == nil {
			x.found[w] = map[int]float64{}
		}
		x.found[w][len(x.parts)] = weight
	}
	x.parts = append(x.parts, p)
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
	x := g.index()
	ranked := x.rank(terms)
	hits := []Hit{}
	ofPage := map[string]int{}
	for _, n := range ranked {
		p := x.parts[n]
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

// rank returns the parts that have the most terms, by their weights.
func (x *index) rank(terms []string) []int {
	scores, matched := map[int]float64{}, map[int]int{}
	most := 0
	for _, term := range terms {
		for n, weight := range x.matches(term) {
			scores[n] += weight
			matched[n]++
			most = max(most, matched[n])
		}
	}
	var list []int
	for n, count := range matched {
		if count == most {
			list = append(list, n)
		}
	}
	slices.SortFunc(list, func(a, b int) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) })
	return list
}

// matches returns the weights of a term in the parts that have it. A word that only begins like it counts half.
func (x *index) matches(term string) map[int]float64 {
	weights := map[int]float64{}
	from, _ := slices.BinarySearch(x.words, term)
	for _, word := range x.words[from:] {
		if !strings.HasPrefix(word, term) {
			break
		}
		share := 0.5
		if word == term {
			share = 1
		}
		// A word that many parts have says less about each of them.
		share *= math.Log2(1 + float64(len(x.parts))/float64(len(x.found[word])))
		for n, weight := range x.found[word] {
			weights[n] = max(weights[n], share*weight)
		}
	}
	return weights
}

// termsOf returns the words of a question, without the s of a plural, so that it finds the singular as well.
func termsOf(q string) []string {
	if len(q) > longestQuestion {
		q = strings.ToValidUTF8(q[:longestQuestion], "")
	}
	var terms []string
	for w := range words(q) {
		if len(w) > 3 && !strings.HasSuffix(w, "ss") {
			w = strings.TrimSuffix(w, "s")
		}
		if !slices.Contains(terms, w) && len(terms) < mostTerms {
			terms = append(terms, w)
		}
	}
	return terms
}

// words yields the words of a text in lower case.
func words(text string) iter.Seq[string] {
	return strings.FieldsFuncSeq(strings.ToLower(text), notInWord)
}

func notInWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
