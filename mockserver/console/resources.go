package console

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"svc.example/understudy/specs"
)

// resourcesPage lists the kinds of things that there are, by interface.
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
		for _, iface := range specs.Interfaces() {
			kinds := kindsOf{Name: iface}
			for _, k := range c.kinds {
				if k.Interface != iface || !k.IsTop() {
					continue
				}
				things, isMore, err := v.list(k, nil, "")
				if err != nil {
					continue // such as a list that needs a parameter
				}
				kinds.Kinds = append(kinds.Kinds, counted{k, len(things), isMore})
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

// thing is one of a kind, as a list or an answer of its own shows it.
type thing struct {
	Key     string // the last part of what the path names it by; empty if nothing shows it
	Address string // of its page
	Name    string
	Created string
	Cells   []string
	Value   any
}

// list asks for the things of a kind, as the first page of the list has them.
func (v *visitor) list(k *kind, within []string, query string) (things []thing, isMore bool, err error) {
	body, err := v.read(k.List, values(pathParameters(k.List), within), query)
	if err != nil {
		return nil, false, err
	}
	for _, at := range action(k.List).At {
		for _, value := range follow(body, at) {
			things = append(things, newThing(k, value))
		}
	}
	if total := action(k.List).Total(); total != nil {
		n, err := strconv.Atoi(first(body, total))
		isMore = err == nil && n > len(things)
	}
	if pages := action(k.List).Pages(); pages != nil {
		n, err := strconv.Atoi(first(body, pages))
		isMore = err == nil && n > 1
	}
	return things, isMore, nil
}

func newThing(k *kind, value any) thing {
	keys := k.Keys
	if len(keys) == 0 {
		keys = []specs.Pointer{{"id"}}
	}
	return thing{
		Key: first(value, keys...), Name: first(value, k.NamedAt), Created: first(value, k.Created...), Value: value,
	}
}

// maxColumns is the number of columns of a table, beside the key and the name.
const maxColumns = 6

// Many is the name of the kind for several.
func (k *kind) Many() string { return capitalized(plural(k.Title)) }

// Kind is the name of the kind in addresses.
func (k *kind) Kind() string { return k.Resource.Name }

// KeyName returns the name of the key of one.
func (k *kind) KeyName() string {
	if len(k.Keys) > 0 && len(k.Keys[0]) > 0 {
		return k.Keys[0][len(k.Keys[0])-1]
	}
	return "id"
}

// HasNames reports whether the things have names beside their keys.
func (p *kindPage) HasNames() bool {
	return slices.ContainsFunc(p.Things, func(t thing) bool { return t.Name != "" && t.Name != t.Key })
}

// columns chooses what a table shows of things: what is a scalar in most of them.
func columns(k *kind, things []thing) (names []string, pointers []specs.Pointer) {
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
	for i := range things {
		members, _ := things[i].Value.(map[string]any)
		note("", members)
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
	for _, name := range order {
		pointer := specs.Pointer(strings.Split(name, "/"))
		taken := append([]specs.Pointer{k.NamedAt, {"id"}, {"type"}}, k.Keys...)
		isTaken := slices.ContainsFunc(taken, func(p specs.Pointer) bool { return slices.Equal(p, pointer) })
		if !isTaken && len(names) < maxColumns {
			names, pointers = append(names, pointer[len(pointer)-1]), append(pointers, pointer)
		}
	}
	return names, pointers
}

// telling says how much sooner than by its name a column comes: what people look for goes first.
func telling(name string) int {
	first := []string{"status", "state", "type", "email", "database", "query", "description"}
	if at := slices.Index(first, name[strings.LastIndex(name, "/")+1:]); at >= 0 {
		return at - len(first)
	}
	return 0
}

// kindPage shows the things of a kind as a table.
type kindPage struct {
	*kind
	Columns []string
	Things  []thing
	IsMore  bool
	Query   []queryField
	Asked   string // as curl
}

// queryField is a parameter of a list.
type queryField struct{ Name, Value string }

func (v *view) kindPage() error {
	c, err := v.catalog()
	if err != nil {
		return err
	}
	k := c.byName[v.r.PathValue("kind")]
	switch {
	case v.r.PathValue("kind") == "who":
		return v.whoPage()
	case k == nil:
		return v.problem(http.StatusNotFound, "This kind of things is unknown.")
	case !k.IsTop():
		return v.problem(http.StatusNotFound, "These are listed with what they are a part of.")
	}
	body := kindPage{kind: k}
	query := url.Values{}
	for _, p := range k.List.Parameters {
		if p.Value.In != "query" {
			continue
		}
		field := queryField{p.Value.Name, v.r.URL.Query().Get(p.Value.Name)}
		if field.Value != "" {
			query.Set(field.Name, field.Value)
		}
		body.Query = append(body.Query, field)
	}
	err = v.visit(func(v *visitor) (err error) {
		body.Things, body.IsMore, err = v.list(k, nil, query.Encode())
		return err
	})
	if err != nil {
		return err
	}
	body.table(v, nil)
	address := addressOf(k.List, nil)
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	body.Asked = v.curl(call{Method: k.List.Method, Path: address, Header: v.asAdmin()})
	return v.ok("kind", "resources", k.Many(), &body)
}

// table fills in the cells of the columns, and the addresses of the things, which are within another one.
func (p *kindPage) table(v *view, within []string) {
	var pointers []specs.Pointer
	p.Columns, pointers = columns(p.kind, p.Things)
	for i := range p.Things {
		t := &p.Things[i]
		t.Address = v.In(slices.Concat([]string{"resources", p.Kind()}, within, []string{t.Key})...)
		for _, pointer := range pointers {
			t.Cells = append(t.Cells, first(t.Value, pointer))
		}
	}
}

// asAdmin returns the headers of a request about the page's world that an administrator sends.
func (v *view) asAdmin() [][2]string {
	lines := [][2]string{v.authorization()}
	if v.World != defaultWorld {
		lines = append(lines, [2]string{worldHeader, v.World})
	}
	return lines
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
