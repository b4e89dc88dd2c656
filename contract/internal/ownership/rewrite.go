package ownership

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/bmatcuk/doublestar/v4"

	"svc.example/understudy/internal/address"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
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

// target holds the parts of a URL that decide on the owner of a request.
type target struct {
	scheme string
	host   string // as hostOf returns it
	path   string // escaped
	query  string
}

// address returns the address of a request after the first rewrite that fits, and whether one does.
func (a *Addresses) address(r *recording.Request) (to target, isRewritten bool, err error) {
	if to, ok := plainAddress(r.URL); ok && len(a.rewrites) == 0 {
		return to, false, nil
	}
	u, isRewritten, err := a.url(r)
	if err != nil {
		return to, false, err
	}
	return target{u.Scheme, hostOf(u), u.EscapedPath(), u.RawQuery}, isRewritten, nil
}

// url returns the URL of a request after the first rewrite that fits, and whether one does.
func (a *Addresses) url(r *recording.Request) (u *url.URL, isRewritten bool, err error) {
	u, err = AddressOf(r)
	if err != nil {
		return u, false, err
	}
	u, isRewritten = a.rewrite(u)
	return u, isRewritten, nil
}

// plainAddress takes apart a URL as most are: plain, with a host in lower case, and no port of its scheme. Package
// net/url is asked about others.
func plainAddress(raw string) (to target, ok bool) {
	p, isPlain := address.Cut(raw)
	if !isPlain || !isPlainHost(p.Host) {
		return to, false
	}
	return target{p.Scheme, p.Host, p.Path, strings.TrimPrefix(p.Query, "?")}, true
}

// isPlainHost reports whether a host stays as it is written.
func isPlainHost(host string) bool {
	name, port, hasPort := strings.Cut(host, ":")
	isDefault := hasPort && (port == "" || port == "80" || port == "443")
	return name == strings.ToLower(name) && !strings.HasSuffix(name, ".") && !isDefault
}

// Hint returns advice on a request without an owner: the options with base addresses that its path would fit, or else
// the base that is most similar to its address.
func (a *Addresses) Hint(method string, u *url.URL) string {
	u, _ = a.rewrite(u)
	var options []string
	for _, f := range a.bestFits(method, u) {
		if f.words > 1 {
			scheme := strings.ToLower(u.Scheme)
			if scheme == "" {
				scheme = "http"
			}
			options = append(options, "--base "+string(f.document.Interface)+"="+scheme+"://"+hostOf(u)+f.base)
		}
	}
	if len(options) > 0 {
		return strings.Join(options, ", or ")
	}
	return a.nearestBase(u)
}

// Elsewhere names the operation that a request would belong to under another base address, or returns the empty string.
// For example, the base of core is easily given without its /v3.
func (o *Owner) Elsewhere(method string) string {
	if o.Base == nil {
		return ""
	}
	f := bestFit(o.Document, method, o.Base.path+o.Path)
	if f.words < 2 {
		return ""
	}
	_, path := Shown(method, f.base)
	return fmt.Sprintf("it would match %s %s with the base address %s%s", method, f.operation.Path,
		strings.TrimSuffix(o.Base.URL, o.Base.path), path)
}

// nearestBase names the base that is most similar to an address, if the address may be a misspelling of it.
func (a *Addresses) nearestBase(u *url.URL) string {
	const share = 6 // one letter in so many may differ
	host, best, hint := hostOf(u), -1, ""
	for _, d := range a.documents {
		bases := slices.Concat(a.given[d.Interface], a.guessed[d.Interface])
		if len(a.given[d.Interface]) == 0 {
			standard := &url.URL{Scheme: "https", Host: defaultHost(d), Path: d.BasePath}
			bases = append(bases, newBase(d.Interface, standard))
		}
		for _, b := range bases {
			distance := levenshtein.ComputeDistance(host, b.host)
			if distance <= len(b.host)/share && (best < 0 || distance < best) {
				best, hint = distance, "the nearest base is "+b.URL+", of "+string(d.Interface)
			}
		}
	}
	return hint
}
