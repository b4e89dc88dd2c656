package own

import (
	"bytes"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/internal/accept"
	"svc.example/understudy/internal/sample"
	"svc.example/understudy/internal/scan"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/specs"
)

// member is a member of a JSON object, with its value as it is written.
type member struct {
	name  string
	value jsontext.Value
}

// membersOf takes an object apart; nil if the text is not an object. The values are parts of the text, unless it has
// bytes or escapes that are no Unicode.
func membersOf(text []byte) []member {
	list := scanned(text)
	if list == nil && jsontext.Value(text).Kind() == '{' {
		clean, err := jsontext.AppendFormat(nil, text, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
		if err == nil {
			list = scanned(clean)
		}
	}
	return list
}

func scanned(text []byte) []member {
	r := scan.Of(text)
	defer r.Free()
	if !r.Take('{') {
		return nil
	}
	list := make([]member, 0, 8)
	for !r.Take('}') {
		if len(list) > 0 {
			r.Want(',')
		}
		name := r.String()
		r.Want(':')
		value := r.Value()
		if r.Failed() {
			return nil
		}
		list = append(list, member{name, slices.Clip(value)})
	}
	if !r.Done() {
		return nil
	}
	return list
}

// itemsOf takes a list apart; nil if the text is none.
func itemsOf(text jsontext.Value) (items []jsontext.Value) {
	if json.Unmarshal(text, &items) != nil {
		return nil
	}
	return items
}

// listed writes a list.
func listed(items [][]byte) jsontext.Value {
	return slices.Concat([]byte{'['}, bytes.Join(items, []byte{','}), []byte{']'})
}

// join writes an object.
func join(list []member) jsontext.Value {
	size := 2
	for _, m := range list {
		size += len(m.name) + len(m.value) + 4
	}
	text := append(make([]byte, 0, size), '{')
	for i, m := range list {
		if i > 0 {
			text = append(text, ',')
		}
		text, _ = jsontext.AppendQuote(text, m.name)
		text = append(append(text, ':'), m.value...)
	}
	return append(text, '}')
}

// attributes is the member in which objects of JSON:API have most others.
const attributes = "attributes"

// allMembersOf takes an object apart, and its attributes behind it.
func allMembersOf(text []byte) []member {
	list := membersOf(text)
	if i := index(list, attributes); i >= 0 {
		list = append(list, membersOf(list[i].value)...)
	}
	return list
}

// allMembers returns the schemas of these.
func (o *objectSchema) allMembers() map[string]*openapi3.SchemaRef {
	all := maps.Clone(specs.Members(o.members[attributes]))
	if all == nil {
		return o.members
	}
	maps.Copy(all, o.members)
	return all
}

// inside changes the attributes of an object, if it has some.
func (o *objectSchema) inside(list []member, change func(*objectSchema, []member) []member) {
	part := o.parts[attributes]
	if part == nil {
		return
	}
	if i := index(list, attributes); i >= 0 && list[i].value.Kind() == '{' {
		list[i].value = join(change(part(), membersOf(list[i].value)))
	}
}

// index returns where a member is in a list; -1 if it is not there.
func index(list []member, name string) int {
	for i := range list {
		if list[i].name == name {
			return i
		}
	}
	return -1
}

// set adds a member, or replaces it.
func set(list []member, name string, value jsontext.Value) []member {
	if i := index(list, name); i >= 0 {
		list[i].value = value
		return list
	}
	return append(list, member{name, value})
}

// valueAt returns what a pointer leads to in an object; nil if it leads nowhere.
func valueAt(list []member, at specs.Pointer) jsontext.Value {
	if i := index(list, at[0]); i >= 0 {
		return within(list[i].value, at[1:])
	}
	return nil
}

// within returns what a pointer leads to in a text; nil if it leads nowhere.
func within(text jsontext.Value, at specs.Pointer) jsontext.Value {
	for _, token := range at {
		text = valueAt(membersOf(text), specs.Pointer{token})
	}
	return text
}

// setAt sets what a pointer leads to. The objects on the way are made if they are not there.
func setAt(list []member, at specs.Pointer, value jsontext.Value) []member {
	if len(at) > 1 {
		value = join(setAt(membersOf(valueAt(list, at[:1])), at[1:], value))
	}
	return set(list, at[0], value)
}

// object is the schema of objects in answers, compiled for making them.
type objectSchema struct {
	schema  *openapi3.Schema
	members map[string]*openapi3.SchemaRef
	isOpen  bool     // objects may have members that the schema does not name
	secret  []string // the members that no answer shows
	managed []string // the members that no client sets
	fills   []fill
	tree    func() *accept.Tree
	parts   map[string]func() *objectSchema // the members that are objects
	spelled func() map[string]string
}

// fill is a member that objects have although no request sends it.
type fill struct {
	name       string
	isRequired bool
	standard   jsontext.Value // the default of the schema; nil if there is none
	clock      clock
	isUpdate   bool // the clock shows the last change
}

// clock is the form in which a member shows a time; empty if it shows none.
type clock string

const (
	clockTime clock = "date-time"
	clockDate clock = "date"
	clockUnix clock = "unix"
)

func newObjectSchema(ref *openapi3.SchemaRef) *objectSchema {
	schema := schemaOf(ref)
	o := &objectSchema{
		schema: schema, members: specs.Members(&openapi3.SchemaRef{Value: schema}), parts: map[string]func() *objectSchema{},
		tree: sync.OnceValue(func() *accept.Tree { return accept.CompileWith(accept.Known, schema, accept.Response) }),
	}
	o.spelled = sync.OnceValue(func() map[string]string { return spelling(o.members) })
	o.isOpen = schema.AdditionalProperties.Has == nil || *schema.AdditionalProperties.Has
	required := requiredOf(schema, maxNested)
	for name, part := range o.members {
		if part == nil || part.Value == nil {
			continue
		}
		if part.Value.ReadOnly {
			o.managed = append(o.managed, name)
		}
		if part.Value.WriteOnly {
			o.secret = append(o.secret, name)
			continue
		}
		if specs.Members(part) != nil {
			o.parts[name] = sync.OnceValue(func() *objectSchema { return newObjectSchema(part) })
		}
		f := fill{name: name, isRequired: slices.Contains(required, name)}
		f.clock, f.isUpdate = clockOf(name, part.Value)
		if part.Value.Default != nil && isValid(part.Value, part.Value.Default) {
			f.standard, _ = json.Marshal(part.Value.Default, json.Deterministic(true))
		}
		if f.isRequired || f.standard != nil || f.clock != "" {
			o.fills = append(o.fills, f)
		}
	}
	slices.SortFunc(o.fills, func(a, b fill) int { return strings.Compare(a.name, b.name) })
	return o
}

// respelled gives the members of a request the names that answers show for them: FriendlyName may be friendly_name
// there.
func (o *objectSchema) respelled(list []member) []member {
	var taken map[string]bool
	for i, m := range list {
		name := ""
		if o.members[m.name] == nil {
			name = o.spelled()[plain(m.name)]
		}
		if name == "" {
			continue
		}
		if taken == nil {
			taken = make(map[string]bool, len(list))
			for _, m := range list {
				taken[m.name] = true
			}
		}
		if !taken[name] {
			list[i].name, taken[name] = name, true
		}
	}
	return list
}

// spelling returns the names of members by what all spellings of them have in common. Of several alike, it has none.
func spelling(members map[string]*openapi3.SchemaRef) map[string]string {
	names := make(map[string]string, len(members))
	for name := range members {
		if _, isTaken := names[plain(name)]; isTaken {
			names[plain(name)] = ""
		} else {
			names[plain(name)] = name
		}
	}
	return names
}

// schemaOf returns the schema that a reference leads to; one that says nothing if there is none.
func schemaOf(ref *openapi3.SchemaRef) *openapi3.Schema {
	if ref == nil || ref.Value == nil {
		return &openapi3.Schema{}
	}
	return ref.Value
}

// maxNested bounds how deep schemas are looked into that are made of others.
const maxNested = 8

// requiredOf lists the members that all objects of a schema have.
func requiredOf(s *openapi3.Schema, depth int) []string {
	list := slices.Clone(s.Required)
	for _, part := range s.AllOf {
		if part.Value != nil && depth > 0 {
			list = append(list, requiredOf(part.Value, depth-1)...)
		}
	}
	return list
}

// clockOf reports in which form a member shows when an object was made or changed, by its name and its type.
func clockOf(name string, s *openapi3.Schema) (form clock, isUpdate bool) {
	plain := plain(name)
	rest, isCreation := strings.CutPrefix(plain, "created")
	for _, word := range []string{"updated", "modified", "lastmodified"} {
		if after, ok := strings.CutPrefix(plain, word); ok {
			rest, isUpdate = after, true
		}
	}
	if !isUpdate && !isCreation {
		return "", false
	}
	switch {
	case s.Type.Includes(openapi3.TypeString) && s.Format == "date-time":
		return clockTime, isUpdate
	case s.Type.Includes(openapi3.TypeString) && s.Format == "date":
		return clockDate, isUpdate
	case s.Type.Includes(openapi3.TypeInteger) && (rest == "" || rest == "at"):
		return clockUnix, isUpdate
	}
	return "", false
}

// text returns the time as a member shows it.
func (c clock) text(now time.Time) jsontext.Value {
	switch c {
	case clockDate:
		return now.UTC().AppendFormat(make([]byte, 0, 32), `"`+time.DateOnly+`"`)
	case clockUnix:
		return strconv.AppendInt(nil, now.Unix(), 10)
	case clockTime:
	}
	text := append(make([]byte, 0, 32), '"')
	return append(now.UTC().Truncate(time.Millisecond).AppendFormat(text, time.RFC3339Nano), '"')
}

// fits reports whether a text is an object of the schema.
func (o *objectSchema) fits(text []byte) bool {
	tree := o.tree()
	return tree != nil && tree.AcceptsText(text) || fitsSchema(o.schema, text)
}

// fitsSchema reports whether a JSON text is a value of a schema, in an answer.
func fitsSchema(schema *openapi3.Schema, text []byte) bool {
	var value any
	return json.Unmarshal(text, &value) == nil && isValid(schema, value)
}

// isValid does the same of a value.
func isValid(schema *openapi3.Schema, value any) bool {
	return sample.CheckFormats(schema, value, accept.Response) == nil
}

// has reports whether objects may show a member.
func (o *objectSchema) has(name string) bool {
	return (o.isOpen || o.members[name] != nil) && !slices.Contains(o.secret, name)
}

var errNoSample = errors.New("no object fits the schema of the document")

// making describes the object that is being made, or a part of it.
type making struct {
	call     *op.Call
	resource string // empty for what is of none
	keys     []string
	part     string // the path of the part; empty for the object itself
	isNew    bool
}

// maker returns what makes samples of a part of it.
func (m making) maker(part string) *sample.Maker {
	place := m.part + part
	if m.resource != "" {
		place = m.resource + "/" + strings.Join(m.keys, "/") + place
	}
	return &sample.Maker{Direction: accept.Response, Seed: m.call.World.Seed, Place: place, Plain: true}
}

// complete returns an object that has the given members, as far as the schema has them, and those that it must have.
// A new one also has the defaults and the times of its creation. What does not fit the schema is left out.
func (o *objectSchema) complete(m making, given []member) (jsontext.Value, error) {
	list, text := o.fill(m, given)
	if text != nil {
		return text, nil
	}
	return o.repair(m.maker(""), list)
}

// change returns what an object becomes that is to have the given members. What does not fit the schema stays as it is.
func (o *objectSchema) change(m making, before jsontext.Value, given []member) (jsontext.Value, error) {
	list, text := o.fill(m, given)
	switch {
	case text != nil:
		return text, nil
	case o.fits(before):
		return join(o.nearest(membersOf(before), list)), nil
	}
	return o.repair(m.maker(""), list)
}

// fill returns the members that an object is to have, and the object; nil if that does not fit the schema. What it is
// given is its own.
func (o *objectSchema) fill(m making, given []member) ([]member, jsontext.Value) {
	list := o.filled(m, given)
	o.inside(list, func(o *objectSchema, list []member) []member { return o.filled(m, list) })
	text := join(list)
	if !o.fits(text) {
		list = o.partsFilled(m, list)
		if text = join(list); !o.fits(text) {
			text = nil
		}
	}
	return list, text
}

func (o *objectSchema) filled(m making, given []member) []member {
	list := given[:0]
	for _, one := range given {
		if o.has(one.name) {
			list = set(list, one.name, one.value)
		}
	}
	for _, f := range o.fills {
		if index(list, f.name) >= 0 {
			continue
		}
		if value := o.fillIn(m, f); value != nil {
			list = append(list, member{f.name, value})
		}
	}
	return list
}

// partsFilled does the same within the members that are objects, as far as the request goes: of {"attributes":{…}}, the
// service may set some.
func (o *objectSchema) partsFilled(m making, list []member) []member {
	for i, one := range list {
		if part := o.parts[one.name]; part != nil && one.value.Kind() == '{' {
			within := m
			within.part += "/" + one.name
			list[i].value = join(part().partsFilled(within, part().filled(within, membersOf(one.value))))
		}
	}
	return list
}

// countName matches names of numbers of objects.
var countName = regexp.MustCompile(`(^|_)count$|^num(ber)?_of_`)

func isNumber(s *openapi3.Schema) bool {
	return s.Type.Includes(openapi3.TypeInteger) || s.Type.Includes(openapi3.TypeNumber)
}

func (o *objectSchema) fillIn(m making, f fill) jsontext.Value {
	part := o.members[f.name].Value
	switch {
	case m.isNew && f.clock != "":
		return f.clock.text(m.call.Now)
	case m.isNew && f.standard != nil:
		return f.standard
	case f.isRequired && m.isNew && len(part.AllOf)+len(part.AnyOf)+len(part.OneOf) == 0 &&
		(part.Type.IncludesNull() || part.Nullable && m.call.Operation != nil && // which 3.1 does not know
			!m.call.Operation.Document.T.IsOpenAPI31OrLater()): // of what is yet to happen
		return jsontext.Value("null")
	case f.isRequired && m.isNew && isNumber(part) && countName.MatchString(snake(f.name)): // of parts that it has not yet
		return jsontext.Value("0")
	case f.isRequired && m.isNew && part.Type.Is(openapi3.TypeBoolean):
		name := strings.TrimPrefix(plain(f.name), "is")
		return jsontext.Value(strconv.FormatBool(name == "active" || name == "enabled"))
	case f.isRequired:
		value, err := m.maker("/" + f.name).Of(part)
		if text, failed := json.Marshal(value, json.Deterministic(true)); err == nil && failed == nil {
			return text
		}
	}
	return nil
}

// repair begins with a sample, and gives it those members that still fit.
func (o *objectSchema) repair(maker *sample.Maker, list []member) (jsontext.Value, error) {
	value, err := maker.Of(o.schema)
	if err != nil {
		return nil, errors.Join(errNoSample, err)
	}
	text, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	whole := membersOf(text)
	if whole == nil {
		return text, nil
	}
	return join(o.nearest(whole, list)), nil
}

// nearest gives an object that fits the schema those members of a list with which it still fits, and takes away those
// that it has beside, if it fits without.
func (o *objectSchema) nearest(whole, list []member) []member {
	for _, m := range list {
		values := []jsontext.Value{m.value}
		if text, isText := textOf(m.value); isText && o.has(m.name) { // a number here may be a text there
			values = append(values, scalar(schemaOf(o.members[m.name]), text))
		}
		for _, value := range values {
			if with := set(slices.Clone(whole), m.name, value); o.fits(join(with)) {
				whole = with
				break
			}
		}
	}
	for _, m := range slices.Clone(whole) {
		if index(list, m.name) >= 0 {
			continue
		}
		i := index(whole, m.name)
		if without := slices.Delete(slices.Clone(whole), i, i+1); o.fits(join(without)) {
			whole = without
		}
	}
	return whole
}

// textOf returns a scalar as it stands in a path; false for anything else.
func textOf(value jsontext.Value) (string, bool) {
	switch value.Kind() {
	case '"':
		text, err := jsontext.AppendUnquote(nil, value)
		return string(text), err == nil && len(text) > 0
	case '0':
		return string(value), true
	}
	return "", false
}
