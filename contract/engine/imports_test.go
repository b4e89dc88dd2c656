package engine_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whoever imports this module compiles libopenapi only if they ask for it.
func TestOnePackageImportsLibopenapi(t *testing.T) {
	t.Parallel()
	const module = "svc.example/understudy/"
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var importers []string
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if slices.ContainsFunc(fields[1:], func(path string) bool { return strings.HasPrefix(path, "github.com/pb33f/") }) {
			importers = append(importers, strings.TrimPrefix(fields[0], module))
		}
	}
	if diff := cmp.Diff([]string{"contract/engine/libopenapi"}, importers); diff != "" {
		t.Errorf("importers (-want +got):\n%s", diff)
	}
}
