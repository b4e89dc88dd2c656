package ownership

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/specs"
)

// Where the interfaces were when a recording was made can be derived from the recording, if it was not given: an
// operation has fixed words in its path, and what stands before these is a base address.
//
// Every interface is a candidate wherever paths fit it, also one that was given a base elsewhere: that one is never
// guessed, but it keeps others from what is its own. Of several candidates that an exchange fits, the one that most
// exchanges fit has it; of equal ones, none. A candidate is guessed if what it has is enough, and unless most of what
// only it could explain does not fit. Exchanges that were answered with 404, 405 or 501 do not count as evidence for a
// candidate. Nor are extras: other services have paths such as /api/version as well.

const (
	maxSegments   = 12 // of a path: a base is not deeper
	maxCandidates = 5000
	maxGuesses    = 16 // of one interface
)

// Guesser finds base addresses of interfaces that were given none: it has to Collect the addresses of all exchanges,
// then to Try the same exchanges, and then to Conclude. It is used by one goroutine.
type Guesser struct {
	addresses  *Addresses
	candidates map[location]*candidate
	on         map[string][]*candidate // by host
	heads      map[*specs.Document]map[string]bool
	sightings  []sighting
}

// location is a place at which an interface may be.
type location struct {
	document   *specs.Document
	host, path string
}

// candidate is an interface at a place.
type candidate struct {
	location
	base *Base
	in   *Addresses // of a recording in which the interface is there

	asked map[*specs.Operation]bool // operations that an exchange may have asked for
	won   map[*specs.Operation]bool // those of them that it has
	score int                       // exchanges that fit
	trial Trial
	tied  map[*candidate]bool // that equally many exchanges fit
}

// NewGuesser returns a guesser that knows nothing yet.
func NewGuesser(a *Addresses) *Guesser {
	g := &Guesser{
		addresses: a, candidates: map[location]*candidate{}, on: map[string][]*candidate{},
		heads: map[*specs.Document]map[string]bool{},
	}
	for _, d := range a.documents {
		g.heads[d] = map[string]bool{}
		for _, op := range d.Operations {
			if head := headOf(op.Path); !strings.Contains(head, "{") {
				g.heads[d][head] = true
			}
		}
	}
	return g
}

// headOf is the first segment of a path.
func headOf(path string) string {
	head, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return head
}

// Collect takes the address of an exchange into account, unless the exchange has an owner already.
func (g *Guesser) Collect(item *record.Item) {
	if !isEvidence(item) {
		return
	}
	u, isOpen := g.addressOf(item)
	if !isOpen {
		return
	}
	for _, f := range g.addresses.fits(item.Request.Method, u) {
		if c := g.at(f, u); c != nil {
			c.asked[f.operation] = true
		}
	}
}

// addressOf returns the address of an exchange, and whether the exchange has no owner yet.
func (g *Guesser) addressOf(item *record.Item) (u *url.URL, isOpen bool) {
	if g.addresses.Owner(item).State != Unmatched {
		return nil, false
	}
	u, _, err := g.addresses.address(&item.Request)
	return u, err == nil
}

// isEvidence reports whether the answer leaves open that there is such an operation.
func isEvidence(item *record.Item) bool {
	if item.Response == nil {
		return true
	}
	switch item.Response.Status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return false
	}
	return true
}

// at returns the candidate of an operation, and makes it first if need be. It returns nil if there are too many.
func (g *Guesser) at(f fit, u *url.URL) *candidate {
	p := location{f.document, hostOf(u), f.base}
	c := g.candidates[p]
	if c == nil && len(g.candidates) < maxCandidates {
		scheme := cmp.Or(strings.ToLower(u.Scheme), "http")
		b := &Base{
			Interface: p.document.Interface, URL: scheme + "://" + p.host + p.path, Guessed: true,
			host: p.host, path: p.path, site: siteOf(p.document, p.host),
		}
		c = &candidate{
			location: p, base: b, in: g.addresses.With([]*Base{b}),
			asked: map[*specs.Operation]bool{}, won: map[*specs.Operation]bool{}, tied: map[*candidate]bool{},
		}
		g.candidates[p] = c
		g.on[p.host] = append(g.on[p.host], c)
	}
	return c
}
