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

// commonTruth returns the truth of an expression whose value is that of one of several.
func commonTruth(list []truth) truth {
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

// columnReader looks in the text of a query, which SQLite has compiled, for the columns of its result that are truth
// values: SQLite itself has none. A column whose truth the text does not show counts as other.
type columnReader struct {
	tokens []token
	spent  int // columns and tables that were entered into scopes
}

// SQLite does not look at common table expressions that a query does not use, so these are limits of our own: what may
// be spent, and how many columns a table may have, as in SQLite.
const (
	maxReading = 1 << 18
	maxColumns = 2000
)

// spendBudget reports whether so many columns or tables may still be entered.
func (r *columnReader) spendBudget(n int) bool {
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
	r := &columnReader{tokens: tokens}
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
	return commonTruth(list)
}

// next returns the place behind a token, or behind the group that it opens.
func (r *columnReader) next(i int) int { return max(i, r.tokens[i].closes) + 1 }

// at returns the token at a place, or an empty literal, which is not a word, behind the end.
func (r *columnReader) at(i, to int) token {
	if i < to {
		return r.tokens[i]
	}
	return token{kind: literal}
}

// find returns the place of the first token outside of groups that fits, or to.
func (r *columnReader) find(from, to int, fits func(i int) bool) int {
	for i := from; i < to; i = r.next(i) {
		if fits(i) {
			return i
		}
	}
	return to
}

func (r *columnReader) findWord(from, to int, words ...string) int {
	return r.find(from, to, func(i int) bool { return r.tokens[i].is(words...) })
}

// parts splits what stands between two places at words outside of groups.
func (r *columnReader) parts(from, to int, words ...string) [][2]int {
	var list [][2]int
	for from <= to {
		end := r.findWord(from, to, words...)
		list = append(list, [2]int{from, end})
		from = end + 1
	}
	return list
}

// withoutParentheses leaves out the parentheses around the whole.
func (r *columnReader) withoutParentheses(from, to int) (int, int) {
	for from < to && r.tokens[from].is("(") && r.next(from) == to {
		from, to = from+1, to-1
	}
	return from, to
}

func (r *columnReader) selects(i, to int) bool { return r.at(i, to).is("select", "with", "values") }

// selected lists the columns of a SELECT, of VALUES, or of several of them together.
func (r *columnReader) selected(from, to int, tables map[string][]column) []column {
	from, to = r.withoutParentheses(from, to)
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
			columns = unionColumns(columns, more)
		}
	}
	return columns
}

