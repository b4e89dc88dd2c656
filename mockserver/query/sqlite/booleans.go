package sqlite

import (
	"maps"
	"slices"
	"strings"
)

// truth reports whether an expression is a truth value.
type truth int

const (
	other truth = iota
	null        // it may be anything
	boolean
)

// all returns the truth of an expression that is one of several.
func all(list []truth) truth {
	if len(list) == 0 || slices.Contains(list, other) {
		return other
	}
	return slices.Max(list)
}

// column is a column of a selection, as far as the text of the query shows it.
type column struct {
	name  string // in lower case; empty for an expression without an alias
	truth truth
	star  bool // it comes out of a *, among others that are not known
}

func isStar(c column) bool { return c.star }

// reading looks in the text of a query, which SQLite has compiled, for the columns of its result that are truth values:
// SQLite itself has none. A column whose truth the text does not show counts as other.
type reading struct {
	tokens []token
	spent  int // columns and tables that were entered into scopes
}

// SQLite does not look at common table expressions that a query does not use, so these are limits of our own: what may
// be spent, and how many columns a table may have, as in SQLite.
const (
	maxReading = 1 << 18
	maxColumns = 2000
)

// spend reports whether so many columns or tables may still be entered.
func (r *reading) spend(n int) bool {
	r.spent += n
	return r.spent <= maxReading
}

// scope maps the names in an expression to what they stand for.
type scope struct {
	tables map[string][]column // by the names of common table expressions
	names  map[string]truth    // of columns, alone and behind the name of their table
}

// booleans reports which columns of the result of a query are truth values, by their places and names.
func booleans(text string, names []string) []bool {
	tokens := tokenize(text)
	for len(tokens) > 0 && tokens[len(tokens)-1].is(";") {
		tokens = tokens[:len(tokens)-1]
	}
	r := &reading{tokens: tokens}
	columns := r.selected(0, len(tokens), nil)
	is := make([]bool, len(names))
	stars := slices.IndexFunc(columns, isStar)
	for i, name := range names {
		switch behind := len(columns) - len(names) + i; {
		case stars < 0:
			is[i] = len(columns) == len(names) && columns[i].truth == boolean
		case i < stars:
			is[i] = columns[i].truth == boolean
		case behind >= 0 && !slices.ContainsFunc(columns[behind:], isStar):
			is[i] = columns[behind].truth == boolean
		default:
			is[i] = named(columns, strings.ToLower(name)) == boolean
		}
	}
	return is
}

// named returns the truth of the column with a name, or of all of them if several have it.
func named(columns []column, name string) truth {
	var list []truth
	for _, c := range columns {
		if c.name == name && name != "" {
			list = append(list, c.truth)
		}
	}
	return all(list)
}

// next returns the place behind a token, or behind the group that it opens.
func (r *reading) next(i int) int { return max(i, r.tokens[i].closes) + 1 }

// at returns the token at a place, or an empty literal, which is not a word, behind the end.
func (r *reading) at(i, to int) token {
	if i < to {
		return r.tokens[i]
	}
	return token{kind: literal}
}

// find returns the place of the first token outside of groups that fits, or to.
func (r *reading) find(from, to int, fits func(i int) bool) int {
	for i := from; i < to; i = r.next(i) {
		if fits(i) {
			return i
		}
	}
	return to
}

func (r *reading) findWord(from, to int, words ...string) int {
	return r.find(from, to, func(i int) bool { return r.tokens[i].is(words...) })
}

// parts splits what stands between two places at words outside of groups.
func (r *reading) parts(from, to int, words ...string) [][2]int {
	var list [][2]int
	for from <= to {
		end := r.findWord(from, to, words...)
		list = append(list, [2]int{from, end})
		from = end + 1
	}
	return list
}

// bare leaves out the parentheses around the whole.
func (r *reading) bare(from, to int) (int, int) {
	for from < to && r.tokens[from].is("(") && r.next(from) == to {
		from, to = from+1, to-1
	}
	return from, to
}

func (r *reading) selects(i, to int) bool { return r.at(i, to).is("select", "with", "values") }

