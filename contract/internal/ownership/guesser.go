package ownership

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
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

// Trial counts the exchanges below a guessed base that fit the document of its interface.
type Trial struct {
	Claimed int // exchanges that show whether they fit
	Refuted int // exchanges that do not fit
}

// Add counts an exchange below the base. Refuted means that it does not fit the operation that it belongs to.
func (t *Trial) Add(item *record.Item, refuted bool) {
	if isConclusive(item) {
		t.count(!refuted)
	}
}

func (t *Trial) count(fits bool) {
	t.Claimed++
	if !fits {
		t.Refuted++
	}
}

// IsLost reports whether most exchanges do not fit.
func (t *Trial) IsLost() bool { return 2*t.Refuted > t.Claimed }

// isConclusive reports whether an exchange was answered, by a server that did not fail.
func isConclusive(item *record.Item) bool {
	genuine, _ := item.Genuine()
	answer := genuine.Response
	return answer != nil && answer.Status > 0 && answer.Status < http.StatusInternalServerError
}

// attempt is an exchange without an owner, with the candidates that it was judged by.
type attempt struct {
	isEvidence, isConclusive bool
	fitting, refuted         []claimant
}

// claimant is a candidate with the operation that an exchange may belong to.
type claimant struct {
	*candidate
	operation *specs.Operation
}

// Try judges an exchange by each of the candidates that its address fits. Judge judges it by given addresses, and
// reports whether it does not fit the operation that it then belongs to, and whether it could be judged.
func (g *Guesser) Try(item *record.Item, judge func(*Addresses) (refuted, ok bool)) {
	u, isOpen := g.addressOf(item)
	if !isOpen {
		return
	}
	fits := g.addresses.bestFits(item.Request.Method, u)
	if len(fits) == 0 {
		g.countUnexplained(item, u)
		return
	}
	s := attempt{isEvidence: isEvidence(item), isConclusive: isConclusive(item)}
	for _, c := range g.claimants(fits, u) {
		switch refuted, ok := judge(c.addresses); {
		case !ok:
			return
		case refuted:
			s.refuted = append(s.refuted, c)
		default:
			s.fitting = append(s.fitting, c)
		}
	}
	if s.isEvidence {
		for _, c := range s.fitting {
			c.score++
		}
	}
	g.attempts = append(g.attempts, s)
}

// claimants returns the candidates of an exchange, or nil if none of them can be guessed.
func (g *Guesser) claimants(fits []fit, u *url.URL) []claimant {
	var list []claimant
	isNeeded := false
	for _, f := range fits {
		if c := g.candidates[location{f.document, hostOf(u), f.base}]; c != nil {
			list = append(list, claimant{c, f.operation})
			isNeeded = isNeeded || c.isEnough(c.requested)
		}
	}
	if !isNeeded {
		return nil
	}
	return list
}

// countUnexplained counts an exchange without an operation against the candidates whose paths begin the same way: a
// server that answers /api/orders is hardly the one whose operations are /api/chats. Other paths, of pages and
// pictures, do not count.
func (g *Guesser) countUnexplained(item *record.Item, u *url.URL) {
	isQuestion := item.Request.Method == http.MethodHead || item.Request.Method == http.MethodOptions
	if isQuestion || !isEvidence(item) || !isConclusive(item) {
		return
	}
	_, path := specs.CutWorld(specs.MergeSlashes(u.EscapedPath()))
	for _, c := range g.byHost[hostOf(u)] {
		rest, isBelow := strings.CutPrefix(path, c.path+"/")
		if isBelow && g.firstSegments[c.document][firstSegment(rest)] &&
			c.document.Find(item.Request.Method, "/"+rest).Operation == nil {
			c.trial.count(false)
		}
	}
}

// Conclude returns the bases with enough evidence, in the order of the documents, those with the most exchanges first.
// The notes name rejected candidates, and the option that would confirm each.
func (g *Guesser) Conclude() (held []*Base, notes []string) {
	for i := range g.attempts {
		g.attempts[i].decide()
	}
	for _, d := range g.addresses.documents {
		if _, isGiven := g.addresses.given[d.Interface]; isGiven {
			continue
		}
		bases := 0
		for _, c := range g.likely(d) {
			switch {
			case c.trial.IsLost():
				notes = append(notes, c.refutedNote())
			case c.isEnough(c.attributed):
				if bases++; bases <= maxGuesses {
					held = append(held, c.base)
				}
			case len(c.tiedWith) > 0:
				notes = append(notes, c.tiedNote(g.addresses.documents))
			}
		}
	}
	slices.Sort(notes)
	return held, slices.Compact(notes)
}

// likely lists the candidates of a document with enough requested operations, the one that most exchanges fit first.
func (g *Guesser) likely(d *specs.Document) []*candidate {
	list := slices.DeleteFunc(slices.Collect(maps.Values(g.candidates)), func(c *candidate) bool {
		return c.document != d || !c.isEnough(c.requested)
	})
	slices.SortFunc(list, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.host, b.host), cmp.Compare(a.path, b.path))
	})
	return list
}

