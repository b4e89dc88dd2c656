package ownership

import (
	"net/http"
	"net/url"
	"strings"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/specs"
)

// Trial counts how much of what lies below a guessed base fits the document of its interface.
type Trial struct {
	Claimed int // exchanges that say whether they fit
	Refuted int // those that do not
}

// Take counts an exchange below the base. Refuted says that it does not fit the operation that it belongs to.
func (t *Trial) Take(item *record.Item, refuted bool) {
	if isTelling(item) {
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

// isTelling reports whether an exchange was answered, by a server that did not fail.
func isTelling(item *record.Item) bool {
	return item.Response != nil && item.Response.Status > 0 && item.Response.Status < http.StatusInternalServerError
}

// sighting is an exchange without an owner, and who may have it.
type sighting struct {
	isEvidence, isTelling bool
	fitting, refuted      []claimant
}

// claimant is a candidate, and the operation of it that an exchange may belong to.
type claimant struct {
	*candidate
	operation *specs.Operation
}

// Try judges an exchange as one of each of the candidates that its address fits. Judge does so for given addresses; it
// reports whether the exchange does not fit the operation that it then belongs to, and whether it could be judged.
func (g *Guesser) Try(item *record.Item, judge func(*Addresses) (refuted, ok bool)) {
	u, isOpen := g.addressOf(item)
	if !isOpen {
		return
	}
	fits := g.addresses.fits(item.Request.Method, u)
	if len(fits) == 0 {
		g.stray(item, u)
		return
	}
	s := sighting{isEvidence: isEvidence(item), isTelling: isTelling(item)}
	for _, c := range g.claimants(fits, u) {
		switch refuted, ok := judge(c.in); {
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
	g.sightings = append(g.sightings, s)
}

// claimants are the candidates of an exchange, or none if no one of them can be guessed.
func (g *Guesser) claimants(fits []fit, u *url.URL) []claimant {
	var list []claimant
	isNeeded := false
	for _, f := range fits {
		if c := g.candidates[location{f.document, hostOf(u), f.base}]; c != nil {
			list = append(list, claimant{c, f.operation})
			isNeeded = isNeeded || c.isEnough(c.asked)
		}
	}
	if !isNeeded {
		return nil
	}
	return list
}

// stray counts an exchange that no interface explains against the candidates that have others beside it: /api/orders
// says that what also answers /api/chats is something else. Pages and pictures stand elsewhere, and say nothing.
func (g *Guesser) stray(item *record.Item, u *url.URL) {
	isQuestion := item.Request.Method == http.MethodHead || item.Request.Method == http.MethodOptions
	if isQuestion || !isEvidence(item) || !isTelling(item) {
		return
	}
	_, path := cutWorld(u.EscapedPath())
	for _, c := range g.on[hostOf(u)] {
		rest, isBelow := strings.CutPrefix(path, c.path+"/")
		if isBelow && g.heads[c.document][headOf(rest)] && c.document.Find(item.Request.Method, "/"+rest).Operation == nil {
			c.trial.count(false)
		}
	}
}
