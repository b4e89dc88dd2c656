package own

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// behaviour holds what x-resources says of how objects of a resource are kept, compiled.
type behaviour struct {
	id       string
	managed  []string // members that no client sets
	once     []string
	isStrict bool
	made     []timed // members with the time of the creation
	touched  []timed
	begin    []member
	unique   []unique
	refers   []reference
	used     []reference // from objects of other resources to those of this one
	words    *world.Words
	check    func(*op.Call, Change) error
	errors   map[string]specs.ErrorForm
}

// timed is a member that shows a time.
type timed struct {
	name  string
	clock clock
}

type unique struct {
	word     string // what all of its words begin with
	name     string
	within   []string // members
	inParent bool
	fold     bool
	error    string
}

// reference leads from objects of one resource to those of another one.
type reference struct {
	word      string // what all of its words begin with
	from, to  *specs.Resource
	schema    *objectSchema // of what refers
	at        specs.Pointer
	mustExist bool
	onDelete  string
}

func memberName(pointer string) string {
	return unescapeToken.Replace(strings.TrimPrefix(pointer, "/"))
}

var unescapeToken = strings.NewReplacer("~1", "/", "~0", "~")

// behaviour compiles what the document says of a resource.
func (c *compiler) behaviour(r *specs.Resource) *behaviour {
	if known := c.behaviours[r.Name]; known != nil {
		return known
	}
	says, schema := r.Behaviour, c.object(r)
	b := &behaviour{
		id: says.Make.ID, isStrict: says.Strict == "reject",
		made: schema.timed(says.Make.Now), touched: schema.timed(says.Touch.Now), errors: c.errors.stated,
		check: c.rules[r.Name],
	}
	c.behaviours[r.Name] = b
	for _, t := range slices.Concat(b.made, b.touched) {
		b.managed = append(b.managed, t.name)
	}
	for _, pointer := range says.Once {
		b.once = append(b.once, memberName(pointer))
	}
	for _, pointer := range slices.Sorted(maps.Keys(says.Make.Begin)) {
		name := memberName(pointer)
		if schemaOf(schema.members[name]).Default == nil {
			text, _ := json.Marshal(says.Make.Begin[pointer], json.Deterministic(true))
			b.begin = append(b.begin, member{name, text})
		}
	}
	for _, u := range says.Unique {
		compiled := unique{word: fmt.Sprintf("unique %+v", u), name: memberName(u.At), fold: u.Fold, error: u.Error}
		for _, within := range u.Within {
			if within == "parent" {
				compiled.inParent = true
			} else {
				compiled.within = append(compiled.within, memberName(within))
			}
		}
		b.unique = append(b.unique, compiled)
	}
	b.refers = c.references(r, func(*specs.Resource) bool { return true })
	b.words = b.newWords()
	for _, other := range c.doc.Resources() {
		b.used = append(b.used, c.references(other, func(to *specs.Resource) bool { return to == r })...)
	}
	return b
}

// references lists those of a resource's references that say more than that they are there.
func (c *compiler) references(r *specs.Resource, leadsTo func(*specs.Resource) bool) (list []reference) {
	for _, link := range r.Refers {
		to := c.doc.Resource(link.Resource)
		if to != nil && link.At != nil && leadsTo(to) && (link.MustExist || link.OnDelete != "") {
			word := "refers " + to.Name + " " + link.At.String()
			list = append(list, reference{word, r, to, c.object(r), link.At, link.MustExist, link.OnDelete})
		}
	}
	return list
}

// timed returns members that show a time, in the form of their schema.
func (o *objectSchema) timed(pointers []string) (list []timed) {
	for _, pointer := range pointers {
		t := timed{memberName(pointer), clockTime}
		switch part := schemaOf(o.members[t.name]); {
		case part.Format == "date":
			t.clock = clockDate
		case part.Type.Includes(openapi3.TypeInteger):
			t.clock = clockUnix
		}
		list = append(list, t)
	}
	return list
}

// isManaged reports whether a client cannot set a member.
func (r *resource) isManaged(name string) bool {
	if r.isKey(name) {
		return r.isKeyManaged()
	}
	return slices.Contains(r.behaviour.managed, name) || slices.Contains(r.schema.managed, name)
}

// isKeyManaged reports whether a client cannot choose the key of a new object.
func (r *resource) isKeyManaged() bool {
	switch r.behaviour.id {
	case "client", "path":
		return false
	case "sequence", "uuid", "digits":
		return true
	}
	return r.keySays.ReadOnly || slices.Contains(r.schema.managed, r.key[0])
}

// refusal returns the error of a code, as x-errors has it.
func (b *behaviour) refusal(code, field, format string, args ...any) error {
	e := &op.Error{Code: op.Code(code), Field: field, Message: fmt.Sprintf(format, args...)}
	if form, stated := b.errors[code]; stated {
		e.Code, e.Reason = op.StatusCode(form.Status), code
	}
	return e
}

