package match

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// below returns a pattern of paths that is below a document's base path, if it begins with that. Both /v3/job/list and
// /job/list are paths of the core interface.
func below(pattern, base string) string {
	if rest, found := strings.CutPrefix(pattern, base); found && strings.HasPrefix(rest, "/") {
		pattern = rest
	}
	if len(pattern) > 1 {
		pattern = strings.TrimSuffix(pattern, "/")
	}
	return pattern
}

// couldFit reports whether a pattern fits any path of a template, such as /api/pools/{id}.
func couldFit(pattern, template string) bool {
	for _, group := range strings.SplitAfter(pattern, "{")[1:] {
		if inside, _, _ := strings.Cut(group, "}"); strings.Contains(inside, "/") {
			return true // it cannot be split at slashes
		}
	}
	return segmentsFit(segments(pattern), segments(template))
}

func segments(path string) []string { return strings.Split(strings.Trim(path, "/"), "/") }

func segmentsFit(patterns, templates []string) bool {
	switch {
	case len(patterns) == 0:
		return len(templates) == 0
	case patterns[0] == "**":
		return segmentsFit(patterns[1:], templates) || len(templates) > 0 && segmentsFit(patterns, templates[1:])
	case len(templates) == 0:
		return false
	case strings.Contains(templates[0], "{"): // a parameter
	case !doublestar.MatchUnvalidated(patterns[0], templates[0]):
		return false
	}
	return segmentsFit(patterns[1:], templates[1:])
}
