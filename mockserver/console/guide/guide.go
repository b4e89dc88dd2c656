// Package guide renders the pages of the documentation as HTML, and searches them. The console shows them in its own
// layout. Nothing is rendered before it is first asked for.
//
// Addresses are relative to the root of the console, as in guide/faults or guide/faults#delays. Where the browser
// resolves them from another place, Guide.Root leads back. Style returns the rules for the classes that a body uses;
// colours are variables, which the style sheet of reports defines.
package guide

import (
	_ "embed" // the style sheet
	"html/template"
	"sync"

	"svc.example/understudy/docs"
)

// Guide renders and searches the pages. Its methods may be called from any goroutine.
type Guide struct {
	// Root is put before every address: it is empty where the page has the root of the console as its base, and "../"
	// where it is shown at guide/SLUG without one. Set it before the first call of a method.
	Root string

	contents []Section
	pages    map[string]func() Page // by slug
	bySource map[string]string      // slugs by path in docs
	index    func() *index
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

// New returns a guide to the pages that are embedded in the program.
func New() *Guide {
	g := &Guide{pages: map[string]func() Page{}, bySource: map[string]string{}}
	list := docs.Pages()
	for i, source := range list {
		if n := len(g.contents); n == 0 || g.contents[n-1].Title != source.Section {
			g.contents = append(g.contents, Section{Title: source.Section})
		}
		section := &g.contents[len(g.contents)-1]
		section.Pages = append(section.Pages, newLink(source))
		g.bySource[source.Path] = source.Slug
		g.pages[source.Slug] = sync.OnceValue(func() Page { return g.rendered(list, i) })
	}
	g.index = sync.OnceValue(func() *index { return newIndex(list) })
	return g
}

func newLink(p docs.Page) Link {
	return Link{Slug: p.Slug, Title: p.Title, Summary: p.Summary}
}

// Contents returns all pages in the order in which they are read.
func (g *Guide) Contents() []Section {
	list := make([]Section, len(g.contents))
	for i, section := range g.contents {
		list[i].Title = section.Title
		for _, page := range section.Pages {
			list[i].Pages = append(list[i].Pages, g.addressed(page))
		}
	}
	return list
}

// Page returns a page by its slug, and whether it exists.
func (g *Guide) Page(slug string) (Page, bool) {
	page, ok := g.pages[slug]
	if !ok {
		return Page{}, false
	}
	return page(), true
}

func (g *Guide) addressed(l Link) Link {
	l.Address = g.address(l.Slug, "")
	return l
}

func (g *Guide) address(slug, id string) string {
	address := g.Root + "guide/" + slug
	if id != "" {
		address += "#" + id
	}
	return address
}

func (g *Guide) rendered(list []docs.Page, i int) Page {
	neighbour := func(i int) *Link {
		if i < 0 || i == len(list) {
			return nil
		}
		link := g.addressed(newLink(list[i]))
		return &link
	}
	page := Page{
		Link: g.addressed(newLink(list[i])), Section: list[i].Section, Previous: neighbour(i - 1), Next: neighbour(i + 1),
	}
	page.Body, page.Headings = g.render(list[i], []byte(list[i].Text()))
	return page
}

//go:embed guide.css
var style string

// Style returns the style sheet for what a body of a page holds: tables, code and its highlighting.
func Style() string { return style }
