package ownership

import (
	"net/http"
	"net/url"
	"strings"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/specs"
)

// Trial counts the exchanges below a guessed base that fit the document of its interface.
type Trial struct {
	Claimed int // exchanges that show whether they fit
	Refuted int // exchanges that do not fit
}

// Take counts an exchange below the base. Refuted means that it does not fit the operation that it belongs to.
func (t *Trial) Take(item *record.Item, refuted bool) {
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
