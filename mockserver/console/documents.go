package console

import (
	"net/http"
	"slices"
	"strings"

	"svc.example/understudy/mockserver/console/apidocs"
	"svc.example/understudy/mockserver/console/guide"
	"svc.example/understudy/specs"
)

// documentsPage lists the documents, and the operations that a search finds in them.
type documentsPage struct {
	Documents []documentLink
	Query     string
	Found     []found
}

type documentLink struct{ Name, Title string }

type found struct {
	Name, Method, Path, Summary string
	IsControl                   bool
}

// titles say what the documents are about.
var titles = map[specs.Interface]string{
	specs.Ingestion: "send events", specs.Audience: "segments and activations", specs.DWH: "data warehouse integration",
	specs.Core: "databases, tables, jobs, users and rights", specs.LLM: "agents, chats and knowledge bases",
	specs.Workflow: "projects, attempts and pools", specs.Control: "the mock itself: worlds, clocks, journals, faults",
}

func (v *view) documents() error {
	c, err := v.catalog()
	if err != nil {
		return err
	}
	control, err := specs.Load(specs.Control, v.brand)
	if err != nil {
		return err
	}
	body := documentsPage{Query: v.r.URL.Query().Get("q")}
	for _, doc := range append(slices.Clip(c.documents), control) {
		name := doc.Interface
		link := documentLink{string(name), titles[name]}
		if name.IsOwn() && doc.T.Info != nil {
			link.Title = doc.T.Info.Title
		}
		body.Documents = append(body.Documents, link)
		if body.Query == "" {
			continue
		}
		if name != specs.Control {
			doc = c.readable[name]()
		} else if doc, err = doc.Readable(); err != nil {
			return err
		}
		for _, o := range doc.Operations {
			text := strings.ToLower(o.Name() + " " + o.Method + " " + doc.BasePath + o.Path + " " + o.Spec.Summary)
			lacks := func(word string) bool { return !strings.Contains(text, word) }
			if !slices.ContainsFunc(strings.Fields(strings.ToLower(body.Query)), lacks) {
				body.Found = append(body.Found, found{
					o.Name(), o.Method, doc.BasePath + o.Path, o.Spec.Summary, name == specs.Control,
				})
			}
		}
	}
	return v.ok("documents", "documents", "Documents", body)
}

// documentPage shows a document, with "try it".
func (v *view) documentPage() error {
	name := specs.Interface(v.r.PathValue("interface"))
	c, err := v.catalog()
	if err != nil {
		return err
	}
	doc := c.document(name)
	if doc == nil && name != specs.Control {
		return v.problem(http.StatusNotFound, "This interface has no document here.")
	}
	var list struct {
		Worlds []world `json:"worlds"`
	}
	if err := v.get("worlds", &list); err != nil {
		return err
	}
	page := apidocs.Page{
		Interface: string(name), SpecURL: v.Link("api", "specs", string(name)+".yaml"),
		ServerURL: v.up + "api", Assets: v.up + "apidocs/",
	}
	if name != specs.Control {
		page.ServerURL = v.up + "call/" + string(name) + doc.BasePath
		for _, w := range list.Worlds {
			page.Worlds = append(page.Worlds, w.ID)
		}
		page.World = defaultWorld
		page.Keys = []apidocs.Key{{Label: adminKey, Value: adminKey}, {Label: "1/write", Value: "1/write"}}
		if name.IsOwn() {
			page.Keys = []apidocs.Key{{Label: "any", Value: "any"}}
		}
	}
	v.w.Header().Set("Content-Security-Policy", page.Policy())
	return v.ok("document", "documents", capitalized(string(name)), page)
}

// HasMain reports whether what a page shows has an element main of its own.
func (p page) HasMain() bool {
	_, is := p.Body.(apidocs.Page)
	return is
}

// guidePage is a page of the documentation, or the list of all.
type guidePage struct {
	Contents []guide.Section
	Page     guide.Page
	Query    string
	Hits     []guide.Hit
}

// maxHits is the number of results that a search in the documentation shows.
const maxHits = 30

func (v *view) guideContents() error {
	return v.ok("guide", "guide", "Guide", guidePage{Contents: v.guide.Contents()})
}

func (v *view) guidePage() error {
	page, ok := v.guide.Page(v.r.PathValue("slug"))
	if !ok {
		return v.problem(http.StatusNotFound, "The guide has no such page.")
	}
	return v.ok("guide-page", "guide", page.Title, guidePage{Contents: v.guide.Contents(), Page: page})
}

func (v *view) searchGuide() error {
	query := v.r.URL.Query().Get("q")
	return v.ok("guide-search", "guide", "Search", guidePage{Query: query, Hits: v.guide.Search(query, maxHits)})
}
