package specs

import (
	"encoding/json"
	"regexp"
	"strconv"
)

// short returns a user's own document as JSON, given as a tree, which is changed, without what only people read, without components that nothing needs,
// and without patterns that cannot be compiled, which would refuse every text. With examples it is short enough to be
// served, which answers with them.
func short(
	tree map[string]any, file string, lineOf lines, withExamples bool,
) (text []byte, ignored []Ignored, err error) {
	tree, ignored, err = whole(tree, file, lineOf)
	if err != nil {
		return nil, nil, err
	}
	strip(tree, withExamples)
	dropPatterns(tree, false, "", func(pointer, reason string) {
		ignored = append(ignored, Ignored{Pointer: pointer, Line: lineOf(pointer), Reason: reason})
	})
	text, err = json.Marshal(tree)
	return text, ignored, err
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
			if _, err := regexp.Compile(codepoint.ReplaceAllString(pattern, `\x{$1}`)); err != nil {
				delete(node, "pattern")
				dropped(pointer+"/pattern", err.Error())
			}
		}
		for key, value := range parts(node, isNames) {
			dropPatterns(value, !isNames && namesChildren[key], pointer+"/"+EscapePointer(key), dropped)
		}
	}
}

// codepoint matches a character that ECMAScript writes by its number.
var codepoint = regexp.MustCompile(`\\u([0-9A-Fa-f]{4})`)