// with reads common table expressions. It returns the place of the SELECT that uses them, and the tables that it knows.
func (r *columnReader) with(i, to int, outer map[string][]column) (int, map[string][]column) {
	tables := map[string][]column{}
	if r.spendBudget(len(outer)) {
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
func (r *columnReader) renamed(columns []column, list int) []column {
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

// unionColumns returns the columns of a union of two selections.
func unionColumns(upper, lower []column) []column {
	stars := slices.ContainsFunc(slices.Concat(upper, lower), isStar)
	columns := slices.Clone(upper)
	for i := range columns {
		if stars || len(upper) != len(lower) {
			columns[i].truth = other
		} else {
			columns[i].truth = commonTruth([]truth{upper[i].truth, lower[i].truth})
		}
	}
	return columns
}

// part lists the columns of one SELECT or VALUES.
func (r *columnReader) part(from, to int, tables map[string][]column) []column {
	from, to = r.withoutParentheses(from, to)
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
func (r *columnReader) clause(from, to int) int {
	return r.find(from, to, func(i int) bool {
		if r.tokens[i].is("from") { // not that of IS DISTINCT FROM
			return i == from || !r.tokens[i-1].is("distinct")
		}
		return r.tokens[i].is("where", "group", "having", "window", "order", "limit")
	})
}

func (r *columnReader) values(from, to int, tables map[string][]column) []column {
	var columns []column
	for n, row := range r.parts(from, r.findWord(from, to, "order", "limit"), ",") {
		var values []column
		if first, last := row[0], row[1]; r.at(first, last).is("(") {
			for _, value := range r.parts(first+1, r.next(first)-1, ",") {
				values = append(values, column{truth: r.truth(value[0], value[1], scope{tables: tables})})
			}
		}
		if n > 0 {
			values = unionColumns(columns, values)
		}
		columns = values
	}
	return columns
}

// The operators of conditions that stand between two expressions.
var (
	infix     = []string{"or", "and", "not", "is", "in", "like", "glob", "regexp", "match", "between"}
	comparing = []string{"=", "==", "!=", "<>", "<", ">", "<=", ">="}
)

// item returns the columns of one item of a SELECT's list: one, or those that * stands for.
func (r *columnReader) item(from, to int, s scope, sources []column) []column {
	if to > from && r.tokens[to-1].is("*") && (to == from+1 || r.tokens[to-2].is(".")) {
		columns := []column{{star: true}}
		for _, c := range sources {
			if c.name != "" {
				columns = append(columns, column{name: c.name, truth: c.truth, star: true})
			}
		}
		return columns
	}
	end, name := r.alias(from, to)
	if name == "" && end > from && r.isName(from, end) {
		name = r.tokens[end-1].word
	}
	return []column{{name: name, truth: r.truth(from, end, s)}}
}

// alias returns the place where an expression ends, and the alias behind it, if any.
func (r *columnReader) alias(from, to int) (end int, name string) {
	last := to - 1
	if last <= from || r.tokens[last].kind != word && r.tokens[last].kind != quoted {
		return to, ""
	}
	switch before := r.tokens[last-1]; {
	case before.is("as"):
		return last - 1, r.tokens[last].word
	case r.tokens[last].is("null", "true", "false", "end", "isnull", "notnull"):
		return to, ""
	case before.kind == symbol && !before.is(")"), before.is(infix...), before.is("collate", "escape", "over"):
		return to, ""
	}
	return last, r.tokens[last].word
}

// sources reads what stands behind FROM: it enters the columns that are known into the scope, and returns them.
func (r *columnReader) sources(from, to int, s scope) []column {
	var columns []column
	for i := from; i < to; i = r.next(i) {
		t := r.tokens[i]
		var known []column
		switch {
		case t.is("(") && r.selects(i+1, to):
			known = r.selected(i+1, r.next(i)-1, s.tables)
		case t.is("("):
			columns = append(columns, r.sources(i+1, r.next(i)-1, s)...)
			continue
		case t.kind == symbol || i > from && r.tokens[i-1].is(".") || r.at(i+1, to).is("."):
			continue
		default:
			known = s.tables[t.word]
		}
		if r.spendBudget(len(known)) {
			s.enter(r.tableAlias(i, to), known)
			columns = append(columns, known...)
		}
	}
	return columns
}

// tableAlias returns the name of a table expression: its alias, if it has one.
func (r *columnReader) tableAlias(i, to int) string {
	behind := r.next(i)
	if r.at(behind, to).is("as") {
		behind++
	}
	alias := r.at(behind, to)
	joins := alias.is("on", "using", "join", "inner", "left", "right", "full", "outer", "cross", "natural")
	if alias.kind == quoted || alias.kind == word && !joins {
		return alias.word
	}
	return r.tokens[i].word
}

// enter adds the columns of a table. A name that two tables have is known only behind the name of its table.
func (s scope) enter(table string, columns []column) {
	for _, c := range columns {
		if c.name == "" {
			continue
		}
		if _, twice := s.names[c.name]; twice {
			s.names[c.name] = other
		} else {
			s.names[c.name] = c.truth
		}
		s.names[table+"."+c.name] = c.truth
	}
}

// truth returns the truth of an expression.
func (r *columnReader) truth(from, to int, s scope) truth {
	from, to = r.withoutParentheses(from, to)
	switch first := r.at(from, to); {
	case from >= to:
		return other
	case r.selects(from, to):
		if columns := r.selected(from, to, s.tables); len(columns) == 1 {
			return columns[0].truth
		}
		return other
	case r.isCondition(from, to):
		return boolean
	case r.isName(from, to):
		return r.nameTruth(from, to, s)
	case first.is("case") && r.next(from) == to:
		return r.caseTruth(from+1, to-1, s)
	case first.kind == word && r.at(from+1, to).is("("):
		behind := r.next(from + 1)
		if behind == to || r.tokens[behind].is("filter", "over") {
			return r.callTruth(first.word, from+2, behind-1, s)
		}
	}
	return other
}

// isCondition reports whether an expression compares or combines at its outermost, where such operators bind least.
func (r *columnReader) isCondition(from, to int) bool {
	if r.tokens[from].is("not", "exists") && to > from+1 || to > from+1 && r.tokens[to-1].is("isnull", "notnull") {
		return true
	}
	at := r.find(from, to, func(i int) bool {
		inside := i > from && i < to-1 && !r.tokens[i-1].is(".")
		return inside && (r.tokens[i].is(comparing...) || r.tokens[i].is(infix...))
	})
	return at < to
}

// isName reports whether an expression is a name, or several with dots between them.
func (r *columnReader) isName(from, to int) bool {
	for i := from; i < to; i++ {
		t := r.tokens[i]
		name := (t.kind == word || t.kind == quoted) && t.closes == 0
		if wantsDot := (i-from)%2 == 1; wantsDot && !t.is(".") || !wantsDot && !name {
			return false
		}
	}
	return (to-from)%2 == 1
}

func (r *columnReader) nameTruth(from, to int, s scope) truth {
	last := r.tokens[to-1]
	switch {
	case to == from+1 && last.is("true", "false"):
		return boolean
	case to == from+1 && last.is("null"):
		return null
	case to == from+1:
		return s.names[last.word]
	}
	return s.names[r.tokens[to-3].word+"."+last.word]
}

// caseTruth returns the truth of what stands behind THEN and ELSE.
func (r *columnReader) caseTruth(from, to int, s scope) truth {
	var results []truth
	for i := r.findWord(from, to, "then", "else"); i < to; {
		end := r.findWord(i+1, to, "when", "else")
		results = append(results, r.truth(i+1, end, s))
		i = r.findWord(end, to, "then", "else")
	}
	return commonTruth(results)
}

// callTruth returns the truth of the call of a function.
func (r *columnReader) callTruth(function string, from, to int, s scope) truth {
	if function == "cast" {
		if r.castsToBoolean(from, to) < to {
			return boolean
		}
		return other
	}
	var arguments []truth
	for _, argument := range r.parts(from, to, ",") {
		arguments = append(arguments, r.truth(argument[0], argument[1], s))
	}
	if len(arguments) == 0 {
		return other
	}
	switch function {
	case "regexp_like", "regexp", "like", "glob":
		return boolean
	case "coalesce", "ifnull", "max", "min":
		return commonTruth(arguments)
	case "if", "iif":
		return commonTruth(arguments[1:])
	case "nullif", "first_value", "last_value", "nth_value", "lag", "lead":
		return arguments[0]
	}
	return other
}

// castsToBoolean returns the place of AS in the parentheses of a cast to boolean, or to for any other cast.
func (r *columnReader) castsToBoolean(from, to int) int {
	as := r.findWord(from, to, "as")
	if as == to-2 && r.tokens[to-1].is("boolean", "bool") {
		return as
	}
	return to
}

// withCasts replaces the casts to boolean of a query, which SQLite would take for casts to numbers, with calls of the
// function bool. Everything else keeps its place, so that errors are reported where they are.
func withCasts(text string) string {
	if !strings.Contains(strings.ToLower(text), "bool") {
		return text
	}
	r := &columnReader{tokens: tokenize(text)}
	changed := []byte(text)
	for i, t := range r.tokens {
		if !t.is("cast") || !r.at(i+1, len(r.tokens)).is("(") {
			continue
		}
		end := r.next(i+1) - 1
		if as := r.castsToBoolean(i+2, end); as < end {
			copy(changed[t.start:], "bool")
			for _, gone := range r.tokens[as:end] {
				copy(changed[gone.start:], strings.Repeat(" ", gone.end-gone.start))
			}
		}
	}
	return string(changed)
}
