package report_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
)

// numbers counts the findings of a report, by what they mean for it, and returns them as forms write them.
func numbers(r *report.Report) (byLabel map[string]int, words string) {
	failing := "violations"
	if r.Comparison != nil {
		failing = "differences"
	}
	byLabel = map[string]int{failing: 0, "disputed": 0, "warnings": 0, "notices": 0, "inconclusive": 0, "accepted": 0}
	for i := range r.Groups {
		label := string(r.Groups[i].Severity) + "s"
		switch g := &r.Groups[i]; {
		case r.Breaks(&g.Finding):
			label = failing
		case g.Verdict == report.Inconclusive:
			label = "inconclusive"
		case g.Accepted:
			label = "accepted"
		case g.Disputed:
			label = "disputed"
		}
		byLabel[label] += r.Groups[i].Count
	}
	for _, label := range []string{failing, "disputed", "warnings", "notices", "inconclusive", "accepted"} {
		n := byLabel[label]
		if n == 0 && label != failing {
			continue
		}
		if n == 1 {
			label = strings.TrimSuffix(label, "s")
		}
		words += fmt.Sprintf(", %d %s", n, label)
	}
	return byLabel, strings.TrimPrefix(words, ", ")
}

// recorded returns the reports of all recordings that tests of the suite have.
func recorded(t *testing.T) map[string]*report.Report {
	t.Helper()
	checker, err := contract.NewChecker(contract.WithGuess(true))
	if err != nil {
		t.Fatal(err)
	}
	reports := map[string]*report.Report{}
	for _, pattern := range []string{"../testdata/*.ndjson", "../internal/capture/testdata/*.*"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			r, _ := checker.Check(t.Context(), contract.Files(file)) // of some files there, a part cannot be read
			if r != nil && r.Exchanges.Read > 0 {
				reports[file] = r
			}
		}
	}
	if len(reports) < 20 {
		t.Errorf("%d recordings could be read, want nearly all", len(reports))
	}
	return reports
}

// TestOneCountInAllForms compares the numbers of findings in all forms of all reports.
func TestOneCountInAllForms(t *testing.T) {
	t.Parallel()
	reports := variants(t)
	maps.Copy(reports, recorded(t))
	for name, r := range reports {
		byLabel, words := numbers(r)
		for form, want := range map[string]string{
			"markdown": "\nFindings: " + words + "\n", "github": "; findings: " + words,
		} {
			if got := written(t, r, form); !strings.Contains(got, want) {
				t.Errorf("%s as %s lacks %q", name, form, want)
			}
		}
		if got := styled(t, r, report.Style{Width: 1000}); !strings.Contains(got, "\nfindings   "+words+"\n") {
			t.Errorf("%s as text lacks %q", name, words)
		}
		page := strings.ReplaceAll(written(t, r, "html"), "\u202f", "")
		for n := range strings.SplitSeq(words, ", ") {
			number, label, _ := strings.Cut(n, " ")
			if !strings.Contains(page, fmt.Sprintf("<b>%s</b> %s</li>", number, label)) {
				t.Errorf("%s as html lacks %q", name, n)
			}
		}
		for form, tally := range map[string]map[string]int{"json": ofJSON(t, r), "sarif": ofSARIF(t, r, byLabel)} {
			if diff := cmp.Diff(byLabel, tally); diff != "" {
				t.Errorf("%s as %s (-want +got):\n%s", name, form, diff)
			}
		}
		if got := ofJUnit(t, r); got != words {
			t.Errorf("%s as junit has %q, want %q", name, got, words)
		}
		for _, form := range []string{"text", "markdown", "github", "html", "junit"} {
			if other := regexp.MustCompile(`\b\d+(</b>)? fail(ed)?\b`).FindString(written(t, r, form)); other != "" {
				t.Errorf("%s as %s has another number: %q", name, form, other)
			}
		}
	}
}

func ofJSON(t *testing.T, r *report.Report) map[string]int {
	t.Helper()
	var read struct{ Tally map[string]int }
	if err := json.Unmarshal([]byte(written(t, r, "json")), &read); err != nil {
		t.Fatal(err)
	}
	return read.Tally
}

// ofSARIF returns the numbers in the properties, if those that fail the check are as many as the results that do.
func ofSARIF(t *testing.T, r *report.Report, want map[string]int) map[string]int {
	t.Helper()
	var read struct {
		Runs []struct {
			Properties struct{ Tally map[string]int }
			Results    []struct {
				Kind, Level     string
				OccurrenceCount int
				Suppressions    []any
			}
		}
	}
	if err := json.Unmarshal([]byte(written(t, r, "sarif")), &read); err != nil {
		t.Fatal(err)
	}
	failing := 0
	for _, result := range read.Runs[0].Results {
		if result.Kind == "fail" && result.Level == "error" && len(result.Suppressions) == 0 {
			failing += result.OccurrenceCount
		}
	}
	if n := want["violations"] + want["differences"]; n != failing {
		t.Errorf("SARIF has results for %d, want %d", failing, n)
	}
	return read.Runs[0].Properties.Tally
}

func ofJUnit(t *testing.T, r *report.Report) string {
	t.Helper()
	var read struct {
		Suites []struct {
			Properties []struct {
				Name  string `xml:"name,attr"`
				Value string `xml:"value,attr"`
			} `xml:"properties>property"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(written(t, r, "junit")), &read); err != nil {
		t.Fatal(err)
	}
	for _, suite := range read.Suites {
		for _, p := range suite.Properties {
			if p.Name == "findings" {
				return p.Value
			}
		}
	}
	return ""
}
