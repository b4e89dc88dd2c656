package specs

import (
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"
)

// Ignored is a part of a user's own document that cannot be understood, and is left out.
type Ignored struct {
	Pointer string
	Line    int
	Reason  string
}

// short returns a user's own document as JSON, without what only people read, without components that nothing needs,
// and without patterns that cannot be compiled, which would refuse every text.
func (x *index) short() (text []byte, ignored []Ignored, err error) {
	tree, err := treeOf(x.root)
	if err != nil {
		return nil, nil, err
	}
	if version, _ := tree["openapi"].(string); !strings.HasPrefix(version, "3.") {
		return nil, nil, errors.New(
			"want an OpenAPI document of version 3.0 or 3.1: the key openapi has another value, or is missing")
	}
	strip(tree)
	if err := prune(tree); err != nil {
		return nil, nil, err
	}
	dropPatterns(tree, "", func(pointer, reason string) {
		ignored = append(ignored, Ignored{Pointer: pointer, Line: x.place(pointer).Line, Reason: reason})
	})
	text, err = json.Marshal(tree)
	return text, ignored, err
}

// dropPatterns takes patterns out of a tree that no regular expression of Go stands for, such as those that look ahead.
func dropPatterns(node any, pointer string, dropped func(pointer, reason string)) {
	switch node := node.(type) {
	case []any:
		for i, item := range node {
			dropPatterns(item, pointer+"/"+strconv.Itoa(i), dropped)
		}
	case map[string]any:
		for _, key := range sortedKeys(node) {
			at := pointer + "/" + EscapePointer(key)
			pattern, isText := node[key].(string)
			switch {
			case key == "pattern" && isText:
				if _, err := regexp.Compile(codepoint.ReplaceAllString(pattern, `\x{$1}`)); err != nil {
					delete(node, key)
					dropped(at, err.Error())
				}
			case !isLiteral(key):
				dropPatterns(node[key], at, dropped)
			}
		}
	}
}

// codepoint matches a character that ECMAScript writes by its number.
var codepoint = regexp.MustCompile(`\\u([0-9A-Fa-f]{4})`)
