package judge

import (
	"maps"
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

// unknown is a number that the exchange does not show.
const unknown = -1

// page is the page of a collection that was asked for.
type page struct {
	*envelope
	query         url.Values
	limit, offset int
	count, total  int
}

// page compares the page with what was asked for, and its links with both.
func (x *envelope) page(count int) {
	query, err := url.ParseQuery(x.r.Owner.Query)
	total := x.body.Get("meta.total")
	if err != nil || total.Type != gjson.Number {
		return
	}
	p := &page{envelope: x, query: query, count: count, total: int(total.Int())}
	p.limit, p.offset = p.asked(pageLimit), p.asked(pageOffset)
	if p.limit != unknown && p.count > p.limit {
		x.fault(specs.Public, []string{"data"}, "the page has %d resources, but at most %d were requested", p.count, p.limit)
	}
	if p.offset != unknown {
		p.presence("next", p.offset+p.count < p.total)
		p.presence("prev", p.offset > 0)
	}
	for _, name := range []string{"first", "last", "next", "prev"} {
		if link := x.body.Get("links." + name); isPlain(link) {
			p.link(name, link.String())
		}
	}
}

// asked is a number that the request gives to the page, or the one that holds when it gives none.
func (p *page) asked(name string) int {
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
	if err != nil || parameter.Schema.Value.VisitJSON(float64(n)) != nil {
		return unknown // off the contract: what the server made of it is not known
	}
	return n
}

// presence looks whether a link is there exactly when it has to be.
func (p *page) presence(name string, want bool) {
	link := p.body.Get("links." + name)
	isThere := link.Exists() && link.Type != gjson.Null
	switch {
	case want && !isThere:
		p.fault(specs.Public, []string{"links"}, "the link %q is missing: the page has %d of %d resources, starting at %d",
			name, p.count, p.total, p.offset)
	case !want && isThere:
		p.fault(specs.Public, []string{"links", name},
			"there must not be a link %q: the page has %d of %d resources, starting at %d",
			name, p.count, p.total, p.offset)
	}
}

// link compares a link with the page. What it does not say may be as it is by default.
func (p *page) link(name, text string) {
	u, err := url.Parse(text)
	if err != nil {
		return
	}
	at, query := []string{"links", name}, u.Query()
	if size := query.Get(pageLimit); query.Has(pageLimit) && p.limit != unknown && size != strconv.Itoa(p.limit) {
		p.fault(specs.Public, at, "the link %q leads to pages of %s resources, want %d", name, shownNumber(size), p.limit)
	}
	if n, err := strconv.Atoi(query.Get(pageOffset)); query.Has(pageOffset) && (err != nil || !p.leads(name, n)) {
		p.fault(specs.Public, at, "the link %q leads to the wrong page, starting at %s", name,
			shownNumber(query.Get(pageOffset)))
	}
	for _, filter := range slices.Sorted(maps.Keys(p.query)) {
		if strings.HasPrefix(filter, "filter[") && !slices.Equal(p.query[filter], query[filter]) {
			p.fault(specs.Assumed, at, "the link %q does not keep %s", name, filter)
		}
	}
}

// leads reports whether a link leads where it has to. The last page is any that holds the last resource: pages need not
// begin at multiples of their size.
func (p *page) leads(name string, offset int) bool {
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
	isBeyond := p.offset > p.total // what is before such a page is anybody's guess
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
