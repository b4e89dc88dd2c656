package facts

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/internal/address"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/sight"
)

// page says how the answers of an operation are cut into pages, in which order they list, and what they filter.
type page struct {
	size       string // the parameter that says how many a page holds at most
	standard   int64  // what holds without it; 0 where that is not known
	positions  bool   // from and to count positions, and both are on the page
	echoes     []string
	cursors    []string // parameters that continue a list
	isOwn      bool
	at         specs.Pointer // of the items; nil to look for them
	order      order
	filters    map[string]specs.Pointer
	countsPage bool             // the answer's count is that of the items on the page
	sure       specs.Provenance // of the size, the order and the filters

	from    string // the parameter that says where a page begins, by items or by pages; empty where no document does
	start   string // what it is without that
	byPages bool
}

// order is the order of a list by a member of its items.
type order struct {
	by         specs.Pointer
	descending bool
	lastID     bool // the parameter last_id says behind which id a page begins
	sure       specs.Provenance
}

var (
	newestFirst = order{by: specs.Pointer{"id"}, descending: true, lastID: true, sure: specs.Client}
	byID        = order{by: specs.Pointer{"id"}, lastID: true, sure: specs.Assumed}
)

// orders of lists, by operation.
var orders = map[string]order{
	"workflow.listAttempts":         newestFirst,
	"workflow.listSessions":         newestFirst,
	"workflow.listProjectSessions":  newestFirst,
	"workflow.listSessionAttempts":  newestFirst,
	"workflow.listAttemptRetries":   {by: specs.Pointer{"id"}, sure: specs.Client},
	"workflow.listProjects":         byID,
	"workflow.listSchedules":        byID,
	"workflow.listProjectSchedules": byID,
	"workflow.listProjectRevisions": {by: specs.Pointer{"createdAt"}, descending: true, sure: specs.Client},
	"core.listJobs":                 {by: specs.Pointer{"created_at"}, descending: true, sure: specs.Client},
	"core.getScheduleHistory":       {by: specs.Pointer{"scheduled_at"}, descending: true, sure: specs.Assumed},
}

// filters of lists: which member of the items a parameter asks for.
var filters = map[string]map[string]specs.Pointer{
	"core.listJobs":                 {"status": {"status"}},
	"core.listDeletedTables":        {"database_id": {"database_id"}},
	"workflow.listAttempts":         {"project": {"project", "name"}, "workflow": {"workflow", "name"}},
	"workflow.listProjects":         {"name": {"name"}},
	"workflow.listProjectRevisions": {"name": {"revision"}},
	"workflow.listProjectSchedules": {"workflow": {"workflow", "name"}},
	"workflow.listProjectSessions":  {"workflow": {"workflow", "name"}},
	"workflow.listProjectWorkflows": {"name": {"name"}},
}

var (
	sizeNames = []string{
		"page_size", "page[size]", "pageSize", "per_page", "perPage", "size", "limit", "count", "page[limit]",
	}
	echoNames   = []string{"page", "from", "to", "offset", "start"}
	cursorNames = []string{"cursor_id", "cursor", "page_token", "pageToken", "after", "page[after]", "starting_after"}
	nextNames   = []string{
		"next", "next_cursor", "nextCursor", "next_page_token", "nextPageToken", "nextPage", "next_page",
		"cursor_id",
	}
	totalNames = []string{"total", "total_count", "totalCount", "total_items", "totalItems"}
	// envelopes hold what an answer says of its page.
	envelopes = []string{"", "pagination", "meta", "paging", "page_info", "pageInfo"}
)

