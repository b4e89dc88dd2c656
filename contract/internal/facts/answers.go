package facts

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/internal/scan"
	"svc.example/understudy/specs"
)

// Contradiction is something in an answer that its own request, or the rest of the answer, contradicts.
type Contradiction struct {
	Aspect, Message string
	Provenance      specs.Provenance
}

var plans answerPlans

// maxContradictions bounds how many of these are kept of an exchange.
const maxContradictions = 5

// answerPlan says what of the answers of an operation is held against their requests.
type answerPlan struct {
	named []string // parameters of the path that identify things, by a name that only such a thing has
	page  *page    // nil if it lists nothing

	wholes []whole // that the path names, and of which the items of a list are parts

	settable []string // members that an update may set
}

// whole is a thing that a parameter of the path names, and that items of a list point to.
type whole struct {
	parameter, noun string
	at              specs.Pointer // in an item
}

// wholesOf lists the things that the path names and that the items of a list point to.
func wholesOf(op *specs.Operation) (list []whole) {
	actions := op.Actions()
	if len(actions) == 0 || actions[0].Verb != specs.List {
		return nil
	}
	for _, p := range op.Parameters {
		if p.Value.In != "path" || p.Value.Schema == nil {
			continue
		}
		noun, _ := p.Value.Schema.Value.Extensions["x-id-of"].(string)
		r := actions[0].Resource
		for _, link := range slices.Concat(r.Parents, r.Refers) {
			if _, name, _ := strings.Cut(link.Resource, "."); link.At != nil && name == noun {
				list = append(list, whole{p.Value.Name, noun, link.At})
			}
		}
		if noun == "session" {
			list = append(list, whole{p.Value.Name, noun, specs.Pointer{"sessionId"}})
		}
	}
	return list
}

// answerPlans holds the plans of the operations that were seen.
type answerPlans struct{ byOperation sync.Map }

func (p *answerPlans) of(op *specs.Operation) *answerPlan {
	if plan, known := p.byOperation.Load(op); known {
		return plan.(*answerPlan)
	}
	plan := &answerPlan{page: pageOf(op), wholes: wholesOf(op), settable: settableBy(op)}
	for i, a := range op.Actions() {
		if i > 0 && a.Resource == op.Actions()[0].Resource && len(a.At) > 0 { // the answer is about another one
			plan.named = nil
			break
		}
		for _, name := range slices.Concat(a.Path, a.Within) {
			if name != "id" && !slices.Contains(plan.named, name) {
				plan.named = append(plan.named, name)
			}
		}
	}
	p.byOperation.Store(op, plan)
	return plan
}

// answerReader holds an answer against its request.
type answerReader struct {
	*objectReader
	r     *reading
	about *specs.Action
	body  scan.Value
}

// contradict notes a contradiction, unless there is one of the same aspect. What a user's own document does not say is
// only assumed.
func (a *answerReader) contradict(aspect string, sure specs.Provenance, format string, args ...any) {
	e := a.event
	if len(e.Contradictions) == maxContradictions ||
		slices.ContainsFunc(e.Contradictions, func(c Contradiction) bool { return c.Aspect == aspect }) {
		return
	}
	if a.document.Interface.IsOwn() && sure != specs.Documented {
		sure = specs.Assumed
	}
	e.Contradictions = append(e.Contradictions, Contradiction{aspect, fmt.Sprintf(format, args...), sure})
}

// contradictions looks for what an answer contradicts of its request and of itself.
func (o *objectReader) contradictions(actions []*specs.Action, r *reading) {
	plan := plans.of(r.Operation())
	isList := o.event.Verb == Lists
	if len(plan.named) == 0 && plan.page == nil && !isList && o.keyed == nil && actions[0].Identity == nil {
		return
	}
	body, ok := r.answerBody()
	if !ok {
		return
	}
	a := &answerReader{o, r, actions[0], body}
	a.checkEchoes(plan.named)
	a.checkNewName()
	switch {
	case o.keyed != nil:
		a.checkKeys(o.keyed)
	case o.event.Verb == Deletes && !o.event.Target.IsNone() && o.event.Answered == "":
		a.checkKeys(&keyedAnswer{a.about.Resource, body})
	}
	if isList {
		a.checkRepeated()
		a.checkWhole(plan)
	}
	if plan.page != nil {
		a.checkPage(plan.page)
	}
}

