package audience

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/internal/jsontree"
)

const isNull = "IsNull"

// operator describes a comparison of values, as on the wire. Its type says which of the members count.
type operator struct {
	Type        string             `json:"type"`
	Not         bool               `json:"not"`
	RightValue  jsontext.Value     `json:"rightValue"`
	RightValues []jsontext.Value   `json:"rightValues"`
	MinValue    jsontext.Value     `json:"minValue"`
	MaxValue    jsontext.Value     `json:"maxValue"`
	From        jsontext.Value     `json:"from"`
	To          jsontext.Value     `json:"to"`
	Duration    map[string]float64 `json:"duration"`
	Reverse     bool               `json:"reverse"`
	Unit        string             `json:"unit"`
	Value       string             `json:"value"`
}

// test reports whether a value passes, without regard to not.
type test func(value string, now time.Time) bool

// comparison reads an operator. It returns nil if that is wrong, or if the mock cannot compare so.
func (r *ruleReader) comparison(at string, o *operator, numeric bool) test {
	if o == nil {
		r.fail(at, "is missing: want a comparison operator")
		return nil
	}
	switch o.Type {
	case isNull:
		return func(string, time.Time) bool { return false } // what is there is not null
	case "Equal":
		return r.orderTest(at, o, numeric, 0)
	case "Greater":
		return r.orderTest(at, o, numeric, 1)
	case "GreaterEqual":
		return r.orderTest(at, o, numeric, 0, 1)
	case "Less":
		return r.orderTest(at, o, numeric, -1)
	case "LessEqual":
		return r.orderTest(at, o, numeric, -1, 0)
	case "Between":
		return r.rangeTest(at, o, numeric)
	case "In":
		return r.listTest(at, o, numeric)
	case "Contain":
		return r.textTest(at, o, strings.Contains)
	case "StartWith":
		return r.textTest(at, o, strings.HasPrefix)
	case "EndWith":
		return r.textTest(at, o, strings.HasSuffix)
	case "Regexp":
		return r.patternTest(at, o)
	}
	return r.timeTest(at, o)
}

// orderTest passes the values that stand to the operand in one of some orders: -1 below it, 0 equal to it, 1 above it.
func (r *ruleReader) orderTest(at string, o *operator, numeric bool, orders ...int) test {
	right, ok := r.operand(at+".rightValue", o.RightValue)
	if !ok {
		return nil
	}
	return func(value string, now time.Time) bool {
		order, compares := right.compare(value, now, numeric)
		return compares && slices.Contains(orders, order)
	}
}

func (r *ruleReader) rangeTest(at string, o *operator, numeric bool) test {
	least, hasLeast := r.operand(at+".minValue", o.MinValue)
	most, hasMost := r.operand(at+".maxValue", o.MaxValue)
	if !hasLeast || !hasMost {
		return nil
	}
	return func(value string, now time.Time) bool {
		above, known := least.compare(value, now, numeric)
		below, alsoKnown := most.compare(value, now, numeric)
		return known && alsoKnown && above >= 0 && below <= 0
	}
}

func (r *ruleReader) listTest(at string, o *operator, numeric bool) test {
	if len(o.RightValues) == 0 {
		r.fail(at+".rightValues", "is missing: want a list of values")
		return nil
	}
	list := make([]operand, len(o.RightValues))
	for i, text := range o.RightValues {
		var ok bool
		if list[i], ok = r.operand(at+".rightValues", text); !ok {
			return nil
		}
	}
	return func(value string, now time.Time) bool {
		return slices.ContainsFunc(list, func(right operand) bool {
			order, compares := right.compare(value, now, numeric)
			return compares && order == 0
		})
	}
}

// textTest compares with texts, of which one has to do, in rightValue or in rightValues. Case counts (assumed).
func (r *ruleReader) textTest(at string, o *operator, passes func(value, text string) bool) test {
	texts := o.RightValues
	if o.RightValue != nil {
		texts = append(slices.Clip(texts), o.RightValue)
	}
	if len(texts) == 0 {
		r.fail(at+".rightValues", "is missing: want strings")
		return nil
	}
	list := make([]string, len(texts))
	for i, text := range texts {
		if text.Kind() != '"' && text.Kind() != '0' {
			r.fail(at+".rightValues", "want strings, not %s", text)
			return nil
		}
		list[i] = jsontree.Parse(text).Text()
	}
	return func(value string, _ time.Time) bool {
		return slices.ContainsFunc(list, func(text string) bool { return passes(value, text) })
	}
}

const maxPattern = 1000 // bytes of a regular expression

// patternTest fits anywhere in a value (assumed). What other dialects of regular expressions have and Go's has not is
// left out.
func (r *ruleReader) patternTest(at string, o *operator) test {
	text := jsontree.Parse(o.RightValue).Text()
	if o.RightValue.Kind() != '"' || len(text) > maxPattern {
		r.fail(at+".rightValue", "want a regular expression of at most %d bytes", maxPattern)
		return nil
	}
	expression, err := regexp.Compile(text)
	if fault := (*syntax.Error)(nil); errors.As(err, &fault) {
		foreign := []syntax.ErrorCode{
			syntax.ErrInvalidPerlOp, syntax.ErrInvalidEscape, syntax.ErrInvalidRepeatSize, syntax.ErrInvalidRepeatOp,
		}
		if slices.Contains(foreign, fault.Code) {
			r.unsupported(at, "the mock does not support regular expressions such as "+fault.Expr)
			return nil
		}
	}
	if err != nil {
		r.fail(at+".rightValue", "want a regular expression: %v", err)
		return nil
	}
	return func(value string, _ time.Time) bool { return expression.MatchString(value) }
}

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
