package mockserver_test

import (
	"os/exec"
	"strings"
	"testing"
)

// Whoever imports the mock into a test does not pay for the SQL engine, which is a large one, unless they ask for it.
func TestImports(t *testing.T) {
	t.Parallel()
	const mock = "svc.example/understudy/mockserver"
	imports := func(path string) string {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{.ImportPath}}", path).Output()
		if err != nil {
			t.Fatalf("go list %s: %v", path, err)
		}
		return string(out)
	}
	for _, library := range []string{"modernc.org/", "zombiezen.com/", mock + "/query/sqlite"} {
		if strings.Contains(imports(mock), library) {
			t.Errorf("%s imports %s", mock, library)
		}
	}
	if !strings.Contains(imports(mock+"/query/sqlite"), "modernc.org/sqlite/lib") {
		t.Error("the engine imports no SQLite: this test sees nothing")
	}
}