// selected lists the columns of a SELECT, of VALUES, or of several of them together.
func (r *reading) selected(from, to int, tables map[string][]column) []column {
	from, to = r.bare(from, to)
	if r.at(from, to).is("with") {
		from, tables = r.with(from+1, to, tables)
	}
	var columns []column
	for i, part := range r.parts(from, to, "union", "intersect", "except") {
		if r.at(part[0], part[1]).is("all") {
			part[0]++
		}
		more := r.part(part[0], part[1], tables)
		if i == 0 {
			columns = more
		} else {
			columns = both(columns, more)
		}
	}
	return columns
}

// with reads common table expressions. It returns the place of the SELECT that uses them, and the tables that it knows.
func (r *reading) with(i, to int, outer map[string][]column) (int, map[string][]column) {
	tables := map[string][]column{}
	if r.spend(len(outer)) {
		maps.Copy(tables, outer)
	}
	if r.at(i, to).is("recursive") {
		i++
	}
	for i < to {
		name, list := r.tokens[i].word, i+1
		body := r.findWord(i+1, to, "as") + 1
		body = r.findWord(body, to, "(")
		if body == to {
			break
		}
		columns := r.selected(body+1, r.next(body)-1, tables)
		if r.tokens[list].is("(") {
			columns = r.renamed(columns, list)
		}
		if len(columns) <= maxColumns {
			tables[name] = columns
		}
		if i = r.next(body); !r.at(i, to).is(",") {
			break
		}
		i++
	}
	return i, tables
}

// renamed returns columns under the names of a list in parentheses.
func (r *reading) renamed(columns []column, list int) []column {
	names := r.parts(list+1, r.next(list)-1, ",")
	if len(names) != len(columns) || slices.ContainsFunc(columns, isStar) {
		return nil
	}
	columns = slices.Clone(columns)
	for i, name := range names {
		columns[i].name = r.at(name[0], name[1]).word
	}
	return columns
}

// both returns the columns of two selections, the rows of one below those of the other.
func both(upper, lower []column) []column {
	stars := slices.ContainsFunc(slices.Concat(upper, lower), isStar)
	columns := slices.Clone(upper)
	for i := range columns {
		if stars || len(upper) != len(lower) {
			columns[i].truth = other
		} else {
			columns[i].truth = all([]truth{upper[i].truth, lower[i].truth})
		}
	}
	return columns
}

// part lists the columns of one SELECT or VALUES.
func (r *reading) part(from, to int, tables map[string][]column) []column {
	from, to = r.bare(from, to)
	switch {
	case r.at(from, to).is("values"):
		return r.values(from+1, to, tables)
	case !r.at(from, to).is("select"):
		if r.selects(from, to) {
			return r.selected(from, to, tables)
		}
		return nil
	}
	if from++; r.at(from, to).is("distinct", "all") {
		from++
	}
	end := r.clause(from, to)
	s := scope{tables: tables, names: map[string]truth{}}
	var sources []column
	if r.at(end, to).is("from") {
		sources = r.sources(end+1, r.clause(end+1, to), s)
	}
	var columns []column
	for _, item := range r.parts(from, end, ",") {
		columns = append(columns, r.item(item[0], item[1], s, sources)...)
	}
	return columns
}

// clause returns the place where the next clause of a SELECT begins.
func (r *reading) clause(from, to int) int {
	return r.find(from, to, func(i int) bool {
		if r.tokens[i].is("from") { // not that of IS DISTINCT FROM
			return i == from || !r.tokens[i-1].is("distinct")
		}
		return r.tokens[i].is("where", "group", "having", "window", "order", "limit")
	})
}

func (r *reading) values(from, to int, tables map[string][]column) []column {
	var columns []column
	for n, row := range r.parts(from, r.findWord(from, to, "order", "limit"), ",") {
		var values []column
		if first, last := row[0], row[1]; r.at(first, last).is("(") {
			for _, value := range r.parts(first+1, r.next(first)-1, ",") {
				values = append(values, column{truth: r.truth(value[0], value[1], scope{tables: tables})})
			}
		}
		if n > 0 {
			values = both(columns, values)
		}
		columns = values
	}
	return columns
}
