package snippet

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// marked matches the mark that replaces a secret, in a query with its brackets escaped.
var marked = regexp.MustCompile(`(?:\[|%5B)redacted(?::|%3A)[0-9a-f]{8}(?:\]|%5D)`)

// piece is a part of a text: plain, or a secret that a mark has replaced.
type piece struct {
	text      string
	secret    int  // its number, from 1; 0: the text is plain
	isEscaped bool // the secret stands in an address
}

// secrets numbers the secrets of an exchange in the order in which they are met.
type secrets struct{ marks []string }

// split divides a text at its marks.
func (s *secrets) split(text string) (pieces []piece) {
	from := 0
	for _, at := range marked.FindAllStringIndex(text, -1) {
		if from < at[0] {
			pieces = append(pieces, piece{text: text[from:at[0]]})
		}
		mark := text[at[0]:at[1]]
		pieces = append(pieces, piece{secret: s.number(mark), isEscaped: strings.Contains(mark, "%5B")})
		from = at[1]
	}
	if from < len(text) {
		pieces = append(pieces, piece{text: text[from:]})
	}
	return pieces
}

// number returns the number of the secret that a mark has replaced, the same for the same secret.
func (s *secrets) number(mark string) int {
	mark = strings.NewReplacer("%5B", "[", "%3A", ":", "%5D", "]").Replace(mark)
	if i := slices.Index(s.marks, mark); i >= 0 {
		return i + 1
	}
	s.marks = append(s.marks, mark)
	return len(s.marks)
}

// numbers returns the numbers of all secrets.
func (s *secrets) numbers() (numbers []int) {
	for i := range s.marks {
		numbers = append(numbers, i+1)
	}
	return numbers
}

// variables returns the names of the variables for all secrets.
func (s *secrets) variables() (names []string) {
	for i := range s.marks {
		names = append(names, variable(i+1))
	}
	return names
}

// variable returns the name of the variable for a secret: KEY, KEY2 and so on.
func variable(number int) string {
	if number == 1 {
		return "KEY"
	}
	return fmt.Sprintf("KEY%d", number)
}
