package console

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc.example/understudy/mockserver/internal/own"
	"svc.example/understudy/specs"
)

// resourcesPage lists the kinds of objects that there are, by interface.
type resourcesPage struct{ Interfaces []kindsOf }

type kindsOf struct {
	Name  specs.Interface
	Kinds []counted
}

type counted struct {
	*kind
	Count  int // of a list's first page
	IsMore bool
}

func (v *view) resourcesPage() error {
	c, err := v.catalog()
	if err != nil {
		return err
	}
	var body resourcesPage
	err = v.visit(func(v *visitor) error {
		for _, doc := range c.documents {
			kinds := kindsOf{Name: doc.Interface}
			for _, k := range c.kinds {
				if k.Interface != doc.Interface || !k.IsTop() {
					if k.Interface == doc.Interface && k.IsOpen() {
						kinds.Kinds = append(kinds.Kinds, counted{kind: k})
					}
					continue
				}
				objects, isMore, err := v.list(k, nil, nil, 2*maxTable)
				if err != nil {
					continue // such as a list that needs a parameter
				}
				kinds.Kinds = append(kinds.Kinds, counted{k, len(objects), isMore})
			}
			if len(kinds.Kinds) > 0 {
				body.Interfaces = append(body.Interfaces, kinds)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return v.ok("resources", "resources", "Resources", body)
}

// object is one of a kind, as a list or an answer of its own shows it.
type object struct {
	Key     string // the last part of what the path names it by; empty if nothing shows it
	Address string // of its page
	Name    string
	Created string
	Cells   []cell
	Value   any
	Span    *span // nil of kinds that do not show when they were under way
}

// cell holds a part of an object. If it is the key of another one, it has the address of that one's page.
type cell struct {
	Text, Address string
	State         string // for its colour; empty if it is none
}

// The bounds of what is asked for a list.
const (
	maxObjects = 2000
	maxAsked   = 50
)

// list asks for the objects of a kind, page by page until it has them all, or so many that it is enough.
func (v *visitor) list(
	k *kind, within []string, query url.Values, enough int,
) (objects []object, isMore bool, err error) {
	paging, seen := own.PagingOf(k.List), map[string]bool{}
	next := maps.Clone(query)
	if next == nil {
		next = url.Values{}
	}
	for asked := 1; ; asked++ {
		answer, body, err := v.read(k.List, values(pathParameters(k.List), within), next)
		switch {
		case err != nil && asked > 1: // such as a page that there is not
			return objects, true, nil
		case err != nil:
			return nil, false, err
		}
		if asked == 1 && query.Get(paging.Offset)+query.Get(paging.Page)+query.Get(paging.After) != "" {
			enough = 0 // the person wants this page
		}
		known := len(objects)
		for _, at := range action(k.List).At {
			for _, value := range at.In(body) {
				one := newObject(k, value)
				if one.Key == "" || !seen[one.Key] {
					objects, seen[one.Key] = append(objects, one), true
				}
			}
		}
		if len(objects) == known || !isPart(k.List, answer, body, len(objects)) {
			return objects, false, nil
		}
		if enough == 0 {
			return objects, false, nil
		}
		if len(objects) >= enough || asked == maxAsked || !turn(next, paging, answer, body, objects) {
			return objects, true, nil
		}
	}
}

// isPart reports whether there may be more objects in a list than the answers so far have shown.
func isPart(o *specs.Operation, a answer, body any, shown int) bool {
	if pages := action(o).Pages(); pages != nil {
		n, err := strconv.Atoi(first(body, pages))
		return err == nil && n > 1
	}
	if total := action(o).Total(); total != nil {
		n, err := strconv.Atoi(first(body, total))
		return err == nil && n > shown
	}
	return o.Interface.IsOwn() && (own.PagingOf(o) != own.Paging{} || linkToNext.MatchString(a.Header.Get("Link")))
}

// linkToNext matches the address of the next page in a Link header.
var linkToNext = regexp.MustCompile(`<([^>]*)>[^,]*;\s*rel="?next\b`)

// turn makes the query for a page that for the next one. It reports false if nothing says how.
func turn(query url.Values, p own.Paging, a answer, body any, objects []object) bool {
	if match := linkToNext.FindStringSubmatch(a.Header.Get("Link")); match != nil {
		return follows(query, match[1])
	}
	if p.After != "" {
		members, _ := body.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(members)) {
			cursor, _ := scalar(members[name])
			switch {
			case !own.IsNext(name) || cursor == "":
			case strings.Contains(cursor, "?"):
				return follows(query, cursor)
			default:
				query.Set(p.After, cursor)
				return true
			}
		}
	}
	switch {
	case p.Offset != "":
		query.Set(p.Offset, strconv.Itoa(len(objects)))
	case p.Page != "":
		page, err := strconv.Atoi(query.Get(p.Page))
		if err != nil {
			page = 1
		}
		query.Set(p.Page, strconv.Itoa(page+1))
	case p.After != "":
		query.Set(p.After, objects[len(objects)-1].Key)
	}
	return p != own.Paging{}
}

// follows takes over the query of an address.
func follows(query url.Values, address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	maps.Copy(query, u.Query())
	return true
}

func newObject(k *kind, value any) object {
	keys := k.Keys
	if len(keys) == 0 {
		keys = []specs.Pointer{{"id"}}
	}
	return object{
		Key: first(value, keys...), Name: first(value, k.names()...), Created: first(value, k.Created...), Value: value,
	}
}

// habitual lists what documents that do not say it call the member with the name of an object.
var habitual = []specs.Pointer{
	{"name"}, {"title"}, {"displayName"}, {"display_name"}, {"label"}, {"subject"}, {"username"},
}

// names returns pointers to the name that people know one by.
func (k *kind) names() []specs.Pointer {
	if k.NamedAt == nil && k.Interface.IsOwn() {
		return habitual
	}
	return []specs.Pointer{k.NamedAt}
}

// maxColumns is the number of columns of a table beside the key and the name, and maxTimed that beside a timeline.
const (
	maxColumns = 6
	maxTimed   = 3
)

// Many is the name of the kind for several.
func (k *kind) Many() string { return capitalized(plural(k.Title)) }

// Kind is the name of the kind in addresses.
func (k *kind) Kind() string { return k.Resource.Name }

// columns chooses what a table shows of objects: what is a scalar in most of them.
func columns(k *kind, objects []object) (pointers []specs.Pointer) {
	counts, order := map[string]int{}, []string{}
	note := func(prefix string, members map[string]any) {
		for name, value := range members {
			if _, ok := scalar(value); !ok {
				continue
			}
			if counts[prefix+name]++; counts[prefix+name] == 1 {
				order = append(order, prefix+name)
			}
		}
	}
	for i := range objects {
		members, _ := objects[i].Value.(map[string]any)
		note("", members)
		for name, part := range members { // which says what it is, such as a project {id, name}
			if called, ok := part.(map[string]any); ok && name != "attributes" {
				note(name+"/", map[string]any{"name": called["name"]})
			}
		}
		if attributes, ok := members["attributes"].(map[string]any); ok {
			note("attributes/", attributes)
		}
	}
	slices.SortFunc(order, func(a, b string) int {
		if telling(a) != telling(b) {
			return telling(a) - telling(b)
		}
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	most := maxColumns
	if _, isTimed := timedKinds[k.Kind()]; isTimed {
		most = maxTimed
	}
	for _, name := range order {
		pointer := specs.Pointer(strings.Split(name, "/"))
		taken := slices.Concat([]specs.Pointer{{"id"}}, k.names(), k.Keys)
		for _, name := range k.Path[:max(len(k.Path)-1, 0)] { // the same in all parts of one
			taken = append(taken, specs.Pointer{name})
		}
		if !k.Interface.IsOwn() {
			taken = append(taken, specs.Pointer{"type"}) // the same in all
		}
		isTaken := slices.ContainsFunc(taken, func(p specs.Pointer) bool { return slices.Equal(p, pointer) })
		if !isTaken && len(pointers) < most {
			pointers = append(pointers, pointer)
		}
	}
	return pointers
}

// isNameOfPart reports whether a column shows the name of something that objects hold in short, such as their project.
func isNameOfPart(at specs.Pointer) bool {
	return len(at) == 2 && at[1] == "name" && at[0] != "attributes"
}

// telling says how much sooner than by its name a column comes: what people look for goes first.
func telling(name string) int {
	if isNameOfPart(strings.Split(name, "/")) {
		return -1
	}
	first := []string{"status", "state", "population", "type", "email", "database", "query", "description"}
	name = name[strings.LastIndex(name, "/")+1:]
	switch at := slices.Index(first, name); {
	case at >= 0:
		return at - len(first)
	case strings.HasSuffix(name, "_at"), strings.HasSuffix(name, "At"): // times of records
		return 1
	}
	return 0
}

// kindPage shows the objects of a kind as a table.
type kindPage struct {
	*kind
	Within       []string // the keys that lead to what they are a part of
	Whole        link     // what they are a part of
	Timeline     *timeline
	IsOn         bool     // something is under way
	Columns      []column // the first are the name, if objects have names, and the key
	HasNames     bool     // beside their keys
	Objects      []object // that the page shows, of Total
	From, Total  int
	IsMore       bool // than so many
	Newer, Older string
	All          string // the address of all of them, if it is another page that shows some
	Query        []queryField
	Asked        string // as curl
}

// column is the head of a column.
type column struct {
	Name    string
	Type    string // in a table of the platform's; else empty
	Address string // of the page that is sorted by it
	Order   string // as of ARIA, if this page is sorted by it
	at      []specs.Pointer
}

// queryField is a parameter of a list.
type queryField struct{ Name, Value string }

// The parameters of a table in the address of its page. Those of a list have no colon.
const (
	sortedBy  = "table:sort" // the pointer of a column; with a - before it, downwards
	tableFrom = "table:from"
	tableOf   = "table:of" // the keys of what the objects are a part of
)

// maxTable is the number of rows of a table, and maxPart that of one on the page of what the objects are a part of.
const (
	maxTable = 100
	maxPart  = 20
)

func (v *view) kindPage() error {
	switch v.r.PathValue("kind") {
	case "who":
		return v.whoPage()
	case "audiences":
		return v.audiencesPage()
	}
	c, err := v.catalog()
	if err != nil {
		return err
	}
	asked := v.r.URL.Query()
	k := c.byName[v.r.PathValue("kind")]
	switch {
	case k == nil:
		return v.problem(http.StatusNotFound, "Unknown kind of resource.")
	case k.IsOpen():
		if key := asked.Get("key"); key != "" {
			redirect(v.w, v.In("resources", k.Kind(), key))
			return nil
		}
		return v.ok("kind", "resources", k.Many(), &kindPage{kind: k})
	case k.List == nil || len(pathParameters(k.List)) != len(asked[tableOf]):
		return v.problem(http.StatusNotFound, "These are listed with what they are a part of.")
	}
	if k.Kind() == "workflow.session" && asked.Get(sortedBy) == "" {
		asked.Set(sortedBy, specs.Pointer{"workflow", "name"}.String())
	}
	body := kindPage{kind: k, Within: asked[tableOf]}
	if parent := c.byName[k.Parent()]; parent != nil && len(body.Within) > 0 {
		body.Whole = v.linkTo(parent, body.Within, parent.Title)
	}
	query := url.Values{}
	for _, p := range k.List.Parameters {
		if p.Value.In != "query" {
			continue
		}
		field := queryField{p.Value.Name, asked.Get(p.Value.Name)}
		if field.Value != "" {
			query.Set(field.Name, field.Value)
		}
		body.Query = append(body.Query, field)
	}
	err = v.visit(func(v *visitor) (err error) {
		body.Objects, body.IsMore, err = v.list(k, body.Within, query, maxObjects)
		body.table(v.view, c, asked, maxTable, v.now)
		return err
	})
	if err != nil {
		return err
	}
	path := values(pathParameters(k.List), body.Within)
	body.Asked = v.curl(v.request(k.List, path, query, keyOf(k.List)).inWorld(v.WorldOrDefault()))
	return v.ok("kind", "resources", k.Many(), &body)
}

// table makes the objects a table of so many rows, as the query of its page has it.
func (p *kindPage) table(v *view, c *catalog, asked url.Values, rows int, now time.Time) {
	asked = maps.Clone(asked)
	if len(p.Within) > 0 {
		asked[tableOf] = p.Within
	}
	there := func(name, value string) string {
		query := maps.Clone(asked)
		query.Set(name, value)
		return v.In("resources", p.Kind()) + "?" + query.Encode()
	}
	p.HasNames = slices.ContainsFunc(p.Objects, func(t object) bool { return t.Name != "" && t.Name != t.Key })
	if p.HasNames {
		p.Columns = append(p.Columns, column{Name: "name", at: p.names()})
	}
	keys := p.Keys
	if len(keys) == 0 {
		keys = []specs.Pointer{{"id"}}
	}
	p.Columns = append(p.Columns, column{Name: keys[0][len(keys[0])-1], at: keys})
	own := len(p.Columns) // before those of what objects have
	for _, at := range columns(p.kind, p.Objects) {
		name := at[len(at)-1]
		if isNameOfPart(at) {
			name = at[0]
		}
		p.Columns = append(p.Columns, column{Name: name, at: []specs.Pointer{at}})
	}
	by, isDown := strings.CutPrefix(asked.Get(sortedBy), "-")
	for i := range p.Columns {
		col := &p.Columns[i]
		name := col.at[0].String()
		col.Address = there(sortedBy, name)
		if name != by {
			continue
		}
		col.Order = "ascending"
		slices.SortStableFunc(p.Objects, func(a, b object) int {
			return compare(first(a.Value, col.at...), first(b.Value, col.at...))
		})
		if isDown {
			col.Order = "descending"
			slices.Reverse(p.Objects)
		} else {
			col.Address = there(sortedBy, "-"+name)
		}
	}
	p.Total = len(p.Objects)
	p.From, _ = strconv.Atoi(asked.Get(tableFrom)) // 0 if it is none
	p.From = min(max(p.From, 0), max(p.Total-1, 0))
	end := min(p.From+rows, p.Total)
	if p.From > 0 {
		p.Newer = there(tableFrom, strconv.Itoa(max(p.From-rows, 0)))
	}
	if end < p.Total {
		p.Older = there(tableFrom, strconv.Itoa(end))
	}
	p.All = there(tableFrom, "0")
	p.Objects = p.Objects[p.From:end]
	p.inTime(now)
	for i := range p.Objects {
		t := &p.Objects[i]
		t.Address = v.In(slices.Concat([]string{"resources", p.Kind()}, p.Within, []string{t.Key})...)
		for _, col := range p.Columns[own:] {
			t.Cells = append(t.Cells, p.cell(v, c, t.Value, col.at[0]))
		}
	}
}

// inTime makes a timeline of the objects, if it is known when they were under way.
func (p *kindPage) inTime(now time.Time) {
	at, isTimed := timedKinds[p.Kind()]
	if !isTimed {
		return
	}
	var spans []*span
	for i := range p.Objects {
		s := at.span(p.Objects[i].Value, now)
		p.Objects[i].Span, spans, p.IsOn = s, append(spans, s), p.IsOn || s.IsOn
	}
	t := layOut(spans)
	p.Timeline = &t
}

// cell shows what a pointer leads to in an object, as a link if that is the key of another one.
func (p *kindPage) cell(v *view, c *catalog, value any, at specs.Pointer) cell {
	shown := cell{Text: first(value, at)}
	if last := at[len(at)-1]; !p.Interface.IsOwn() && (last == "status" || last == "state") {
		shown.State = shown.Text
	}
	name, key := at[len(at)-1], shown.Text
	if isNameOfPart(at) {
		name, key = at[0]+"Id", first(value, specs.Pointer{at[0], "id"})
	}
	if other := c.named(p.Interface, name); other != nil && key != "" {
		shown.Address = v.In("resources", other.Kind(), key)
	}
	for _, l := range p.Refers {
		other := c.byName[l.Resource]
		if other != nil && other.IsTop() && shown.Text != "" && slices.Equal(l.At, at) {
			shown.Address = v.In("resources", other.Resource.Name, shown.Text)
		}
	}
	return shown
}

// compare orders texts; as numbers, if both are numbers.
func compare(a, b string) int {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX == nil && errY == nil {
		return cmp.Compare(x, y)
	}
	return strings.Compare(a, b)
}

// plural returns a noun in the plural.
func plural(noun string) string {
	if noun, of, found := strings.Cut(noun, " of "); found {
		return plural(noun) + " of " + of
	}
	switch {
	case strings.HasSuffix(noun, "y") && !strings.HasSuffix(noun, "ey"):
		return strings.TrimSuffix(noun, "y") + "ies"
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "ch"):
		return noun + "es"
	}
	return noun + "s"
}

func capitalized(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
