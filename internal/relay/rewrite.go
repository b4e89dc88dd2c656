package relay

import (
	"hash/maphash"
	"net/http"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"svc.example/understudy/specs"
)

// Headers of relays.
const (
	LoopHeader  = "X-Understudy-Proxy" // in requests to services: the relays that a request came through
	TokenHeader = "X-Understudy-Token" //nolint:gosec // the name of a header; in requests to a proxy
)

// rewriteRequest makes the request that is sent to the service: the client's, but for the address.
func (p *Passage) rewriteRequest(r *httputil.ProxyRequest) {
	out := r.Out
	out.URL, out.Host = p.URL, ""
	KeepForwarded(r)
	for _, name := range []string{"Origin", "Referer"} {
		if value := out.Header.Get(name); value != "" {
			out.Header.Set(name, p.inward(value))
		}
	}
	out.Header.Del(TokenHeader)
	out.Header.Add(LoopHeader, p.relay.id)
	p.relay.cookies.keepOwn(out.Header, p.Target)
	out.Trailer = r.In.Trailer // which the server fills in at the end of the body
}

// KeepForwarded puts back what ReverseProxy takes out of requests.
func KeepForwarded(r *httputil.ProxyRequest) {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if values, ok := r.In.Header[name]; ok {
			r.Out.Header[name] = values
		}
	}
}

// inward returns an address below the client's view of the interface as the service knows it. Others stay.
func (p *Passage) inward(address string) string {
	rest, ok := strings.CutPrefix(address, p.Place.Origin)
	if !ok || rest != "" && rest[0] != '/' {
		return address
	}
	service := p.Target.Root.Scheme + "://" + p.Target.Root.Host
	path, ok := specs.Below(rest, p.Place.Prefix)
	if rest == "" || !ok {
		return service + rest
	}
	return service + p.Target.Root.EscapedPath() + path
}

// linkTarget finds the addresses in a Link header.
var linkTarget = regexp.MustCompile(`<[^<>]*>`)

// rewriteAnswer replaces the service's own addresses in headers by those that the client knows.
func (p *Passage) rewriteAnswer(header http.Header) {
	header.Del("Alt-Svc") // would lead clients past the proxy
	if p.Place.IsSame {
		return
	}
	for _, name := range []string{"Location", "Content-Location"} {
		for i, value := range header[name] {
			header[name][i] = p.outward(value)
		}
	}
	for i, value := range header["Link"] {
		header["Link"][i] = linkTarget.ReplaceAllStringFunc(value, func(link string) string {
			return "<" + p.outward(link[1:len(link)-1]) + ">"
		})
	}
	var cookies []string
	for _, value := range header["Set-Cookie"] {
		cookies = append(cookies, p.cookie(value))
		if said := p.relay.cookies.learn(value, p.Target, p.relay.config.Targets); said != "" {
			cookies = append(cookies, p.cookie(said))
		}
	}
	if len(cookies) > 0 {
		header["Set-Cookie"] = cookies
	}
	if p.Target.Root.Scheme == "https" {
		header.Del("Strict-Transport-Security") // is about the service's host
	}
}

// outward returns an address of the service as the client knows it. An address of any other server stays as it is:
// clients do not send their credentials there, as they would to the proxy.
func (p *Passage) outward(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" && !strings.HasPrefix(u.Path, "/") {
		return address // relative addresses lead to the same place
	}
	full := p.URL.ResolveReference(u)
	path, ok := p.Target.below(full)
	if !ok {
		if u.Host == "" {
			return full.String()
		}
		return address
	}
	known := p.Place.Prefix + path
	if known == "" {
		known = "/"
	}
	if full.RawQuery != "" || full.ForceQuery {
		known += "?" + full.RawQuery
	}
	if full.Fragment != "" {
		known += "#" + full.EscapedFragment()
	}
	if u.Host == "" {
		return known
	}
	return p.Place.Origin + known
}

// cookie returns a Set-Cookie line for the address that the client knows.
func (p *Passage) cookie(line string) string {
	parts := strings.Split(line, ";")
	kept := parts[:1]
	for _, part := range parts[1:] {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch strings.ToLower(name) {
		case "domain":
			continue // it is for the host that answers, the proxy's
		case "path":
			part = " Path=" + p.cookiePath(value)
		case "secure":
			if strings.HasPrefix(p.Place.Origin, "http://") {
				continue // the client would not send it back
			}
		}
		kept = append(kept, part)
	}
	return strings.Join(kept, ";")
}

// cookiePath returns the path of a cookie as the client knows it.
func (p *Passage) cookiePath(path string) string {
	root := p.Target.Root.EscapedPath()
	if rest, ok := specs.Below(path, root); ok {
		path = rest
	} else if strings.HasPrefix(root, strings.TrimSuffix(path, "/")+"/") {
		path = "" // it is for more than the service
	}
	if path = p.Place.Prefix + path; p.Place.Prefix != "" {
		path = strings.TrimSuffix(path, "/")
	}
	if path == "" {
		return "/"
	}
	return path
}

// maxCookies bounds the number of cookies whose services are remembered, for clients that do not send back what the
// proxy says beside a cookie. The oldest are forgotten first.
const maxCookies = 1 << 18

