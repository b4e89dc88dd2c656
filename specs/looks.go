package specs

import (
	"regexp"
	"slices"
	"strings"
)

// splitLooks puts the pattern of a schema that looks ahead or behind, which Go cannot compile, into patterns that it
// can, and reports whether it could, and whether these say the same. A look where the text begins or ends is a schema
// of its own, which a text must fit as well, or must not (ECMA-262, 22.2.1, Assertion). Others are left out: a text
// that matches an expression matches it without them, too.
func splitLooks(schema map[string]any, pattern string) (done, isSame bool) {
	rest, looks, isRead := readLooks(pattern)
	if !isRead {
		return false, false
	}
	patterns, denied, isSame := looksIn(rest, looks)
	if rest != "" && rest != "^" || len(patterns) == 0 {
		patterns = slices.Insert(patterns, 0, rest)
	}
	for _, p := range slices.Concat(patterns, denied) {
		if !canCompile(p) {
			return false, false
		}
	}
	all, _ := schema["allOf"].([]any)
	for _, p := range patterns[1:] {
		all = append(all, map[string]any{"pattern": p})
	}
	for _, p := range denied {
		all = append(all, map[string]any{"not": map[string]any{"type": "string", "pattern": p}})
	}
	schema["pattern"] = patterns[0]
	if len(all) > 0 {
		schema["allOf"] = all
	}
	return true, isSame
}

func canCompile(pattern string) bool {
	_, err := regexp.Compile(GoPattern(pattern))
	return err == nil
}

// look is an assertion of a regular expression.
type look struct {
	start     string // how it begins, such as (?=
	says      string
	at, depth int // where it stands in the expression without looks, and in how many groups
}

// looksIn returns what a text must match, and what it must not, by the looks of an expression, and whether that is all
// that they say.
func looksIn(rest string, looks []look) (patterns, denied []string, isSame bool) {
	isSame = true
	for _, l := range looks {
		before, after := rest[:l.at], rest[l.at:]
		isBehind, isDenied := strings.Contains(l.start, "<"), strings.HasSuffix(l.start, "!")
		pattern, isAtEnd := before+"(?:"+l.says+")", before == "^"
		if isBehind {
			pattern, isAtEnd = "(?:"+l.says+")"+after, after == "$"
		}
		isSame = isSame && isAtEnd && l.depth == 0
		switch {
		case l.depth > 0:
		case !isDenied:
			patterns = append(patterns, pattern)
		case isAtEnd:
			denied = append(denied, pattern)
		}
	}
	return patterns, denied, isSame
}

// patternToken matches a part of a regular expression: what stands with a backslash, a class, how a look begins, or a
// character.
var patternToken = regexp.MustCompile(`(?s)\\.|\[\^?(?:\\.|[^\]\\])*\]|\(\?<?[=!]|.`)

// readLooks takes the looks out of an expression. It cannot where one is repeated, or has another one in it. Each look
// of an expression with alternatives counts as in a group, since it belongs to one of these.
func readLooks(pattern string) (rest string, looks []look, isRead bool) {
	r := lookReader{}
	for _, token := range patternToken.FindAllString(pattern, -1) {
		if !r.consume(token) {
			return "", nil, false
		}
	}
	for i := range r.looks {
		r.looks[i].depth += r.alternatives
	}
	return r.rest, r.looks, r.inside == 0
}

// lookReader reads an expression token by token.
type lookReader struct {
	rest         string
	looks        []look
	depth        int  // groups that are open outside of looks
	inside       int  // groups that are open in a look, with itself
	isAfter      bool // a look has just ended
	alternatives int  // bars outside of groups
}

// consume reads a token. It reports whether it could.
func (r *lookReader) consume(token string) bool {
	isLook := len(token) > 1 && token[0] == '('
	if isLook && r.inside > 0 || r.isAfter && slices.Contains([]string{"*", "+", "?", "{"}, token) {
		return false
	}
	nested := map[string]int{"(": 1, ")": -1}[token]
	switch {
	case isLook:
		r.looks = append(r.looks, look{start: token, at: len(r.rest), depth: r.depth})
		r.inside = 1
	case r.inside+nested > 0 && r.inside > 0:
		r.looks[len(r.looks)-1].says += token
		r.inside += nested
	case r.inside > 0:
		r.inside, r.isAfter = 0, true
		return true
	default:
		r.rest += token
		r.depth += nested
		if token == "|" && r.depth == 0 {
			r.alternatives++
		}
	}
	r.isAfter = false
	return true
}