// pageOf returns how an operation pages, or nil if it does not list.
func pageOf(op *specs.Operation) *page {
	name := op.Name()
	p := &page{isOwn: op.Interface.IsOwn(), order: orders[name], filters: filters[name], sure: specs.Client}
	actions := op.Actions()
	isList := len(actions) > 0 && actions[0].Verb == specs.List
	for _, at := range listPlaces(actions) {
		p.at = at[:len(at)-1]
	}
	has := func(name string) bool { return op.Parameters.GetByInAndName("query", name) != nil }
	for _, size := range sizeNames {
		if has(size) && p.size == "" && (isList || size != "count" || name == "core.tailTable") {
			p.size = size
			if s := op.Parameters.GetByInAndName("query", size).Schema; s != nil && !p.isOwn { // it may have content
				standard, _ := s.Value.Default.(float64)
				p.standard = int64(standard)
			}
		}
	}
	p.positions = op.Interface == specs.Core && has("from") && has("to")
	p.countsPage = p.positions
	if !p.isOwn && isList && has("page") { // of entities that only requests make
		p.from, p.start, p.byPages = "page", "1", true
	}
	p.echoes = slices.DeleteFunc(slices.Clone(echoNames), func(name string) bool { return !has(name) })
	p.cursors = slices.DeleteFunc(slices.Clone(cursorNames), func(name string) bool { return !has(name) })
	if isList && p.isOwn {
		p.declare(actions[0].Resource)
	}
	if op.Method != "GET" || !isList && p.size == "" && len(p.cursors) == 0 && !p.positions && p.order.by == nil {
		return nil
	}
	return p
}

// declare takes what a user's own document says of how a resource is listed.
func (p *page) declare(r *specs.Resource) {
	says := r.Behaviour.List
	p.size, p.sure = cmp.Or(says.Page.Limit, p.size), r.Provenance
	p.standard = int64(says.Page.Size)
	if by, isDown := strings.CutPrefix(says.Order, "-"); by != "" {
		p.order = order{by: specs.PointerOf(by), descending: isDown, sure: r.Provenance}
	}
	for name, at := range says.Filter {
		if p.filters == nil {
			p.filters = map[string]specs.Pointer{}
		}
		p.filters[name] = specs.PointerOf(at)
	}
	switch says.Page.Style {
	case "cursor":
		p.cursors = append(p.cursors, says.Page.At)
	case "offset":
		p.from, p.start = says.Page.At, "0"
	case "page":
		p.from, p.start, p.byPages = says.Page.At, "1", true
	}
}

// isPlain reports whether a query asks for nothing but a page and what filters name, so that the list is in its order.
func (p *page) isPlain(query url.Values) bool {
	for name := range query {
		_, isFilter := p.filters[name]
		if !isFilter && name != p.size && name != p.from && !slices.Contains(p.cursors, name) {
			return false
		}
	}
	return true
}

// Slice is a part of a list that is divided by positions. Those of one list have the same key.
type Slice struct {
	Key        uint64
	First, End int64
}

// slice returns the part of a list that a query asked for; nil if it does not say.
func (a *answerReader) slice(p *page, query url.Values, n int64) *Slice {
	if p.from == "" || !p.isPlain(query) {
		return nil
	}
	first, err := strconv.ParseInt(cmp.Or(query.Get(p.from), p.start), 10, 32)
	if err != nil {
		return nil
	}
	if p.byPages { // pages do not touch each other, whatever their length
		first *= maxPage
	}
	return &Slice{a.walkKey(query, p.from), first, first + n}
}

const maxPage = 1 << 20

// listPlaces lists where an operation shows the items of a list.
func listPlaces(actions []*specs.Action) (list []specs.Pointer) {
	for _, a := range actions {
		for _, at := range a.At {
			if n := len(at) - 1; n >= 0 && at[n] == "*" && !slices.Contains(at[:n], "*") {
				list = append(list, at)
			}
		}
	}
	return list
}

