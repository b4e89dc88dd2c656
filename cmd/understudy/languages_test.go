package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

func shellIn(t *testing.T, dir, script string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-eu", "-c", script)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestFormula prints the Homebrew formula of a release, and lets Ruby read it where it is.
func TestFormula(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("this machine has no bash")
	}
	script, err := filepath.Abs(filepath.Join(root, "examples/homebrew/formula"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var sums, want strings.Builder
	for i, name := range []string{"darwin_arm64", "darwin_amd64", "linux_arm64", "linux_amd64"} {
		sum := strings.Repeat(string(rune('a'+i)), 64)
		sums.WriteString(sum + "  understudy_" + name + ".tar.gz\n")
		want.WriteString(`url "https://example.com/v1.2.3/understudy_` + name + `.tar.gz" sha256 "` + sum + `" `)
	}
	if err := os.WriteFile(filepath.Join(dir, "checksums.txt"), []byte(sums.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	formula := output(t, dir, "bash", script, "v1.2.3", "https://example.com/v1.2.3/", "checksums.txt")
	lines := regexp.MustCompile(`url ".*"|sha256 ".*"`).FindAllString(formula, -1)
	if got := strings.Join(lines, " ") + " "; got != want.String() {
		t.Errorf("the formula has %s\nwant %s", got, want.String())
	}
	if _, err := exec.LookPath("ruby"); err == nil {
		if out, err := shellIn(t, dir, "bash '"+script+"' 1 https://example.com checksums.txt | ruby -c"); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
	if out, err := shellIn(t, dir, "bash '"+script+"' 1 https://example.com /dev/null"); err == nil {
		t.Errorf("a release without archives has a formula:\n%s", out)
	}
}

// TestReleaseNotes prints what a release says of itself.
func TestReleaseNotes(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("this machine has no bash")
	}
	if notes := output(t, root, "bash", ".ci/release", "notes"); !strings.Contains(notes, "### ") || strings.Contains(notes, "\n## ") {
		t.Errorf("the section of the next release: %.300s", notes)
	}
	if out, err := shellIn(t, root, "bash .ci/release notes v99.0.0"); err == nil || !strings.Contains(out, `"## [99.0.0]"`) {
		t.Errorf("a release without a section in CHANGELOG.md has notes: %.300s", out)
	}
}

// TestCompose reads the example of a compose file as far as the page explains it.
func TestCompose(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "examples/compose/compose.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Services map[string]struct {
			Build     string
			DependsOn map[string]struct{ Condition string } `yaml:"depends_on"`
		}
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if got := file.Services["app"].DependsOn["understudy"].Condition; got != "service_healthy" {
		t.Errorf("app waits for %q, want service_healthy", got)
	}
	folder := filepath.Join(root, "examples/compose", file.Services["understudy"].Build)
	if _, err := os.Stat(filepath.Join(folder, "Dockerfile")); err != nil {
		t.Error(err)
	}
}
