package judge

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"svc.example/understudy/contract/capture"
	"svc.example/understudy/specs"
)

// Owner says whose an exchange is.
type Owner struct {
	State     State
	Document  *specs.Document // of the interface, when it is Matched
	Match     specs.Match     // Operation is nil when the interface documents no such operation
	Path      string          // below the base address, escaped
	Query     string
	World     string
	Site      string   // the installation: its interfaces have the same users, keys and data behind them
	Claimants []string // the interfaces that an exchange of Several may belong to
}

// State is what is known of an exchange's owner.
type State int

// States of ownership.
const (
	Unmatched State = iota // no interface has this address
	Matched                // one interface has it
	Several                // more than one has it, and the path does not decide between them
	Ignored                // no part of the contract: preflights, questions about methods, the control interface
)

// Addresses knows the base addresses of the interfaces.
//
// An interface that was given base addresses has those and no others. One that was not has its default address,
// https://{interface}.svc.example with the path of its document's server, with or without a region, and the addresses
// that a local mock gives it:
// on loopback hosts the path /{interface} with that path, and the host {interface}.localhost.
//
// Addresses of one installation are told from those of another by their host, without the interface's name in it; of
// given ones, those that were given first for their interfaces are of one installation, the second ones of another.
//
// The scheme plays no part: proxies change it. Of several bases that fit, the longest wins; between equally long ones
// the documented path decides.
type Addresses struct {
	documents []*specs.Document
	given     map[string][]base
}

type base struct {
	host, path string // host in lower case, with its port unless that is the scheme's own
	site       string
}

// NewAddresses takes the documents and the bases that a user gave, as URLs by interface.
func NewAddresses(documents []*specs.Document, given map[string][]string) (*Addresses, error) {
	a := &Addresses{documents: documents, given: map[string][]base{}}
	for name, list := range given {
		known := func(d *specs.Document) bool { return d.Interface == name }
		if !slices.ContainsFunc(documents, known) {
			return nil, fmt.Errorf("base of %q: there is no such interface", name)
		}
		for _, raw := range list {
			u, err := url.Parse(raw)
			if err != nil || u.Host == "" {
				return nil, fmt.Errorf("base of %s: %q is not an absolute URL", name, raw)
			}
			_, path := cutWorld(strings.TrimSuffix(u.EscapedPath(), "/"))
			a.given[name] = append(a.given[name], base{host: hostOf(u), path: path})
		}
	}
	a.group()
	return a, nil
}

// group names the sites of the given bases, each after the first interface that has a base of it.
func (a *Addresses) group() {
	var sites []string
	for _, d := range a.documents {
		for i, b := range a.given[d.Interface] {
			if i == len(sites) {
				sites = append(sites, siteOf(d, b.host))
			}
			a.given[d.Interface][i].site = sites[i]
		}
	}
}

// siteOf is a host without the interface's name. Regions are sites of their own; the default one is often left out.
func siteOf(d *specs.Document, host string) string {
	region, rest, found := strings.Cut(host, d.Interface+".")
	if !found || region != "" && !strings.HasSuffix(region, ".") {
		return host
	}
	return strings.TrimPrefix(region, "us01.") + rest
}

// isNamed reports whether a host has a name, or a region before it.
func isNamed(host, name string) bool { return host == name || strings.HasSuffix(host, "."+name) }

func hostOf(u *url.URL) string {
	host := strings.ToLower(u.Host)
	for _, own := range []string{":80", ":443"} {
		host = strings.TrimSuffix(host, own)
	}
	return host
}

// cutWorld takes the prefix off a path that chooses a world of the mock.
func cutWorld(path string) (world, rest string) {
	after, found := strings.CutPrefix(path, "/_worlds/")
	if !found {
		return "", path
	}
	world, rest, _ = strings.Cut(after, "/")
	return world, strings.TrimSuffix("/"+rest, "/")
}

// claim is an interface that an address belongs to.
type claim struct {
	document *specs.Document
	weight   int // how specific the base is
	path     string
	site     string
	match    specs.Match
}

// Owner finds the owner of an exchange.
func (a *Addresses) Owner(item *capture.Item) Owner {
	u, err := url.Parse(item.Request.URL)
	if err != nil {
		return Owner{}
	}
	if u.Host == "" {
		u.Host = item.Request.Headers.Value("Host")
	}
	owner := Owner{World: item.World, Query: u.RawQuery}
	world, path := cutWorld(u.EscapedPath())
	for _, name := range []string{world, item.Request.Headers.Value("X-Understudy-World")} {
		if owner.World == "" {
			owner.World = name
		}
	}
	if path == "/_understudy" || strings.HasPrefix(path, "/_understudy/") || isPreflight(item) {
		owner.State = Ignored
		return owner
	}
	claims := a.claims(hostOf(u), path)
	if len(claims) == 0 {
		return owner
	}
	return owner.decide(item.Request.Method, claims)
}

func isPreflight(item *capture.Item) bool {
	return item.Request.Method == http.MethodOptions &&
		item.Request.Headers.Value("Access-Control-Request-Method") != ""
}

// claims lists the interfaces whose most specific base fits.
func (a *Addresses) claims(host, path string) []claim {
	var best []claim
	for _, d := range a.documents {
		for _, b := range a.basesFor(d, host) {
			rest, fits := strings.CutPrefix(path, b.path)
			if b.host != host || !fits || rest != "" && rest[0] != '/' {
				continue
			}
			if rest == "" {
				rest = "/"
			}
			c := claim{document: d, weight: len(b.host) + len(b.path), path: rest, site: b.site}
			if len(best) > 0 && c.weight > best[0].weight {
				best = nil
			}
			if len(best) == 0 || c.weight == best[0].weight {
				best = append(best, c)
			}
		}
	}
	return best
}

func (a *Addresses) basesFor(d *specs.Document, host string) []base {
	if given, ok := a.given[d.Interface]; ok {
		return given
	}
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	switch {
	case isNamed(name, d.Interface+".localhost"), isNamed(host, d.Interface+".svc.example"):
		return []base{{host: host, path: d.BasePath, site: siteOf(d, host)}}
	case isLoopback(name):
		return []base{{host: host, path: "/" + d.Interface + d.BasePath, site: host}}
	}
	return nil
}

func isLoopback(name string) bool {
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}

// decide picks the claim whose document has the path.
func (o Owner) decide(method string, claims []claim) Owner {
	fitting := 0
	chosen := claims[0]
	for i := range claims {
		claims[i].match = claims[i].document.Find(method, claims[i].path)
		if claims[i].match.Operation != nil {
			fitting++
			chosen = claims[i]
		}
	}
	if len(claims) == 1 {
		chosen = claims[0]
	} else if fitting != 1 {
		o.State = Several
		for _, c := range claims {
			o.Claimants = append(o.Claimants, c.document.Interface)
		}
		return o
	}
	o.State, o.Document, o.Match, o.Path = Matched, chosen.document, chosen.match, chosen.path
	o.Site = chosen.site
	if o.Match.Operation == nil && isQuestion(method, o.Match.Allow) {
		o.State = Ignored
	}
	return o
}

// isQuestion reports whether a request only asks about a documented path: every GET may be asked for as HEAD, and
// every path for its OPTIONS.
func isQuestion(method, allow string) bool {
	return method == http.MethodOptions && allow != "" || method == http.MethodHead && strings.Contains(allow, "GET")
}
