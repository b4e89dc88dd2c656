package report_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mattn/go-runewidth"

	"svc.example/understudy/contract/report"
)

func styled(tb testing.TB, r *report.Report, style report.Style) string {
	tb.Helper()
	var b strings.Builder
	if err := r.WriteStyled(&b, style); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

// golden compares with a file, which UPDATE=1 writes anew.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if os.Getenv("UPDATE") == "1" {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got, UPDATE=1 writes it anew):\n%s", path, diff)
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	golden(t, "testdata/rich.txt", written(t, rich(t), "text"))
	golden(t, "testdata/healthy.txt", written(t, healthy(t), "text"))
	golden(t, "testdata/healthy-80.txt", styled(t, healthy(t), report.Style{Width: 80}))
	golden(t, "testdata/rich.md", written(t, rich(t), "markdown"))
	golden(t, "testdata/rich.github.txt", written(t, rich(t), "github"))
}

func TestAHealthyRunFitsAScreen(t *testing.T) {
	t.Parallel()
	r := healthy(t)
	for i := range 40 { // inconclusive checks belong to a healthy run
		r.Groups = append(r.Groups, report.Group{Count: 7, Finding: report.Finding{
			Rule: "schema", Verdict: report.Inconclusive, Severity: report.Notice, Message: strings.Repeat("reason ", i+1),
		}})
	}
	for _, width := range []int{80, 120} {
		text := styled(t, r, report.Style{Width: width})
		if lines := strings.Count(text, "\n"); lines > 24 {
			t.Errorf("%d lines:\n%s", lines, text)
		}
	}
}

func TestTextIsAsWideAsItMayBe(t *testing.T) {
	t.Parallel()
	r := rich(t)
	r.Groups[0].Message = strings.Repeat("日本語の文 ", 60)
	for _, width := range []int{80, 110} {
		for line := range strings.SplitSeq(styled(t, r, report.Style{Width: width}), "\n") {
			isName := strings.HasPrefix(line, "error") || strings.HasPrefix(strings.TrimSpace(line), "at ") ||
				strings.HasPrefix(line, "the recording")
			if got := runewidth.StringWidth(line); got > width && !isName {
				t.Errorf("%d columns, want at most %d: %s", got, width, line)
			}
		}
	}
}

func TestColoursAreThereOnlyWhereTheyAreWanted(t *testing.T) {
	t.Parallel()
	if text := styled(t, rich(t), report.Style{Colour: true}); !strings.Contains(text, "\x1b[31;1merror\x1b[") {
		t.Errorf("there is no red in %q", text[:200])
	}
	if text := styled(t, rich(t), report.Style{}); strings.Contains(text, "\x1b") {
		t.Errorf("there are colours in %q", text[:200])
	}
}

// A recording may hold what steers a terminal. None of it gets there.
func TestTextSteersNoTerminal(t *testing.T) {
	t.Parallel()
	for _, style := range []report.Style{{}, {Verbose: true, Width: 50}} {
		text := styled(t, variants(t)["hostile"], style)
		if strings.ContainsAny(text, "\x1b\r\u202e\x07") {
			t.Errorf("%q", text)
		}
		for line := range strings.SplitSeq(text, "\n") {
			if strings.HasPrefix(line, "::") {
				t.Errorf("a line of a recording's own: %q", line)
			}
		}
	}
}

func TestTextSumsUpWhatCannotBeTold(t *testing.T) {
	t.Parallel()
	r := rich(t)
	short, long := styled(t, r, report.Style{}), styled(t, r, report.Style{Verbose: true})
	if !strings.Contains(short, "inconclusive  schema  ×1204: no response was recorded\n") ||
		strings.Contains(short, "#20 GET") {
		t.Errorf("want one line for what cannot be told:\n%s", short)
	}
	if !strings.Contains(long, "#20 GET /api/sessions → no response") {
		t.Errorf("want every finding on its own:\n%s", long)
	}
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	stale, missed := healthy(t), healthy(t)
	stale.Baseline = rich(t).Baseline
	missed.Thresholds = rich(t).Thresholds
	for want, r := range map[string]*report.Report{
		"nothing was checked: no exchange belongs to an interface": {},
		"the recording conforms": healthy(t),
		"the recording violates the contract: 315 violations of pool-deletion, schema": rich(t),
		"the recording conforms, but the baseline understudy.baseline.yaml is stale: " +
			"remove the entry that no longer occurs": stale,
		"the recording conforms, but covers too little: 62.4 % of operations, want 80 %": missed,
	} {
		if got := r.Outcome(); got != want {
			t.Errorf("outcome %q, want %q", got, want)
		}
		lines := strings.Split(strings.TrimSpace(written(t, r, "text")), "\n")
		if got := lines[len(lines)-1]; got != want {
			t.Errorf("the last line %q, want %q", got, want)
		}
	}
}