// ownerPrefix begins the name of the cookie that stands beside a cookie of a service, and says whose that is. The proxy
// may have been started again since, and may have forgotten.
const ownerPrefix = "understudy-"

// cookieOwners knows which services a cookie is for. Clients keep the cookies of all interfaces for one host, the
// proxy's, and send those of one interface to the others: cookies do not tell ports apart.
type cookieOwners struct {
	seed maphash.Seed

	mu     sync.Mutex
	owners map[uint64]uint64 // sets of targets, by the hash of name and value
	order  []uint64
	next   int
}

func newCookieOwners() *cookieOwners {
	return &cookieOwners{seed: maphash.MakeSeed(), owners: map[uint64]uint64{}}
}

// owner describes for whom a cookie is: for a host, and those below a domain, if there is one.
type owner struct{ host, domain string }

// ownerOf returns the owner of a cookie that a target sets.
func ownerOf(line string, by *Target) owner {
	o := owner{host: strings.ToLower(by.Root.Hostname())}
	_, attributes, _ := strings.Cut(line, ";")
	for part := range strings.SplitSeq(attributes, ";") {
		if name, value := pairOf(part); strings.EqualFold(name, "domain") {
			o.domain = strings.ToLower(strings.TrimPrefix(value, "."))
		}
	}
	return o
}

func (o owner) has(t *Target) bool {
	host := strings.ToLower(t.Root.Hostname())
	return host == o.host || o.domain != "" && (host == o.domain || strings.HasSuffix(host, "."+o.domain))
}

// pairOf returns name and value of a cookie as clients understand it, who send it back without blanks, and some without
// quotes.
func pairOf(text string) (name, value string) {
	name, value, found := strings.Cut(text, "=")
	if !found {
		name, value = "", name
	}
	value = strings.TrimSpace(value)
	if len(value) > 1 && value[0] == '"' && value[len(value)-1] == '"' {
		value = value[1 : len(value)-1]
	}
	return strings.TrimSpace(name), strings.TrimSpace(value)
}

func (o *cookieOwners) hash(name, value string) uint64 { return maphash.String(o.seed, name+"="+value) }

// learn notes for whom a cookie is that a target sets. It returns the line that says so to the proxy when the client
// sends the cookie back, or an empty text if it is for all targets.
func (o *cookieOwners) learn(line string, by *Target, all []*Target) string {
	pair, attributes, hasAttributes := strings.Cut(line, ";")
	name, value := pairOf(pair)
	of := ownerOf(line, by)
	owners, isForAll := by.bit, true
	for _, t := range all {
		if of.has(t) {
			owners |= t.bit
		} else {
			isForAll = false
		}
	}
	o.add(o.hash(name, value), owners)
	if isForAll {
		return ""
	}
	said := ownerPrefix + name + "=" + of.host
	if of.domain != "" {
		said += "/" + of.domain
	}
	if hasAttributes {
		said += ";" + attributes
	}
	return said
}

func (o *cookieOwners) add(hash, owners uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, known := o.owners[hash]; !known {
		if len(o.order) < maxCookies {
			o.order = append(o.order, hash)
		} else {
			delete(o.owners, o.order[o.next])
			o.order[o.next], o.next = hash, (o.next+1)%maxCookies
		}
	}
	o.owners[hash] |= owners
}

// keepOwn takes the cookies out of a request that are only for other services, and those that say whose others are.
func (o *cookieOwners) keepOwn(header http.Header, t *Target) {
	said := ownersIn(header)
	var kept []string
	for _, line := range header["Cookie"] {
		pairs := strings.Split(line, ";")
		own := slices.DeleteFunc(slices.Clone(pairs), func(pair string) bool {
			name, value := pairOf(pair)
			return strings.HasPrefix(name, ownerPrefix) || o.isForeign(name, value, said, t)
		})
		if len(own) < len(pairs) {
			line = strings.TrimSpace(strings.Join(own, ";"))
		}
		if line != "" {
			kept = append(kept, line)
		}
	}
	if header["Cookie"] = kept; len(kept) == 0 {
		header.Del("Cookie")
	}
}

// ownersIn returns what the cookies of a request say of others, by the name of those. Of several with one name, which
// are for different paths, clients send both in the same order.
func ownersIn(header http.Header) map[string][]owner {
	var said map[string][]owner
	for _, line := range header["Cookie"] {
		for pair := range strings.SplitSeq(line, ";") {
			name, value := pairOf(pair)
			if of, found := strings.CutPrefix(name, ownerPrefix); found {
				if said == nil {
					said = map[string][]owner{}
				}
				host, domain, _ := strings.Cut(value, "/")
				said[of] = append(said[of], owner{host, domain})
			}
		}
	}
	return said
}

// isForeign reports whether a cookie is only for other services. Of the owners that the request states
// for cookies of its name it takes the first.
func (o *cookieOwners) isForeign(name, value string, said map[string][]owner, t *Target) bool {
	if of := said[name]; len(of) > 0 {
		if len(of) > 1 {
			said[name] = of[1:]
		}
		return !of[0].has(t)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	owners := o.owners[o.hash(name, value)]
	return owners != 0 && owners&t.bit == 0
}