// checkEchoes looks whether an answer repeats what the path names: {"job_id": 8} is none to /job/kill/7. A request that
// changes a thing may give it a new name.
func (a *answerReader) checkEchoes(named []string) {
	for _, name := range named {
		asked := cmp.Or(a.match.Param(name), a.match.Declared(name))
		isAsked := func(value string) bool { return isSameName(value, asked) }
		for _, member := range []string{name, strings.TrimSuffix(name, "_name")} {
			shown := a.body.Get(member)
			// A user, whom the path names by the address, has a name as well.
			if (shown.IsString() || shown.IsNumber()) && !isAsked(shown.Text()) && !holds(a.body, isAsked) {
				a.checkSame(strings.ReplaceAll(strings.TrimSuffix(member, "_id"), "_", " "), asked, shown.Text())
			}
		}
	}
}

// checkSame looks whether an answer names the thing that the request names.
func (a *answerReader) checkSame(noun, asked, shown string) {
	if asked == "" || isSameName(asked, shown) || !judge.IsDistinct(shown) || !judge.IsDistinct(asked) ||
		!isOfSameForm(asked, shown) ||
		a.event.Verb == NoVerb || a.event.Verb == Changes && a.requestNames(shown) {
		return
	}
	a.contradict("address", specs.Public, "a request for %s %s was answered with %[1]s %[3]s", noun, asked, shown)
}

func isSameName(a, b string) bool {
	return strings.EqualFold(a, b) || isDigits(a) && isDigits(b) && strings.TrimLeft(a, "0") == strings.TrimLeft(b, "0")
}

func isDigits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// isOfSameForm reports whether two texts may be identities of the same form: an answer to /users/me shows the id
// that me stands for.
func isOfSameForm(a, b string) bool {
	hasDigit := func(text string) bool { return strings.ContainsAny(text, "0123456789") }
	return isDigits(a) == isDigits(b) && (hasDigit(a) == hasDigit(b) || len(a) == len(b)) || strings.ContainsAny(a, "_-")
}

// requestNames reports whether the path, the query or the body of a request holds a text.
func (a *answerReader) requestNames(text string) bool {
	is := func(value string) bool { return isSameName(value, text) }
	address, err := url.Parse(a.r.Item.Request.URL)
	if err != nil || slices.ContainsFunc(strings.Split(address.Path, "/"), is) {
		return true
	}
	inForm := func(form url.Values) bool {
		for _, values := range form {
			if slices.ContainsFunc(values, is) {
				return true
			}
		}
		return false
	}
	if inForm(a.r.query()) {
		return true
	}
	if body, isJSON := a.r.requestBody(); isJSON {
		return holds(body, is)
	}
	if sent := a.r.Item.Request.Body; sent != nil && len(sent.Bytes) > 0 {
		form, err := url.ParseQuery(string(sent.Bytes))
		isBroken := strings.ContainsRune("{[", rune(sent.Bytes[0])) // JSON, of which the rest may have named it
		return err != nil || isBroken || inForm(form) || strings.Contains(string(sent.Bytes), text)
	}
	return false
}

// holds reports whether a scalar in a value is as wanted.
func holds(value scan.Value, is func(string) bool) (found bool) {
	if !value.IsObject() && !value.IsArray() {
		return is(value.Text())
	}
	for member := range value.Each {
		if found = holds(member, is); found {
			return true
		}
	}
	return false
}

// checkNewName looks whether a thing that a request renames or moves is where the request wants it.
func (a *answerReader) checkNewName() {
	e := a.event
	if e.Verb != Changes || len(e.Shows) != 1 || e.Shows[0].Thing.Kind != e.Kind || !a.about.Resource.IsNamed() {
		return
	}
	for part := range strings.SplitSeq(e.Shows[0].Thing.ID, "/") {
		if judge.IsDistinct(part) && a.about.Identity != nil && !a.requestNames(part) {
			a.contradict("address", specs.Public, "a request for %s %s was answered with %[1]s %[3]s, which it does not name",
				a.about.Resource.Title, e.Target.ID, e.Shows[0].Thing.ID)
		}
	}
}

// keyedAnswer is the one named thing that an answer is.
type keyedAnswer struct {
	resource *specs.Resource
	object   scan.Value
}

