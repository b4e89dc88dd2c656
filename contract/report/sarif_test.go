package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"svc.example/understudy/contract/report"
)

func TestSARIFFitsItsSchema(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("testdata/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat = true
	if err := c.AddResource("mem:///sarif.json", bytes.NewReader(file)); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("mem:///sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range variants(t) {
		var value any
		if err := json.Unmarshal([]byte(written(t, r, "sarif")), &value); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %#v", name, err)
		}
	}
}

type sarifResult struct {
	RuleID, Kind, Level string
	Locations           []sarifLocation
	PartialFingerprints map[string]string
	OccurrenceCount     int
	CodeFlows           []struct {
		ThreadFlows []struct{ Locations []any }
	}
	RelatedLocations []sarifLocation
	Suppressions     []struct{ Justification string }
}

type sarifLocation struct {
	Message          struct{ Text string }
	PhysicalLocation struct {
		ArtifactLocation struct{ URI string }
		Region           struct{ StartLine int }
	}
}

func (l sarifLocation) String() string {
	return fmt.Sprintf("%s:%d", l.PhysicalLocation.ArtifactLocation.URI, l.PhysicalLocation.Region.StartLine)
}

func sarifResults(t *testing.T, r *report.Report) []sarifResult {
	t.Helper()
	var log struct {
		Runs []struct{ Results []sarifResult }
	}
	if err := json.Unmarshal([]byte(written(t, r, "sarif")), &log); err != nil {
		t.Fatal(err)
	}
	return log.Runs[0].Results
}

func TestSARIFResults(t *testing.T) {
	t.Parallel()
	r := rich(t)
	results := sarifResults(t, r)
	var got []string
	for _, result := range results {
		got = append(got, fmt.Sprintf("%s %s %s ×%d, %d suppressions", result.RuleID, result.Kind, result.Level,
			result.OccurrenceCount, len(result.Suppressions)))
	}
	want := []string{
		"pool-deletion fail error ×1, 0 suppressions", "schema fail error ×312, 0 suppressions",
		"schema fail error ×2, 0 suppressions",
		"schema review none ×3, 0 suppressions", "undocumented-status fail error ×3, 1 suppressions",
		"undeclared-field fail warning ×21, 0 suppressions", "auth-scheme fail note ×1, 0 suppressions",
		"schema open none ×1204, 0 suppressions",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	first := results[0]
	if got := first.Locations[0].String(); got != "traffic.har:5" {
		t.Errorf("place %s, want the exchange in the recording", got)
	}
	if len(first.CodeFlows[0].ThreadFlows[0].Locations) != 3 || len(first.RelatedLocations) != 4 {
		t.Errorf("evidence %+v, %+v", first.CodeFlows, first.RelatedLocations)
	}
	if first.PartialFingerprints["understudy/v1"] != r.Groups[0].ID {
		t.Errorf("fingerprints %v, want %s", first.PartialFingerprints, r.Groups[0].ID)
	}
	if got := results[4].Suppressions[0].Justification; got != "the gateway answers 418 until May" {
		t.Errorf("justification %q", got)
	}
}

// What a result has to do with: its evidence, its other occurrences, and the document, wherever that is.
func TestSARIFRelatedLocations(t *testing.T) {
	t.Parallel()
	r := rich(t)
	related := func(at int) (texts []string) {
		for _, location := range sarifResults(t, r)[at].RelatedLocations {
			texts = append(texts, location.String()+" "+location.Message.Text)
		}
		return texts
	}
	want := []string{
		"traffic.har:16 #15 POST /api/workflows?q=<script>alert(4)</script> → 200  (traffic.har:16, entry 15)",
		"traffic.har:17 also #16 (traffic.har:17, entry 16)",
		"specs/workflow.yaml:88 see workflow.yaml:88 (from public interface documents): " + strings.NewReplacer("\n", " ",
			"\r", " ", "\x1b", "\uFFFD", "\u202e", "\uFFFD").Replace(hostile),
	}
	if diff := cmp.Diff(want, related(2)); diff != "" {
		t.Errorf("related locations (-want +got):\n%s", diff)
	}
	r.Root = "contracts/platform"
	if got := related(2)[2]; !strings.HasPrefix(got, "contracts/platform/workflow.yaml:88 ") {
		t.Errorf("with a root of its own: %s", got)
	}
	r.Own = []string{"workflow.yaml"}
	if got := related(2)[2]; !strings.HasPrefix(got, "workflow.yaml:88 ") {
		t.Errorf("a document of a user's own: %s", got)
	}
	line := r.Shown[15]
	line.File, line.OnDisk = "standard input", false
	r.Shown[15] = line
	if got := sarifResults(t, r)[2].Locations[0].String(); got != "workflow.yaml:88" {
		t.Errorf("a recording that is not on disk: the result is at %s, want the document", got)
	}
}

func TestSARIFHasNoMoreResultsThanGitHubTakes(t *testing.T) {
	t.Parallel()
	r := rich(t)
	r.Evidence, r.Shown = nil, nil
	for i := range 25_100 {
		r.Groups = append(r.Groups,
			report.Group{Finding: report.Finding{ID: fmt.Sprint(i), Rule: "schema", Message: "m"}, Count: 1})
	}
	if got := len(sarifResults(t, r)); got != 25_000 {
		t.Errorf("%d results", got)
	}
	if text := written(t, r, "sarif"); !strings.Contains(text, "108 more results were left out") {
		t.Error("what was left out is not told")
	}
}
