package report_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

// compared returns the report of a comparison with something of everything.
func compared(tb testing.TB) *report.Report {
	tb.Helper()
	b := builder{&report.Report{
		Exchanges: report.Exchanges{Read: 140, Matched: 135, Unmatched: 2, Ignored: 3},
		Checks:    report.Checks{Pass: 515, Fail: 9},
		Shown:     map[int]report.ExchangeLine{}, Evidence: map[int]*recording.Exchange{},
		Excerpts: map[report.Spec]report.Excerpt{}, Docs: map[string]report.RuleDoc{},
		Rules: []report.Rule{
			{ID: "different-status", Triggered: 131, Pass: 129, Fail: 2},
			{ID: "different-value", Triggered: 131, Pass: 127, Fail: 4},
		},
		Bases: []report.Base{{Interface: "workflow", URL: "https://workflow.svc.example", Source: "given", Exchanges: 135}},
		Notes: []string{"the scenario begins at 2026-01-15T09:30:00Z"},
		Comparison: &report.Comparison{
			With: "the scenario my-account", Compared: 131, Agree: 126,
			Skipped: []report.Reason{
				{Reason: "no response was recorded", Count: 3},
				{Reason: "the interface documents no such operation", Count: 1},
			},
			Masks: []report.Mask{
				{Operation: "*", Pointer: "error:/**/message", Reason: "free text for people", Count: 7},
				{Operation: "core.*", Pointer: "/**/url", Reason: "the address of a page for people"},
			},
		},
	}}
	comparedExchanges(b)
	comparedFindings(b)
	return b.Report
}

func comparedExchanges(b builder) {
	b.exchange(3, exchange("PUT", "/api/pools/7", `{"concurrencyLimit":4}`, 200, `{"id":"7"}`), "/api/pools/7")
	b.exchange(5, exchange("GET", "/api/pools/7", "", 200, `{"id":"7","concurrencyLimit":4}`), "/api/pools/7")
	b.exchange(9, exchange("DELETE", "/api/pools/7", "", 200, `{"id":"7"}`), "/api/pools/7")
	b.exchange(12, exchange("GET", "/api/attempts", "", 200, `[]`), "/api/attempts")
}

func comparedFindings(b builder) {
	find := func(f report.Finding, times int) {
		f.Severity, f.Verdict, f.Interface = report.Error, report.Fail, "workflow"
		f.Spec = report.Spec{File: "workflow.yaml", Line: 1204, Pointer: "/paths/~1api~1pools~1{id}"}
		b.finding(f, times)
	}
	find(report.Finding{
		Rule: "different-behaviour", Operation: "workflow.getPool", Exchange: 5, Evidence: []int{3, 5},
		Message: "4 was recorded, and 2 is answered; exchange 3 (workflow.updatePool) changed it",
		Pointer: "/response/body/concurrencyLimit", Found: "2",
	}, 1)
	find(report.Finding{
		Rule: "different-status", Operation: "workflow.deletePool", Exchange: 9, Evidence: []int{9},
		Message: `status 200 was recorded, and 400 is answered: {"message":"pool rule 3 references it"}`,
		Pointer: "/response/status", Found: "400",
	}, 2)
	find(report.Finding{
		Rule: "different-value", Operation: "workflow.listAttempts", Exchange: 12, Evidence: []int{12}, Accepted: true,
		Message: "the answer has an item more than was recorded", Pointer: "/response/body/0", Found: `{"id":"1"}`,
	}, 1)
	c := b.Comparison
	c.Operations = []report.Agreement{
		{Operation: "workflow.listAttempts", Compared: 1, First: 12, Sides: &report.Sides{
			Recorded: []string{"200 OK", "", "[]"},
			Answered: []string{"200 OK", "", "[", "  {", `    "id": "1"`, "  }", "]"},
		}},
		{Operation: "workflow.getPool", Compared: 90, Agree: 88, First: 5, Sides: &report.Sides{
			Recorded: []string{"200 OK", "Content-Type: application/json", "", "{", `  "concurrencyLimit": 4,`, `  "id": "7"`, "}"},
			Answered: []string{"200 OK", "Content-Type: application/json", "", "{", `  "concurrencyLimit": 2,`, `  "id": "7"`, "}"},
		}},
		{Operation: "workflow.deletePool", Compared: 4, Agree: 2, First: 9, Sides: &report.Sides{
			Recorded: []string{"200 OK", "", "{", `  "id": "7"`, "}"},
			Answered: []string{"400 Bad Request", "", "{", `  "message": "pool rule 3 references it"`, "}"},
		}},
		{Operation: "workflow.listPools", Compared: 36, Agree: 36},
	}
	report.SortAgreements(c.Operations)
}

// agreeing returns the report of a comparison without a difference.
func agreeing(tb testing.TB) *report.Report {
	tb.Helper()
	r := compared(tb)
	r.Findings, r.Groups, r.Checks.Fail, r.Notes = nil, nil, 0, nil
	r.Comparison.Agree, r.Comparison.Skipped = r.Comparison.Compared, nil
	for i := range r.Comparison.Operations {
		a := &r.Comparison.Operations[i]
		a.Agree, a.First, a.Sides = a.Compared, 0, nil
	}
	return r
}

