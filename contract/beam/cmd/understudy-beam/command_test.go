package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	command "svc.example/understudy/contract/beam/cmd/understudy-beam"
	"svc.example/understudy/contract/report"
)

const testdata = "../../../testdata/"

func TestExitCodes(t *testing.T) {
	t.Parallel()
	other := filepath.Join(t.TempDir(), "other.json")
	if err := os.WriteFile(other, []byte(`{"no": "recording"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args   []string
		code   int
		stderr string
	}{
		"it conforms":              {[]string{testdata + "pools.ndjson"}, 0, ""},
		"a violation":              {[]string{testdata + "pools-broken.ndjson"}, 1, "1 violation of pool-deletion"},
		"too little coverage":      {[]string{"--min", "operations=90", testdata + "pools.ndjson"}, 1, "covers too little"},
		"a warning only":           {[]string{"--severity", "*=warning", testdata + "pools-broken.ndjson"}, 0, ""},
		"no file":                  {nil, 2, "want the file"},
		"standard input":           {[]string{"-"}, 2, "standard input"},
		"not a recording":          {[]string{other}, 2, "other.json"},
		"a wrong value":            {[]string{"--trust", "nobody", other}, 2, "documented"},
		"an unknown rule":          {[]string{"--severity", "none=off", other}, 2, "none"},
		"an unknown format":        {[]string{"--report", "doc=a", other}, 2, "FORMAT=FILE"},
		"no waiting":               {[]string{"--async", other}, 2, "wait"},
		"an unknown runner":        {[]string{"--runner", "none", testdata + "pools.ndjson"}, 2, "prism"},
		"an output is a recording": {[]string{"-o", other, other}, 2, "overwrite"},
		"one file for two outputs": {[]string{"-o", other + ".a", "--report", "json=" + other + ".a", other}, 2, "overwrite what"},
		"a severity of nothing":    {[]string{"--severity", "schema", other}, 2, "RULE[@OPERATION]=LEVEL"},
		"no folder for an output":  {[]string{"-o", filepath.Join(filepath.Dir(other), "none", "a"), other}, 2, "folder"},
		"a job that fails":         {[]string{"--work", "/dev/null/sum", testdata + "pools.ndjson"}, 2, "run the job"},
		"nobody at the runner":     {[]string{"--runner=universal", testdata + "pools.ndjson"}, 2, "endpoint"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, stderr, code := understudyBeam(t, c.args...)
			if code != c.code || !strings.Contains(stderr, c.stderr) {
				t.Errorf("exit code %d, want %d with %q:\n%s", code, c.code, c.stderr, stderr)
			}
		})
	}
}

// All forms of a report are written, with the evidence in those that show it.
func TestReports(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var args []string
	for _, format := range report.Formats() {
		args = append(args, "--report", format+"="+filepath.Join(folder, format))
	}
	out, stderr, code := understudyBeam(t, append(args, "-v", "--base", "workflow=http://127.0.0.1:4010/workflow",
		testdata+"pools-broken.ndjson")...)
	if code != 1 || !strings.Contains(out, "pool-deletion") || !strings.Contains(stderr, "exchanges_read 6") {
		t.Errorf("exit code %d, want 1 with the finding and metrics:\n%s\n%s", code, out, stderr)
	}
	for _, format := range report.Formats() {
		text, err := os.ReadFile(filepath.Join(folder, format))
		if err != nil || !strings.Contains(string(text), "pool-deletion") {
			t.Errorf("%s does not have the finding, error %v", format, err)
		}
		if report.NeedsEvidence(format) && !strings.Contains(string(text), "/api/pool_rules") {
			t.Errorf("%s does not show the evidence", format)
		}
	}
}

// On GitHub, the report is also the summary of the step, with the evidence.
func TestSummary(t *testing.T) {
	t.Parallel()
	summary := filepath.Join(t.TempDir(), "summary.md")
	c := runAs(t, "command", "--format", "github", testdata+"pools-broken.ndjson")
	c.Env = append(c.Env, "GITHUB_STEP_SUMMARY="+summary)
	if out, err := c.CombinedOutput(); c.ProcessState.ExitCode() != 1 {
		t.Fatalf("want exit code 1: %v\n%s", err, out)
	}
	text, err := os.ReadFile(summary)
	if err != nil || !strings.Contains(string(text), "pool-deletion") || !strings.Contains(string(text), "/api/pool_rules") {
		t.Errorf("the summary does not show the finding, error %v:\n%s", err, text)
	}
}

func TestBaselines(t *testing.T) {
	t.Parallel()
	baseline := filepath.Join(t.TempDir(), "baseline.yaml")
	broken := testdata + "pools-broken.ndjson"
	if _, stderr, code := understudyBeam(t, "--write-baseline", baseline, broken); code != 0 {
		t.Fatalf("exit code %d, want 0:\n%s", code, stderr)
	}
	if _, stderr, code := understudyBeam(t, "--baseline", baseline, broken); code != 0 {
		t.Errorf("exit code %d, want 0 for what is accepted:\n%s", code, stderr)
	}
	if _, stderr, code := understudyBeam(t, "--baseline", baseline, testdata+"pools.ndjson"); code != 1 {
		t.Errorf("exit code %d, want 1 for an entry that no longer occurs:\n%s", code, stderr)
	}
}

// notInBeam are the flags of check that have no effect on a runner.
func notInBeam() []string { return []string{"color", "config", "engine", "help", "minimize"} }

// The flags are those of understudy check, with the same texts.
func TestFlagsAreThoseOfCheck(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../../docs/reference/command-line.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## understudy check\n")
	section, _, _ = strings.Cut(section, "\n## ")
	_, section, _ = strings.Cut(section, "\nFlags:\n")
	names := regexp.MustCompile(`(?m)^ +(?:-\w, )?--([\w-]+) `)
	flags := command.Flags()
	for _, found := range names.FindAllStringSubmatch(section, -1) {
		if flags.Lookup(found[1]) == nil && !slices.Contains(notInBeam(), found[1]) {
			t.Errorf("--%s is not here", found[1])
		}
	}
	own := []string{"pieces", "piece-size", "dead-letters", "work", "verbose"}
	section = strings.Join(strings.Fields(section), " ")
	flags.VisitAll(func(f *pflag.Flag) {
		if strings.Contains(f.Name, "_") || f.Value.Type() == "beam" || slices.Contains(own, f.Name) {
			return
		}
		_, usage := pflag.UnquoteUsage(f)
		if text := strings.Join(strings.Fields(usage), " "); !strings.Contains(section, text) {
			t.Errorf("--%s: %s", f.Name, cmp.Diff("", text))
		}
	})
}
