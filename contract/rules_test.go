package contract_test

import (
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