// checkPage looks whether a page is the one that was asked for.
func (a *answerReader) checkPage(p *page) {
	list := a.items(p)
	if !list.IsArray() {
		return
	}
	query := a.r.query()
	n := int64(list.Len())
	a.checkLength(p, query, n)
	a.checkNumbers(p, query, n)
	if !p.isOwn || p.isPlain(query) {
		a.checkOrder(p, query, list)
	}
	a.event.Slice = a.slice(p, query, n)
	for name, at := range p.filters {
		asked := query.Get(name)
		isSought := func(u specs.Unique) bool { return asked != "" && u.At == at.String() }
		if len(query) == 1 && slices.ContainsFunc(uniques[a.event.Kind], isSought) {
			a.event.Sought = &Held{at[len(at)-1], asked}
		}
		isAsked := func(shown string) bool {
			return isSameName(asked, shown) || p.isOwn && slices.Contains(strings.Split(asked, ","), shown)
		}
		for item := range list.Each {
			shown := sight.Text(item, at)
			if asked != "" && shown != "" && !isAsked(shown) && judge.IsDistinct(shown) && !strings.HasPrefix(shown, "[") {
				a.contradict("filter "+name, p.sure, "the list was asked for %s %s, and shows one of %s", name, asked, shown)
			}
		}
	}
}

// items returns the list of an answer: where the document says, or else the only one.
func (a *answerReader) items(p *page) (list jsontree.Value) {
	if p.at != nil {
		for found := range sight.Values(a.body, p.at) {
			list = found
		}
		return list
	}
	if a.body.IsArray() {
		return a.body
	}
	for member := range a.body.Each {
		if member.IsArray() {
			if list.Exists() {
				return jsontree.Value{}
			}
			list = member
		}
	}
	return list
}

// checkLength looks whether a page is longer than was asked for.
func (a *answerReader) checkLength(p *page, query url.Values, n int64) {
	if most, sure := p.most(query); most >= 0 && n > most {
		a.contradict("page length", sure, "the page has %d items, but at most %d were asked for", n, most)
	}
}

// MostOnPage returns how many items a query asks an operation for at most, and where they stand: nil if it is the only
// list of the answer. It is -1 if it does not say.
func MostOnPage(op *specs.Operation, query string) (at specs.Pointer, most int64) {
	p := planOf(op).page
	values, err := address.Query(query)
	if p == nil || err != nil {
		return nil, -1
	}
	most, _ = p.most(values)
	return p.at, most
}

// most returns how many items a query asks for at most, or -1, and how sure that is.
func (p *page) most(query url.Values) (most int64, sure specs.Provenance) {
	most, sure = -1, specs.Public
	if p.size != "" && query.Has(p.size) {
		if asked, err := strconv.ParseInt(query.Get(p.size), 10, 64); err == nil && asked > 0 {
			most = asked
			if p.isOwn {
				sure = p.sure
			}
		}
	} else if p.standard > 0 {
		most, sure = p.standard, p.sure
	}
	if p.positions && query.Has("to") {
		from, errFrom := strconv.ParseInt(cmp.Or(query.Get("from"), "0"), 10, 64)
		to, errTo := strconv.ParseInt(query.Get("to"), 10, 64)
		if errFrom == nil && errTo == nil && from >= 0 && to >= from {
			most, sure = to-from+1, specs.Client
		}
	}
	return most, sure
}

