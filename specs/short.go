package specs

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// short returns a user's own document as JSON, given as a tree, which is changed, without what only people read,
// without components that nothing needs, and without patterns that cannot be compiled, which would refuse every text.
// With examples it is short enough to be served, which answers with them.
func short(
	tree map[string]any, file string, lineOf lines, withExamples bool,
) (text []byte, ignored []Ignored, err error) {
	tree, ignored, err = whole(tree, file, lineOf)
	if err != nil {
		return nil, nil, err
	}
	strip(tree, withExamples)
	if version, _ := tree["openapi"].(string); strings.HasPrefix(version, "3.0") {
		dropSiblings(tree, false)
	}
	dropPatterns(tree, false, "", func(pointer, reason string) {
		ignored = append(ignored, Ignored{Pointer: pointer, Line: lineOf(pointer), Reason: reason})
	})
	text, err = json.Marshal(tree)
	return text, ignored, err
}

// dropSiblings takes out of a tree of version 3.0 what stands beside a $ref, which is ignored there (Reference Object),
// but for paths, which may have both.
func dropSiblings(node any, isNames bool) {
	switch node := node.(type) {
	case []any:
		for _, item := range node {
			dropSiblings(item, false)
		}
	case map[string]any:
		if ref, isText := node["$ref"].(string); isText && !isNames && !slices.ContainsFunc(sortedKeys(node), isMethod) {
			clear(node)
			node["$ref"] = ref
		}
		for key, value := range parts(node, isNames) {
			dropSiblings(value, !isNames && namesChildren[key])
		}
	}
}

// dropPatterns takes patterns out of a tree that no regular expression of Go stands for, such as those that look ahead.
func dropPatterns(node any, isNames bool, pointer string, dropped func(pointer, reason string)) {
	switch node := node.(type) {
	case []any:
		for i, item := range node {
			dropPatterns(item, false, pointer+"/"+strconv.Itoa(i), dropped)
		}
	case map[string]any:
		if pattern, isText := node["pattern"].(string); isText && !isNames {
			if _, err := regexp.Compile(GoPattern(pattern)); err != nil {
				delete(node, "pattern")
				dropped(pointer+"/pattern", err.Error())
			}
		}
		if patterns, _ := node["patternProperties"].(map[string]any); !isNames {
			for pattern := range patterns {
				if _, err := regexp.Compile(GoPattern(pattern)); err != nil { // whose members the others may not know
					delete(node, "patternProperties")
					delete(node, "additionalProperties")
					delete(node, "unevaluatedProperties")
					dropped(pointer+"/patternProperties", err.Error())
					break
				}
			}
		}
		for key, value := range parts(node, isNames) {
			dropPatterns(value, !isNames && namesChildren[key], pointer+"/"+EscapePointer(key), dropped)
		}
	}
}

// GoPattern returns a regular expression of ECMAScript as Go writes it: characters by their number or as a control, the
// white space of all scripts, what a dot is, and classes without a member (ECMA-262, 22.2.1 and 12.2). What only Go
// has, such as \A, makes an expression that Go refuses.
func GoPattern(pattern string) string {
	const space, lines = `\s\x{b}\x{feff}\pZ`, `\n\r\x{2028}\x{2029}`
	inClass := false
	return ecmaToken.ReplaceAllStringFunc(pattern, func(token string) string {
		switch {
		case token == "." && !inClass:
			return "[^" + lines + "]"
		case token == "[" && inClass:
			return `\[`
		case token == "[", token == "]":
			inClass = token == "["
		case token[0] == '[' && inClass: // a bracket, and the end of the class
			inClass = false
			return `\` + token
		case token == "[]":
			return `[^\x00-\x{10ffff}]`
		case token == "[^]":
			return `[\x00-\x{10ffff}]`
		case token == `\s` && inClass:
			return space
		case token == `\s`:
			return "[" + space + "]"
		case token == `\S` && !inClass:
			return "[^" + space + "]"
		case len(token) == 2 && strings.IndexByte("AzQEaC", token[1]) >= 0:
			return "(?" + token
		case len(token) > 2 && (token[1] == 'p' || token[1] == 'P'):
			return scriptName.ReplaceAllString(token, "{")
		case len(token) == len(`\ud83d\ude00`) && token[6] == '\\':
			high, _ := strconv.ParseUint(token[2:6], 16, 16)
			low, _ := strconv.ParseUint(token[8:], 16, 16)
			return fmt.Sprintf(`\x{%x}`, utf16.DecodeRune(rune(high), rune(low)))
		case len(token) > 2 && token[1] == 'u':
			return `\x{` + strings.Trim(token[2:], "{}") + "}"
		case len(token) > 2:
			return fmt.Sprintf(`\x%02x`, token[2]&0x1f)
		}
		return token
	})
}

// ecmaToken matches a dot, a bracket of a class of characters, or what stands with a backslash.
var ecmaToken = regexp.MustCompile(`\[\^?\]|[.\[\]]|\\(?:u[Dd][89ABab][0-9A-Fa-f]{2}\\u[Dd][C-Fc-f][0-9A-Fa-f]{2}|` +
	`u[0-9A-Fa-f]{4}|u\{[0-9A-Fa-f]+\}|c[A-Za-z]|[pP]\{[^}]*\}|.)`)

// scriptName matches what names a property of characters before its value, which Go has alone.
var scriptName = regexp.MustCompile(`\{(?:Script|sc|Script_Extensions|scx|General_Category|gc)=`)
