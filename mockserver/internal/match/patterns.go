package match

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"

	"svc.example/understudy/internal/fill"
	"svc.example/understudy/mockserver/internal/op"
)

// patterns holds the regular expressions of a description. Those that are not given are nil.
type patterns struct {
	path           *regexp.Regexp
	query, headers map[string]*regexp.Regexp
	body           any // JSON whose texts are regular expressions
}

// The limits of regular expressions, and of what they look at: a text may take as many steps for each byte as an
// expression has instructions.
const (
	maxPattern      = 500 // bytes
	maxPatterns     = 100 // of one description
	maxInstructions = 500
	maxMatched      = 64 << 10 // bytes
)

// compilePatterns compiles the regular expressions of the description.
func (m *Matcher) compilePatterns() error {
	given := m.calls.Request.Matches
	if given == nil {
		return nil
	}
	const field = "request.matches"
	var errs []error
	left := maxPatterns
	compile := func(field, text string) *regexp.Regexp {
		compiled, err := compilePattern(text)
		if left--; left == -1 {
			err = fmt.Errorf("want at most %d patterns", maxPatterns)
		}
		if err != nil && left >= -1 {
			errs = append(errs, op.Invalid(field, "%v", err))
		}
		return compiled
	}
	all := func(field string, given map[string]string) map[string]*regexp.Regexp {
		compiled := make(map[string]*regexp.Regexp, len(given))
		for name, text := range given {
			compiled[name] = compile(field+"."+name, text)
		}
		return compiled
	}
	if given.Path != "" {
		m.patterns.path = compile(field+".path", given.Path)
	}
	m.patterns.query, m.patterns.headers = all(field+".query", given.Query), all(field+".headers", given.Headers)
	if given.Body != nil {
		body, err := normal(given.Body)
		if err != nil {
			return op.Invalid(field+".body", "want JSON: %v", err)
		}
		m.patterns.body, err = fill.Each(body, func(text string) (any, error) {
			return compile(field+".body", text), nil
		})
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// compilePattern compiles a regular expression that is not too large.
func compilePattern(text string) (*regexp.Regexp, error) {
	if len(text) > maxPattern {
		return nil, fmt.Errorf("a pattern of %d bytes: want at most %d", len(text), maxPattern)
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("%q is not a regular expression of RE2: %w", text, err)
	}
	if program, err := syntax.Compile(parsed.Simplify()); err != nil || len(program.Inst) > maxInstructions {
		return nil, fmt.Errorf("%q repeats too much: want at most %d steps in all", text, maxInstructions)
	}
	return regexp.Compile(text)
}

// match reports whether a request has all parts that the patterns describe.
func (p *patterns) match(r *Request) bool {
	return (p.path == nil || matchesText(p.path, r.unescaped())) && haveAll(p.query, r.parameter, matchesText) &&
		haveAll(p.headers, r.Header.Values, matchesText) && (p.body == nil || contains(r.Decoded(), p.body))
}

func matchesText(pattern *regexp.Regexp, text string) bool {
	return len(text) <= maxMatched && pattern.MatchString(text)
}

// matchesValue reports whether a value of JSON is a text, a number or a boolean that a pattern describes.
func matchesValue(pattern *regexp.Regexp, value any) bool {
	switch value := value.(type) {
	case string:
		return matchesText(pattern, value)
	case json.Number:
		return matchesText(pattern, value.String())
	case bool:
		return matchesText(pattern, strconv.FormatBool(value))
	}
	return false
}
