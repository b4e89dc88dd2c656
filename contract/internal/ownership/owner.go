// Package ownership finds the interface and the operation that an exchange belongs to, by the base addresses of the
// interfaces: those that a user gave, the default ones, those of a local mock, and those that a Guesser finds in a
// recording.
package ownership

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
	"svc.example/understudy/specs/source"
)

// Owner is the interface and the operation that an exchange belongs to.
type Owner struct {
	State     State
	Document  *specs.Document // of the interface, when it is Matched
	Match     specs.Match     // Operation is nil when the interface documents no such operation
	Path      string          // below the base address, escaped, without empty segments
	Query     string
	World     string
	Base      *Base    // the base address that fits, or nil for a default one
	Rewritten bool     // the recorded address was replaced by a rewrite
	Mock      bool     // the address is the default one of a local mock
	Site      string   // the installation, whose interfaces share users, keys and data
	Claimants []string // the interfaces that may own the exchange, if the state is Several
}

// State is the result of the search for an owner.
type State int

// States of ownership.
const (
	Unmatched State = iota // no interface has this address
	Matched                // one interface has it
	Several                // more than one has it, and the path does not decide between them
	Ignored                // not part of the contract: preflights, tunnels, probes for methods, the control interface
)

// Addresses knows the base addresses of the interfaces.
//
// An interface that was given base addresses has those. One that was not has its default address,
// https://{interface}.svc.example, or the brand's word in place of svc, with the path of its document's server, with or
// without a region. Both kinds also have the addresses of a local mock: on loopback hosts the path /{interface} with
// that path, and the host {interface}.localhost.
//
// Addresses belong to the same installation if their hosts are the same without the interface's name. Of given
// addresses the first ones of all interfaces form one installation, the second ones another.
//
// The scheme does not matter: proxies change it. Of several bases that fit, the longest wins; between equally long ones
// the documented path decides.
//
// Guessed bases are used in addition to the default addresses.
type Addresses struct {
	documents   []*specs.Document
	given       map[specs.Interface][]*Base
	guessed     map[specs.Interface][]*Base
	rewrites    []Rewrite
	isMockOnAll bool // each host is one of a local mock
	basesByHost hostMemo
}

// NewAddresses takes the documents, the bases that a user gave, as URLs by interface, and the rewrites of recorded
// addresses, of which the first that fits decides.
func NewAddresses(
	documents []*specs.Document, given map[specs.Interface][]string, rewrites []Rewrite,
) (*Addresses, error) {
	a := &Addresses{documents: documents, given: map[specs.Interface][]*Base{}, rewrites: rewrites}
	for name, list := range given {
		known := func(d *specs.Document) bool { return d.Interface == name }
		if !slices.ContainsFunc(documents, known) {
			var names []string
			for _, d := range documents {
				names = append(names, string(d.Interface))
			}
			return nil, fmt.Errorf("base of %q: unknown interface; want %s", name, source.OneOf(string(name), names))
		}
		for _, raw := range list {
			u, err := url.Parse(raw)
			if err != nil || u.Host == "" {
				return nil, fmt.Errorf("base of %s: %q is not an absolute URL", name, raw)
			}
			a.given[name] = append(a.given[name], newBase(name, u))
		}
	}
	a.groupBySite()
	return a, nil
}

// OnAllHosts returns the addresses with those of a local mock on all hosts: it is one installation, under whichever
// names its clients know it.
func (a *Addresses) OnAllHosts() *Addresses {
	all := a.With(nil)
	all.isMockOnAll = true
	return all
}

// claim is an interface that an address may belong to.
type claim struct {
	document *specs.Document
	weight   int // how specific the base is
	path     string
	base     hostBase
	match    specs.Match
}

// AddressOf returns the URL of a request. Middleware records the path alone, which may begin with two slashes, and the
// host as a header.
func AddressOf(r *recording.Request) (*url.URL, error) {
	host, parse := r.Headers.Value("Host"), url.Parse
	if host != "" && strings.HasPrefix(r.URL, "//") {
		parse = url.ParseRequestURI
	}
	u, err := parse(r.URL)
	if err == nil && u.Host == "" && u.Scheme == "" {
		u.Host = host
	}
	return u, err
}

// Owner returns the owner of an exchange.
func (a *Addresses) Owner(item *record.Item) Owner {
	to, isRewritten, err := a.address(&item.Request)
	if err != nil {
		return Owner{}
	}
	owner := Owner{World: item.World, Query: to.query, Rewritten: isRewritten}
	world, path := specs.CutWorld(to.path)
	if owner.World == "" {
		owner.World = cmp.Or(world, item.Request.Headers.Value("X-Understudy-World"))
	}
	if _, isControl := specs.Below(path, "/_understudy"); isControl || isNoClientRequest(&item.Request, to.scheme) {
		owner.State = Ignored
		return owner
	}
	var room [2]claim // mostly enough
	claims := a.claims(room[:0], to.host, path)
	if len(claims) == 0 {
		return owner
	}
	if owner = owner.decide(item.Request.Method, claims); a.isMockOnAll && owner.State == Matched {
		owner.Site, owner.Mock = "mock", true
	}
	return owner
}

