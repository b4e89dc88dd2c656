package sqlite

import "strings"

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
