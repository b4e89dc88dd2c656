package specs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc.example/understudy/specs"
)

// A list of what is below all parents is one of the resource only where each object shows what it is in: two
// of them would look the same otherwise.
func TestListsOfAllParentsShowTheWholeIdentity(t *testing.T) {
	t.Parallel()
	const file = "../mockserver/internal/own/testdata/shapes/pairs.yaml"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	without := filepath.Join(t.TempDir(), "without.yaml")
	hidden := strings.Replace(string(text), "properties: {namespace: {type: string}, name:", "properties: {name:", 1)
	if err := os.WriteFile(without, []byte(hidden), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{file: "list [/namespace /name]", without: ""} {
		doc, err := specs.LoadFile("shop", name, specs.Neutral)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, a := range doc.Operation("listAllPods").Actions() {
			got = fmt.Sprint(a.Verb, " ", a.Identity)
		}
		if got != want {
			t.Errorf("%s: the list of all pods is %q, want %q", filepath.Base(name), got, want)
		}
	}
}
