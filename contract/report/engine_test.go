package report_test

import (
	"strings"
	"testing"

	"svc.example/understudy/contract/report"
)

func TestEveryFormSaysWhichEnginesJudged(t *testing.T) {
	t.Parallel()
	r := healthy(t)
	r.Engines = []report.Engine{
		{Name: "first-engine", Version: "v1.2.3", Messages: 40},
		{Name: "second-engine", Messages: 30, Lost: 4, Failure: "it ended"},
	}
	for _, format := range report.Formats() {
		out := strings.ReplaceAll(written(t, r, format), `\`, "") // Markdown escapes with them
		for _, want := range []string{"first-engine", "v1.2.3", "40", "second-engine", "30", "4", "it ended"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s: there is no %q in\n%s", format, want, out)
			}
		}
	}
	r.Engines[0].Name = "<script>\n::error::x"
	for _, format := range []string{"junit", "github", "html"} {
		if out := written(t, r, format); strings.Contains(out, "<script>\n") || strings.Contains(out, "\n::error::x") {
			t.Errorf("%s: a name becomes more than a text:\n%s", format, out)
		}
	}
}
