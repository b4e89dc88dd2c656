// Package address takes addresses of requests apart without parsing them, as far as they have the form that most have.
package address

import (
	"net/url"
	"path"
	"strings"
)

// Parts holds the parts of an address, as they are written.
type Parts struct {
	Origin string // Scheme and Host, with what stands between them
	Scheme string // http or https
	Host   string // with its port
	Path   string // empty, or from its first slash on
	Query  string // empty, or from its question mark on
}

// Cut returns the parts of an address, and reports whether it is plain: of http or https, without a user and a
// fragment, with nothing in its host and its path that is ever escaped, and with nothing but visible ASCII characters
// in its query. Package net/url has to be asked about others.
func Cut(address string) (p Parts, isPlain bool) {
	scheme, rest, _ := strings.Cut(address, "://")
	if scheme != "http" && scheme != "https" {
		return p, false
	}
	name := lengthOf(rest, inHost)
	host := name
	if strings.HasPrefix(rest[name:], ":") {
		host += 1 + lengthOf(rest[name+1:], inPort)
	}
	path := host
	if strings.HasPrefix(rest[host:], "/") {
		path += lengthOf(rest[host:], inPath)
	}
	p = Parts{
		Origin: address[:len(address)-len(rest)+host], Scheme: scheme, Host: rest[:host], Path: rest[host:path],
		Query: rest[path:],
	}
	return p, name > 0 && (p.Query == "" || p.Query[0] == '?' && lengthOf(p.Query, inQuery) == len(p.Query))
}

// part is a part of an address.
type part uint8

const (
	inHost part = iota
	inPort
	inPath
	inQuery
)

// lengthOf returns how many bytes at the beginning of a text belong to a part.
func lengthOf(text string, of part) int {
	for i := range len(text) {
		if !of.has(text[i]) {
			return i
		}
	}
	return len(text)
}

// has reports whether a byte stands in a plain part as it is.
func (p part) has(c byte) bool {
	switch {
	case p == inQuery:
		return ' ' < c && c <= '~' && c != '#'
	case '0' <= c && c <= '9':
		return true
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '-', c == '.', c == '_', c == '~':
		return p != inPort
	case c == '/', c == ':', c == '@', c == ',', c == '=', c == '+':
		return p == inPath
	}
	return false
}

// Query parses a query, or a form of one text. A semicolon stands for itself (URL Standard, 5.1), where net/url refuses
// one, as it once separated fields.
func Query(text string) (url.Values, error) {
	return url.ParseQuery(WithoutSemicolons(text))
}

// WithoutSemicolons returns a query that net/url reads as Query does.
func WithoutSemicolons(query string) string { return strings.ReplaceAll(query, ";", "%3B") }

// IsHostPattern reports whether a host stands for several: a * in it is any text without a dot. The last two labels
// have none, so that not all hosts of a domain that many share are meant.
func IsHostPattern(host string) bool {
	labels := strings.Split(host, ".")
	n := len(labels) - 2
	return n > 0 && strings.Contains(host, "*") && !strings.Contains(labels[n]+labels[n+1], "*")
}

// IsHost reports whether a host is a given one, or one of those that the given one stands for.
func IsHost(given, host string) bool {
	if given == host {
		return true
	}
	isOne, _ := path.Match(given, host)
	return isOne && IsHostPattern(given) && strings.Count(given, ".") == strings.Count(host, ".")
}