// isNoClientRequest reports whether a browser or a proxy made a request, and not a client: a preflight, a tunnel, or a
// WebSocket.
func isNoClientRequest(r *recording.Request, scheme string) bool {
	switch r.Method {
	case http.MethodConnect:
		return true
	case http.MethodOptions:
		return r.Headers.Value("Access-Control-Request-Method") != ""
	}
	return scheme == "ws" || scheme == "wss"
}

// claims appends the interfaces whose bases fit, only those with the most specific base, to an empty list.
func (a *Addresses) claims(best []claim, host, path string) []claim {
	for _, b := range a.basesOn(host) {
		rest, fits := specs.Below(path, b.path)
		if !fits {
			continue
		}
		c := claim{document: b.document, weight: len(b.path), path: cmp.Or(specs.MergeSlashes(rest), "/"), base: b}
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
// A guessed base counts for documented paths only: other paths below it may be pages and pictures of a web application.
func (o Owner) decide(method string, claims []claim) Owner {
	for i := range claims {
		claims[i].match = claims[i].operation(method)
	}
	claims = slices.DeleteFunc(claims, func(c claim) bool {
		return c.base.elsewhere[c.match.Operation] || c.base.Guessed && c.match.Operation == nil && c.match.Allow == ""
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
	o.Base, o.Site, o.Mock = chosen.base.configured, chosen.base.site, chosen.base.mock
	if o.Match.Operation == nil && isProbe(method, o.Match.Allow) {
		o.State = Ignored
	}
	return o
}

// operation finds the operation of the path. Below a base that the user gave, paths may also begin as the user's own
// document writes them.
func (c *claim) operation(method string) specs.Match {
	m := c.document.Find(method, c.path)
	if m.Operation == nil && m.Allow == "" && c.base.configured != nil && !c.base.Guessed {
		return c.document.FindWritten(method, c.path)
	}
	return m
}

// isProbe reports whether a request only probes a documented path: by HEAD where GET is documented, or by OPTIONS.
func isProbe(method, allow string) bool {
	return method == http.MethodOptions && allow != "" || method == http.MethodHead && strings.Contains(allow, "GET")
}

// Shown returns a method and a path that may be shown, and that are the same for requests on different things: segments
// that look like an id, or may be a key, become *, and long paths are cut.
func Shown(method, path string) (safeMethod, safePath string) {
	const longest = 300
	if len(path) > longest {
		cut := strings.LastIndexByte(path[:longest+1], '/')
		return shownMethod(method), shownPath(path[:max(cut, 0)]) + "/…"
	}
	return shownMethod(method), shownPath(path)
}

// shownMethod returns a method, unless the text may be something else.
func shownMethod(method string) string {
	const longest = 20
	isNone := method == "" || len(method) > longest || strings.ContainsFunc(method, func(r rune) bool {
		return !('A' <= r && r <= 'Z' || r == '-' || r == '_')
	})
	if isNone {
		return "(no method)"
	}
	return method
}

func shownPath(path string) string {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		segments[i] = ShownSegment(segment)
	}
	return strings.Join(segments, "/")
}

// ShownSegment returns a segment of a path if it is a word or a version such as v3, or else *.
func ShownSegment(segment string) string {
	const longWord = 32
	word, _, _ := strings.Cut(segment, ";")
	isVersion := len(word) > 1 && len(word) <= 4 && word[0] == 'v' && strings.Trim(word[1:], "0123456789.") == ""
	isWord := len(word) <= longWord && !slices.ContainsFunc([]byte(word), func(c byte) bool {
		isLetter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		return !isLetter && !strings.ContainsRune("._-:", rune(c))
	})
	if isVersion || isWord {
		return word
	}
	return "*"
}

// FindOperation returns an operation that an exchange may belong to, whatever its address: one whose path is the end of
// the exchange's. It is one of the extras only if no other one fits: their paths may be any two words. It returns nil
// if there is none. It is for taking secrets out, not for judging.
func FindOperation(documents []*specs.Document, e *recording.Exchange) *specs.Operation {
	u, err := AddressOf(&e.Request)
	if err != nil {
		return nil
	}
	var extra *specs.Operation
	for path := specs.MergeSlashes(u.EscapedPath()); path != ""; path = afterSegment(path) {
		for _, d := range documents {
			switch m := d.Find(e.Request.Method, path); {
			case m.Operation == nil:
			case !m.Operation.IsExtra():
				return m.Operation
			case extra == nil:
				extra = m.Operation
			}
		}
	}
	return extra
}

// afterSegment returns a path without its first segment.
func afterSegment(path string) string {
	if i := strings.IndexByte(path[1:], '/'); i >= 0 {
		return path[1+i:]
	}
	return ""
}