// decide attributes an exchange to the candidate with the best score among those that it fits, or else among those that
// it does not fit. An exchange that fits a candidate counts against none; one that fits none counts against all.
func (s *attempt) decide() {
	if len(s.fitting) > 0 {
		if winner := s.attribute(s.fitting); winner != nil && s.isConclusive {
			winner.trial.count(true)
		}
		return
	}
	s.attribute(s.refuted)
	for _, c := range s.refuted {
		if s.isConclusive {
			c.trial.count(false)
		}
	}
}

// attribute gives the operation to the candidate with the best score, and returns it, or nil if several are equal.
func (s *attempt) attribute(claimants []claimant) (winner *candidate) {
	best := bestOf(claimants)
	if len(best) == 1 {
		if s.isEvidence {
			best[0].attributed[best[0].operation] = true
		}
		return best[0].candidate
	}
	for _, c := range best {
		for _, other := range best {
			if other.candidate != c.candidate {
				c.tiedWith[other.candidate] = true
			}
		}
	}
	return nil
}

// bestOf lists the candidates that most exchanges fit.
func bestOf(claimants []claimant) (best []claimant) {
	for _, c := range claimants {
		if len(best) > 0 && c.score > best[0].score {
			best = best[:0]
		}
		if len(best) == 0 || c.score == best[0].score {
			best = append(best, c)
		}
	}
	return best
}

// refutedNote returns the note that most exchanges do not fit.
func (c *candidate) refutedNote() string {
	return fmt.Sprintf("%s looked like %s, but %d of %d exchanges do not fit: they are not judged; add %s to judge them "+
		"anyway",
		c.base.URL, c.document.Interface, c.trial.Refuted, c.trial.Claimed, c.base.Confirmation())
}

// tiedNote returns the note that several candidates fit equally well.
func (c *candidate) tiedNote(documents []*specs.Document) string {
	rivals := append(slices.Collect(maps.Keys(c.tiedWith)), c)
	slices.SortFunc(rivals, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(slices.Index(documents, a.document), slices.Index(documents, b.document)),
			cmp.Compare(a.path, b.path))
	})
	var names, options []string
	for _, rival := range rivals {
		names, options = append(names, string(rival.document.Interface)), append(options, rival.base.Confirmation())
	}
	return fmt.Sprintf("%s fits %s equally well, in %d exchanges: they are not judged; add %s",
		c.host, strings.Join(names, " and "), c.score, strings.Join(options, " or "))
}

// Confirmation returns the option that confirms a guess.
func (b *Base) Confirmation() string { return "--base " + string(b.Interface) + "=" + b.URL }

// The evidence for a base is the number of fixed segments in the paths of the requested operations, at most three of
// each operation, counted once; and one more if the base ends like the server of the document. Four are enough, or
// three in one path, or two if the address names the interface. As a rule two operations are enough, and one is not.
const (
	enoughWords      = 4
	enoughInOnePath  = 3
	enoughWhereNamed = 2

	maxWords = 3
)

// isEnough reports whether operations are enough evidence to guess a base.
func (p location) isEnough(operations map[*specs.Operation]bool) bool {
	sum, longest := 0, 0
	for op := range operations {
		sum += fixedSegments(op)
		longest = max(longest, fixedSegments(op))
	}
	if sum > 0 && p.document.BasePath != "" && strings.HasSuffix(p.path, p.document.BasePath) {
		sum++
	}
	return sum >= enoughWords || longest >= enoughInOnePath || sum >= enoughWhereNamed && p.isNamed()
}

// isNamed reports whether the address contains the name of the interface, as a word.
func (p location) isNamed() bool {
	return slices.Contains(strings.FieldsFunc(p.host+p.path, func(r rune) bool {
		return strings.ContainsRune(".-_/:", r)
	}), string(p.document.Interface))
}

// fit is an operation whose path is the end of a request's path.
type fit struct {
	document  *specs.Document
	operation *specs.Operation
	base      string // the path before it
	words     int
}

// bestFits lists the operations with the most fixed segments that fit the end of a path, one of each interface.
func (a *Addresses) bestFits(method string, u *url.URL) []fit {
	_, path := specs.CutWorld(specs.MergeSlashes(u.EscapedPath()))
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
			f := fit{d, m.Operation, path[:at], fixedSegments(m.Operation)}
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

// fixedSegments returns the number of segments of an operation's path that are the same in all requests, up to
// maxWords.
func fixedSegments(op *specs.Operation) int {
	n := 0
	for segment := range strings.SplitSeq(op.Path, "/") {
		if segment != "" && !strings.Contains(segment, "{") {
			n++
		}
	}
	return min(n, maxWords)
}