// checkNumbers looks whether what an answer says of its page is so.
func (a *answerReader) checkNumbers(p *page, query url.Values, n int64) {
	if count := a.body.Get("count"); count.IsNumber() && (p.countsPage && count.Int() != n || count.Int() < n) {
		a.contradict("count", specs.Assumed, "the answer says that it has %d items, and has %d", count.Int(), n)
	}
	for _, in := range envelopes {
		envelope := a.body
		if in != "" {
			envelope = envelope.Get(in)
		}
		if !envelope.IsObject() {
			continue
		}
		for _, name := range totalNames {
			if total := envelope.Get(name); total.IsNumber() && total.Int() < n {
				a.contradict("total", specs.Public, "the answer says that there are %d items, and shows %d", total.Int(), n)
			}
		}
		for _, name := range p.echoes {
			asked, shown := query.Get(name), envelope.Get(name)
			if isDigits(asked) && shown.IsNumber() && !isSameName(asked, shown.Text()) {
				a.contradict("page "+name, specs.Public, "the page was asked for with %s=%s, and says %[1]s %[3]s", name, asked,
					shown.Text())
			}
		}
		if size := envelope.Get(p.size); p.size != "" && p.size != "count" && size.IsNumber() && isDigits(query.Get(p.size)) {
			if asked, _ := strconv.ParseInt(query.Get(p.size), 10, 64); size.Int() > asked {
				a.contradict("page size", specs.Public, "the page was asked for with %s=%d, and says %[1]s %[3]d", p.size, asked,
					size.Int())
			}
		}
		a.checkCursor(p, query, envelope, n)
	}
	for pages := range sight.Values(a.body, a.about.Pages()) {
		asked, err := strconv.ParseInt(query.Get("page"), 10, 64)
		if pages.IsNumber() && err == nil && asked > pages.Int() && n > 0 {
			a.contradict("pages", specs.Public, "page %d has %d items, but the answer says that there are %d pages", asked, n,
				pages.Int())
		}
	}
}

// checkCursor looks whether a page leads to itself, and notes where it leads.
func (a *answerReader) checkCursor(p *page, query url.Values, envelope jsontree.Value, n int64) {
	for _, name := range p.cursors {
		for _, next := range nextNames {
			shown := envelope.Get(next)
			if next == "cursor_id" && p.isOwn || !shown.IsString() && !shown.IsNumber() {
				continue
			}
			text := shown.Text()
			if _, q, isLink := strings.Cut(text, "?"); isLink {
				values, _ := address.Query(q)
				text = values.Get(name)
			}
			if text == "" || !judge.IsDistinct(text) {
				continue
			}
			asked := query.Get(name)
			a.event.Walk = &Walk{a.walkKey(query, name), asked, text}
			if asked == text && n > 0 {
				a.contradict("cursor", specs.Public,
					"the page leads to itself: it was asked for with %s=%s, and so is the next one", name, asked)
			}
			return
		}
	}
}

// Walk is a step from page to page of a list. Pages of one walk have the same key.
type Walk struct {
	Key         uint64
	Asked, Next string
}

// walkKey is the same for pages of one list.
func (a *answerReader) walkKey(query url.Values, cursor string) uint64 {
	rest := url.Values{}
	for name, values := range query {
		if name != cursor {
			rest[name] = values
		}
	}
	e := a.event
	return Hash(strings.Join([]string{e.Operation, e.Target.ID, e.Parent.ID, e.ID, rest.Encode()}, " "))
}

// checkOrder looks whether items are in their order, and behind what the page continues.
func (a *answerReader) checkOrder(p *page, query url.Values, list jsontree.Value) {
	o := p.order
	if o.by == nil {
		return
	}
	word := map[bool]string{true: "newest first", false: "in ascending order"}[o.descending]
	last, before := query.Get("last_id"), ""
	for item := range list.Each {
		now := sight.Text(item, o.by)
		if now == "" || !judge.IsDistinct(now) {
			before = ""
			continue
		}
		c, known := compareInOrder(before, now)
		if o.descending {
			c = -c
		}
		if before != "" && known && c > 0 {
			a.contradict("order", o.sure, "the list is not %s: %s stands before %s", word, before, now)
		}
		if o.lastID && isDigits(last) && isDigits(now) {
			behind, _ := compareInOrder(now, last)
			if o.descending && behind >= 0 || !o.descending && behind <= 0 {
				a.contradict("last id", specs.Public, "the page behind last_id=%s shows %s, which is not behind it", last, now)
			}
		}
		before = now
	}
}

// compareInOrder compares two numbers or two times, and reports whether they are such.
func compareInOrder(a, b string) (order int, known bool) {
	if isDigits(a) && isDigits(b) {
		a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)), true
	}
	at, bt := instant(a), instant(b)
	return at.Compare(bt), !at.IsZero() && !bt.IsZero()
}
