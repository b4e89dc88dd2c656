// Package ownership finds the interface and the operation that an exchange belongs to, by the base addresses of the
// interfaces: those that a user gave, the default ones, those of a local mock, and those that a Guesser finds in a
// recording.
package ownership

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// Owner is the interface and the operation that an exchange belongs to.
type Owner struct {
	State     State
	Document  *specs.Document // of the interface, when it is Matched
	Match     specs.Match     // Operation is nil when the interface documents no such operation
	Path      string          // below the base address, escaped
	Query     string
	World     string
	Base      *Base    // that it was found under, or nil for a default address
	Rewritten bool     // it stands for another address than the one that was recorded
	Mock      bool     // it is at an address that a mock gives itself on this machine
	Site      string   // the installation: its interfaces have the same users, keys and data behind them
	Claimants []string // the interfaces that an exchange of Several may belong to
}

// State is the result of the search for an owner.
type State int

// States of ownership.
const (
	Unmatched State = iota // no interface has this address
	Matched                // one interface has it
	Several                // more than one has it, and the path does not decide between them
	Ignored                // no part of the contract: preflights, tunnels, questions about methods, the control interface
)

// Addresses knows the base addresses of the interfaces.
//
// An interface that was given base addresses has those. One that was not has its default address,
// https://{interface}.svc.example, or the brand's word in place of svc, with the path of its document's server, with or
// without a region. Either has the addresses that a local mock gives it: on loopback hosts the path /{interface} with
// that path, and the host {interface}.localhost.
//
// Addresses of one installation differ from those of another by their host, without the interface's name in it; of
// given ones, those that were given first for their interfaces are of one installation, the second ones of another.
//
// The scheme plays no part: proxies change it. Of several bases that fit, the longest wins; between equally long ones
// the documented path decides.
//
// Bases that were guessed come beside the default addresses.
type Addresses struct {
	documents []*specs.Document
	given     map[specs.Interface][]*Base
	guessed   map[specs.Interface][]*Base
	rewrites  []Rewrite
	located   sync.Map // host → []located, of the first maxHosts
	hosts     atomic.Int32
}

// NewAddresses takes the documents, the bases that a user gave, as URLs by interface, and the rewrites of recorded
// addresses, of which the first that fits decides.
func NewAddresses(documents []*specs.Document, given map[specs.Interface][]string, rewrites []Rewrite) (*Addresses,
	error,
) {
	a := &Addresses{documents: documents, given: map[specs.Interface][]*Base{}, rewrites: rewrites}
	for name, list := range given {
		known := func(d *specs.Document) bool { return d.Interface == name }
		if !slices.ContainsFunc(documents, known) {
			return nil, fmt.Errorf("base of %q: unknown interface", name)
		}
		for _, raw := range list {
			u, err := url.Parse(raw)
			if err != nil || u.Host == "" {
				return nil, fmt.Errorf("base of %s: %q is not an absolute URL", name, raw)
			}
			a.given[name] = append(a.given[name], newBase(name, u))
		}
	}
	a.group()
	return a, nil
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
	base     located
	match    specs.Match
}

// AddressOf returns where a request went. A middleware records the path alone, and the host among the headers.
func AddressOf(r *recording.Request) (*url.URL, error) {
	u, err := url.Parse(r.URL)
	if err == nil && u.Host == "" && u.Scheme == "" {
		u.Host = r.Headers.Value("Host")
	}
	return u, err
}

// Owner returns the owner of an exchange.
func (a *Addresses) Owner(item *record.Item) Owner {
	u, isRewritten, err := a.address(&item.Request)
	if err != nil {
		return Owner{}
	}
	owner := Owner{World: item.World, Query: u.RawQuery, Rewritten: isRewritten}
	world, path := cutWorld(u.EscapedPath())
	for _, name := range []string{world, item.Request.Headers.Value("X-Understudy-World")} {
		if owner.World == "" {
			owner.World = name
		}
	}
	if path == "/_understudy" || strings.HasPrefix(path, "/_understudy/") || isPlumbing(item.Request, u) {
		owner.State = Ignored
		return owner
	}
	claims := a.claims(hostOf(u), path)
	if len(claims) == 0 {
		return owner
	}
	return owner.decide(item.Request.Method, claims)
}

// isPlumbing reports whether a request is of a browser or a proxy and not of a client: a preflight, a tunnel, or a
// WebSocket.
func isPlumbing(r recording.Request, u *url.URL) bool {
	switch r.Method {
	case http.MethodConnect:
		return true
	case http.MethodOptions:
		return r.Headers.Value("Access-Control-Request-Method") != ""
	}
	return u.Scheme == "ws" || u.Scheme == "wss"
}

// claims lists the interfaces whose most specific base fits.
func (a *Addresses) claims(host, path string) []claim {
	var best []claim
	for _, b := range a.on(host) {
		rest, fits := strings.CutPrefix(path, b.path)
		if !fits || rest != "" && rest[0] != '/' {
			continue
		}
		if rest == "" {
			rest = "/"
		}
		c := claim{document: b.document, weight: len(b.path), path: rest, base: b}
		if len(best) > 0 && c.weight > best[0].weight {
			best = best[:0]
		}
		if len(best) == 0 || c.weight == best[0].weight {
			best = append(best, c)
		}
	}
	return best
}

// decide picks the claim whose document has the path.
//
// A base that was guessed is good for documented paths only: beside them the pages and pictures of a web application
// may stand, and those need not be the interface's.
func (o Owner) decide(method string, claims []claim) Owner {
	for i := range claims {
		claims[i].match = claims[i].find(method)
	}
	claims = slices.DeleteFunc(claims, func(c claim) bool {
		return c.base.Guessed && c.match.Operation == nil && c.match.Allow == ""
	})
	if len(claims) == 0 {
		return o
	}
	fitting := 0
	chosen := claims[0]
	for i := range claims {
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
			o.Claimants = append(o.Claimants, string(c.document.Interface))
		}
		return o
	}
	o.State, o.Document, o.Match, o.Path = Matched, chosen.document, chosen.match, chosen.path
	o.Base, o.Site, o.Mock = chosen.base.own, chosen.base.site, chosen.base.mock
	if o.Match.Operation == nil && isQuestion(method, o.Match.Allow) {
		o.State = Ignored
	}
	return o
}

// find gives the path to an operation. Below a base that the user gave, the paths of a document of their own may begin
// as it writes them.
func (c *claim) find(method string) specs.Match {
	m := c.document.Find(method, c.path)
	if m.Operation == nil && m.Allow == "" && c.base.own != nil && !c.base.Guessed {
		return c.document.FindWritten(method, c.path)
	}
	return m
}

// isQuestion reports whether a request only asks about a documented path: every GET may be asked for as HEAD, and
// every path for its OPTIONS.
func isQuestion(method, allow string) bool {
	return method == http.MethodOptions && allow != "" || method == http.MethodHead && strings.Contains(allow, "GET")
}
