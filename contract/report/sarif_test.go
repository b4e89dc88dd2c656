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
	Locations           []struct {
		PhysicalLocation struct {
			ArtifactLocation struct{ URI string }
			Region           struct{ StartLine int }
		}
	}
	PartialFingerprints map[string]string
	OccurrenceCount     int
	CodeFlows           []struct {
		ThreadFlows []struct{ Locations []any }
	}
	RelatedLocations []any
	Suppressions     []struct{ Justification string }
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
		got = append(got, fmt.Sprintf("%s %s %s ×%d, %d suppressions", result.RuleID, result.Kind, result.Level, result.OccurrenceCount, len(result.Suppressions)))
	}
	want := []string{
		"pool-deletion fail error ×1, 0 suppressions", "schema fail error ×312, 0 suppressions", "schema fail error ×2, 0 suppressions",
		"schema review none ×3, 0 suppressions", "undocumented-status fail error ×3, 1 suppressions",
		"undeclared-field fail warning ×21, 0 suppressions", "auth-scheme fail note ×1, 0 suppressions",
		"schema open none ×1204, 0 suppressions",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	first := results[0]
	place := first.Locations[0].PhysicalLocation
	if place.ArtifactLocation.URI != "specs/workflow.yaml" || place.Region.StartLine != 1204 {
		t.Errorf("place %+v", place)
	}
	if len(first.CodeFlows[0].ThreadFlows[0].Locations) != 3 || len(first.RelatedLocations) != 3 {
		t.Errorf("evidence %+v, %+v", first.CodeFlows, first.RelatedLocations)
	}
	if first.PartialFingerprints["understudy/v1"] != r.Groups[0].ID {
		t.Errorf("fingerprints %v, want %s", first.PartialFingerprints, r.Groups[0].ID)
	}
	if got := results[4].Suppressions[0].Justification; got != "the gateway answers 418 until May" {
		t.Errorf("justification %q", got)
	}
	r.Root = "contracts/platform"
	if got := sarifResults(t, r)[0].Locations[0].PhysicalLocation.ArtifactLocation.URI; got != "contracts/platform/workflow.yaml" {
		t.Errorf("with a root of its own: %s", got)
	}
	r.Groups[0].Spec.File = "apis/own.yaml"
	if got := sarifResults(t, r)[0].Locations[0].PhysicalLocation.ArtifactLocation.URI; got != "apis/own.yaml" {
		t.Errorf("a document of a user's own: %s", got)
	}
}

func TestSARIFHasNoMoreResultsThanGitHubTakes(t *testing.T) {
	t.Parallel()
	r := rich(t)
	r.Evidence, r.Shown = nil, nil
	for i := range 25_100 {
		r.Groups = append(r.Groups, report.Group{Finding: report.Finding{ID: fmt.Sprint(i), Rule: "schema", Message: "m"}, Count: 1})
	}
	if got := len(sarifResults(t, r)); got != 25_000 {
		t.Errorf("%d results", got)
	}
	if text := written(t, r, "sarif"); !strings.Contains(text, "108 more results were left out") {
		t.Error("what was left out is not told")
	}
}
