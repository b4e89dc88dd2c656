package judge

import (
	"net/http"
	"net/url"
	"strings"

	"svc.example/understudy/contract/internal/capture"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// Trial counts how much of what lies below a guessed base fits the document of its interface.
type Trial struct {
	Claimed int // exchanges that say whether they fit
	Refuted int // those that do not
}

// Take counts an exchange that was judged below the base.
func (t *Trial) Take(r *Result) {
	if isTelling(&r.Item) {
		t.count(!r.isRefuted())
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
func isTelling(item *capture.Item) bool {
	return item.Response != nil && item.Response.Status > 0 && item.Response.Status < http.StatusInternalServerError
}

// isRefuted reports whether a status, a media type or a body is not as the operation has it. Fields beyond the document say
// little, since servers add some; so do parameters and headers, which recorders leave out, and requests that were refused.
func (r *Result) isRefuted() bool {
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Verdict != report.Fail || f.Disputed || f.Severity == report.Notice {
			continue
		}
		switch f.Rule {
		case UndocumentedStatus, UndocumentedMediaType:
			return true
		case Schema:
			if strings.HasPrefix(f.Pointer, "/request/body") || strings.HasPrefix(f.Pointer, "/response/body") {
				return true
			}
		}
	}
	return false
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

// Try judges an exchange, by judged, as each of the candidates that its address fits.
func (g *Guesser) Try(item *capture.Item, judged func(*Judge) *Result) {
	u, isOpen := g.addressOf(item)
	if !isOpen {
		return
	}
	fits := g.judge.addresses.fits(item.Request.Method, u)
	if len(fits) == 0 {
		g.stray(item, u)
		return
	}
	s := sighting{isEvidence: isEvidence(item), isTelling: isTelling(item)}
	for _, c := range g.claimants(fits, u) {
		switch r := judged(c.judge); {
		case r == nil:
			return
		case r.isRefuted():
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
		if c := g.candidates[place{f.document, hostOf(u), f.base}]; c != nil {
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
func (g *Guesser) stray(item *capture.Item, u *url.URL) {
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
