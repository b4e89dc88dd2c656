package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/ownership"
)

// WithIgnoredHosts leaves out exchanges with hosts that fit a pattern, such as *.cdn.example.com. They count as
// ignored, and a note says how many there are.
func WithIgnoredHosts(patterns ...string) Option {
	return func(c *config) error {
		c.ignoredHosts = append(c.ignoredHosts, patterns...)
		return arePatterns(patterns)
	}
}

// WithIgnoredPaths leaves out exchanges whose path fits a pattern, such as /health or /assets/**. They also count as
// ignored.
func WithIgnoredPaths(patterns ...string) Option {
	return func(c *config) error {
		c.ignoredPaths = append(c.ignoredPaths, patterns...)
		return arePatterns(patterns)
	}
}

func arePatterns(patterns []string) error {
	for _, pattern := range patterns {
		if pattern == "" || !doublestar.ValidatePattern(pattern) {
			return fmt.Errorf("ignore %q: not a valid pattern: want one such as *.example.com or /assets/**", pattern)
		}
	}
	return nil
}

// ignores returns the option by which an exchange is left out, or the empty string.
func (c *config) ignores(item *record.Item) string {
	if len(c.ignoredHosts)+len(c.ignoredPaths) == 0 {
		return ""
	}
	u, err := ownership.AddressOf(&item.Request)
	if err != nil {
		return ""
	}
	for _, pattern := range c.ignoredHosts {
		if doublestar.MatchUnvalidated(strings.ToLower(pattern), strings.ToLower(u.Hostname())) {
			return "host " + pattern
		}
	}
	for _, pattern := range c.ignoredPaths {
		if doublestar.MatchUnvalidated(pattern, u.Path) {
			return "path " + pattern
		}
	}
	return ""
}

// ignoredNotes returns how many exchanges were left out, and by what.
func (g *gatherer) ignoredNotes() (notes []string) {
	for _, reason := range slices.Sorted(maps.Keys(g.Ignored)) {
		notes = append(notes, fmt.Sprintf("%d exchanges are ignored, as configured: %s", g.Ignored[reason], reason))
	}
	return notes
}
