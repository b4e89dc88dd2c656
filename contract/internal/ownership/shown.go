package ownership

import (
	"slices"
	"strings"
)

// Shown returns a method and a path as they may be shown, and as they are the same for requests that differ only in
// what they are about: what looks like an id, or may be a key, is starred, and what is too long is cut.
func Shown(method, path string) (shownMethod, shownPath string) {
	const longest = 300
	if len(path) > longest {
		cut := strings.LastIndexByte(path[:longest+1], '/')
		return shownOf(method), shownPathOf(path[:max(cut, 0)]) + "/…"
	}
	return shownOf(method), shownPathOf(path)
}

// shownOf is a method: what is none may be anything.
func shownOf(method string) string {
	const longest = 20
	isNone := method == "" || len(method) > longest || strings.ContainsFunc(method, func(r rune) bool {
		return !('A' <= r && r <= 'Z' || r == '-' || r == '_')
	})
	if isNone {
		return "(no method)"
	}
	return method
}

func shownPathOf(path string) string {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		segments[i] = ShownSegment(segment)
	}
	return strings.Join(segments, "/")
}

// ShownSegment stars what has digits, but for versions such as v3, what is long, and what is not a word.
func ShownSegment(segment string) string {
	const longWord = 32
	word, _, _ := strings.Cut(segment, ";")
	isVersion := len(word) > 1 && len(word) <= 4 && word[0] == 'v' && strings.Trim(word[1:], "0123456789.") == ""
	isWord := len(word) <= longWord && !slices.ContainsFunc([]byte(word), func(c byte) bool {
		isLetter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		return !isLetter && !strings.ContainsRune("._-:", rune(c))
	})
	if isVersion || isWord {
		return word
	}
	return "*"
}