// checkKeys looks whether the thing that an answer is has the key that the path or the query names.
func (a *answerReader) checkKeys(k *keyedAnswer) {
	asked := lastOf(a.event.Target.ID)
	var keys []string
	for _, at := range k.resource.Keys {
		if key := first(k.object, at); key != "" {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 || slices.ContainsFunc(keys, func(key string) bool { return isSameName(key, asked) }) {
		return
	}
	a.checkSame(k.resource.Title, asked, keys[0])
}

// lastOf returns the last part of an identity.
func lastOf(id string) string { return id[strings.LastIndexByte(id, '/')+1:] }

// checkRepeated looks for a thing that a list shows twice.
func (a *answerReader) checkRepeated() {
	seen := make(map[string]bool, len(a.event.Shows))
	for i := range a.event.Shows {
		f := &a.event.Shows[i]
		if f.Does != Lists || f.Thing.Kind != a.event.Kind {
			continue
		}
		if seen[f.Thing.ID] && judge.IsDistinct(lastOf(f.Thing.ID)) {
			a.contradict("twice", specs.Public, "the list shows %s %s twice", a.about.Resource.Title, f.Thing.ID)
		}
		seen[f.Thing.ID] = true
	}
}

// checkWhole looks for items of a list that belong to something else than the path names.
func (a *answerReader) checkWhole(plan *answerPlan) {
	if plan.page == nil || plan.page.at == nil {
		return
	}
	for _, w := range plan.wholes {
		asked := cmp.Or(a.match.Param(w.parameter), a.match.Declared(w.parameter))
		each(a.body, plan.page.at, func(list scan.Value) {
			for item := range list.List {
				if shown := first(item, w.at); shown != "" {
					a.checkSame(w.noun, asked, shown)
				}
			}
		})
	}
}

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
		if has(size) && p.size == "" && (isList || size != "count") {
			p.size = size
			if d, ok := op.Parameters.GetByInAndName("query", size).Schema.Value.Default.(float64); ok && !p.isOwn {
				p.standard = int64(d)
			}
		}
	}
	p.positions = op.Interface == specs.Core && has("from") && has("to")
	p.countsPage = p.positions
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
	first, err := strconv.ParseInt(cmp.Or(query.Get(p.from), p.start), 10, 32)
	if p.from == "" || err != nil || !p.isPlain(query) {
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
		isAsked := func(shown string) bool {
			return isSameName(asked, shown) || p.isOwn && slices.Contains(strings.Split(asked, ","), shown)
		}
		for item := range list.Each {
			shown := first(item, at)
			if asked != "" && shown != "" && !isAsked(shown) && judge.IsDistinct(shown) && !strings.HasPrefix(shown, "[") {
				a.contradict("filter "+name, p.sure, "the list was asked for %s %s, and shows one of %s", name, asked, shown)
			}
		}
	}
}

// items returns the list of an answer: where the document says, or else the only one.
func (a *answerReader) items(p *page) (list scan.Value) {
	if p.at != nil {
		each(a.body, p.at, func(v scan.Value) { list = v })
		return list
	}
	if a.body.IsArray() {
		return a.body
	}
	for member := range a.body.Each {
		if member.IsArray() {
			if list.Exists() {
				return scan.Value{}
			}
			list = member
		}
	}
	return list
}

// checkLength looks whether a page is longer than was asked for.
func (a *answerReader) checkLength(p *page, query url.Values, n int64) {
	most, sure := int64(-1), specs.Public
	if asked, err := strconv.ParseInt(query.Get(p.size), 10, 64); p.size != "" && err == nil && asked > 0 {
		most = asked
		if p.isOwn {
			sure = p.sure
		}
	} else if p.standard > 0 && !query.Has(p.size) {
		most, sure = p.standard, p.sure
	}
	if p.positions {
		from, errFrom := strconv.ParseInt(cmp.Or(query.Get("from"), "0"), 10, 64)
		to, errTo := strconv.ParseInt(query.Get("to"), 10, 64)
		if errFrom == nil && errTo == nil && from >= 0 && to >= from {
			most, sure = to-from+1, specs.Client
		}
	}
	if most >= 0 && n > most {
		a.contradict("page length", sure, "the page has %d items, but at most %d were asked for", n, most)
	}
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
}

// checkCursor looks whether a page leads to itself, and notes where it leads.
func (a *answerReader) checkCursor(p *page, query url.Values, envelope scan.Value, n int64) {
	for _, name := range p.cursors {
		for _, next := range nextNames {
			shown := envelope.Get(next)
			if next == "cursor_id" && p.isOwn || !shown.IsString() && !shown.IsNumber() {
				continue
			}
			text := shown.Text()
			if _, q, isLink := strings.Cut(text, "?"); isLink {
				values, _ := url.ParseQuery(q)
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
func (a *answerReader) checkOrder(p *page, query url.Values, list scan.Value) {
	o := p.order
	if o.by == nil {
		return
	}
	word := map[bool]string{true: "newest first", false: "in ascending order"}[o.descending]
	last, before := query.Get("last_id"), ""
	for item := range list.Each {
		now := first(item, o.by)
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
