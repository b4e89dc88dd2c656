package judge

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"svc.example/understudy/contract/capture"
	"svc.example/understudy/specs"
)

// Where the interfaces were when a recording was made can be told from the recording, when nobody said: an operation has
// fixed words in its path, and what stands before these is a base address.
//
// What counts: the words of each operation that was asked for, once, however often it was, and at most three; one more
// when the base ends as the document's own server does. Exchanges that were answered with 404, 405 or 501 do not count,
// nor do those that another interface explains as well, unless it has nothing else there: /api/projects alone tells
// nothing, beside /api/pools it does. That holds also of interfaces whose own base was given, which are never guessed. Extras do not count: other services have paths such as /api/version as well.
//
// What is enough: four words, or three in one path, or two under an address that names the interface. Two operations
// are, as a rule; one alone hardly ever is.
const (
	enoughWords      = 4
	enoughInOnePath  = 3
	enoughWhereNamed = 2

	maxWords    = 3
	maxSegments = 12 // of a path: a base is not deeper
	maxPlaces   = 5000
	maxGuesses  = 16 // of one interface
)

// Guesser finds base addresses of interfaces that were given none. It is used by one goroutine.
type Guesser struct {
	judge  *Judge
	places map[place]*evidence
}

// place is where an interface may be.
type place struct {
	document   *specs.Document
	host, path string
}

// evidence is what speaks for an interface being at a place.
type evidence struct {
	url       string
	own       map[*specs.Operation]bool                     // operations that no other interface has there
	shared    map[*specs.Operation]map[*specs.Document]bool // those that others have, and who they are
	exchanges int
}

// Guesser makes one that knows nothing yet.
func (j *Judge) Guesser() *Guesser { return &Guesser{judge: j, places: map[place]*evidence{}} }

// See takes an exchange into account, unless it has an owner as it is.
func (g *Guesser) See(item *capture.Item) {
	if !g.speaks(item) {
		return
	}
	u, _, err := g.judge.addresses.address(&item.Request)
	if err != nil {
		return
	}
	fits := g.judge.addresses.fits(item.Request.Method, u)
	for _, f := range fits {
		e := g.at(f, u)
		if e == nil {
			continue
		}
		e.exchanges++
		if len(fits) == 1 {
			e.own[f.operation] = true
			continue
		}
		if e.shared[f.operation] == nil {
			e.shared[f.operation] = map[*specs.Document]bool{}
		}
		for _, other := range fits {
			if other.document != f.document {
				e.shared[f.operation][other.document] = true
			}
		}
	}
}

// speaks reports whether an exchange may say where an interface is.
func (g *Guesser) speaks(item *capture.Item) bool {
	if item.Response != nil {
		switch item.Response.Status {
		case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
			return false
		}
	}
	return g.judge.addresses.Owner(item).State == Unmatched
}

func (g *Guesser) at(f fit, u *url.URL) *evidence {
	p := place{f.document, hostOf(u), f.base}
	e := g.places[p]
	if e == nil && len(g.places) < maxPlaces {
		scheme := cmp.Or(strings.ToLower(u.Scheme), "http")
		e = &evidence{
			url: scheme + "://" + p.host + p.path,
			own: map[*specs.Operation]bool{}, shared: map[*specs.Operation]map[*specs.Document]bool{},
		}
		g.places[p] = e
	}
	return e
}

// fit is an operation that the end of a path may ask for.
type fit struct {
	document  *specs.Document
	operation *specs.Operation
	base      string // what stands before it
	words     int
}

// fits lists the operations that fit the end of a path best, one of each interface.
func (a *Addresses) fits(method string, u *url.URL) []fit {
	_, path := cutWorld(u.EscapedPath())
	if u.Host == "" || !strings.HasPrefix(path, "/") {
		return nil
	}
	var best []fit
	for _, d := range a.documents {
		f := bestFit(d, method, path)
		if len(best) > 0 && f.words > best[0].words {
			best = best[:0]
		}
		if f.words > 0 && (len(best) == 0 || f.words == best[0].words) {
			best = append(best, f)
		}
	}
	return best
}

