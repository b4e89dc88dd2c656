package own

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// The names that public interfaces give to the parameters and members of pages, without what spellings differ in.
var (
	limitNames  = []string{"limit", "perpage", "pagesize", "maxresults", "maxitems", "top", "count", "size", "pagelimit"}
	offsetNames = []string{"offset", "skip", "start", "startindex", "pageoffset"}
	pageNames   = []string{"page", "pagenumber", "pageno", "pageindex"}
	afterNames  = []string{
		"cursor", "after", "pagetoken", "nextpagetoken", "nexttoken", "startingafter", "marker", "nextmarker",
		"continuationtoken", "lastid",
	}
	sortNames  = []string{"sort", "sortby", "orderby", "ordering", "sortfield"}
	orderNames = []string{"order", "direction", "sortorder", "sortdirection", "sortdir"}
	totalNames = []string{
		"total", "totalcount", "totalitems", "totalelements", "totalresults", "totalentries", "totalrecords",
	}
	pagesNames = []string{"pages", "totalpages", "pagecount", "lastpage"}
	moreNames  = []string{"hasmore", "hasnext", "hasnextpage", "more"}
	nextNames  = []string{
		"next", "nextcursor", "nextpagetoken", "nexttoken", "nextmarker", "nextpage", "cursor", "nextlink",
	}
	wordNames   = []string{"q", "query", "search", "searchterm", "term", "keyword", "keywords"}
	namingNames = []string{"id", "name", "slug", "key", "code", "label", "value"}
	countNames  = []string{"count", "size", "returned", "numberofelements"}
	beforeNames = []string{"previous", "prev", "previouscursor", "prevcursor", "previouspage"}
)

// filterNames are the parts of a search's body that hold filters.
var filterNames = []string{"filter", "filters", "where", "criteria", "query", "conditions", "match"}

// plain returns a name without what spellings differ in: page[size] and pageSize are one.
func plain(name string) string { return strings.ToLower(separators.Replace(name)) }

var separators = strings.NewReplacer("_", "", "-", "", "[", "", "]", "", "$", "", ".", "")

// list answers with the objects of a resource.
type list struct {
	*shower
	item     *objectSchema                  // as the list shows one
	members  map[string]*openapi3.SchemaRef // of the objects, and of their attributes
	array    specs.Pointer
	filters  map[string]string // members by parameter
	between  map[string]string // what stands between values, likewise
	bounds   []bound
	hidings  []hiding
	words    []string            // parameters with a word that objects are to have
	limit    *openapi3.Parameter // nil if the document has none, as those below
	offset   *openapi3.Parameter
	page     *openapi3.Parameter
	after    *openapi3.Parameter
	sort     *openapi3.Parameter
	order    *openapi3.Parameter
	ordering string   // a member, after a - from the greatest on; empty: in the order of creation
	sortable []string // the members by which a query may sort; empty: all
	size     int      // of a page where the query does not say it; 0: as the parameter has it
	isOpaque bool     // cursors are words, not keys
	isSearch bool     // the body says what the query does otherwise
	unknown  []string // parameters of which the mock does not know what they choose

	isNeverEmpty bool // as the document has it
	isOptional   bool // so that an answer without objects does not have the array
}

func newList(r *resource, o *specs.Operation, a *specs.Action, s *success) *list {
	l := &list{shower: &shower{success: s, resource: r}, item: r.schema, members: r.schema.allMembers()}
	if len(a.At) > 0 && a.At[0][len(a.At[0])-1] == "*" {
		l.array = a.At[0][:len(a.At[0])-1]
	}
	if schema := specs.SchemaAt(s.schema(), append(slices.Clip(l.array), "*")); schema != nil && schema.Value != nil &&
		schema.Value != r.schema.schema {
		l.item = newObjectSchema(schema)
	}
	if array := specs.SchemaAt(s.schema(), l.array); array != nil && array.Value != nil {
		l.isNeverEmpty = array.Value.MinItems > 0
	}
	if len(l.array) > 0 {
		l.isOptional = len(l.array) == 1 && !slices.Contains(requiredOf(schemaOf(s.schema()), maxNested), l.array[0])
		l.around = s.around(l.array)
	}
	l.apply(o, r.spec.Behaviour.List)
	return l
}

