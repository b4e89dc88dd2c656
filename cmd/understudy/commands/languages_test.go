package commands_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../../.."

// What pages show: a file, and commands that a test types in the folder of a project.
var (
	fileBlock    = regexp.MustCompile("(?sm)^```\\w+ file=(\\S+)\n(.*?)\n```$")
	projectBlock = regexp.MustCompile("(?sm)^```sh project\n(.*?)\n```$")
)

// TestLanguages does what docs/guide/languages.md says, section by section, in a new folder: it writes the files, with
// the names that they have in examples, and types the commands. Languages that this machine does not have are skipped.
func TestLanguages(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out commands that run alone")
	}
	needed := map[string][]string{
		"Python": {"/usr/bin/python3", "-m", "pytest", "--version"},
		"Ruby":   {"ruby", "-e", "require 'minitest'"},
		"Node":   {"node", "--eval", "process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)"},
		"Java":   {"javac", "-cp", junit, "--version"},
		"Go":     {"go", "version"},
	}
	page, err := os.ReadFile(filepath.Join(root, "docs/guide/languages.md"))
	if err != nil {
		t.Fatal(err)
	}
	for section := range strings.SplitSeq("\n"+string(page), "\n## ") {
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
	if out, err := shellIn(t, dir, commandPath(t), script); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
