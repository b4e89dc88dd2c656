// Package guide renders the pages of the documentation as HTML, and searches them. The console shows them in its own
// layout. Nothing is rendered before it is first asked for.
//
// Style returns the rules for the classes that a body uses; colours are variables, which the style sheet of reports
// defines.
package guide

import (
	_ "embed" // the style sheet
	"html/template"
	"slices"
	"sync"

	"svc.example/understudy/docs"
)

// Guide renders and searches the pages. Its methods may be called from any goroutine.
type Guide struct {
	root     string
	contents []Section
	pages    map[string]func() Page // by slug
	parts    func() []part
}

// Link leads to a page.
type Link struct {
	Slug    string // such as faults
	Address string // such as guide/faults
	Title   string // as the index of the documentation lists it
	Summary string // one sentence
}

// Section is a list of pages under a heading.
type Section struct {
	Title string // such as Guide, Cookbook or Reference
	Pages []Link
}

// Page is a page as it is shown.
type Page struct {
	Link
	Section  string // the title of the section that it belongs to
	Body     template.HTML
	Headings []Heading // below the title, in their order
	Previous *Link     // nil on the first page
	Next     *Link     // nil on the last page
}

// Heading is an entry of the table of contents of a page.
type Heading struct {
	Level   int    // 2 or 3
	Text    string // without markup
	ID      string // of the element in the page
	Address string // such as guide/faults#delays
}

// New returns a guide to the pages that are embedded in the program. Their addresses are relative to the root of the
// console, as in guide/faults or guide/faults#delays; root stands before each, and leads back where the browser
// resolves them from another place, such as ../ on a page at guide/faults.
func New(root string) *Guide {
	g := &Guide{root: root, pages: map[string]func() Page{}}
	var links []*Link
	for i, source := range docs.Pages() {
		link := Link{source.Slug, g.address(source.Slug, ""), source.Title, source.Summary}
		links = append(links, &link)
		if n := len(g.contents); n == 0 || g.contents[n-1].Title != source.Section {
			g.contents = append(g.contents, Section{Title: source.Section})
		}
		section := &g.contents[len(g.contents)-1]
		section.Pages = append(section.Pages, link)
		g.pages[source.Slug] = sync.OnceValue(func() Page {
			page := Page{Link: link, Section: source.Section}
			page.Body, page.Headings = g.render(source, []byte(source.Text()))
			if i > 0 {
				page.Previous = links[i-1]
			}
			if i < len(links)-1 {
				page.Next = links[i+1]
			}
			return page
		})
	}
	g.parts = sync.OnceValue(allParts)
	return g
}

// Contents returns all pages in the order in which they are read.
func (g *Guide) Contents() []Section { return slices.Clone(g.contents) }

// Page returns a page by its slug, and whether it exists.
func (g *Guide) Page(slug string) (Page, bool) {
	page, ok := g.pages[slug]
	if !ok {
		return Page{}, false
	}
	return page(), true
}

func (g *Guide) address(slug, id string) string {
	address := g.root + "guide/" + slug
	if id != "" {
		address += "#" + id
	}
	return address
}

//go:embed guide.css
var style string

// Style returns the style sheet for what a body of a page holds: tables, code and its highlighting.
func Style() string { return style }