// apply does what the document says of lists, or else what the names of parameters suggest.
func (l *list) apply(o *specs.Operation, says specs.Listing) {
	l.filters, l.between = map[string]string{}, map[string]string{}
	parameters := l.parameters(o)
	for _, p := range parameters {
		l.parameter(p)
		l.between[p.Name] = specs.Separator(p.Style)
	}
	for parameter, pointer := range says.Filter {
		l.filters[parameter] = memberName(pointer)
	}
	l.unknown = slices.DeleteFunc(l.unknown, func(name string) bool { return l.filters[name] != "" })
	l.ordering = says.Order
	for _, pointer := range says.Sort {
		l.sortable = append(l.sortable, memberName(pointer))
	}
	if says.Page.Style == "" {
		return
	}
	l.size, l.isOpaque = says.Page.Size, says.Page.Style == "cursor"
	at := map[string]**openapi3.Parameter{"offset": &l.offset, "page": &l.page, "lastId": &l.after, "cursor": &l.after}
	start := *at[says.Page.Style]
	l.offset, l.page, l.after = nil, nil, nil
	for _, p := range parameters {
		if p.Name == says.Page.At {
			start = p
			delete(l.filters, p.Name)
		}
		if p.Name == says.Page.Limit {
			l.limit = p
			delete(l.filters, p.Name)
		}
	}
	*at[says.Page.Style] = start
}

// parameters lists those of the query, and the members of the body as if they were such.
func (l *list) parameters(o *specs.Operation) (list []*openapi3.Parameter) {
	for _, ref := range o.Parameters {
		switch p := ref.Value; {
		case p.In != openapi3.ParameterInQuery:
		case p.Style == openapi3.SerializationDeepObject:
			for name, part := range specs.Members(p.Schema) {
				list = append(list, &openapi3.Parameter{Name: p.Name + "[" + name + "]", In: p.In, Schema: part})
			}
		default:
			list = append(list, p)
		}
	}
	l.isSearch = o.Method != http.MethodGet && o.JSONBody() != nil
	if l.isSearch {
		list = append(list, l.searchable(&openapi3.SchemaRef{Value: o.JSONBody()}, "", maxListDepth)...)
	}
	return list
}

// maxListDepth is the depth in the body of a search at which a filter may stand.
const maxListDepth = 3

// searchable lists the members of a body, also those of its parts, such as filter.status and page.limit.
func (l *list) searchable(schema *openapi3.SchemaRef, in string, depth int) (list []*openapi3.Parameter) {
	members := specs.Members(schema)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		part := members[name]
		if l.members[name] == nil && specs.Members(part) != nil && depth > 0 {
			list = append(list, l.searchable(part, in+name+".", depth-1)...)
		} else {
			list = append(list, &openapi3.Parameter{Name: in + name, In: openapi3.ParameterInQuery, Schema: part})
		}
	}
	return list
}

// asked returns what a call asks for, as a query and as values that members are to have.
func (l *list) asked(call *op.Call) (query url.Values, wanted map[string]jsontext.Value) {
	query, wanted = url.Values{}, map[string]jsontext.Value{}
	maps.Copy(query, call.Query)
	l.ask(query, wanted, call.Body, "", maxListDepth)
	return query, wanted
}

func (l *list) ask(query url.Values, wanted map[string]jsontext.Value, text jsontext.Value, in string, depth int) {
	for _, m := range membersOf(text) {
		name := in + m.name
		if text, isScalar := textOf(m.value); isScalar || m.value.Kind() == 't' || m.value.Kind() == 'f' {
			query.Set(name, cmp.Or(text, string(m.value)))
		}
		switch member, isFilter := l.filters[name]; {
		case isFilter && m.value.Kind() != 'n' && string(m.value) != `""`: // which stand for what is not asked for
			wanted[member] = m.value
		case !isFilter && m.value.Kind() == '{' && depth > 0:
			l.ask(query, wanted, m.value, name+".", depth-1)
		}
	}
}

