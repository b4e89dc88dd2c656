package report_test

import (
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/report"
)

// JUnit is checked against the schema that Jenkins published, by libxml2.
func TestJUnitFitsItsSchema(t *testing.T) {
	t.Parallel()
	lint, err := exec.LookPath("xmllint")
	if err != nil {
		t.Skip("there is no xmllint on this machine")
	}
	for name, r := range variants(t) {
		path := filepath.Join(t.TempDir(), "junit.xml")
		if err := os.WriteFile(path, []byte(written(t, r, "junit")), 0o600); err != nil {
			t.Fatal(err)
		}
		command := exec.CommandContext(t.Context(), lint, "--noout", "--nonet", "--schema", "testdata/junit-4.xsd", path)
		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", name, err, out)
		}
	}
}

type junitCase struct {
	Class   string  `xml:"classname,attr"`
	Name    string  `xml:"name,attr"`
	Skipped *string `xml:"skipped"`
	Failure *struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	} `xml:"failure"`
	Out string `xml:"system-out"`
}

func junitCases(t *testing.T, r *report.Report) map[string]junitCase {
	t.Helper()
	var suites struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Suites   []struct {
			Name  string      `xml:"name,attr"`
			Cases []junitCase `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(written(t, r, "junit")), &suites); err != nil {
		t.Fatal(err)
	}
	cases, failures := map[string]junitCase{}, 0
	for _, suite := range suites.Suites {
		for _, c := range suite.Cases {
			cases[suite.Name+": "+c.Class+" "+c.Name] = c
			if c.Failure != nil {
				failures++
			}
		}
	}
	if len(cases) != suites.Tests || failures != suites.Failures {
		t.Errorf("%d cases and %d failures, the head says %d and %d", len(cases), failures, suites.Tests, suites.Failures)
	}
	return cases
}

func TestJUnitCases(t *testing.T) {
	t.Parallel()
	cases := junitCases(t, rich(t))
	var failed, skipped []string
	for _, name := range []string{
		"workflow: workflow.deletePool pool-deletion", "workflow: workflow.listPools schema",
		"workflow: workflow.listPools undeclared-field",
		"workflow: workflow.listAttempts undocumented-status", "workflow: workflow.listAttempts schema",
		"workflow: workflow.listSessions schema", "workflow: workflow.createPool conforms", "core: core.issueJob conforms",
		"rules: rules schema", "rules: rules attempt-resume", "understudy: understudy the recording can be read",
		"understudy: understudy the baseline is up to date", "understudy: understudy coverage of operations",
		"understudy: understudy coverage of rules",
	} {
		c, ok := cases[name]
		switch {
		case !ok:
			t.Errorf("there is no case %q", name)
		case c.Failure != nil:
			failed = append(failed, name)
		case c.Skipped != nil:
			skipped = append(skipped, name)
		}
	}
	want := []string{
		"workflow: workflow.deletePool pool-deletion", "workflow: workflow.listPools schema",
		"understudy: understudy the recording can be read",
		"understudy: understudy the baseline is up to date", "understudy: understudy coverage of operations",
	}
	if diff := cmp.Diff(want, failed); diff != "" {
		t.Errorf("failures (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"workflow: workflow.listSessions schema", "rules: rules attempt-resume"},
		skipped); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
	text := cases["workflow: workflow.deletePool pool-deletion"].Failure.Text
	for _, want := range []string{
		"#3 POST /api/pool_rules → 201  (traffic.har:4, entry 3)",
		"see workflow.yaml:1204 (documented)",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the failure does not tell %q:\n%s", want, text)
		}
	}
	text = cases["workflow: workflow.listPools schema"].Failure.Text
	for _, want := range []string{
		"also #10 /response/body/pools/2/name", "also #12 (traffic.har:13, entry 12)", "also #58 ", "and 262 more",
		"at /response/body/pools/1/name: 7", "see workflow.yaml:2250 (documented): type: string, The pool's name",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the failure does not tell %q:\n%s", want, text)
		}
	}
	if out := cases["workflow: workflow.listAttempts undocumented-status"].Out; !strings.Contains(out,
		"error (accepted)") {
		t.Errorf("what is accepted does not stand in the output: %q", out)
	}
}
