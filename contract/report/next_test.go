package report_test

import (
	"strings"
	"testing"

	"svc.example/understudy/contract/report"
)

// Each finding that is not accepted says in one line what to do about it, in every format for people.
func TestEachFindingSaysWhatToDoNext(t *testing.T) {
	t.Parallel()
	r := rich(t)
	r.Baseline = nil
	for format, shown := range map[string]int{"markdown": 2, "github": 4, "junit": 4, "html": 4} { // the first by severity
		out := written(t, r, format)
		for _, want := range []string{
			"understudy rules pool-deletion explains it; an entry of --baseline accepts it: {id: 219520779338a72c}",
			"compare what the engines say with the document; --disputed fail lets no such finding pass",
			"--severity undeclared-field@workflow.listPools=error lets it fail the check",
			"understudy rules schema says what a recording has to show",
		}[:shown] {
			if plain := strings.NewReplacer(`\`, "", "&#43;", "+").Replace(out); !strings.Contains(plain, want) {
				t.Errorf("%s: nothing says %q", format, want)
			}
		}
	}
	accepted := *r
	accepted.Groups = nil
	for _, g := range r.Groups {
		g.Accepted = true
		accepted.Groups = append(accepted.Groups, g)
	}
	var text strings.Builder
	if err := accepted.WriteStyled(&text, report.Style{Verbose: true}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String(), "next:") {
		t.Errorf("what is accepted has something left to do:\n%s", &text)
	}
}
