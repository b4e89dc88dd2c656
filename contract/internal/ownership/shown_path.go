package ownership

import (
	"slices"
	"strings"
)

// Shown returns a method and a path that may be shown, and that are the same for requests on different things: segments
// that look like an id, or may be a key, become *, and long paths are cut.
func Shown(method, path string) (safeMethod, safePath string) {
	const longest = 300
	if len(path) > longest {
		cut := strings.LastIndexByte(path[:longest+1], '/')
		return shownMethod(method), shownPath(path[:max(cut, 0)]) + "/…"
	}
	return shownMethod(method), shownPath(path)
}

// shownMethod returns a method, unless the text may be something else.
func shownMethod(method string) string {
	const longest = 20
	isNone := method == "" || len(method) > longest || strings.ContainsFunc(method, func(r rune) bool {
		return !('A' <= r && r <= 'Z' || r == '-' || r == '_')
	})
	if isNone {
		return "(no method)"
	}
	return method
}

func shownPath(path string) string {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		segments[i] = ShownSegment(segment)
	}
	return strings.Join(segments, "/")
}

// ShownSegment returns a segment of a path if it is a word or a version such as v3, or else *.
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
