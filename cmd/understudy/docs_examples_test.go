package main_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/specs"
)

// The word behind a block's language says what a test does: it runs a block with "run", beside a mock that it starts as
// one with "serve" says, compares one with "file=PATH" with that file, and one with "ready" with the first line of
// understudy serve.
var (
	serveBlock = regexp.MustCompile("(?sm)^```sh serve\nunderstudy serve (.*?)\n```$")
	fileBlock  = regexp.MustCompile("(?sm)^```\\w+ file=(\\S+)\n(.*?)\n```$")
	shellBlock = regexp.MustCompile("(?sm)^```sh( run)?\n(.*?)\n```$")
	otherBlock = regexp.MustCompile("(?sm)^```(python|js|java) run\n(.*?)\n```$")
	readyBlock = regexp.MustCompile("(?sm)^```json ready\n(.*?)\n```$")
)

// documented is the address that pages give the mock.
const documented = "http://127.0.0.1:4010"

// counted returns a text with the numbers of operations that the documents have.
func counted(t *testing.T, text string) string {
	t.Helper()
	all := regexp.MustCompile(`(interfaces and )\d+( operations)`)
	text = all.ReplaceAllString(text, fmt.Sprintf("${1}%d${2}", len(specs.Catalogue())))
	for _, name := range specs.Interfaces() {
		d, err := specs.Load(name, specs.Neutral)
		if err != nil {
			t.Fatal(err)
		}
		row := regexp.MustCompile(string(`(?m)^(\| ` + name + ` \| )\d+( \|)`))
		if !row.MatchString(text) || !all.MatchString(text) {
			t.Errorf("README.md does not say how many operations there are, or how many of %s", name)
		}
		text = row.ReplaceAllString(text, fmt.Sprintf("${1}%d${2}", len(d.Operations)))
	}
	return text
}

// withFiles returns a page with the present content of the files that it shows, and their names.
func withFiles(t *testing.T, text string) (updated string, names []string) {
	t.Helper()
	updated = fileBlock.ReplaceAllStringFunc(text, func(block string) string {
		parts := fileBlock.FindStringSubmatch(block)
		names = append(names, parts[1])
		content, err := os.ReadFile(filepath.Join(root, parts[1]))
		if err != nil {
			t.Fatal(err)
		}
		body := strings.TrimSpace(string(content))
		if strings.HasSuffix(parts[1], ".go") {
			_, body, _ = strings.Cut(body, "\n\n") // the package clause is the reader's
		}
		begin, _, _ := strings.Cut(block, "\n")
		return begin + "\n" + body + "\n```"
	})
	return updated, names
}

// TestDocumentedFiles compares the pages with the files that they show, which other tests run, and the README with the
// numbers of operations. UPDATE=1 writes the pages anew.
func TestDocumentedFiles(t *testing.T) {
	t.Parallel()
	shown := map[string]bool{}
	for name, text := range pages(t) {
		updated, names := withFiles(t, text)
		if name == "README.md" {
			updated = counted(t, updated)
		}
		for _, file := range names {
			shown[file] = true
		}
		comparePage(t, name, text, updated)
	}
	for _, pattern := range []string{"mockserver/readme_*test.go", "mockserver/guide_*test.go"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(files) == 0 {
			t.Errorf("no file is named like %s, error %v", pattern, err)
		}
		for _, file := range files {
			if name := "mockserver/" + filepath.Base(file); !shown[name] {
				t.Errorf("no page shows %s", name)
			}
		}
	}
}

// comparePage compares a page with what it should be, and writes that with UPDATE=1.
func comparePage(t *testing.T, name, text, want string) {
	t.Helper()
	test, _, _ := strings.Cut(t.Name(), "/")
	diff := cmp.Diff(want, text)
	switch {
	case diff == "":
	case os.Getenv("UPDATE") != "":
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(name)), []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not up to date (-want +got): UPDATE=1 go test ./cmd/understudy -run %s writes it anew\n%s",
			name, test, diff)
	}
}

// TestDocumentedReadyLine compares the line that is shown with the first line of understudy serve.
func TestDocumentedReadyLine(t *testing.T) {
	t.Parallel()
	mock := serve(t)
	found := false
	for name, text := range pages(t) {
		for _, block := range readyBlock.FindAllStringSubmatch(text, -1) {
			found = true
			var shown ready
			if err := json.Unmarshal([]byte(strings.ReplaceAll(block[1], documented, mock.ready.URL)), &shown); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if diff := cmp.Diff(mock.ready, shown); diff != "" {
				t.Errorf("%s shows another first line of understudy serve (-want +got):\n%s", name, diff)
			}
		}
	}
	if !found {
		t.Error("no page shows the first line of understudy serve")
	}
	mock.stop(t)
}

