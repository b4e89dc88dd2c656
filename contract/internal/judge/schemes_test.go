package judge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
)

func TestChecksAreCounted(t *testing.T) {
	t.Parallel()
	r := probe(t).Exchange(talk{"POST /things", `{"name":"a"}`, 201, `{"name":"a"}`, nil}.item())
	want := map[string]int{
		judge.UndocumentedOperation: 1, judge.AuthScheme: 1, judge.UndocumentedStatus: 1,
		judge.Schema: 3, judge.UndeclaredField: 3, judge.UndeclaredHeader: 1, judge.UndocumentedMediaType: 2,
	}
	got := map[string]int{}
	for _, c := range r.Checks {
		if c.Verdict != report.Pass {
			t.Errorf("%s: %s", c.Rule, c.Verdict)
		}
		got[c.Rule]++
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("checks (-want +got):\n%s", diff)
	}
}

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
