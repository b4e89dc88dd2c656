package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is for tests, and what others can be given, is linked only into what asks for it: each library takes its time to
// compile.
func TestLinked(t *testing.T) {
	t.Parallel()
	const (
		module        = "svc.example/understudy/"
		secondEngine  = "github.com/pb33f/libopenapi"
		queryEngine   = "modernc.org/"
		commandLine   = "github.com/spf13/"
		progressBar   = "github.com/schollz/progressbar"
		pages         = "github.com/yuin/goldmark " + module + "mockserver/console " + module + "docs"
		testLibraries = "github.com/chromedp/ github.com/creack/pty gopkg.in/dnaeon/go-vcr github.com/google/go-cmp " +
			"pgregory.net/rapid"
	)
	unwanted := map[string]string{
		"cmd/understudy":            secondEngine + " " + testLibraries,
		"cmd/understudy-libopenapi": queryEngine + " " + commandLine + " " + testLibraries + " github.com/getkin/ " + pages,
		"contract": secondEngine + " " + queryEngine + " " + commandLine + " " + progressBar + " " + testLibraries +
			" " + module + "mockserver " + pages,
		"contract/engine/process": secondEngine + " github.com/getkin/",
		"mockserver": secondEngine + " " + queryEngine + " " + commandLine + " " + progressBar + " " + testLibraries +
			" " + module + "contract " + module + "mockserver/query/sqlite " + pages,
		"mockserver/console/guide": module + "mockserver/internal " + module + "specs " + testLibraries,
	}
	linked := map[string][]string{}
	for path, libraries := range unwanted {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", module+path).Output()
		if err != nil {
			t.Fatal(err)
		}
		linked[path] = strings.Fields(string(out))
		for library := range strings.FieldsSeq(libraries) {
			for _, dependency := range linked[path] {
				if strings.HasPrefix(dependency, library) {
					t.Errorf("%s links %s", path, dependency)
				}
			}
		}
	}
	for path, wanted := range map[string]string{ // or this test sees nothing
		"cmd/understudy":            queryEngine,
		"cmd/understudy-libopenapi": secondEngine,
	} {
		if !strings.Contains(strings.Join(linked[path], "\n"), wanted) {
			t.Errorf("%s does not link %s", path, wanted)
		}
	}
}

// What users download requires no module that only tests use, but for go-cmp. Tests that need a browser, or a library
// of another tool, stand in internal/tools, a module of its own.
func TestRequired(t *testing.T) {
	t.Parallel()
	list := func(args ...string) []string {
		t.Helper()
		command := exec.CommandContext(t.Context(), "go", append([]string{"list"}, args...)...)
		command.Dir = root
		out, err := command.Output()
		if err != nil {
			t.Fatalf("go list %v: %v", args, err)
		}
		return strings.Fields(string(out))
	}
	imported := slices.DeleteFunc(list("./..."), func(path string) bool { return strings.Contains(path, "/internal/") })
	used := list(append([]string{"-deps", "-f", "{{with .Module}}{{.Path}}{{end}}"}, imported...)...)
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	var unused []string
	for line := range strings.Lines(string(text)) {
		path, version, _ := strings.Cut(strings.TrimSpace(line), " ")
		isDirect := strings.HasPrefix(version, "v") && !strings.Contains(version, "// indirect")
		if isDirect && !slices.Contains(used, path) {
			unused = append(unused, path)
		}
	}
	if diff := cmp.Diff([]string{"github.com/google/go-cmp"}, unused); diff != "" {
		t.Errorf("modules that only tests use (-want +got):\n%s", diff)
	}
}
