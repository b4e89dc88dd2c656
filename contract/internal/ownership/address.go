package ownership

import (
	"net/url"
	"strings"

	"svc.example/understudy/internal/address"
	"svc.example/understudy/specs/recording"
)

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
