package ownership

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/specs"
)

// Base addresses that were not given can be derived from a recording: the path of an operation has fixed segments, and
// what comes before them is a base address.
//
// Every interface is a candidate wherever its paths fit, even if a base elsewhere was given for it: then it is never
// guessed, but its exchanges do not count for others. An exchange that fits several candidates counts for the one that
// most exchanges fit; if several are equal, for none. A candidate is guessed if its operations are enough evidence,
// unless most of the exchanges that only it could explain do not fit. Exchanges with 404, 405 or 501 are not evidence.
// Nor are extras: other services have paths such as /api/version as well.

const (
	maxSegments   = 12 // of a path: a base is not deeper
	maxCandidates = 5000
	maxGuesses    = 16 // of one interface
)

// Guesser finds the base addresses of interfaces without a given one. Call Collect with all exchanges, then Try with
// the same exchanges, then Conclude. It is used by one goroutine.
type Guesser struct {
	addresses     *Addresses
	candidates    map[location]*candidate
	byHost        map[string][]*candidate // by host
	firstSegments map[*specs.Document]map[string]bool
	attempts      []attempt
}

// location is an address at which an interface may be.
type location struct {
	document   *specs.Document
	host, path string
}

// candidate is an interface at a location.
type candidate struct {
	location
	base      *Base
	addresses *Addresses // with the candidate's base in addition

	requested  map[*specs.Operation]bool // operations that exchanges may have requested
	attributed map[*specs.Operation]bool // operations that were attributed to it
	score      int                       // exchanges that fit
	trial      Trial
	tiedWith   map[*candidate]bool // other candidates that equally many exchanges fit
}

// NewGuesser returns a guesser without evidence.
func NewGuesser(a *Addresses) *Guesser {
	g := &Guesser{
		addresses: a, candidates: map[location]*candidate{}, byHost: map[string][]*candidate{},
		firstSegments: map[*specs.Document]map[string]bool{},
	}
	for _, d := range a.documents {
		g.firstSegments[d] = map[string]bool{}
		for _, op := range d.Operations {
			if head := firstSegment(op.Path); !strings.Contains(head, "{") {
				g.firstSegments[d][head] = true
			}
		}
	}
	return g
}

// firstSegment returns the first segment of a path.
func firstSegment(path string) string {
	head, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return head
}

// Collect adds the address of an exchange, unless the exchange has an owner.
func (g *Guesser) Collect(item *record.Item) {
	if !isEvidence(item) {
		return
	}
	u, isOpen := g.addressOf(item)
	if !isOpen {
		return
	}
	for _, f := range g.addresses.bestFits(item.Request.Method, u) {
		if c := g.candidateOf(f, u); c != nil {
			c.requested[f.operation] = true
		}
	}
}

// addressOf returns the address of an exchange, and whether the exchange has no owner yet.
func (g *Guesser) addressOf(item *record.Item) (u *url.URL, isOpen bool) {
	if g.addresses.Owner(item).State != Unmatched {
		return nil, false
	}
	u, _, err := g.addresses.url(&item.Request)
	return u, err == nil
}

// isEvidence reports whether the operation may exist, by the status of the answer.
func isEvidence(item *record.Item) bool {
	genuine, _ := item.Genuine()
	if genuine.Response == nil {
		return true
	}
	switch genuine.Response.Status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return false
	}
	return true
}

// candidateOf returns the candidate of an operation, made if there is none, or nil if there are too many.
func (g *Guesser) candidateOf(f fit, u *url.URL) *candidate {
	p := location{f.document, hostOf(u), f.base}
	c := g.candidates[p]
	if c == nil && len(g.candidates) < maxCandidates {
		scheme := cmp.Or(strings.ToLower(u.Scheme), "http")
		b := &Base{
			Interface: p.document.Interface, URL: scheme + "://" + p.host + p.path, Guessed: true,
			host: p.host, path: p.path, site: siteOf(p.document, p.host),
		}
		c = &candidate{
			location: p, base: b, addresses: g.addresses.With([]*Base{b}),
			requested: map[*specs.Operation]bool{}, attributed: map[*specs.Operation]bool{}, tiedWith: map[*candidate]bool{},
		}
		g.candidates[p] = c
		g.byHost[p.host] = append(g.byHost[p.host], c)
	}
	return c
}
