package ownership

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

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