// refuse refuses a request that sets what it may not, where the resource is strict. Without an object it is a creation.
func (r *resource) refuse(given []member, object *world.Object) error {
	if !r.behaviour.isStrict {
		return nil
	}
	var before []member
	if object != nil {
		before = membersOf(object.Text)
	}
	for _, m := range given {
		i := index(before, m.name)
		isSame := i >= 0 && isEqual(before[i].value, m.value)
		switch {
		case isSame:
		case r.isManaged(m.name):
			return r.behaviour.refusal("invalid", m.name, "no client sets it: leave it out")
		case object != nil && slices.Contains(r.behaviour.once, m.name):
			return r.behaviour.refusal("invalid", m.name, "it is set once: want the value that it has, or leave it out")
		}
	}
	return nil
}

func isEqual(a, b jsontext.Value) bool {
	a, b = a.Clone(), b.Clone()
	return a.Canonicalize() == nil && b.Canonicalize() == nil && string(a) == string(b)
}

// begin gives a new object what its request does not.
func (b *behaviour) beginning(call *op.Call, list []member) []member {
	for _, m := range b.begin {
		if index(list, m.name) < 0 {
			list = append(list, m)
		}
	}
	for _, t := range slices.Concat(b.made, b.touched) {
		list = set(list, t.name, t.clock.text(call.Now))
	}
	return list
}

// restore gives members that are set once the values that they had, or refuses other ones.
func (r *resource) restore(list []member, object world.Object) ([]member, error) {
	if len(r.behaviour.once) == 0 {
		return list, nil
	}
	before := membersOf(object.Text)
	for _, name := range r.behaviour.once {
		had, has := index(before, name), index(list, name)
		switch {
		case had >= 0 && has >= 0 && isEqual(before[had].value, list[has].value), had < 0 && has < 0:
		case r.behaviour.isStrict && has >= 0:
			return nil, r.behaviour.refusal("invalid", name, "it is set once: want the value that it has")
		case had >= 0:
			list = set(list, name, before[had].value)
		default:
			list = slices.Delete(list, has, has+1)
		}
	}
	return list, nil
}

// Change describes what a request does to an object.
type Change struct {
	Resource string
	Verb     string // create, update, delete, or the verb of an action
	Keys     []string
	Before   jsontext.Value // nil of a new one
	After    jsontext.Value // nil of one that is deleted
}

// settle refuses a change that the resource's constraints do not allow. A new object has the id 0.
func (r *resource) settle(call *op.Call, verb string, id int64, before, after world.Object) error {
	b := r.behaviour
	if b.check != nil {
		if err := b.check(call, Change{r.spec.Name, verb, after.Keys, before.Text, after.Text}); err != nil {
			return err
		}
	}
	if len(b.unique)+len(b.refers) == 0 {
		return nil
	}
	list := membersOf(after.Text)
	for _, u := range b.unique {
		if err := u.check(call, r, id, after, list); err != nil {
			return err
		}
	}
	for _, ref := range b.refers {
		if !ref.mustExist {
			continue
		}
		for _, key := range ref.keysIn(after.Text) {
			if !ref.leadsSomewhere(call, key, after) {
				return b.refusal("invalid", strings.TrimPrefix(ref.at.String(), "/"), "no %s is %s", ref.to.Title, key)
			}
		}
	}
	return nil
}

// newWords returns the words by which constraints find objects of a resource.
func (b *behaviour) newWords() *world.Words {
	var keys []string
	for _, u := range b.unique {
		keys = append(keys, u.word)
	}
	for _, ref := range b.refers {
		keys = append(keys, fmt.Sprint(ref.word, ref.follows()))
	}
	return &world.Words{Key: strings.Join(keys, "\n"), Of: func(object world.Object) (words []string) {
		var list []member
		if len(b.unique) > 0 {
			list = membersOf(object.Text)
		}
		for _, u := range b.unique {
			if word, has := u.wordOf(object, list); has {
				words = append(words, word)
			}
		}
		for _, ref := range b.refers {
			if n := len(ref.to.Path) - 1; ref.follows() && n >= 0 && n <= len(object.Keys) {
				for _, key := range ref.keysIn(object.Text) {
					words = append(words, ref.wordOf(append(slices.Clone(object.Keys[:n]), key)))
				}
			}
		}
		return words
	}}
}