// hostileComparison returns the report of a comparison whose texts could break a form.
func hostileComparison(tb testing.TB) *report.Report {
	tb.Helper()
	r := compared(tb)
	c := r.Comparison
	c.With, c.Skipped[0].Reason, c.Masks[0] = hostile, hostile, report.Mask{
		Operation: hostile, Pointer: hostile, Reason: hostile + "\xff", Count: 1,
	}
	for i := range c.Operations {
		a := &c.Operations[i]
		if a.Sides != nil {
			a.Sides.Answered = append(a.Sides.Answered, hostile, "", "\xff"+hostile, "@@ -1,2 +3,4 @@", "```", "-", "+")
		}
	}
	return r
}

func TestComparison(t *testing.T) {
	t.Parallel()
	golden(t, "testdata/compared.txt", written(t, compared(t), "text"))
	golden(t, "testdata/compared-verbose.txt", styled(t, compared(t), report.Style{Verbose: true, Width: 80}))
	golden(t, "testdata/agreeing.txt", written(t, agreeing(t), "text"))
	golden(t, "testdata/compared.md", written(t, compared(t), "markdown"))
	golden(t, "testdata/compared.github.txt", written(t, compared(t), "github"))
	golden(t, "testdata/compared.junit.xml", written(t, compared(t), "junit"))
	golden(t, "testdata/compared.sarif", written(t, compared(t), "sarif"))
	golden(t, "testdata/compared.json", written(t, compared(t), "json"))
}

func TestComparisonOutcomes(t *testing.T) {
	t.Parallel()
	nothing, unmatched, stale, accepted, unread := agreeing(t), agreeing(t), agreeing(t), compared(t), agreeing(t)
	nothing.Comparison.Compared, nothing.Comparison.Skipped = 0, compared(t).Comparison.Skipped[:1]
	unmatched.Exchanges.Matched, unmatched.Comparison.Compared = 0, 0
	stale.Baseline = rich(t).Baseline
	for i := range accepted.Groups {
		accepted.Groups[i].Accepted = true
	}
	unread.Problems = rich(t).Problems
	for want, r := range map[string]*report.Report{
		"the answers differ: 2 different-status, 1 different-behaviour in 2 of 4 operations":          compared(t),
		"all 131 answers agree with the recording":                                                    agreeing(t),
		"nothing was compared: not 3 exchanges: no response was recorded (3)":                         nothing,
		"nothing was compared: no exchange belongs to an interface":                                   unmatched,
		"126 of 131 answers agree with the recording, and the differences of the others are accepted": accepted,
		"all 131 answers agree with the recording, but the baseline understudy.baseline.yaml is stale: " +
			"remove the entry that no longer occurs": stale,
		"all 131 answers agree with the recording, as far as it could be read; 1 part could not": unread,
	} {
		if got := r.Outcome(); got != want {
			t.Errorf("outcome %q, want %q", got, want)
		}
	}
}

// Nothing in the report of a comparison claims that documents were held against the recording.
func TestComparisonDoesNotSpeakOfTheContract(t *testing.T) {
	t.Parallel()
	for _, format := range report.Formats() {
		for name, r := range map[string]*report.Report{"compared": compared(t), "agreeing": agreeing(t)} {
			text := strings.ToLower(written(t, r, format))
			_, text, _ = strings.Cut(text, "<body>") // styles have names of their own
			if format != "html" {
				text = strings.ToLower(written(t, r, format))
			}
			text, _, _ = strings.Cut(text, "<script>")
			for _, word := range []string{"violat", "conform", "coverage", "engine", "the check fails"} {
				if at := strings.Index(text, word); at >= 0 && format != "json" && format != "sarif" {
					t.Errorf("%s as %s: %q in %q", name, format, word, text[max(0, at-40):at+40])
				}
			}
		}
	}
}

// Two answers stand in rows: what is equal in both columns, what changed beside each other, and what is left out.
func TestComparisonOnThePage(t *testing.T) {
	t.Parallel()
	r := compared(t)
	var lines []string
	for _, c := range "abcdefghij" {
		lines = append(lines, string(c))
	}
	other := append(append([]string{}, lines...), "k")
	other[7] = "H"
	for i := range r.Comparison.Operations {
		r.Comparison.Operations[i].Sides = &report.Sides{Recorded: lines, Answered: other}
	}
	page := written(t, r, "html")
	_, page, _ = strings.Cut(page, `<figure class="versus">`)
	_, page, _ = strings.Cut(page, "<tbody>")
	page, _, _ = strings.Cut(page, "</tbody>")
	page = strings.NewReplacer("</td><td>", "|", "<tr>", "", "</tr>", "\n", "<td>", "", "</td>", "").Replace(page)
	want := "<td colspan=\"2\" class=\"gap\">⋯ 4 equal lines ⋯\ne|e\nf|f\ng|g\n" +
		"<td class=\"was\">h<td class=\"is\">H\ni|i\nj|j\n<td class=\"blank\"><td class=\"is\">k\n\n"
	if diff := cmp.Diff(want, page); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// The report of a comparison covers no documents.
func TestComparisonIsNoCoverage(t *testing.T) {
	t.Parallel()
	_, err := report.ReadCoverage("compared.json", strings.NewReader(written(t, compared(t), "json")))
	if err == nil || !strings.Contains(err.Error(), "compared.json is the report of a comparison") {
		t.Errorf("error %v", err)
	}
}

// The JSON form has the agreement of each operation, with the two answers of its first exchange that differs.
func TestComparisonAsJSON(t *testing.T) {
	t.Parallel()
	var got struct{ Comparison *report.Comparison }
	if err := json.Unmarshal([]byte(written(t, compared(t), "json")), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(compared(t).Comparison, got.Comparison); diff != "" {
		t.Errorf("comparison (-want +got):\n%s", diff)
	}
}
