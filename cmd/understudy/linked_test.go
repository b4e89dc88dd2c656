package main_test

import (
	"os/exec"
	"strings"
	"testing"
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