// wordOf returns the word that an object has in common with those that it must not be like. One that lacks the member,
// or one of those within which it is unique, is like no other one.
func (u *unique) wordOf(object world.Object, list []member) (word string, has bool) {
	parts := []string{u.word}
	if u.inParent {
		parts = append(parts, object.Keys[:max(0, len(object.Keys)-1)]...)
	}
	for i, name := range append([]string{u.name}, u.within...) {
		at := index(list, name)
		if at < 0 || i == 0 && list[at].value.Kind() == 'n' {
			return "", false
		}
		value := list[at].value.Clone()
		if err := value.Canonicalize(); err != nil {
			return "", false
		}
		text := string(value)
		if i == 0 && u.fold && value.Kind() == '"' {
			text = strings.Map(folded, text)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "\x00"), true
}

// folded returns the least of the letters that differ only in case, as strings.EqualFold has it.
func folded(r rune) rune {
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return least
}

func (u *unique) check(call *op.Call, r *resource, id int64, object world.Object, list []member) error {
	word, has := u.wordOf(object, list)
	if !has {
		return nil
	}
	for other := range call.World.Own.With(r.spec.Name, r.behaviour.words, word) {
		if other != id {
			return r.behaviour.refusal(cmp.Or(u.error, "conflict"), "", "%s with %s %s exists already", r.spec.Title, u.name,
				list[index(list, u.name)].value)
		}
	}
	return nil
}

// keysIn lists what an object refers to, by their keys.
func (ref *reference) keysIn(text jsontext.Value) (keys []string) {
	for _, found := range valuesAt(text, ref.at, nil) {
		value := found.value
		if value.Kind() == '{' { // the other one is embedded
			value = valueAt(membersOf(value), ref.to.Keys[0])
		}
		if key, ok := textOf(value); ok {
			keys = append(keys, key)
		}
	}
	return keys
}

// leadsSomewhere reports whether there is what a key names, below the same parents if it has any.
func (ref *reference) leadsSomewhere(call *op.Call, key string, from world.Object) bool {
	n := len(ref.to.Path) - 1
	if n < 0 || n > len(from.Keys) {
		return true // the document does not say where to look
	}
	_, _, ok := call.World.Own.Find(ref.to.Name, append(slices.Clone(from.Keys[:n]), key))
	return ok
}

// follows reports whether a deletion of what an object refers to does something to the object, or is refused.
func (ref *reference) follows() bool { return ref.onDelete != "" && ref.onDelete != specs.Keep }

// wordOf returns the word of objects that refer to what the keys name.
func (ref *reference) wordOf(keys []string) string {
	return ref.word + "\x00" + strings.Join(keys, "\x00")
}

// remove deletes an object, what is below it, and what is to go with it. An error takes all of it back.
func (c *compiler) remove(call *op.Call, r *specs.Resource, id int64, object world.Object) error {
	call.World.Drop(r.Name, id, object.Keys)
	c.removeKept(call, r, object)
	for _, part := range c.parts[r.Name] {
		for id, below := range call.World.Own.Below(part.Name, object.Keys) {
			if err := c.remove(call, part, id, below); err != nil {
				return err
			}
		}
	}
	for _, ref := range c.behaviour(r).used {
		if !ref.follows() {
			continue
		}
		words := c.behaviour(ref.from).words
		for id, from := range call.World.Own.With(ref.from.Name, words, ref.wordOf(object.Keys)) {
			if _, _, isThere := call.World.Own.Find(ref.from.Name, from.Keys); !isThere { // as of what refers to itself
				continue
			}
			if err := c.follow(call, ref, id, from, object); err != nil {
				return err
			}
		}
	}
	return nil
}

// follow does to an object what is to happen when another one that it refers to is deleted.
func (c *compiler) follow(call *op.Call, ref reference, id int64, from, gone world.Object) error {
	b, key := c.behaviour(ref.to), gone.Keys[len(gone.Keys)-1]
	if ref.onDelete == specs.Cascade {
		return c.remove(call, ref.from, id, from)
	}
	if ref.onDelete == specs.Clear {
		text := cleared(from.Text, ref.at, func(value jsontext.Value) bool {
			return slices.Contains((&reference{to: ref.to}).keysIn(value), key)
		}, ref.schema)
		if ref.schema.fits(text) {
			call.World.Own.Keep(ref.from.Name, id, from.Keys, world.Object{Keys: from.Keys, Text: text})
			return nil
		}
	}
	return b.refusal("conflict", "", "%s %s is in use: %s %s refers to it", ref.to.Title, key, ref.from.Title,
		from.Keys[len(from.Keys)-1])
}

// cleared returns a value without what a pointer leads to and is to go: items are taken out, members become null where
// the schema allows that, and are gone otherwise.
func cleared(
	text jsontext.Value, at specs.Pointer, goes func(jsontext.Value) bool, schema *objectSchema,
) jsontext.Value {
	if at[0] == "*" {
		var items []jsontext.Value
		if json.Unmarshal(text, &items) != nil {
			return text
		}
		kept := items[:0]
		for _, item := range items {
			if len(at) > 1 {
				kept = append(kept, cleared(item, at[1:], goes, nil))
			} else if !goes(item) {
				kept = append(kept, item)
			}
		}
		joined, _ := json.Marshal(kept)
		return joined
	}
	list := membersOf(text)
	i := index(list, at[0])
	switch {
	case i < 0:
		return text
	case len(at) > 1:
		list[i].value = cleared(list[i].value, at[1:], goes, nil)
	case !goes(list[i].value):
	case schema != nil && schema.members[at[0]] != nil && schema.members[at[0]].Value != nil &&
		!schema.members[at[0]].Value.PermitsNull():
		list = slices.Delete(list, i, i+1)
	default:
		list[i].value = jsontext.Value("null")
	}
	return join(list)
}
