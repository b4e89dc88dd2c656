package judge

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/address"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// An answer may be an envelope of resources, as JSON:API has it: one resource, or a page of a collection. What such an
// answer says in several places must agree, within itself and with the request, which no schema can state. Whether it
// is an envelope shows in its schema alone.

// envelopeForm is the form of envelope that a schema describes.
type envelopeForm int

const (
	noEnvelope envelopeForm = iota
	oneResource
	pageOfMany
)

func envelopeOf(schema *openapi3.Schema) envelopeForm {
	declares := func(path ...string) bool { return len(locatedSchema{schema: schema}.below(path...)) > 0 }
	switch {
	case declares("data", "0") && declares("meta", "total") && declares("links", "first"):
		return pageOfMany
	case declares("data", "id") && declares("data", "type"):
		return oneResource
	}
	return noEnvelope
}

// envelope is an answer whose schema is that of an envelope.
type envelope struct {
	*message
	j         *Judge
	r         *Result
	whole     *bodySchema
	body      jsontree.Value
	read      *content // the same body, decoded once a value of it is to be shown
	judgement judgement
}

// judgeEnvelope checks that the parts of an answer agree. An answer that cannot be read is reported elsewhere.
func (j *Judge) judgeEnvelope(r *Result, m *message) {
	schema := m.form.whole
	if schema == nil || schema.envelope == noEnvelope || m.doubt != "" || m.neverBody() != "" {
		return
	}
	body := r.JSONResponse(&jsontree.Tree{})
	if !body.Exists() {
		return
	}
	x := &envelope{message: m, j: j, r: r, whole: schema, body: body}
	data, isPage := body.Get("data"), schema.envelope == pageOfMany
	primary := []resource{}
	if isPage {
		primary = resourcesOf(data)
		x.page(len(primary))
	} else {
		primary = append(primary, resourceOf(data))
		x.resourceID(&primary[0])
	}
	for i := range primary {
		at := []string{"data", strconv.Itoa(i)}
		if !isPage {
			at = at[:1]
		}
		x.selfLink(at, &primary[i])
	}
	x.includedResources(primary)
	x.conclude()
}

// resource holds the parts of a resource that say what it is.
type resource struct{ id, kind, links, relationships jsontree.Value }

func resourceOf(one jsontree.Value) resource {
	return resource{one.Get("id"), one.Get("type"), one.Get("links"), one.Get("relationships")}
}

func resourcesOf(list jsontree.Value) []resource {
	var resources []resource
	for one := range list.List {
		resources = append(resources, resourceOf(one))
	}
	return resources
}

func (x *envelope) conclude() {
	verdict := report.Pass
	if len(x.judgement.findings) > 0 {
		verdict = report.Fail
	}
	x.judgement.check(Schema, verdict)
	x.r.add(x.judgement.conclude())
}

// addFault adds a finding on a disagreement at a path below the body.
func (x *envelope) addFault(p specs.Provenance, path []string, format string, args ...any) {
	if x.judgement.isFull(Schema) {
		x.judgement.omit(Schema, 1)
		return
	}
	root := locatedSchema{x.whole.media.Schema.Value, x.whole.schemaPointer}
	pointer := root.pointer
	for i := len(path); i > 0 && pointer == root.pointer; i-- {
		if schemas := root.below(path[:i]...); len(schemas) > 0 {
			pointer = schemas[0].pointer
		}
	}
	x.j.addFinding(&x.judgement, x.message, report.Finding{
		Rule: Schema, Verdict: report.Fail, Message: fmt.Sprintf(format, args...), Provenance: p,
		Pointer: join("/response/body", path...), Found: x.foundAt(path), Spec: report.Spec{Pointer: pointer},
	})
}

// foundAt returns the value at a path of the answer, as a finding shows it.
func (x *envelope) foundAt(path []string) string {
	if x.read == nil {
		decoded, reason := body.ReadJSON([]byte(x.body.Raw()))
		if reason != "" {
			return ""
		}
		x.read = &content{message: x.message, bodySchema: x.whole, decoded: decoded}
	}
	return x.j.foundAt(x.read, path)
}