func bestFit(d *specs.Document, method, path string) (best fit) {
	at := 0
	for range maxSegments {
		if m := d.Find(method, path[at:]); m.Operation != nil && !m.Operation.IsExtra() {
			f := fit{d, m.Operation, path[:at], words(m.Operation)}
			if d.BasePath != "" && strings.HasSuffix(f.base, d.BasePath) {
				f.words++
			}
			if f.words > best.words {
				best = f
			}
		}
		next := strings.IndexByte(path[at+1:], '/')
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return best
}

// words is how many segments of an operation's path are the same in all requests.
func words(op *specs.Operation) int {
	n := 0
	for segment := range strings.SplitSeq(op.Path, "/") {
		if segment != "" && !strings.Contains(segment, "{") {
			n++
		}
	}
	return min(n, maxWords)
}

// Bases are those that there is enough evidence for, in the order of the documents, the busiest first.
func (g *Guesser) Bases() []*Base {
	var bases []*Base
	for _, d := range g.judge.addresses.documents {
		if _, isGiven := g.judge.addresses.given[d.Interface]; isGiven {
			continue
		}
		var places []place
		for p := range g.places {
			if p.document == d && g.isEnough(p) {
				places = append(places, p)
			}
		}
		slices.SortFunc(places, func(a, b place) int {
			return cmp.Or(cmp.Compare(g.places[b].exchanges, g.places[a].exchanges),
				cmp.Compare(a.host, b.host), cmp.Compare(a.path, b.path))
		})
		for _, p := range places[:min(len(places), maxGuesses)] {
			bases = append(bases, &Base{
				Interface: d.Interface, URL: g.places[p].url, Guessed: true,
				host: p.host, path: p.path, site: siteOf(d, p.host),
			})
		}
	}
	return bases
}

func (g *Guesser) isEnough(p place) bool {
	e := g.places[p]
	if len(e.own) == 0 {
		return false
	}
	sum, longest := 0, 0
	count := func(op *specs.Operation) {
		sum += words(op)
		longest = max(longest, words(op))
	}
	for op := range e.own {
		count(op)
	}
	for op, rivals := range e.shared {
		isContested := false
		for rival := range rivals {
			other := g.places[place{rival, p.host, p.path}]
			isContested = isContested || other != nil && len(other.own) > 0
		}
		if !isContested {
			count(op)
		}
	}
	if p.document.BasePath != "" && strings.HasSuffix(p.path, p.document.BasePath) {
		sum++
	}
	return sum >= enoughWords || longest >= enoughInOnePath || sum >= enoughWhereNamed && p.isNamed()
}

// isNamed reports whether the address has the interface's name in it, as a word.
func (p place) isNamed() bool {
	return slices.Contains(strings.FieldsFunc(p.host+p.path, func(r rune) bool {
		return strings.ContainsRune(".-_/:", r)
	}), p.document.Interface)
}

// With is the same judge, with everything that it remembers, for a recording in which interfaces are also at other
// addresses.
func (j *Judge) With(guessed []*Base) *Judge {
	twin := *j
	twin.addresses = &Addresses{
		documents: j.addresses.documents, given: j.addresses.given, rewrites: j.addresses.rewrites,
		guessed: map[string][]*Base{},
	}
	for _, b := range guessed {
		twin.addresses.guessed[b.Interface] = append(twin.addresses.guessed[b.Interface], b)
	}
	return &twin
}

// Guessed is a base address that was guessed before, as a report has it.
func (j *Judge) Guessed(iface, raw string) (*Base, bool) {
	u, err := url.Parse(raw)
	i := slices.IndexFunc(j.addresses.documents, func(d *specs.Document) bool { return d.Interface == iface })
	if err != nil || i < 0 {
		return nil, false
	}
	b := newBase(iface, u)
	b.Guessed, b.site = true, siteOf(j.addresses.documents[i], b.host)
	return b, true
}

// Bases are those that were given and those that were guessed, in the order of the documents.
func (j *Judge) Bases() []*Base {
	var bases []*Base
	for _, d := range j.addresses.documents {
		bases = append(append(bases, j.addresses.given[d.Interface]...), j.addresses.guessed[d.Interface]...)
	}
	return bases
}
