package contract

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/specs"
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

// WithIgnoredHeaders leaves headers with names that fit a pattern, such as X-Acme-*, unjudged: as parameters of
// requests, as documented headers of answers, and as undeclared ones. A pattern that fits a header with credentials is
// an error, since these are always judged.
func WithIgnoredHeaders(patterns ...string) Option {
	return func(c *config) error {
		for _, pattern := range patterns {
			c.ignoredHeaders = append(c.ignoredHeaders, pattern)
			if pattern == "" || !doublestar.ValidatePattern(pattern) {
				return fmt.Errorf("ignore header %q: not a valid pattern: want the name of a header, or a pattern such as X-Acme-*",
					pattern)
			}
		}
		return nil
	}
}

// ignoresHeader reports whether a header is left unjudged.
func (c *config) ignoresHeader(name string) bool {
	return len(c.ignoredHeaders) > 0 && slices.ContainsFunc(c.ignoredHeaders, func(pattern string) bool {
		return fitsHeader(pattern, name)
	})
}

func fitsHeader(pattern, name string) bool {
	return doublestar.MatchUnvalidated(strings.ToLower(pattern), strings.ToLower(name))
}

// ignoredCredentials refuses patterns that fit a header which carries a credential.
func (c *config) ignoredCredentials(documents []*specs.Document) error {
	var errs []error
	for _, pattern := range c.ignoredHeaders {
		for _, name := range credentialHeaders(documents) {
			if fitsHeader(pattern, name) {
				errs = append(errs, fmt.Errorf(
					"ignore header %q: it matches %s, which carries a credential, and credentials are always "+
						"judged: want only headers without credentials, as in X-Acme-*", pattern, name))
				break
			}
		}
	}
	return errors.Join(errs...)
}

// credentialHeaders lists the headers of requests that carry credentials: by HTTP, by the documents' security schemes,
// and those whose values the documents call secret.
func credentialHeaders(documents []*specs.Document) []string {
	names := map[string]bool{"Authorization": true, "Proxy-Authorization": true, "Cookie": true}
	for _, d := range documents {
		if key := d.KeyHeader(); key != "" {
			names[key] = true
		}
		for _, op := range d.All() {
			for _, ref := range op.Parameters {
				if p := ref.Value; p.In == openapi3.ParameterInHeader && p.Schema != nil && specs.IsSecret(p.Schema.Value) {
					names[http.CanonicalHeaderKey(p.Name)] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}