// resourceID compares the id of a resource with the id in the path.
func (x *envelope) resourceID(one *resource) {
	name, isParameter := strings.CutSuffix(x.op.Path[strings.LastIndexByte(x.op.Path, '/')+1:], "}")
	if !isParameter || x.status >= 300 {
		return
	}
	asked, id := x.r.Owner.Match.Param(strings.TrimPrefix(name, "{")), one.id
	if id.Exists() && !isRedacted(asked) && !strings.EqualFold(asked, id.Plain()) {
		x.addFault(specs.Public, []string{"data", "id"}, "the id of the resource differs from the id in the path")
	}
}

// selfLink checks that the link of a resource to itself ends in its type and id.
func (x *envelope) selfLink(at []string, one *resource) {
	self, name, id := one.links.Get("self"), one.kind.Plain(), one.id.Plain()
	path, _, ok := cutLink(self.Plain())
	if !self.IsString() || !ok || name == "" || id == "" || isRedacted(self.Plain()) {
		return
	}
	path = strings.Trim(path, "/")
	end := strings.LastIndexByte(path, '/')
	kind := path[strings.LastIndexByte(path[:max(end, 0)], '/')+1 : max(end, 0)]
	if end < 0 || !strings.EqualFold(path[end+1:], id) || kind != name && kind != snakeCase(name) {
		x.addFault(specs.Public, append(slices.Clone(at), "links", "self"),
			"the link to a resource does not end in its type and id")
	}
}

// snakeCase returns a type as paths spell it: agent_schedules for agentSchedules.
func snakeCase(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// includedResources checks that each included resource is there once, and that another resource refers to it.
func (x *envelope) includedResources(primary []resource) {
	list := x.body.Get("included")
	if !list.IsArray() {
		return
	}
	included := resourcesOf(list)
	referred := map[[2]string]bool{}
	for _, one := range slices.Concat(primary, included) {
		for relation := range one.relationships.Each {
			for target := range relation.Get("data").List { // one is a list of one
				to := resourceOf(target)
				referred[to.key()] = true
			}
		}
	}
	listed := map[[2]string]bool{}
	for i := range included {
		at, who := []string{"included", strconv.Itoa(i)}, included[i].key()
		switch {
		case listed[who]:
			x.addFault(specs.Public, at, "a resource of type %q is included twice", ownership.ShownSegment(who[0]))
		case !referred[who]:
			x.addFault(specs.Public, at, "an included resource of type %q is not referenced", ownership.ShownSegment(who[0]))
		}
		listed[who] = true
		x.selfLink(at, &included[i])
	}
}

func (r *resource) key() [2]string { return [2]string{r.kind.Plain(), r.id.Plain()} }

// isPlain reports whether a value is a text that the recorder left unchanged.
func isPlain(value jsontree.Value) bool {
	return value.IsString() && !strings.Contains(value.Plain(), recording.Mark)
}

// cutLink returns the path of a URL, unescaped, and its raw query.
func cutLink(text string) (path, query string, ok bool) {
	if p, isPlain := address.Cut(text); isPlain {
		return p.Path, strings.TrimPrefix(p.Query, "?"), true
	}
	u, err := url.Parse(text)
	if err != nil {
		return "", "", false
	}
	return u.Path, u.RawQuery, true
}

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
	filters       []string          // names in the query, sorted
	links         [4]jsontree.Value // as pageLinks names them
	limit, offset int
	count, total  int
}

// page compares the page with the request, and its links with both.
func (x *envelope) page(count int) {
	query, err := x.r.Query()
	total := x.body.Get("meta", "total")
	if err != nil || !total.IsNumber() {
		return
	}
	p := &page{envelope: x, query: query, count: count, total: int(total.Int())}
	for i, name := range pageLinks {
		p.links[i] = x.body.Get("links", name)
	}
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
			p.link(name, p.links[i].Plain())
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
	isThere := link.Exists() && !link.IsNull()
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
	query, _ := address.Query(raw)
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
