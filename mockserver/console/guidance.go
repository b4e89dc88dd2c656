package console

import (
	"net/http"

	"svc.example/understudy/mockserver/console/guide"
)

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