// has reports whether a value is as one that was asked for: equal to it, or to one of its items, or to it as far as it
// goes. Of a list, it is enough that an item is.
func has(value, wanted jsontext.Value) bool {
	switch {
	case wanted.Kind() == '[':
		return slices.ContainsFunc(itemsOf(wanted), func(item jsontext.Value) bool { return has(value, item) })
	case value.Kind() == '[':
		return slices.ContainsFunc(itemsOf(value), func(item jsontext.Value) bool { return has(item, wanted) })
	case value.Kind() == '{' && wanted.Kind() == '{':
		list := membersOf(value)
		return !slices.ContainsFunc(membersOf(wanted), func(m member) bool {
			i := index(list, m.name)
			return i < 0 || !has(list[i].value, m.value)
		})
	}
	return isEqual(value, wanted)
}

// parameter finds out what a query parameter does to the list.
func (l *list) parameter(p *openapi3.Parameter) {
	name := plain(p.Name)
	for _, kind := range []struct {
		names []string
		at    **openapi3.Parameter
	}{
		{offsetNames, &l.offset}, {pageNames, &l.page}, {afterNames, &l.after}, {sortNames, &l.sort}, {orderNames, &l.order},
	} {
		if *kind.at == nil && slices.Contains(kind.names, name) {
			*kind.at = p
			return
		}
	}
	if part := l.item.members[p.Name]; part != nil || l.members[p.Name] != nil {
		l.filters[p.Name] = p.Name
		return
	}
	if l.limit == nil && slices.Contains(limitNames, name) {
		l.limit = p
	}
	if h, hides := hidingBy(p, l.resource.schema); hides {
		l.hidings = append(l.hidings, h)
		return
	}
	if member := l.chosenBy(p.Name); member != "" {
		l.filters[p.Name] = member
	} else if b, isBound := l.boundBy(p.Name); isBound {
		l.bounds = append(l.bounds, b)
	} else if schemaOf(p.Schema).Type.Is(openapi3.TypeString) && slices.Contains(wordNames, name) {
		l.words = append(l.words, p.Name)
	} else if p != l.limit {
		l.unknown = append(l.unknown, p.Name)
	}
}

// unfiltered returns the name of a parameter, or what follows a part of a search's body that holds filters.
func unfiltered(parameter string) string {
	if i := strings.LastIndexAny(parameter, ".["); i >= 0 && slices.Contains(filterNames, plain(parameter[:i])) {
		return strings.TrimSuffix(parameter[i+1:], "]")
	}
	return parameter
}

// chosenBy returns the member that a parameter chooses by, which may have the name of several: ids, or productIds.
func (l *list) chosenBy(parameter string) string {
	name := plain(unfiltered(parameter))
	for _, member := range slices.Sorted(maps.Keys(l.members)) {
		one := plain(member)
		isList := l.members[member].Value.Type.Is(openapi3.TypeArray)
		if name == one || isList && name == plain(specs.Singular(member)) || name == "filter"+one || name == one+"s" ||
			l.resource.isKey(member) && name == plain(strings.ReplaceAll(l.resource.spec.Title, " ", ""))+one+"s" {
			return member
		}
	}
	return ""
}

func (l *list) handle(call *op.Call) (op.Reply, error) {
	var wanted map[string]jsontext.Value
	if l.isSearch {
		as := *call
		as.Query, wanted = l.asked(call)
		call = &as
	}
	all, err := l.matching(call, wanted)
	if err != nil {
		return op.Reply{}, err
	}
	part, err := l.part(call, all)
	if err != nil {
		return op.Reply{}, err
	}
	if part.first == part.end && l.isNeverEmpty && !l.isOptional {
		if len(all) > 0 { // one who asks page by page would never come to an end
			return op.Reply{}, noHandler(errors.New("the document has no list without items"))
		}
		reply, err := l.sample(call)
		reply.Notes = append(reply.Notes, "the answer is a sample: the document has no list without items")
		return reply, err
	}
	items := make([][]byte, 0, part.end-part.first)
	for _, object := range all[part.first:part.end] {
		shown, err := l.text(call, l.item, object)
		if err != nil {
			return op.Reply{}, err
		}
		items = append(items, shown)
	}
	text := listed(items)
	if len(l.array) > 0 {
		text = join(l.pageMembers(call, membersOf(l.around().put(text)), l.whole(), all, part))
	}
	if part.first == part.end && l.isNeverEmpty {
		text = join(slices.DeleteFunc(membersOf(text), func(m member) bool { return m.name == l.array[0] }))
	}
	reply := l.tagged(call, l.reply(call, text), text)
	if l.described["X-Total-Count"] {
		reply.Header = setHeader(reply.Header, "X-Total-Count", strconv.Itoa(part.total))
	}
	if l.described["Link"] && part.hasMore() { // to the next page, as RFC 8288 has it
		next := "<" + l.link(call, l.nextQuery(call, all, part)) + `>; rel="next"`
		reply.Header = setHeader(reply.Header, "Link", next)
	}
	return reply, nil
}

