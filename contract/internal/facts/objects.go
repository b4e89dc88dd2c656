package facts

import (
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/sight"
)

// Object holds what an answer shows of an entity that its constraints are judged by.
type Object struct {
	Row    Row    // the whole; empty where the answer shows less
	Holds  []Held // what no other one may have
	Once   []Held // what only its creation sets
	Refers []Reference
}

// Row is an object of a user's own document, as JSON.
type Row string

// maxRow bounds the length of a row that is kept, in bytes.
const maxRow = 4 << 10

// Held is the value of a member.
type Held struct{ Member, Value string }

// Reference leads to an entity that another one refers to.
type Reference struct {
	Entity    Entity
	MustExist bool
	OnDelete  string // as specs.Link has it
	Sure      specs.Provenance
}

// Members returns the values of a row by their names, each in its canonical form. Those that a recorder has put
// something in the place of are not among them.
func (r Row) Members() map[string]string {
	var values map[string]jsontext.Value
	if json.Unmarshal([]byte(r), &values) != nil {
		return nil
	}
	members := make(map[string]string, len(values))
	for name, value := range values {
		if value.Canonicalize() == nil && judge.IsPlain(strings.Trim(string(value), `"`)) {
			members[name] = string(value)
		}
	}
	return members
}

// Has reports whether a row has a member, be its value shown or not.
func (r Row) Has(name string) bool {
	return jsontree.Parse(r).Get(name).Exists()
}

// LengthOfRows returns the length of all rows that an answer shows, in bytes.
func (e *Exchange) LengthOfRows() (n int) {
	for i := range e.Shows {
		if o := e.Shows[i].Object; o != nil {
			n += len(o.Row)
		}
	}
	return n
}

// uniques are members that no two entities of a kind of the platform's may have alike in an account, beside their keys.
var uniques = map[Kind][]specs.Unique{
	Pools: {{At: "/name"}}, PoolRules: {{At: "/priority"}}, Policies: {{At: "/name"}}, Projects: {{At: "/name"}},
	"llm.project": {{At: "/attributes/name"}},
}

// objectOf returns what an answer shows of an object; nil if none of it is needed.
func (o *objectReader) objectOf(r *specs.Resource, t Entity, object jsontree.Value) *Object {
	unique := uniques[t.Kind]
	if o.isOwn {
		unique = r.Behaviour.Unique
	}
	if !o.isOwn && unique == nil && r.Behaviour.Once == nil {
		return nil
	}
	x := &Object{}
	for _, u := range unique {
		if held, isHeld := heldBy(&u, t, object); isHeld {
			x.Holds = append(x.Holds, held)
		}
	}
	for _, at := range r.Behaviour.Once {
		name := at[1:]
		if strings.Contains(name, "~") {
			name = specs.PointerOf(at)[0]
		}
		x.once(name, object, o.isOwn)
	}
	if o.isOwn {
		for i := range r.Refers {
			x.Refers = append(x.Refers, o.references(&r.Refers[i], t.ID, object)...)
		}
		if raw := object.Raw(); len(raw) <= maxRow {
			x.Row = Row(strings.Clone(raw))
		}
	}
	if x.Row == "" && len(x.Holds)+len(x.Once)+len(x.Refers) == 0 {
		return nil
	}
	return x
}

// once notes what an object has of a member that is set once, unless a recorder has put something in its place. That it
// has none counts only of an object that is whole.
func (x *Object) once(name string, object jsontree.Value, isWhole bool) {
	value := object.Get(name)
	switch {
	case !value.Exists() && isWhole:
		x.Once = append(x.Once, Held{name, "absent"})
	case value.Exists() && !holds(value, isPlaced):
		x.Once = append(x.Once, Held{name, strings.Clone(value.Raw())})
	}
}

func isPlaced(text string) bool { return !judge.IsPlain(text) }

// Equals reports whether two members are the same, however their values are written as JSON.
func (h Held) Equals(other Held) bool {
	a, b := jsontext.Value(h.Value), jsontext.Value(other.Value)
	return h == other || h.Member == other.Member && a.Canonicalize() == nil && b.Canonicalize() == nil &&
		string(a) == string(b)
}

