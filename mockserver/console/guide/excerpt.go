package guide

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// The length of an excerpt in bytes, and how much of it stands before the first match.
const (
	excerptLength = 200
	excerptBefore = 60
)

// excerpt returns a piece of a part's text in which words begin like the terms, with these words marked.
func excerpt(p part, terms []string) []Fragment {
	text := strings.Join(strings.Fields(p.text), " ")
	if text == "" {
		text = p.page.Summary
	}
	from, to := window(text, bestMatch(text, terms))
	var fragments []Fragment
	if from > 0 {
		fragments = append(fragments, Fragment{Text: "… "})
	}
	fragments = append(fragments, marked(text[from:to], terms)...)
	if to < len(text) {
		fragments = append(fragments, Fragment{Text: " …"})
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

// bestMatch returns where the first of the words stands after which the most of the terms follow within an excerpt. It
// returns 0 if none of them does.
func bestMatch(text string, terms []string) (best int) {
	type match struct{ at, term int }
	var matches []match
	most := 0
	for at, word := range wordsAt(text) {
		if term := matching(word, terms); term >= 0 {
			matches = append(matches, match{at, term})
		}
	}
	for i, first := range matches {
		near := map[int]bool{}
		for _, m := range matches[i:] {
			if m.at-first.at > excerptLength-excerptBefore {
				break
			}
			near[m.term] = true
		}
		if len(near) > most {
			best, most = first.at, len(near)
		}
	}
	return best
}

// marked splits a text into the words that begin like one of the terms, and what stands between them.
func marked(text string, terms []string) (fragments []Fragment) {
	end := 0
	for from, word := range wordsAt(text) {
		if matching(word, terms) < 0 {
			continue
		}
		if from > end {
			fragments = append(fragments, Fragment{Text: text[end:from]})
		}
		end = from + len(word)
		fragments = append(fragments, Fragment{Text: word, Match: true})
	}
	if end < len(text) {
		fragments = append(fragments, Fragment{Text: text[end:]})
	}
	return fragments
}

// matching returns the number of the term that a word begins like, or -1.
func matching(word string, terms []string) int {
	word = strings.ToLower(word)
	return slices.IndexFunc(terms, func(term string) bool { return strings.HasPrefix(word, term) })
}

// wordsAt yields the words of a text as they are written, with where they begin.
func wordsAt(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for at := 0; at < len(text); {
			skipped := strings.IndexFunc(text[at:], func(r rune) bool { return !notInWord(r) })
			if skipped < 0 {
				return
			}
			at += skipped
			length := strings.IndexFunc(text[at:], notInWord)
			if length < 0 {
				length = len(text) - at
			}
			if !yield(at, text[at:at+length]) {
				return
			}
			at += length
		}
	}
}
