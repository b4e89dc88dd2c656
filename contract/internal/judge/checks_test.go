package judge_test

import (
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
