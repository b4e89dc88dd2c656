package contract_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/specs"
)

func TestEveryRuleSaysWhatItIsAbout(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, doc := range contract.RuleDocs() {
		ids = append(ids, doc.ID)
		if doc.Title == "" || strings.HasSuffix(doc.Title, ".") {
			t.Errorf("%s: the title %q is no clause", doc.ID, doc.Title)
		}
		for part, text := range map[string]string{
			"what it watches": doc.Watches, "its evidence": doc.Evidence,
			"what is inconclusive": doc.Inconclusive, "what passes": doc.Passes,
		} {
			if !strings.HasSuffix(text, ".") || strings.Contains(text, "  ") || strings.ToUpper(text[:1]) != text[:1] {
				t.Errorf("%s: %s is not told in sentences: %q", doc.ID, part, text)
			}
		}
		levels := []specs.Provenance{specs.Documented, specs.Public, specs.Client, specs.Assumed}
		if !slices.Contains(levels, doc.Provenance) {
			t.Errorf("%s: provenance %q", doc.ID, doc.Provenance)
		}
	}
	if diff := cmp.Diff(contract.Rules(), ids); diff != "" {
		t.Errorf("rules that are documented (-want +got):\n%s", diff)
	}
}

var ruleRow = regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\| (.*) \\|$")

// The table of rules in the README says of each rule what it says of itself. UPDATE=1 takes it over.
func TestTheReadmeListsTheRules(t *testing.T) {
	t.Parallel()
	const path, head = "../README.md", "| rule | what must hold |\n|---|---|\n"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), head)
	if !found {
		t.Fatalf("README.md has no table that begins with\n%s", head)
	}
	table, after, _ := strings.Cut(rest, "\n\n")
	var want strings.Builder
	for _, doc := range contract.RuleDocs() {
		want.WriteString("| `" + doc.ID + "` | " + doc.Title + " |\n")
	}
	if n := len(ruleRow.FindAllString(table, -1)); n != strings.Count(table, "\n")+1 {
		t.Errorf("%d of %d lines of the table are about a rule", n, strings.Count(table, "\n")+1)
	}
	diff := cmp.Diff(strings.TrimSpace(want.String()), table)
	switch {
	case diff == "":
	case os.Getenv("UPDATE") == "1":
		if err := os.WriteFile(path, []byte(before+head+want.String()+"\n"+after), 0o600); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("README.md does not list the rules as they are (-want +got): take them over with UPDATE=1:\n%s", diff)
	}
}
