package guide_test

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/docs"
	"svc.example/understudy/internal/evidence"
	"svc.example/understudy/mockserver/console/guide"
)

// all returns every page, by its slug.
func all(t *testing.T, g *guide.Guide) map[string]guide.Page {
	t.Helper()
	pages := map[string]guide.Page{}
	for _, section := range g.Contents() {
		for _, link := range section.Pages {
			page, ok := g.Page(link.Slug)
			if !ok {
				t.Errorf("the contents list %q, which is not a page", link.Slug)
			}
			pages[link.Slug] = page
		}
	}
	if len(pages) != len(docs.Pages()) {
		t.Errorf("%d pages, want %d", len(pages), len(docs.Pages()))
	}
	return pages
}

func TestContents(t *testing.T) {
	t.Parallel()
	contents := guide.New("").Contents()
	var titles []string
	for _, section := range contents {
		titles = append(titles, section.Title)
	}
	if !slices.Contains(titles, "Guide") || !slices.Contains(titles, "Reference") {
		t.Errorf("sections %q", titles)
	}
	if first := contents[0].Pages[0]; first.Address != "guide/getting-started" || first.Summary == "" {
		t.Errorf("the first page is %+v", first)
	}
	contents[0].Pages[0].Title = "changed" // what a caller does with it is not seen by others
	if got := guide.New("").Contents()[0].Pages[0].Title; got == "changed" {
		t.Error("callers share the contents")
	}
}

func TestPagesFollowEachOther(t *testing.T) {
	t.Parallel()
	g := guide.New("")
	list := docs.Pages()
	for i, source := range list {
		page, _ := g.Page(source.Slug)
		if (page.Previous == nil) != (i == 0) || (page.Next == nil) != (i == len(list)-1) {
			t.Fatalf("%s: previous %v, next %v", source.Slug, page.Previous, page.Next)
		}
		if page.Next != nil && page.Next.Address != "guide/"+list[i+1].Slug {
			t.Errorf("%s is followed by %+v", source.Slug, page.Next)
		}
		if page.Previous != nil && page.Previous.Slug != list[i-1].Slug {
			t.Errorf("%s follows %+v", source.Slug, page.Previous)
		}
	}
	if _, ok := g.Page("../../etc/passwd"); ok {
		t.Error("a slug that is not a page is one")
	}
}

var (
	tag       = regexp.MustCompile(`<(/?)([a-zA-Z0-9]+)((?: [^<>]*)?)>`)
	attribute = regexp.MustCompile(` ([a-z-]+)="([^"]*)"`)
)

// TestBodiesAreSafe allows the elements and attributes that pages need: no script, style, image or event handler.
func TestBodiesAreSafe(t *testing.T) {
	t.Parallel()
	elements := strings.Fields("h1 h2 h3 h4 p ul ol li a code pre span strong em table thead tbody tr th td div br " +
		"del hr blockquote")
	attributes := strings.Fields("id class href title tabindex align start")
	for slug, page := range all(t, guide.New("")) {
		body := string(page.Body)
		for _, m := range tag.FindAllStringSubmatch(body, -1) {
			if !slices.Contains(elements, m[2]) {
				t.Errorf("%s has an element %s", slug, m[0])
			}
			for _, a := range attribute.FindAllStringSubmatch(m[3], -1) {
				if !slices.Contains(attributes, a[1]) {
					t.Errorf("%s has an attribute %s", slug, m[0])
				}
			}
		}
		if strings.Contains(tag.ReplaceAllString(body, ""), "<") {
			t.Errorf("%s has a < outside of its elements", slug)
		}
	}
}

// TestLinks follows each link of each page to a page, and to an element with that id. Others lead to other hosts.
func TestLinks(t *testing.T) {
	t.Parallel()
	pages := all(t, guide.New(""))
	href := regexp.MustCompile(`<a href="([^"]*)"`)
	inner := 0
	for slug, page := range pages {
		for _, m := range href.FindAllStringSubmatch(string(page.Body), -1) {
			address := html.UnescapeString(m[1])
			if strings.HasPrefix(address, "https://") {
				continue
			}
			inner++
			name, id, _ := strings.Cut(strings.TrimPrefix(address, "guide/"), "#")
			target, ok := pages[name]
			switch {
			case !strings.HasPrefix(address, "guide/") || !ok:
				t.Errorf("%s has a link to %s, which is not a page", slug, address)
			case id != "" && !strings.Contains(string(target.Body), ` id="`+html.EscapeString(id)+`"`):
				t.Errorf("%s has a link to %s, which has no such id", slug, address)
			}
		}
	}
	if inner < 100 {
		t.Errorf("%d links between pages, want all", inner)
	}
}

func TestFilesOfTheRepositoryAreNotLinks(t *testing.T) {
	t.Parallel()
	page, _ := guide.New("").Page("concepts")
	const want = `<span class="file" title="mockserver/internal/bridge/bridge.go">mockserver/internal/bridge</span>`
	if !strings.Contains(string(page.Body), want) {
		t.Errorf("want %s in\n%s", want, page.Body)
	}
}

func TestHeadings(t *testing.T) {
	t.Parallel()
	for slug, page := range all(t, guide.New("")) {
		for _, h := range page.Headings {
			if h.Address != "guide/"+slug+"#"+h.ID || !strings.Contains(string(page.Body), ` id="`+h.ID+`"`) {
				t.Errorf("%s: heading %+v", slug, h)
			}
		}
	}
	page, _ := guide.New("").Page("control")
	if want := (guide.Heading{
		Level: 3, Text: "Queue a result for a query", ID: "queue-a-result-for-a-query",
		Address: "guide/control#queue-a-result-for-a-query",
	}); !slices.Contains(page.Headings, want) {
		t.Errorf("headings %+v, want %+v among them", page.Headings, want)
	}
}

func TestAddressesBeginWithTheRoot(t *testing.T) {
	t.Parallel()
	g := guide.New("../")
	page, _ := g.Page("cookbook")
	for _, address := range []string{
		page.Address, page.Next.Address, page.Headings[0].Address, g.Contents()[0].Pages[0].Address,
		g.Search("token", 1)[0].Address,
	} {
		if !strings.HasPrefix(address, "../guide/") {
			t.Errorf("address %s", address)
		}
	}
	if !strings.Contains(string(page.Body), `href="../guide/`) || strings.Contains(string(page.Body), `href="guide/`) {
		t.Error("links of the body do not begin with the root")
	}
}

// TestPictures keeps the pages of the guide, as they are, where PAGES says, for people to look at.
func TestPictures(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("PAGES")
	if dir == "" {
		t.Skip("PAGES is not set")
	}
	for slug, page := range all(t, guide.New("")) {
		text := "<!doctype html><meta charset=utf-8><title>" + page.Title + "</title><style>" + evidence.Styles +
			guide.Style() +
			"</style><div class=wrap><article class=guide>" + string(page.Body) + "</article></div>"
		if err := os.WriteFile(filepath.Join(dir, slug+".html"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
