package ownership

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"svc.example/understudy/specs"
)

// Rewrite replaces the prefix of addresses by another one.
type Rewrite struct {
	host     string   // a pattern, empty for any
	segments []string // of the prefix, each a pattern
	to       *url.URL // without a host if the host stays
}

// NewRewrite reads both prefixes: paths, or absolute URLs, whose scheme does not matter.
func NewRewrite(from, to string) (Rewrite, error) {
	fail := func(format string, args ...any) (Rewrite, error) {
		return Rewrite{}, fmt.Errorf("rewrite %s to %s: %s", from, to, fmt.Sprintf(format, args...))
	}
	source, err := prefixOf(from)
	if err != nil {
		return fail("%q %v", from, err)
	}
	target, err := prefixOf(to)
	switch {
	case err != nil:
		return fail("%q %v", to, err)
	case strings.Contains(target.Host+target.Path, "*"):
		return fail("%q has a pattern: only the first prefix may have one", to)
	}
	r := Rewrite{host: strings.ToLower(source.Host), to: target}
	for _, segment := range segmentsOf(source.Path) {
		if strings.Contains(segment, "**") || !doublestar.ValidatePattern(segment) {
			return fail("%q has the invalid segment pattern %q: want one such as * or tenant-*", from, segment)
		}
		r.segments = append(r.segments, segment)
	}
	if !doublestar.ValidatePattern(r.host) {
		return fail("%q has an invalid host pattern: want one such as *.gw.example", from)
	}
	if r.host == "" && len(r.segments) == 0 && r.to.Host == "" && len(segmentsOf(r.to.Path)) == 0 {
		return fail("both are the same")
	}
	return r, nil
}

// prefixOf reads a prefix, a path or an absolute URL.
func prefixOf(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil, u.Host == "" && !strings.HasPrefix(text, "/"), u.Host != "" && u.Scheme == "":
		return nil, fmt.Errorf(
			"is neither a path nor an absolute URL: want one such as /gw/workflow or https://gw.example/gw")
	case u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return nil, fmt.Errorf("has more than a host and a path: remove the user, query or fragment")
	}
	return u, nil
}

// segmentsOf returns the segments of a path. The root has none.
func segmentsOf(path string) []string {
	if path = strings.Trim(path, "/"); path == "" {
		return nil
	}
	return strings.Split(path, "/")
}

func (a *Addresses) rewrite(u *url.URL) (rewritten *url.URL, isRewritten bool) {
	for i := range a.rewrites {
		if rest, fits := a.rewrites[i].rest(u); fits {
			return a.rewrites[i].apply(u, rest), true
		}
	}
	return u, false
}

// rest returns the escaped path after the prefix.
func (r *Rewrite) rest(u *url.URL) (rest string, fits bool) {
	rest = specs.MergeSlashes(u.EscapedPath())
	if r.host != "" && !doublestar.MatchUnvalidated(r.host, strings.ToLower(u.Host)) &&
		!doublestar.MatchUnvalidated(r.host, hostOf(u)) {
		return "", false
	}
	for _, pattern := range r.segments {
		if rest == "" || rest[0] != '/' {
			return "", false
		}
		segment, _, _ := strings.Cut(rest[1:], "/")
		plain, err := url.PathUnescape(segment)
		if err != nil || !doublestar.MatchUnvalidated(pattern, plain) {
			return "", false
		}
		rest = rest[1+len(segment):]
	}
	return rest, true
}

// apply puts the other prefix before the rest of a path.
func (r *Rewrite) apply(u *url.URL, rest string) *url.URL {
	rewritten := *u
	if r.to.Host != "" {
		rewritten.Host = r.to.Host
	}
	escaped := strings.TrimSuffix(r.to.EscapedPath(), "/") + rest
	plain, err := url.PathUnescape(escaped)
	if err != nil {
		plain = escaped
	}
	rewritten.Path, rewritten.RawPath = plain, escaped
	return &rewritten
}
