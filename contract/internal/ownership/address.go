package ownership

import (
	"net/url"
	"strings"

	"svc.example/understudy/specs/recording"
)

// address holds the parts of a URL that decide on the owner of a request.
type address struct {
	scheme string
	host   string // as hostOf returns it
	path   string // escaped
	query  string
}

// address returns the address of a request after the first rewrite that fits, and whether one does.
func (a *Addresses) address(r *recording.Request) (to address, isRewritten bool, err error) {
	if to, ok := plainAddress(r.URL); ok && len(a.rewrites) == 0 {
		return to, false, nil
	}
	u, isRewritten, err := a.url(r)
	if err != nil {
		return to, false, err
	}
	return address{u.Scheme, hostOf(u), u.EscapedPath(), u.RawQuery}, isRewritten, nil
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

// plainAddress takes apart a URL as most are: with a host in lower case, no port of its scheme, and signs that have no
// escapes. Package net/url is asked about others.
func plainAddress(raw string) (to address, ok bool) {
	scheme, rest, found := strings.Cut(raw, "://")
	if !found || scheme != "http" && scheme != "https" {
		return to, false
	}
	host := len(rest)
	if slash := strings.IndexByte(rest, '/'); slash >= 0 {
		host = slash
	}
	to = address{scheme: scheme, host: rest[:host]}
	to.path, to.query, _ = strings.Cut(rest[host:], "?")
	return to, isPlainHost(to.host) && isPlainPath(to.path) && isPlainQuery(to.query)
}

func isPlainHost(host string) bool {
	name, port, hasPort := strings.Cut(host, ":")
	for i := range len(name) {
		if c := name[i]; !isLowerOrDigit(c) && c != '-' && c != '.' {
			return false
		}
	}
	for i := range len(port) {
		if port[i] < '0' || port[i] > '9' {
			return false
		}
	}
	return name != "" && name[len(name)-1] != '.' && (!hasPort || port != "" && port != "80" && port != "443")
}

func isLowerOrDigit(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }

func isPlainPath(path string) bool {
	for i := range len(path) {
		c := path[i]
		if !isLowerOrDigit(c) && !('A' <= c && c <= 'Z') && !strings.ContainsRune("/-_.~:@,=+", rune(c)) {
			return false
		}
	}
	return true
}

func isPlainQuery(query string) bool {
	for i := range len(query) {
		if c := query[i]; c <= ' ' || c > '~' || c == '#' {
			return false
		}
	}
	return true
}
