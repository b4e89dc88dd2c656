package guide

import (
	"html/template"

	"svc.example/understudy/docs"
)

// Render renders a page of the guide that is not one of the documentation.
func (g *Guide) Render(source string) template.HTML {
	body, _ := g.render(docs.Page{Path: "guide/test.md", Slug: "test"}, []byte(source))
	return body
}

// Highlight is highlight.
func Highlight(language, code string) string { return highlight(language, code) }

// Languages returns the names of the languages that are highlighted.
func Languages() (names []string) {
	for name := range languages() {
		names = append(names, name)
	}
	return names
}
