// Package fold writes the steps of a story in fewer lines, and reads such lines. A line holds several steps with then
// between them, and a line that begins with each is taken once for each of the values that stand in braces:
//
//	each GET /workflow/api/projects/{31,32} 200 then match {31,32}.json
//
// is short for
//
//	GET /workflow/api/projects/31 200
//	match 31.json
//	GET /workflow/api/projects/32 200
//	match 32.json
package fold

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

const (
	// Each is the word with which a line begins that is taken several times.
	Each = "each"
	// Then is the word between two steps.
	Then = "then"
	// Width is the length to which lines are filled.
	Width = 120
)

// alternatives matches the values in braces. They have no quotes, so that JSON is none.
var alternatives = regexp.MustCompile(`\{([^{}"' \t,]*(?:,[^{}"' \t,]*)+)\}`)

// Words cuts a line into words as testscript does: quotes are single, a quote within them is doubled, and # begins a
// comment.
func Words(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	begun, quoted := false, false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\'' && quoted && strings.HasPrefix(line[i+1:], "'"):
			word.WriteByte(c)
			i++
		case c == '\'':
			begun, quoted = true, !quoted
		case !quoted && c == '#':
			line = line[:i]
		case !quoted && (c == ' ' || c == '\t'):
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			begun = true
			word.WriteByte(c)
		}
	}
	if begun {
		words = append(words, word.String())
	}
	if quoted {
		return nil, errors.New("a quote is not closed: want another ' on the same line")
	}
	return words, nil
}

// Steps returns the steps that the words of a line stand for, in their order. Only before a step is then no plain word.
func Steps(words []string, isStep func(name string) bool) (steps [][]string, err error) {
	if len(words) == 0 || words[0] != Each {
		return split(words, isStep), nil
	}
	n := 0
	for _, word := range words[1:] {
		for _, found := range alternatives.FindAllString(word, -1) {
			switch count := 1 + strings.Count(found, ","); {
			case n == 0:
				n = count
			case n != count:
				return nil, fmt.Errorf("%s has %d values: want %d, as many as the one before it has", found, count, n)
			}
		}
	}
	if n == 0 {
		return nil, errors.New("each needs values: want some in braces, as in {1,2}")
	}
	for i := range n {
		one := make([]string, len(words)-1)
		for j, word := range words[1:] {
			one[j] = alternatives.ReplaceAllStringFunc(word, func(found string) string {
				return strings.Split(found[1:len(found)-1], ",")[i]
			})
		}
		steps = append(steps, split(one, isStep)...)
	}
	return steps, nil
}

func split(words []string, isStep func(name string) bool) (steps [][]string) {
	from := 0
	for i, word := range words {
		if word == Then && i > from && i+1 < len(words) && isStep(words[i+1]) {
			steps = append(steps, words[from:i])
			from = i + 1
		}
	}
	return append(steps, words[from:])
}

// Lines writes steps, each in a line of its own, in fewer lines: what follows from a request joins it, requests that
// differ in some values join each other, and then requests that only read share lines. Comments and lines with a
// condition stay as they are.
func Lines(steps []string) (lines []string) {
	var chained []string
	for _, step := range steps {
		if n := len(chained); n > 0 && joins(chained[n-1], step) {
			chained[n-1] += " " + Then + " " + step
		} else {
			chained = append(chained, step)
		}
	}
	for from := 0; from < len(chained); {
		line, to := chained[from], from+1
		for ; to < len(chained); to++ {
			longer := together(chained[from : to+1])
			if longer == "" {
				break
			}
			line = longer
		}
		if n := len(lines); n > 0 && follows(lines[n-1], line) && reads(lines[n-1]) && reads(line) {
			lines[n-1] += " " + Then + " " + line
		} else {
			lines = append(lines, line)
		}
		from = to
	}
	return lines
}

// follows reports whether a line can stand behind another one in one line.
func follows(line, next string) bool {
	words, others := rawWords(line), rawWords(next)
	return isPlain(words) && isPlain(others) && len(line)+len(next)+len(Then)+2 <= Width &&
		!mentions(others, captured(words))
}

// reads reports whether all requests of a line read.
func reads(line string) bool {
	isRead, isFirst := false, true
	for _, word := range rawWords(line) {
		switch {
		case !isFirst:
		case word == "GET":
			isRead = true
		case !slices.Contains([]string{"as", "with", "match", "capture"}, word):
			return false
		}
		isFirst = word == Then
	}
	return isRead
}