// TestDocumentedCommands types what a page says, in its order and in one shell, and wants the answers that it shows
// behind #>. Each page has a mock of its own.
func TestDocumentedCommands(t *testing.T) {
	t.Parallel()
	commandsAlone(t)
	for name, text := range pages(t) {
		var paragraphs []string
		for _, block := range shellBlock.FindAllStringSubmatch(text, -1) {
			if block[1] == "" && strings.Contains("\n"+block[2], "\n#> ") {
				t.Errorf("%s shows the answer of commands that no test runs: write `sh run`\n%s", name, block[2])
			}
			if block[1] != "" {
				paragraphs = append(paragraphs, strings.Split(block[2], "\n\n")...)
			}
		}
		if len(paragraphs) > 0 {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				typeAll(t, text, paragraphs)
			})
		}
	}
}

// servedIn returns the flags that a page gives its mock, with the YAML files that it shows in a folder.
func servedIn(t *testing.T, dir, page string) []string {
	t.Helper()
	block := serveBlock.FindStringSubmatch(page)
	if block == nil {
		return nil
	}
	for _, file := range fileBlock.FindAllStringSubmatch(page, -1) {
		if filepath.Ext(file[1]) == ".yaml" {
			if err := os.WriteFile(filepath.Join(dir, filepath.Base(file[1])), []byte(file[2]+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return strings.Fields(strings.ReplaceAll(block[1], "=", "="+dir+"/"))
}

// typeAll types the paragraphs of a page in a folder, in one shell and beside a mock.
func typeAll(t *testing.T, page string, paragraphs []string) {
	t.Helper()
	dir := t.TempDir()
	mock := serve(t, servedIn(t, dir, page)...)
	var script, want []string
	for _, paragraph := range paragraphs {
		commands, answer := splitParagraph(paragraph)
		script = append(script, commands, "printf '\n"+mark+"\n'")
		want = append(want, answer)
	}
	const clean = "trap 'kill ${MOCK:-} 2>&- || :' EXIT\n" // where something fails before the page ends its mock
	text := clean + strings.ReplaceAll(strings.Join(script, "\n"), documented, mock.ready.URL)
	got := strings.Split(output(t, dir, "sh", "-eu", "-c", text), "\n"+mark+"\n")
	if len(got) != len(want)+1 {
		t.Fatalf("%d paragraphs were run, want %d", len(got)-1, len(want))
	}
	for i, answer := range want {
		if got := strings.TrimSpace(got[i]); answer != "" && got != answer {
			t.Errorf("%s\ngives\n%s\nwant\n%s", script[2*i], got, answer)
		}
	}
	mock.stop(t)
}

const mark = "=== end of paragraph ==="

// splitParagraph returns the commands of a paragraph and the answer that it shows, which may be empty.
func splitParagraph(paragraph string) (commands, answer string) {
	var typed, shown []string
	for line := range strings.Lines(paragraph) {
		line = strings.TrimRight(line, "\n")
		if text, ok := strings.CutPrefix(line, "#> "); ok {
			shown = append(shown, text)
			continue
		}
		typed = append(typed, line)
	}
	return strings.Join(typed, "\n"), strings.Join(shown, "\n")
}

// shell runs a script in an empty folder. Any command that fails ends it.
func shell(t *testing.T, script string) string {
	t.Helper()
	return output(t, t.TempDir(), "sh", "-eu", "-c", script)
}

// output runs a program in a folder, and returns what it writes.
func output(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		t.Fatalf("%v\n%s\n%s", err, out, exit.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestDocumentedPrograms runs the programs in other languages for which this machine has an interpreter, and wants what
// they show behind their #> or //>.
func TestDocumentedPrograms(t *testing.T) {
	t.Parallel()
	commandsAlone(t)
	shown := regexp.MustCompile(`(?m)^ *(?:#|//)> (.*)\n?`)
	languages := map[string][2]string{
		"python": {"python3", "example.py"}, "js": {"node", "example.mjs"}, "java": {"java", "Example.java"},
	}
	for name, text := range pages(t) {
		for _, block := range otherBlock.FindAllStringSubmatch(text, -1) {
			program, file := languages[block[1]][0], languages[block[1]][1]
			t.Run(name+" "+block[1], func(t *testing.T) {
				t.Parallel()
				if _, err := exec.LookPath(program); err != nil {
					t.Skipf("this machine has no %s", program)
				}
				var want strings.Builder
				for _, line := range shown.FindAllStringSubmatch(block[2], -1) {
					want.WriteString(line[1] + "\n")
				}
				dir := t.TempDir()
				if err := os.WriteFile(filepath.Join(dir, file), []byte(block[2]), 0o600); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want.String(), output(t, dir, program, file)); diff != "" {
					t.Errorf("output (-want +got):\n%s", diff)
				}
			})
		}
	}
}
