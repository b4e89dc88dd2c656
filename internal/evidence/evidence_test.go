package evidence_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The pages of reports and of the console have one set of colours and one view of evidence: what defines them stands in
// this package, and nowhere else in the repository.
func TestStylesAndEvidenceAreDefinedOnce(t *testing.T) {
	t.Parallel()
	for _, definition := range []*regexp.Regexp{
		regexp.MustCompile(`--red-bg: ?#`), regexp.MustCompile(`define "message"`), regexp.MustCompile(`define "bar"`),
		regexp.MustCompile(`\.request-line ?\{margin`), regexp.MustCompile(`\.finding ?\{background`),
	} {
		var found []string
		err := fs.WalkDir(os.DirFS("../.."), ".", func(name string, _ fs.DirEntry, err error) error {
			if err != nil || !slices.Contains([]string{".css", ".html", ".go"}, path.Ext(name)) ||
				strings.Contains(name, "testdata/") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			text, err := fs.ReadFile(os.DirFS("../.."), name)
			if definition.Match(text) {
				found = append(found, name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(found) != 1 || !strings.HasPrefix(found[0], "internal/evidence/") {
			t.Errorf("%s is defined in %q, want one file of internal/evidence", definition, found)
		}
	}
}
