package docs_test

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/docs"
)

func TestPagesListsEveryPageOnce(t *testing.T) {
	t.Parallel()
	var listed []string
	slugs := map[string]string{}
	for _, page := range docs.Pages() {
		listed = append(listed, page.Path)
		if other, taken := slugs[page.Slug]; taken {
			t.Errorf("%s and %s have the same slug", page.Path, other)
		}
		slugs[page.Slug] = page.Path
		if page.Section == "" || page.Title == "" || page.Summary == "" || strings.ContainsAny(page.Summary, "`\n[") {
			t.Errorf("%s: section %q, title %q, summary %q, want all three as plain text", page.Path, page.Section, page.Title,
				page.Summary)
		}
		if !strings.HasPrefix(page.Text(), "# ") {
			t.Errorf("%s does not begin with its title", page.Path)
		}
	}
	files, err := fs.Glob(os.DirFS("."), "*/*.md")
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(listed)
	slices.Sort(files)
	if !slices.Equal(listed, files) {
		t.Errorf("docs/README.md lists\n%q\nwant each page of the folder once\n%q", listed, files)
	}
}

func TestPagesAreInTheOrderOfTheIndex(t *testing.T) {
	t.Parallel()
	pages := docs.Pages()
	if first := pages[0]; first.Path != "guide/getting-started.md" || first.Section != "Guide" ||
		first.Title != "Getting started" || !strings.HasSuffix(first.Summary, "JavaScript or Java") {
		t.Errorf("the first page is %+v", first)
	}
	if last := pages[len(pages)-1]; last.Section != "Reference" || last.Slug != "budgets-and-promises" {
		t.Errorf("the last page is %+v", last)
	}
}
