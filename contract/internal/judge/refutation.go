package judge

import (
	"strings"

	"svc.example/understudy/contract/report"
)

// IsRefuted reports whether a status, a media type or a body does not match the operation, so that the exchange may
// belong to something else. Undocumented fields say little, since servers add some; so do parameters and headers, which
// recorders leave out, and requests that were refused.
func (r *Result) IsRefuted() bool {
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