// heldBy returns the value of an object that no other one may have. Without all that it depends on there is none.
func heldBy(u *specs.Unique, t Entity, object jsontree.Value) (Held, bool) {
	value := sight.Text(object, specs.PointerOf(u.At))
	if value == "" || !judge.IsDistinct(value) {
		return Held{}, false
	}
	if u.Fold {
		value = strings.ToLower(value)
	}
	for _, name := range u.Within {
		within := parentOf(t.ID)
		if name != "parent" {
			within = sight.Text(object, specs.PointerOf(name))
		}
		if within == "" || !judge.IsDistinct(within) {
			return Held{}, false
		}
		value += "\x00" + name + "\x00" + within
	}
	return Held{u.At[strings.LastIndexByte(u.At, '/')+1:], value}, true
}

// parentOf returns the identity of what one is below, which is empty at the top.
func parentOf(id string) string { return id[:max(0, strings.LastIndexByte(id, '/'))] }

// references lists what an object refers to by a link, below the same parents as itself if those have any.
func (o *objectReader) references(link *specs.Link, id string, object jsontree.Value) (list []Reference) {
	to := o.document.Resource(link.Resource)
	if to == nil || link.At == nil {
		return nil
	}
	parents := strings.Split(parentOf(id), "/")
	n := max(0, len(to.Path)-1)
	if n > len(parents) {
		return nil
	}
	for value := range sight.Values(object, link.At) {
		key := value.Text()
		if value.IsObject() {
			key = sight.Text(value, to.Keys[0])
		}
		if key != "" && judge.IsDistinct(key) {
			t := Entity{Kind(link.Resource), strings.Join(append(slices.Clone(parents[:n]), key), "/")}
			list = append(list, Reference{t, link.MustExist, link.OnDelete, link.Provenance})
		}
	}
	return list
}

// sparse are query parameters that make an answer show only a part of each object.
var sparse = []string{"fields", "field", "select", "$select", "only", "include", "exclude", "omit", "view", "expand"}

// isWhole reports whether an answer shows whole objects at a place: those of a user's own document all have members
// that nothing else says of them.
func (o *objectReader) isWhole(r *specs.Resource, at specs.Pointer) bool {
	return !o.isOwn || o.operation.ShowsWhole(r, at) && !slices.ContainsFunc(sparse, o.names.Query.Has)
}

// keep notes which members a request to change something leaves as they are, of those that it could have named. It
// notes none where the document does not say what an update does.
func (e *Exchange) keep(op *specs.Operation, a *specs.Action, r *reading) {
	if a.Verb != specs.Update || a.Resource.Behaviour.Update == "" {
		return
	}
	body, ok := r.requestBody()
	for value := range sight.Values(body, a.Request) {
		body = value
	}
	named, isKnown := namedBy(body)
	if !ok || !isKnown {
		return
	}
	for _, name := range planOf(op).settable {
		if !named[name] {
			e.Kept = append(e.Kept, name)
		}
	}
}

// namedBy returns the members that a request changes: those of an object, or those of a JSON Patch, whose operations
// must be of RFC 6902.
func namedBy(body jsontree.Value) (named map[string]bool, isKnown bool) {
	named = map[string]bool{}
	if !body.IsArray() {
		for member := range body.Each {
			named[member.Name()] = true
		}
		return named, body.IsObject()
	}
	for step := range body.List {
		if !slices.Contains([]string{"add", "remove", "replace", "move", "copy", "test"}, step.Get("op").Text()) {
			return nil, false
		}
		for _, name := range []string{"path", "from"} {
			if at := specs.PointerOf(step.Get(name).Text()); len(at) > 0 {
				named[at[0]] = true
			}
		}
	}
	return named, true
}

// settableBy lists the members of an object that an update may set, and that nothing else sets.
func settableBy(op *specs.Operation) (list []string) {
	actions := op.Actions()
	if len(actions) == 0 || actions[0].Verb != specs.Update || actions[0].Request == nil {
		return nil
	}
	r := actions[0].Resource
	b := r.Behaviour
	request := op.JSONBody()
	if request == nil {
		return nil
	}
	sent := specs.Members(specs.SchemaAt(&openapi3.SchemaRef{Value: request}, actions[0].Request))
	for name, part := range specs.Members(op.Document.ObjectSchema(r)) {
		at := specs.Pointer{name}.String()
		isSet := slices.Contains(slices.Concat(b.Touch.Now, b.Make.Now), at) || slices.Equal(r.Keys[0], specs.Pointer{name})
		if part.Value == nil || part.Value.ReadOnly || isSet || len(sent) > 0 && sent[name] == nil {
			continue
		}
		_, begins := b.Make.Begin[at]
		isKept := b.Update == "replace" && (begins || part.Value.Default != nil)
		if !isKept && !slices.Contains(b.Once, at) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}
