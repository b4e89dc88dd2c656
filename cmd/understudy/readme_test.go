package main_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"svc.example/understudy/specs"
)

const root = "../.."

// A block of README.md that is a file says so in the line before, and so does one that is run.
var (
	fileBlock = regexp.MustCompile("(?s)<!-- file: (\\S+) -->\n```\\w+\n(.*?)\n```\n")
	runBlock  = regexp.MustCompile("(?s)<!-- run -->\n```sh\n(.*?)\n```\n")
)

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

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
		row := regexp.MustCompile(`(?m)^(\| ` + name + ` \| )\d+( \|)`)
		if !row.MatchString(text) || !all.MatchString(text) {
			t.Errorf("README.md does not say how many operations there are, or how many of %s", name)
		}
		text = row.ReplaceAllString(text, fmt.Sprintf("${1}%d${2}", len(d.Operations)))
	}
	return text
}

// TestReadmeFiles holds the README against the files that it shows, which the tests run, and against the documents. UPDATE=1
// takes them over.
func TestReadmeFiles(t *testing.T) {
	t.Parallel()
	text := readme(t)
	updated := fileBlock.ReplaceAllStringFunc(counted(t, text), func(block string) string {
		parts := fileBlock.FindStringSubmatch(block)
		content, err := os.ReadFile(filepath.Join(root, parts[1]))
		if err != nil {
			t.Fatal(err)
		}
		body := strings.TrimSpace(string(content))
		if strings.HasSuffix(parts[1], ".go") {
			_, body, _ = strings.Cut(body, "\n\n") // the package clause is the reader's
		}
		return strings.Replace(block, parts[2], body, 1)
	})
	switch {
	case !strings.Contains(text, "<!-- file: mockserver/readme_test.go -->"):
		t.Error("README.md does not show mockserver/readme_test.go")
	case updated == text:
	case os.Getenv("UPDATE") != "":
		if err := os.WriteFile(filepath.Join(root, "README.md"), []byte(updated), 0o600); err != nil {
			t.Fatal(err)
		}
	default:
		t.Error("README.md does not show its files and the numbers of operations as they are: take them over with " +
			"UPDATE=1 go test ./cmd/understudy -run ReadmeFiles")
	}
}

// TestReadmeCommands types what the README says, in its order and in one shell, and wants the answers that it shows
// behind #>.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	mock := serve(t)
	var script, want []string
	for _, block := range runBlock.FindAllStringSubmatch(readme(t), -1) {
		for paragraph := range strings.SplitSeq(block[1], "\n\n") {
			commands, answer := splitParagraph(paragraph)
			script = append(script, commands, "printf '\n"+mark+"\n'")
			want = append(want, answer)
		}
	}
	const clean = "trap 'kill ${MOCK:-} 2>&- || :' EXIT\n" // where something fails before the README ends its mock
	text := clean + strings.ReplaceAll(strings.Join(script, "\n"), "http://127.0.0.1:4010", mock.ready.URL)
	got := strings.Split(shell(t, text), "\n"+mark+"\n")
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

// splitParagraph parts what is typed from what is answered. Where the README shows no answer, there is none to want.
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
	cmd := exec.CommandContext(t.Context(), "sh", "-eu", "-c", script)
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		t.Fatalf("%v\n%s\n%s", err, out, exit.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
