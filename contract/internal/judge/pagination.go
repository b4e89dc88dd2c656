package judge

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/tidwall/gjson"

	"svc.example/understudy/specs"
)

const (
	pageLimit  = "page[limit]"
	pageOffset = "page[offset]"
)

// pageLinks are the names of a page's links.
var pageLinks = [...]string{"first", "last", "next", "prev"}

// unknown is a number that the exchange does not show.
const unknown = -1

// page is the requested page of a collection.
type page struct {
	*envelope
	query         url.Values
	filters       []string        // names in the query, sorted
	links         [4]gjson.Result // as pageLinks names them
	limit, offset int
	count, total  int
}

// page compares the page with the request, and its links with both.
func (x *envelope) page(count int) {
	query, err := url.ParseQuery(x.r.Owner.Query)
	total := x.parts[1].Get("total")
	if err != nil || total.Type != gjson.Number {
		return
	}
	p := &page{envelope: x, query: query, links: pick(x.parts[2], pageLinks), count: count, total: int(total.Int())}
	for name := range query {
		if strings.HasPrefix(name, "filter[") {
			p.filters = append(p.filters, name)
		}
	}
	slices.Sort(p.filters)
	p.limit, p.offset = p.requested(pageLimit), p.requested(pageOffset)
	if p.limit != unknown && p.count > p.limit {
		x.addFault(specs.Public, []string{"data"}, "the page has %d resources, but at most %d were requested", p.count,
			p.limit)
	}
	if p.offset != unknown {
		p.linkPresence(2, p.offset+p.count < p.total)
		p.linkPresence(3, p.offset > 0)
	}
	for i, name := range pageLinks {
		if isPlain(p.links[i]) {
			p.link(name, p.links[i].String())
		}
	}
}

// requested returns a number that the request gives for the page, or its default.
func (p *page) requested(name string) int {
	parameter := p.op.Parameters.GetByInAndName(openapi3.ParameterInQuery, name)
	if parameter == nil || parameter.Schema == nil || len(p.query[name]) > 1 {
		return unknown
	}
	if !p.query.Has(name) {
		if n, ok := parameter.Schema.Value.Default.(float64); ok {
			return int(n)
		}
		return unknown
	}
	n, err := strconv.Atoi(p.query.Get(name))
	if err != nil || !takes(p.op.Document, parameter.Schema.Value, float64(n)) {
		return unknown // not as documented: how the server read it is not known
	}
	return n
}

// linkPresence checks that a link is there exactly if it has to be.
func (p *page) linkPresence(i int, want bool) {
	name, link := pageLinks[i], p.links[i]
	isThere := link.Exists() && link.Type != gjson.Null
	switch {
	case want && !isThere:
		p.addFault(specs.Public, []string{"links"}, "the link %q is missing: the page has %d of %d resources, starting at %d",
			name, p.count, p.total, p.offset)
	case !want && isThere:
		p.addFault(specs.Public, []string{"links", name},
			"there must not be a link %q: the page has %d of %d resources, starting at %d",
			name, p.count, p.total, p.offset)
	}
}

// link compares a link with the page. It may leave out defaults.
func (p *page) link(name, text string) {
	_, raw, ok := cutLink(text)
	if !ok {
		return
	}
	query, _ := url.ParseQuery(raw)
	at := []string{"links", name}
	if size := query.Get(pageLimit); query.Has(pageLimit) && p.limit != unknown && size != strconv.Itoa(p.limit) {
		p.addFault(specs.Public, at, "the link %q leads to pages of %s resources, want %d", name, shownNumber(size), p.limit)
	}
	if n, err := strconv.Atoi(query.Get(pageOffset)); query.Has(pageOffset) && (err != nil || !p.leadsToPage(name, n)) {
		p.addFault(specs.Public, at, "the link %q leads to the wrong page, starting at %s", name,
			shownNumber(query.Get(pageOffset)))
	}
	for _, filter := range p.filters {
		if !slices.Equal(p.query[filter], query[filter]) {
			p.addFault(specs.Assumed, at, "the link %q does not keep %s", name, filter)
		}
	}
}

// leadsToPage reports whether a link leads to the right page. The last page is any with the last resource: pages need
// not begin at multiples of their size.
func (p *page) leadsToPage(name string, offset int) bool {
	switch {
	case name == "first":
		return offset == 0
	case p.limit == unknown:
		return true
	case name == "last":
		return offset >= 0 && offset < max(p.total, 1) && offset+p.limit >= p.total
	case p.offset == unknown:
		return true
	case name == "next":
		return offset == p.offset+p.limit || offset == p.offset+p.count
	}
	isBeyond := p.offset > p.total // which page is before such a page is not documented
	return offset == max(0, p.offset-p.limit) || isBeyond && offset >= 0 && offset < p.offset
}

// shownNumber returns the text if it is a number that may be shown.
func shownNumber(text string) string {
	const longest = 12
	if len(text) > longest || strings.Trim(text, "0123456789") != "" {
		return "*"
	}
	return text
}