// joins reports whether a step can stand in the line of the one before it: it prepares a request, is one that was
// prepared, or follows from one.
func joins(line, step string) bool {
	words, next := rawWords(line), rawWords(step)
	if !follows(line, step) {
		return false
	}
	prepares := func(name string) bool { return slices.Contains([]string{"as", "with", "archive", "rows"}, name) }
	last := words[0]
	for i, word := range words {
		if word == Then && i+1 < len(words) {
			last = words[i+1]
		}
	}
	if prepares(last) {
		return true
	}
	return slices.Contains([]string{"match", "capture", "read", "header", "says"}, next[0])
}

// together returns a line that stands for several, or nothing if there is none: they differ in more than values.
func together(lines []string) string {
	var all [][]string
	var names []string
	for _, line := range lines {
		words := rawWords(line)
		if !isPlain(words) || len(all) > 0 && len(words) != len(all[0]) {
			return ""
		}
		all, names = append(all, words), append(names, captured(words)...)
	}
	folded, differ := []string{Each}, false
	for i, first := range all[0] {
		values := make([]string, len(all))
		for j, words := range all {
			if values[j] = words[i]; mentions(words, names) {
				return ""
			}
		}
		if len(slices.Compact(slices.Clone(values))) > 1 {
			if first, differ = inBraces(values), true; first == "" || i == 0 {
				return ""
			}
		}
		folded = append(folded, first)
	}
	if line := strings.Join(folded, " "); differ && len(line) <= Width {
		return line
	}
	return ""
}

// unfit matches what cannot stand in braces, and a variable at the end of what stands before them, which testscript
// replaces before the values are taken. Values have no slashes, for the sake of readers.
var (
	unfit    = regexp.MustCompile(`[^!-~]|[/{}"'$,#\\]`)
	variable = regexp.MustCompile(`\$\{?\w*$`)
)

// inBraces returns a word that stands for several, or nothing if there is none. What they have in common at both ends
// stays outside of the braces, up to a whole name.
func inBraces(words []string) string {
	before, after := words[0], words[0]
	for _, word := range words {
		for !strings.HasPrefix(word, before) {
			before = before[:len(before)-1]
		}
	}
	before = before[:1+strings.LastIndexAny(before, "/?&=.:")]
	for _, word := range words {
		for !strings.HasSuffix(word[len(before):], after) {
			after = after[1:]
		}
	}
	if at := strings.IndexAny(after, "/?&=.:"); at >= 0 {
		after = after[at:]
	} else {
		after = ""
	}
	values := make([]string, len(words))
	for i, word := range words {
		values[i] = word[len(before) : len(word)-len(after)]
		if unfit.MatchString(values[i]) || strings.Contains(word, "'") {
			return ""
		}
	}
	if variable.MatchString(before) {
		return ""
	}
	return before + "{" + strings.Join(values, ",") + "}" + after
}

// rawWords cuts a line into words that keep their quotes, or returns nothing if it stays as it is.
func rawWords(line string) (words []string) {
	quoted, from := false, 0
	for i, c := range line + " " {
		switch {
		case c == '\'':
			quoted = !quoted
		case quoted:
		case c == '#' || c == '\t':
			return nil
		case c == ' ':
			if i > from {
				words = append(words, line[from:i])
			}
			from = i + 1
		}
	}
	if quoted || len(words) == 0 || strings.ContainsAny(words[0][:1], "[!") || words[0] == Each {
		return nil
	}
	return words
}

// isPlain reports whether no word would be read otherwise in a line that begins with each.
func isPlain(words []string) bool {
	return len(words) > 0 && !slices.ContainsFunc(words, alternatives.MatchString)
}

// captured lists the names that steps of a line capture.
func captured(words []string) (names []string) {
	for i, word := range words[:max(0, len(words)-1)] {
		if word == "capture" {
			names = append(names, words[i+1])
		}
	}
	return names
}

// mentions reports whether testscript would replace one of some names in words, before a step of the line gives it its
// value. In quotes it replaces nothing.
func mentions(words, names []string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		return !strings.HasPrefix(word, "'") && slices.ContainsFunc(names, func(name string) bool {
			return strings.Contains(word, "$"+name) || strings.Contains(word, "${"+name)
		})
	})
}