// matching returns the objects below the parent that the path names which the filters fit, in the order of the query.
func (l *list) matching(call *op.Call, wanted map[string]jsontext.Value) (all []world.Object, err error) {
	bounds, hidden := l.bounded(call), hiddenFrom(call, l.hidings)
	parents := paramsOf(call, l.resource.within)
	texts := map[string][]string{}
	for parameter, member := range l.filters {
		for _, value := range call.Query[parameter] {
			if value != "" && wanted[member] == nil {
				texts[member] = append(append(texts[member], value), strings.Split(value, cmp.Or(l.between[parameter], ","))...)
			}
		}
	}
	hidden = slices.DeleteFunc(hidden, func(s specs.State) bool { // the query says itself which of them it wants
		return texts[s.Member] != nil || wanted[s.Member] != nil
	})
	words := l.wordsOf(call)
	for _, object := range call.World.Own.Below(l.resource.spec.Name, parents) {
		if slices.ContainsFunc(words, func(word string) bool { return !hasWord(object.Text, word) }) {
			continue
		}
		if len(texts)+len(wanted)+len(bounds)+len(hidden) > 0 {
			list := allMembersOf(object.Text)
			if !fitsAll(list, texts, wanted) || !isWithin(list, bounds) || isIn(list, hidden) {
				continue
			}
		}
		all = append(all, object)
	}
	return l.sorted(call, all)
}

// wordsOf returns the words that a call looks for. What may be in a language of queries, such as state:open, chooses
// nothing.
func (l *list) wordsOf(call *op.Call) (words []string) {
	for _, parameter := range l.words {
		if text := strings.ToLower(call.Query.Get(parameter)); !strings.ContainsAny(text, `:=<>*"()`) {
			words = append(words, strings.Fields(text)...)
		}
	}
	return words
}

// hasWord reports whether one of the texts and numbers of a value has a word, in any case.
func hasWord(value jsontext.Value, word string) bool {
	switch value.Kind() {
	case '{':
		return slices.ContainsFunc(membersOf(value), func(m member) bool { return hasWord(m.value, word) })
	case '[':
		return slices.ContainsFunc(itemsOf(value), func(item jsontext.Value) bool { return hasWord(item, word) })
	}
	text, _ := textOf(value)
	return strings.Contains(strings.ToLower(text), word)
}

func fitsAll(list []member, texts map[string][]string, wanted map[string]jsontext.Value) bool {
	for name, values := range texts {
		i := index(list, name)
		if i < 0 || !fitsAny(list[i].value, values) {
			return false
		}
	}
	for name, value := range wanted {
		i := index(list, name)
		if i < 0 || !has(list[i].value, value) {
			return false
		}
	}
	return true
}

// fitsAny reports whether a value, or an item of it, is one of those that a query names.
func fitsAny(value jsontext.Value, wanted []string) bool {
	switch value.Kind() {
	case '[':
		return slices.ContainsFunc(itemsOf(value), func(item jsontext.Value) bool { return fitsAny(item, wanted) })
	case '{': // such as a tag, which has a name
		return slices.ContainsFunc(membersOf(value), func(m member) bool {
			return slices.Contains(namingNames, plain(m.name)) && fitsAny(m.value, wanted)
		})
	case 't', 'f', 'n':
		return slices.Contains(wanted, string(value))
	case '0':
		return slices.ContainsFunc(wanted, func(text string) bool { return compareTexts(string(value), text) == 0 })
	}
	text, ok := textOf(value)
	return ok && slices.Contains(wanted, text)
}

