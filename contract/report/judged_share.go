package report

import (
	"fmt"
	"strings"
)

// Judged describes how much of the recording was judged.
type Judged struct {
	Parameters int      `json:"parameters"` // requests whose parameters were judged
	Bodies     int      `json:"bodies"`     // of requests and of answers
	Unjudged   int      `json:"unjudged"`   // bodies that could not be
	Reasons    []Reason `json:"reasons"`    // why not, the most frequent first
}

// Reason describes why bodies could not be judged.
type Reason struct {
	Reason string `json:"reason"`
	Count  int    `json:"count"`
}

// Limit is an upper bound and the actual value, both in percent.
type Limit struct {
	Most float64 `json:"most"`
	Got  float64 `json:"got"`
}

// Exceeded reports whether the value is above the limit.
func (l *Limit) Exceeded() bool { return l != nil && l.Got > l.Most }

func (l *Limit) inWords() string {
	return fmt.Sprintf("%.1f %% of the checks are inconclusive, want %v %% at most", l.Got, l.Most)
}

// InconclusiveShare returns the percentage of inconclusive checks among those that were not skipped.
func (c *Checks) InconclusiveShare() float64 {
	if all := c.Pass + c.Fail + c.Inconclusive; all > 0 {
		return 100 * float64(c.Inconclusive) / float64(all)
	}
	return 0
}

// IsNothingJudged reports whether bodies were to be judged and none could be, nor a parameter, nor anything by the
// rules between exchanges, and the contract is not known to be broken.
func (r *Report) IsNothingJudged() bool {
	isBare := r.Judged.Bodies+r.Judged.Parameters == 0 && !r.RulesJudged && !r.Violated()
	return r.Exchanges.Matched > 0 && r.Judged.Unjudged > 0 && isBare
}

// isNothing reports whether no exchange was matched judged or compared, so that no verdict is possible.
func (r *Report) isNothing() bool {
	if r.Comparison != nil {
		return r.Comparison.Compared == 0
	}
	return r.Exchanges.Matched == 0 || r.IsNothingJudged()
}

// inWords returns the headline: how many bodies were judged, and why others were not. It is empty when there were none.
func (j *Judged) inWords() string {
	const most = 3
	if j.Bodies+j.Unjudged == 0 {
		return ""
	}
	text := fmt.Sprintf("%d of %s judged", j.Bodies, bodies(j.Bodies+j.Unjudged))
	var list []string
	for i, reason := range j.Reasons {
		if i == most {
			list = append(list, "and for "+count(len(j.Reasons)-i, "more reason"))
			break
		}
		list = append(list, fmt.Sprintf("%s (%d)", plain(reason.Reason), reason.Count))
	}
	if len(list) > 0 {
		text += "; not judged: " + strings.Join(list, ", ")
	}
	return text
}

func bodies(n int) string {
	if n == 1 {
		return "1 body"
	}
	return fmt.Sprintf("%d bodies", n)
}
