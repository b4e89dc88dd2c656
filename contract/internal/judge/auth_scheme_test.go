package judge_test

import (
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
)

func TestSchemes(t *testing.T) {
	t.Parallel()
	j := probe(t)
	for value, tt := range map[string]struct {
		status int
		want   report.Verdict
	}{
		"SVC1 1/key":            {200, report.Pass},
		"svc1 1/key":            {200, report.Pass},
		"SVC1 [redacted:12ab]":  {200, report.Pass},
		"[redacted:12ab]":       {200, report.Inconclusive},
		"REDACTED":              {200, report.Inconclusive},
		"Bearer abc":            {200, report.Fail},
		"Bearer  abc":           {400, report.Pass},
		"1/abcdef0123456789abc": {200, report.Fail},
	} {
		r := j.Exchange(talk{"GET /things/7", "", tt.status, `{"name":"a"}`, requestHeader("Authorization", value)}.item())
		i := slices.IndexFunc(r.Checks, func(c judge.Check) bool { return c.Rule == judge.AuthScheme })
		if got := r.Checks[i].Verdict; got != tt.want {
			t.Errorf("%q answered %d: %s, want %s", value, tt.status, got, tt.want)
		}
		for _, f := range r.Findings {
			if strings.Contains(f.Message, "abcdef") {
				t.Errorf("%q: the key is in the message %q", value, f.Message)
			}
		}
	}
}
