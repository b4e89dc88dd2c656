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
		secondEngine  = "github.com/pb33f/"
		queryEngine   = "modernc.org/"
		commandLine   = "github.com/spf13/"
		progressBar   = "github.com/schollz/progressbar"
		testLibraries = "github.com/chromedp/ github.com/creack/pty github.com/yuin/goldmark gopkg.in/dnaeon/go-vcr " +
			"github.com/google/go-cmp pgregory.net/rapid"
	)
	for path, unwanted := range map[string]string{
		"cmd/understudy":            secondEngine + " " + testLibraries,
		"cmd/understudy-libopenapi": queryEngine + " " + commandLine + " " + testLibraries + " github.com/getkin/",
		"contract": secondEngine + " " + queryEngine + " " + commandLine + " " + progressBar + " " + testLibraries +
			" " + module + "mockserver",
		"contract/engine/process": secondEngine + " github.com/getkin/",
		"mockserver": secondEngine + " " + queryEngine + " " + commandLine + " " + progressBar + " " + testLibraries +
			" " + module + "contract " + module + "mockserver/query/sqlite",
	} {
		linked := dependencies(t, module+path)
		for library := range strings.FieldsSeq(unwanted) {
			for _, dependency := range linked {
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
		if !strings.Contains(strings.Join(dependencies(t, module+path), "\n"), wanted) {
			t.Errorf("%s does not link %s", path, wanted)
		}
	}
}

func dependencies(t *testing.T, path string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", path).Output()
	if err != nil {
		t.Fatalf("go list %s: %v", path, err)
	}
	return strings.Fields(string(out))
}
