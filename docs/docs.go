// Package docs holds the pages of the documentation, for the console of the mock. It has no code beside the list of the
// pages, which is that of docs/README.md: a page is added there, and nowhere else.
package docs

import (
	"embed"
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"
)

//go:embed README.md guide/*.md reference/*.md
var files embed.FS

// Page is a page of the documentation.
type Page struct {
	Path    string // from the folder docs, such as guide/faults.md
	Slug    string // its name in addresses, such as faults; no two pages share one
	Section string // the heading of docs/README.md that it is listed under, such as Guide
	Title   string // as docs/README.md lists it
	Summary string // one sentence, without markup
}

// Pages returns the pages in the order in which docs/README.md lists them.
func Pages() []Page { return list() }

// Text returns the page as Markdown.
func (p Page) Text() string {
	text, err := files.ReadFile(p.Path)
	if err != nil {
		panic(fmt.Errorf("docs/README.md lists a page that is not embedded: %w", err)) // a test reads them all
	}
	return string(text)
}

// entry matches an entry of the list, with the lines that continue it, or a heading.
var entry = regexp.MustCompile(`(?m)^(?:## (.+)|- \[([^\]]+)\]\(([^)]+\.md)\):?((?:.|\n  )*))$`)

var list = sync.OnceValue(func() (pages []Page) {
	index, err := files.ReadFile("README.md")
	if err != nil {
		panic(err) // it is embedded
	}
	section := ""
	for _, m := range entry.FindAllStringSubmatch(string(index), -1) {
		switch file := m[3]; {
		case file == "":
			section = m[1]
		case !strings.HasPrefix(file, ".."): // what is outside of the folder is not embedded
			summary := strings.Join(strings.Fields(strings.ReplaceAll(m[4], "`", "")), " ")
			pages = append(pages, Page{
				Path: file, Slug: strings.TrimSuffix(path.Base(file), ".md"), Section: section, Title: m[2], Summary: summary,
			})
		}
	}
	return pages
})
