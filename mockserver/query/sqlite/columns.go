package sqlite

import (
	"fmt"
	"slices"
	"strings"

	"svc.example/understudy/mockserver/query"
)

// What SQLite has room for in a table. A record may have any number of keys, so that a table without a schema may have
// more columns than that: those that come first are its columns, the others are left out (assumed).
const (
	maxTableColumns = 2000 - 1      // beside time
	maxNames        = maxQuery >> 1 // bytes of the columns' definitions
)

// columns are those of a table, the column time behind the others.
type columns struct {
	list   []query.Column
	place  map[string]int // by name, in lower case: names that differ in case only are one for SQLite
	length int            // of the definitions
	isCut  bool           // there are more than SQLite has room for
}

func (c *columns) find(name string) (int, bool) {
	if i, found := c.place[name]; found {
		return i, true
	}
	i, found := c.place[strings.ToLower(name)]
	return i, found
}

// add puts a column behind the others, unless it is there, stands for the time, or cannot be named in a query.
func (c *columns) add(column query.Column) {
	name := strings.ToLower(column.Name)
	if _, there := c.place[name]; there || name == "time" || strings.ContainsRune(name, 0) {
		return
	}
	length := c.length + len(definition(column)) + len(", ")
	if len(c.list) == maxTableColumns || length > maxNames {
		c.isCut = true
		return
	}
	c.length = length
	c.place[name] = len(c.list)
	c.list = append(c.list, column)
}

// definition returns a column as CREATE TABLE wants it.
func definition(column query.Column) string {
	return quote(column.Name) + " " + sqliteType(column.Type)
}

func (s *session) columns(t query.Table) (columns, error) {
	c := columns{place: map[string]int{}}
	err := s.eachColumn(t, func(column query.Column) bool {
		c.add(column)
		return !c.isCut
	})
	c.list = append(c.list, query.Column{Name: "time", Type: "long"})
	return c, err
}

// eachColumn goes through the columns of a table's schema, or else through the keys of its records, until yield returns
// false.
func (s *session) eachColumn(t query.Table, yield func(query.Column) bool) error {
	if len(t.Columns) > 0 {
		for _, column := range t.Columns {
			if !yield(column) {
				break
			}
		}
		return nil
	}
	goOn := true
	for row := range t.Rows {
		if err := s.stopped(); err != nil || !goOn {
			return err
		}
		for value := range s.row.Read(row.Values).Each {
			if goOn = yield(query.Column{Name: value.Name(), Type: "string"}); !goOn {
				break
			}
		}
	}
	return nil
}

// cutTable is a table that has more columns than a query sees.
type cutTable struct {
	name    string
	content query.Table
	columns columns
}

// leftOut returns a hint about a column that SQLite does not know because it was left out, or nothing if no table has
// it. The name may have a table's before it.
func (s *session) leftOut(name string) string {
	_, column, isQualified := strings.Cut(name, ".")
	for _, t := range s.cut {
		found := false
		_ = s.eachColumn(t.content, func(c query.Column) bool { // an end that comes early finds nothing
			found = strings.EqualFold(c.Name, name) || isQualified && strings.EqualFold(c.Name, column)
			_, isKept := t.columns.find(c.Name)
			found = found && !isKept
			return !found
		})
		if found {
			return fmt.Sprintf("%s has it, but a query can see only the first %d columns; "+
				"define a schema with the columns that the query needs", t.name, len(t.columns.list)-1)
		}
	}
	return ""
}

// token is a word, a literal or a symbol of a query.
type token struct {
	kind       tokenKind
	word       string // in lower case; of a quoted name what stands in the quotes
	start, end int    // its place in the text
	closes     int    // of a parenthesis, or CASE, the place among the tokens where its group ends; else 0
}

type tokenKind int

const (
	symbol  tokenKind = iota
	word              // a keyword, or a name without quotes
	quoted            // a name in quotes
	literal           // a number, a text or a blob
)

// tokenize reads a query as SQLite does, without spaces and comments.
func tokenize(text string) []token {
	var tokens []token
	for i := 0; i < len(text); {
		n, kind := tokenAt(text[i:])
		if kind >= 0 {
			t := token{kind: kind, word: strings.ToLower(text[i : i+n]), start: i, end: i + n}
			if kind == quoted {
				t.word = unquote(t.word)
			}
			tokens = append(tokens, t)
		}
		i += n
	}
	return grouped(tokens)
}

// nothing is the kind of spaces and comments.
const nothing tokenKind = -1

// tokenAt returns the length and the kind of what a text begins with.
func tokenAt(text string) (int, tokenKind) {
	switch c := text[0]; {
	case strings.IndexByte(" \t\n\f\r", c) >= 0:
		return 1, nothing
	case strings.HasPrefix(text, "--"):
		return until(text, 2, "\n"), nothing
	case strings.HasPrefix(text, "/*"):
		return until(text, 2, "*/"), nothing
	case c == '\'':
		return quotedLength(text, c), literal
	case c == '"', c == '`':
		return quotedLength(text, c), quoted
	case c == '[':
		return until(text, 1, "]"), quoted
	case (c == 'x' || c == 'X') && len(text) > 1 && text[1] == '\'':
		return 1 + quotedLength(text[1:], '\''), literal
	case isDigit(c), c == '.' && len(text) > 1 && isDigit(text[1]):
		return numberLength(text), literal
	case isLetter(c):
		n := 1
		for n < len(text) && (isLetter(text[n]) || isDigit(text[n])) {
			n++
		}
		return n, word
	}
	for _, operator := range []string{"->>", "->", "||", "<<", ">>", "<=", ">=", "<>", "!=", "=="} {
		if strings.HasPrefix(text, operator) {
			return len(operator), symbol
		}
	}
	return 1, symbol
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$' || c >= 0x80
}

// until returns the length of a text up to and with an end, which it may lack.
func until(text string, from int, end string) int {
	if i := strings.Index(text[from:], end); i >= 0 {
		return from + i + len(end)
	}
	return len(text)
}

// quotedLength returns the length of what stands in quotes, in which a quote is written twice.
func quotedLength(text string, quote byte) int {
	for i := 1; i < len(text); i++ {
		if text[i] != quote {
			continue
		}
		if i+1 == len(text) || text[i+1] != quote {
			return i + 1
		}
		i++
	}
	return len(text)
}

func numberLength(text string) int {
	n := 1
	for n < len(text) && (isDigit(text[n]) || isLetter(text[n]) || text[n] == '.' ||
		strings.IndexByte("+-", text[n]) >= 0 && strings.IndexByte("eE", text[n-1]) >= 0 && !strings.HasPrefix(text, "0x")) {
		n++
	}
	return n
}

func unquote(name string) string {
	quote := name[:1]
	if quote == "[" {
		return strings.TrimSuffix(name[1:], "]")
	}
	return strings.ReplaceAll(strings.TrimSuffix(name[1:], quote), quote+quote, quote)
}

// grouped notes where what opens a group is closed.
func grouped(tokens []token) []token {
	var open []int
	for i, t := range tokens {
		switch {
		case t.is("("), t.is("case"):
			open = append(open, i)
		case len(open) == 0:
		case t.is(")") && tokens[open[len(open)-1]].is("("), t.is("end") && tokens[open[len(open)-1]].is("case"):
			tokens[open[len(open)-1]].closes = i
			open = open[:len(open)-1]
		}
	}
	return tokens
}

// is reports whether a token is one of some words or symbols.
func (t token) is(words ...string) bool {
	return t.kind != quoted && t.kind != literal && slices.Contains(words, t.word)
}
