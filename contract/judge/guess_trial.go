package judge

import (
	"net/http"
	"strings"

	"svc.example/understudy/contract/capture"
	"svc.example/understudy/contract/report"
)

// Trial counts how much of what lies below a guessed base fits the document of its interface.
type Trial struct {
	Claimed int // exchanges that say whether they fit
	Refuted int // those that do not
}

// Take counts an exchange that was judged below the base. One that was not answered, or whose server failed, tells nothing.
func (t *Trial) Take(r *Result) {
	if status := r.status(); status == 0 || status >= http.StatusInternalServerError {
		return
	}
	t.Claimed++
	if r.isRefuted() {
		t.Refuted++
	}
}

// IsLost reports whether most exchanges do not fit.
func (t *Trial) IsLost() bool { return 2*t.Refuted > t.Claimed }

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

// Covers reports whether an exchange lies below a base.
func (j *Judge) Covers(b *Base, item *capture.Item) bool {
	u, _, err := j.addresses.address(&item.Request)
	if err != nil || hostOf(u) != b.host {
		return false
	}
	_, path := cutWorld(u.EscapedPath())
	rest, fits := strings.CutPrefix(path, b.path)
	return fits && (rest == "" || rest[0] == '/')
}