// sorting is a member by which objects are sorted.
type sorting struct {
	member string
	isDown bool
}

// direction matches the words for the order of a list, alone or behind the name of a member.
var direction = regexp.MustCompile(`(?i)(^|[:. _-])(?:asc|(desc))(?:ending)?$`)

// sorted brings objects into the order that the query wants, such as -price, price:desc, or name,-price.
func (l *list) sorted(call *op.Call, all []world.Object) ([]world.Object, error) {
	text, order := strings.Join(call.Query[nameOf(l.sort)], ","), asked(call, l.order)
	if m := direction.FindStringSubmatch(order); text == "" && (m == nil || m[1] != "") {
		text, order = order, ""
	}
	isDown := strings.HasPrefix(strings.ToLower(order), "desc")
	switch member, isFalling := strings.CutPrefix(l.ordering, "-"); {
	case text == "" && member != "":
		sortBy(all, []sorting{{memberName(member), isFalling}})
		return all, nil
	case text == "":
		if isDown {
			slices.Reverse(all)
		}
		return all, nil
	}
	var by []sorting
	for word := range strings.SplitSeq(text, ",") {
		m := direction.FindStringSubmatchIndex(word)
		if m != nil && m[0] == m[3] && len(by) > 0 { // price,desc
			by[len(by)-1].isDown = m[4] >= 0
			continue
		}
		s := sorting{isDown: isDown || strings.HasPrefix(word, "-")}
		if m != nil {
			word, s.isDown = word[:m[0]], s.isDown || m[4] >= 0
		}
		s.member = l.sortedBy(strings.Trim(word, "+- "))
		if l.sortable != nil && !slices.Contains(l.sortable, s.member) {
			return nil, l.resource.behaviour.refusal("invalid", nameOf(l.sort), "want one of %s, not %q",
				strings.Join(l.sortable, ", "), text)
		}
		by = append(by, s)
	}
	sortBy(all, by)
	return all, nil
}

// sortedBy returns the member that a query names, which may leave out that it is a time: created of created_at. It is
// empty of what only the service knows, such as relevance.
func (l *list) sortedBy(name string) (found string) {
	for _, member := range slices.Sorted(maps.Keys(l.members)) {
		switch {
		case plain(member) == plain(name):
			return member
		case timeWord.ReplaceAllString(snake(member), "") == snake(name):
			found = member
		}
	}
	return found
}

func sortBy(all []world.Object, by []sorting) {
	type keyed struct {
		object world.Object
		keys   []string
	}
	list := make([]keyed, len(all))
	for i, object := range all {
		members := allMembersOf(object.Text)
		list[i].object = object
		for _, s := range by {
			key, _ := textOf(valueAt(members, specs.Pointer{s.member}))
			list[i].keys = append(list[i].keys, key)
		}
	}
	slices.SortStableFunc(list, func(a, b keyed) (order int) {
		for i, s := range by {
			if s.member != "" && order == 0 {
				order = compareTexts(a.keys[i], b.keys[i])
				if s.isDown {
					order = -order
				}
			}
		}
		return order
	})
	for i := range list {
		all[i] = list[i].object
	}
}

// Paging names the query parameters of a list by which clients go from page to page; what it lacks is empty.
type Paging struct{ Offset, Page, After string }

// PagingOf finds the parameters that the document says, or else those that their names give away.
func PagingOf(o *specs.Operation) Paging {
	l := &list{item: &objectSchema{}, shower: &shower{resource: &resource{schema: &objectSchema{}}}}
	says := specs.Listing{}
	for _, a := range o.Actions() {
		if a.Verb == specs.List {
			says = a.Resource.Behaviour.List
		}
	}
	l.apply(o, says)
	return Paging{nameOf(l.offset), nameOf(l.page), nameOf(l.after)}
}

func nameOf(p *openapi3.Parameter) string {
	if p == nil {
		return ""
	}
	return p.Name
}

// IsNext reports whether a member of an answer has the cursor of the next page, as its name says.
func IsNext(member string) bool { return slices.Contains(nextNames, plain(member)) }
