package audience

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// composite joins conditions as an expression says. Its language is not documented: the mock reads the places of the
// conditions from 1, with or without a dollar sign, with and, or, not and parentheses (assumed). An expression that it
// cannot read is not an error.
func (r *ruleReader) composite(at string, c condition, parts []node) node {
	if strings.TrimSpace(c.Expr) == "" {
		r.fail(at+".expr", "is missing: want an expression that combines the conditions, such as $1 AND ($2 OR $3)")
		return unknownSet
	}
	e := expression{tokens: token.FindAllString(c.Expr, maxConditions+1)}
	for _, part := range parts {
		e.parts = append(e.parts, evaluatedOnce(part))
	}
	n := e.or(0)
	if e.failed || len(e.tokens) > 0 {
		return r.unsupported(at, fmt.Sprintf("the mock does not understand the expression %.100q", c.Expr))
	}
	return n
}

var token = regexp.MustCompile(`[()]|\$?\d+|(?i:and|or|not)\b|&&|\|\||!|\S`)

// expression is read from the left, token by token.
type expression struct {
	tokens []string
	parts  []node
	failed bool
}

// next takes the next token if it is one of these words.
func (e *expression) next(words ...string) bool {
	if len(e.tokens) == 0 || !slices.Contains(words, strings.ToLower(e.tokens[0])) {
		return false
	}
	e.tokens = e.tokens[1:]
	return true
}

func (e *expression) or(depth int) node {
	nodes := []node{e.and(depth)}
	for e.next("or", "||") {
		nodes = append(nodes, e.and(depth))
	}
	return joinNodes(nodes, orTest)
}

func (e *expression) and(depth int) node {
	nodes := []node{e.unary(depth)}
	for e.next("and", "&&") {
		nodes = append(nodes, e.unary(depth))
	}
	return joinNodes(nodes, andTest)
}

func (e *expression) unary(depth int) node {
	switch {
	case depth == maxRuleDepth || len(e.tokens) == 0:
	case e.next("not", "!"):
		inner := e.unary(depth + 1)
		return func(p *profiles) set { return inner(p).complement() }
	case e.next("("):
		inner := e.or(depth + 1)
		e.failed = e.failed || !e.next(")")
		return inner
	default:
		place, err := strconv.Atoi(strings.TrimPrefix(e.tokens[0], "$"))
		if err == nil && place >= 1 && place <= len(e.parts) {
			e.tokens = e.tokens[1:]
			return e.parts[place-1]
		}
	}
	e.failed = true
	return unknownSet
}
