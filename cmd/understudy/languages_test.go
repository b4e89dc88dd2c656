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

// projectBlock matches commands that a test types in the folder of a project.
var projectBlock = regexp.MustCompile("(?sm)^```sh project\n(.*?)\n```$")

// TestLanguages does what docs/guide/languages.md says, section by section, in a new folder: it writes the files, with
// the names that they have in examples, and types the commands. Languages that this machine does not have are skipped.
func TestLanguages(t *testing.T) {
	t.Parallel()
	commandsAlone(t)
	needed := map[string][]string{
		"Python": {"/usr/bin/python3", "-m", "pytest", "--version"},
		"Ruby":   {"ruby", "-e", "require 'minitest'"},
		"Node":   {"node", "--eval", "process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)"},
		"Java":   {"javac", "-cp", junit, "--version"},
		"Go":     {"go", "version"},
	}
	page := pages(t)["docs/guide/languages.md"]
	for section := range strings.SplitSeq("\n"+page, "\n## ") {
		name, text, _ := strings.Cut(section, "\n")
		check, isLanguage := needed[name]
		if !isLanguage {
			continue
		}
		delete(needed, name)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "Java" {
				if _, err := os.Stat(junit); err != nil {
					t.Skipf("this machine has no %s, of Debian's junit5", junit)
				}
			}
			if exec.CommandContext(t.Context(), check[0], check[1:]...).Run() != nil { //nolint:gosec // from the table above
				t.Skipf("this machine cannot run %q", check)
			}
			project(t, text)
		})
	}
	for name := range needed {
		t.Errorf("the page has no section %q", name)
	}
}

// junit is the path of the test runner that Debian's package junit5 installs.
const junit = "/usr/share/java/junit-platform-console-standalone.jar"

// project makes the project of a section and types its commands.
func project(t *testing.T, section string) {
	t.Helper()
	dir := t.TempDir()
	for _, block := range fileBlock.FindAllStringSubmatch(section, -1) {
		content, err := os.ReadFile(filepath.Join(root, block[1]))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(block[1])), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	blocks := projectBlock.FindAllStringSubmatch(section, -1)
	if len(blocks) != 1 {
		t.Fatalf("the section has %d blocks of commands, want 1", len(blocks))
	}
	// Debian's Python, which may not be the first in the path, is the one that Debian's pytest belongs to.
	script := "PYTHONDONTWRITEBYTECODE=1; export PYTHONDONTWRITEBYTECODE\npython3() { /usr/bin/python3 \"$@\"; }\n" +
		blocks[0][1]
	if out, err := shellIn(t, dir, script); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

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
