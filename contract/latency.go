package contract

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

// WithLatency sets limits on the duration of exchanges, from the beginning of the request to the end of the answer, by
// names of operations such as workflow.listPools, or patterns such as workflow.*. The most specific pattern applies.
// Longer exchanges are errors of the rule latency. A pattern that fits no operation is a LatencyError.
func WithLatency(limits map[string]time.Duration) Option {
	return func(c *config) error {
		var errs []error
		for _, pattern := range slices.Sorted(maps.Keys(limits)) {
			limit := latencyLimit{pattern, limits[pattern]}
			_, err := path.Match(pattern, "")
			switch {
			case err != nil:
				errs = append(errs, &LatencyError{
					pattern,
					"not a valid pattern: want an operation, or a pattern such as workflow.*",
				})
			case limit.most <= 0:
				errs = append(errs, &LatencyError{
					pattern,
					fmt.Sprintf("invalid limit %s: want a time above 0, as in 300ms", limit.most),
				})
			}
			c.latency = append(c.latency, limit)
		}
		return errors.Join(errs...)
	}
}

// LatencyError describes what is wrong with a limit of WithLatency.
type LatencyError struct {
	Operation string // as it was given
	Reason    string
}

func (e *LatencyError) Error() string { return "latency of " + e.Operation + ": " + e.Reason }

// latencyLimit is the longest time that the operations that fit a pattern may take.
type latencyLimit struct {
	pattern string
	most    time.Duration
}

// limits returns the limit of each operation that has one, by name.
func (c *config) limits(documents []*specs.Document) (map[string]time.Duration, error) {
	ordered := slices.Clone(c.latency)
	slices.SortStableFunc(ordered, func(a, b latencyLimit) int {
		return cmp.Or(cmp.Compare(b.literal(), a.literal()), cmp.Compare(a.most, b.most), cmp.Compare(a.pattern, b.pattern))
	})
	limits, used := map[string]time.Duration{}, map[string]bool{}
	var names []string
	for _, d := range documents {
		for _, op := range d.All() {
			names = append(names, op.Name())
			for _, limit := range slices.Backward(ordered) { // the most specific one comes last
				if fits, _ := path.Match(limit.pattern, op.Name()); fits {
					limits[op.Name()], used[limit.pattern] = limit.most, true
				}
			}
		}
	}
	var errs []error
	for _, limit := range c.latency {
		if !used[limit.pattern] {
			errs = append(errs, &LatencyError{limit.pattern, noOperation(limit.pattern, names)})
		}
	}
	return limits, errors.Join(errs...)
}

// literal returns the number of bytes of a pattern that are text: of two that fit an operation, the one with more of it
// is more specific, and a name is more specific than any pattern.
func (l latencyLimit) literal() int {
	text := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`*?[]\`, r) {
			return -1
		}
		return r
	}, l.pattern)
	if text == l.pattern {
		return math.MaxInt
	}
	return len(text)
}

func operationNames(documents []*specs.Document) (names []string) {
	for _, d := range documents {
		for _, op := range d.All() {
			names = append(names, op.Name())
		}
	}
	return names
}

// noOperation says what would be right instead of a name that no operation has.
func noOperation(name string, names []string) string {
	reason := "unknown operation: see understudy operations"
	near, _, found := strings.Cut(source.OneOf(name, names), ", or one of ")
	if !found {
		return reason
	}
	return fmt.Sprintf("unknown operation: want %s, or another one of understudy operations", near)
}
