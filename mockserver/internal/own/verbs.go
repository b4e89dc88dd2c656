package own

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/internal/accept"
	"svc.example/understudy/internal/sample"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// shower shows an object in the answers of one operation.
type shower struct {
	*success
	resource *resource
	shown    *objectSchema // as the answers of the operation have it; nil if they show none
	around   func() envelope
	each     func() envelope  // around each of several
	beside   *openapi3.Schema // of the member of the envelope that has the key, too; nil if none does
}

func newShower(r *resource, s *success, at specs.Pointer) *shower {
	w := &shower{success: s, resource: r}
	if at != nil && s.schema() != nil {
		w.shown, w.around = r.schema, s.around(at)
		if i := slices.Index(at, "*"); i >= 0 {
			w.around, w.each = s.around(at[:i]), s.aroundIn(specs.SchemaAt(s.schema(), at[:i+1]), at[i+1:])
		}
		if schema := specs.SchemaAt(s.schema(), at); schema != nil && schema.Value != r.schema.schema {
			w.shown = newObjectSchema(schema)
		}
		if len(at) == 1 && len(r.key) == 1 && at[0] != "*" {
			if beside := specs.Members(s.schema())[r.key[0]]; beside != nil {
				w.beside = beside.Value
			}
		}
	}
	return w
}

// show answers with an object, or with a receipt if the answers of the operation show something else.
func (w *shower) show(call *op.Call, object world.Object) (op.Reply, error) {
	if w.isUnknown {
		return op.Reply{Status: w.status, Bytes: object.Text, Type: "application/json"}, nil
	}
	switch {
	case w.shown == nil && w.schema() != nil:
		return w.receipt(call, object)
	case w.shown == nil:
		return w.sample(call)
	}
	text, err := w.text(call, w.shown, object)
	if err != nil {
		return op.Reply{}, err
	}
	text = w.around().put(text)
	if w.beside != nil {
		text = w.keyBeside(text, object.Keys[len(object.Keys)-1])
	}
	return w.tagged(call, w.reply(call, text), object.Text), nil
}

// keyBeside sets the key beside an object, if it may be there.
func (w *shower) keyBeside(text jsontext.Value, key string) jsontext.Value {
	value := scalar(w.beside, key)
	if !fitsSchema(w.beside, value) {
		return text
	}
	return join(set(membersOf(text), w.resource.key[0], value))
}

// showMade shows an object that the call has made or changed, and so held against its schema.
func (w *shower) showMade(call *op.Call, object world.Object) (op.Reply, error) {
	reply, err := w.show(call, object)
	if w.shown == w.resource.schema && len(reply.Bytes) == len(object.Text) {
		reply.Fits = w.shown.schema
	}
	return reply, err
}

// text returns an object as answers show it that have objects of a schema.
func (w *shower) text(call *op.Call, as *objectSchema, object world.Object) (jsontext.Value, error) {
	if as.schema == w.resource.schema.schema {
		return object.Text, nil
	}
	list := membersOf(object.Text)
	if specs.HidesNames(as.schema) {
		list = slices.DeleteFunc(list, func(m member) bool { return as.members[m.name] == nil })
	}
	text, err := as.complete(making{call: call, resource: w.resource.spec.Name, keys: object.Keys}, list)
	if err != nil {
		return nil, noHandler(err)
	}
	return text, nil
}

func noHandler(err error) error {
	return &op.Error{Code: op.CodeNoHandler, Message: "the mock cannot make an answer: " + err.Error() +
		"; give the schema an example"}
}

// getter answers with the object that the path names.
type getter struct {
	*shower
	hidings []hiding
}

func newGetter(s *shower) getter {
	g := getter{shower: s}
	for _, p := range s.operation.Parameters {
		if h, hides := hidingBy(p.Value, s.resource.schema); hides && p.Value.In == openapi3.ParameterInQuery {
			g.hidings = append(g.hidings, h)
		}
	}
	return g
}

func (g getter) handle(call *op.Call) (op.Reply, error) {
	_, object, err := g.resource.find(call)
	if err != nil {
		return op.Reply{}, err
	}
	if len(g.hidings) > 0 && isIn(membersOf(object.Text), hiddenFrom(call, g.hidings)) {
		return op.Reply{}, g.resource.notFound(object.Keys)
	}
	return g.show(call, object)
}

// creator makes an object.
type creator struct {
	*shower
	location  *specs.Operation // that gets it; nil if none does
	standards []member         // the defaults of the request
}

// sentBy lists the schemas of objects in the requests of an operation, by their media type.
func (r *resource) sentBy(o *specs.Operation) (list []*openapi3.SchemaRef) {
	if o.Spec.RequestBody == nil || o.Spec.RequestBody.Value == nil {
		return nil
	}
	for _, media := range o.Spec.RequestBody.Value.Content {
		list = append(list, specs.SchemaAt(media.Schema, r.request))
	}
	return list
}

// standardsOf lists the members that a request has by default.
func (r *resource) standardsOf(o *specs.Operation) (list []member) {
	for _, sent := range r.sentBy(o) {
		members := specs.Members(sent)
		for _, name := range slices.Sorted(maps.Keys(members)) {
			part := members[name]
			if part.Value != nil && part.Value.Default != nil && index(list, name) < 0 &&
				sample.CheckFormats(part.Value, part.Value.Default, accept.Request) == nil {
				text, _ := json.Marshal(part.Value.Default, json.Deterministic(true))
				list = append(list, member{name, text})
			}
		}
	}
	return list
}

func (c creator) handle(call *op.Call) (op.Reply, error) {
	if several := c.several(call); several != nil {
		return c.all(call, several)
	}
	object, err := c.create(call, c.given(call, c.resource.request))
	if err != nil {
		return op.Reply{}, err
	}
	reply, err := c.showMade(call, object)
	isMade := reply.Status == http.StatusCreated || reply.Status == http.StatusAccepted
	if err == nil && c.location != nil && (isMade || len(reply.Bytes) == 0) { // which does not show the key
		reply.Header = setHeader(reply.Header, "Location", c.address(call, c.location, object.Keys))
	}
	return reply, err
}

// create makes an object with the members that a request gives it.
func (c creator) create(call *op.Call, given []member) (object world.Object, err error) {
	for _, m := range c.standards {
		if index(given, m.name) < 0 {
			given = append(given, m)
		}
	}
	if err := c.resource.refuse(given, nil); err != nil {
		return object, err
	}
	parents, err := c.resource.parents(call, given)
	if err != nil {
		return object, err
	}
	id, keys, err := c.resource.name(call, given, parents)
	if err != nil {
		return object, err
	}
	if object, err = c.resource.make(call, given, keys); err != nil {
		return object, err
	}
	if err := c.resource.settle(call, specs.Create, 0, world.Object{}, object); err != nil {
		return object, err
	}
	call.World.Own.Keep(c.resource.spec.Name, id, nil, object)
	return object, nil
}

// several returns the objects of a request that makes several; nil if it makes one, as where the document allows
// either.
func (c creator) several(call *op.Call) []jsontext.Value {
	i := slices.Index(c.resource.request, "*")
	if i < 0 {
		return nil
	}
	text := within(call.Body, c.resource.request[:i])
	if text.Kind() != '[' {
		return nil
	}
	return itemsOf(text)
}

// all makes the objects of a request: all of them, or none. An answer that has room for one shows the first.
func (c creator) all(call *op.Call, several []jsontext.Value) (op.Reply, error) {
	i := slices.Index(c.resource.request, "*")
	var shown [][]byte
	var first world.Object
	for n, item := range several {
		object, err := c.create(call, c.givenIn(item, c.resource.request[i+1:]))
		if refusal, is := errors.AsType[*op.Error](err); is {
			one := *refusal
			field := strings.Join(append(slices.Clone(c.resource.request[:i]), strconv.Itoa(n), one.Field), ".")
			one.Field = strings.Trim(field, ".")
			return op.Reply{}, &one
		}
		if n == 0 {
			first = object
		}
		if err == nil && c.each != nil {
			var text jsontext.Value
			if text, err = c.text(call, c.shown, object); err == nil {
				shown = append(shown, c.each().put(text))
			}
		}
		if err != nil {
			return op.Reply{}, err
		}
	}
	switch {
	case c.each != nil:
		return c.reply(call, c.around().put(listed(shown))), nil
	case c.shown != nil && len(several) > 0:
		return c.showMade(call, first)
	}
	return c.summary(call, len(several), nil)
}

// address returns the address of an operation.
func (w *shower) address(call *op.Call, o *specs.Operation, keys []string) string {
	var room [200]byte // on the stack
	base := append(room[:0], call.Base...)
	if !strings.HasSuffix(call.Base, o.Document.BasePath) {
		base = append(base, o.Document.BasePath...)
	}
	return string(appendPath(base, o, keys))
}

// appendPath appends the path of an operation with its parameters filled in, in their order.
func appendPath(to []byte, o *specs.Operation, keys []string) []byte {
	rest := o.Path
	for _, key := range keys {
		before, after, hasMore := strings.Cut(rest, "{")
		if !hasMore {
			break
		}
		_, rest, _ = strings.Cut(after, "}")
		to = append(append(to, before...), url.PathEscape(key)...)
	}
	return append(to, rest...)
}

// setHeader adds a header to those of an answer, or replaces it.
func setHeader(list [][2]string, name, value string) [][2]string {
	list = slices.DeleteFunc(list, func(h [2]string) bool { return strings.EqualFold(h[0], name) })
	return append(list, [2]string{name, value})
}

// given returns the members that the request's body gives an object at a place: JSON, or the parts of a form. The
// object of a request that may have several, and does not, is the body.
func (w *shower) given(call *op.Call, at specs.Pointer) []member {
	if slices.Contains(at, "*") {
		at = nil
	}
	text := jsontext.Value(call.Body)
	if body := w.operation.Spec.RequestBody; body != nil && body.Value != nil {
		if media := body.Value.Content["multipart/form-data"]; media != nil && media.Schema != nil {
			parts, err := w.operation.Reader.Multipart(media, call.Header("Content-Type"), call.Body)
			if err == nil && parts != nil {
				text = parts
			}
		}
	}
	return w.givenIn(text, at)
}

func (w *shower) givenIn(text jsontext.Value, at specs.Pointer) []member {
	return w.resource.withKey(w.resource.schema.respelled(membersOf(within(text, at))))
}

// make returns a new object with the members that the client gives it, in a list that make may change.
func (r *resource) make(call *op.Call, given []member, keys []string) (world.Object, error) {
	var room [4]member // on the stack
	begun := r.begun(room[:0], keys)
	given = slices.DeleteFunc(given, func(m member) bool {
		if r.isKey(m.name) || r.isManaged(m.name) || r.isOfPath(m.name) {
			return true
		}
		i := index(begun, m.name)
		if i >= 0 {
			begun[i].value = m.value
		}
		return i >= 0
	})
	list := slices.Insert(given, 0, begun...)
	if len(r.key) > 1 { // the client may have given what it is in
		list = r.named(list, keys)
	}
	list = r.behaviour.beginning(call, list)
	text, err := r.schema.complete(making{call: call, resource: r.spec.Name, keys: keys, isNew: true}, list)
	if err != nil {
		return world.Object{}, noHandler(err)
	}
	return world.Object{Keys: keys, Text: text}, nil
}

// begun adds the members that an object has because of its keys to none.
func (r *resource) begun(list []member, keys []string) []member {
	list = r.named(list, keys)
	for i, name := range r.within { // a product shows the id of its shop
		if part := r.schema.members[name]; part != nil && part.Value != nil && r.isOfPath(name) {
			list = set(list, name, scalar(part.Value, keys[i]))
		}
	}
	return list
}

// isOfPath reports whether a member has the key of a parent, as the path has it.
func (r *resource) isOfPath(name string) bool {
	return !r.isKey(name) && slices.Contains(r.within, name)
}

func scalar(s *openapi3.Schema, text string) jsontext.Value {
	if isNumber(s) {
		if value := jsontext.Value(text); value.IsValid() && value.Kind() == '0' {
			return value
		}
	}
	quoted, _ := jsontext.AppendQuote(nil, text)
	return quoted
}

// deleter removes the object that the path names, and what is below it.
type deleter struct {
	*shower
	compiler *compiler
}

func (d deleter) handle(call *op.Call) (op.Reply, error) {
	id, object, err := d.resource.find(call)
	if err != nil {
		return op.Reply{}, err
	}
	if err := d.precondition(call, object); err != nil {
		return op.Reply{}, err
	}
	if err := d.compiler.delete(call, d.resource, id, object); err != nil {
		return op.Reply{}, err
	}
	if d.shown == nil { // a receipt says that it is gone
		schema := d.resource.schema
		states := specs.Entered(&openapi3.SchemaRef{Value: schema.schema}, "remove")
		object.Text = join(schema.enter(call, membersOf(object.Text), states))
	}
	return d.show(call, object)
}

// delete removes an object, unless a rule is against it.
func (c *compiler) delete(call *op.Call, r *resource, id int64, object world.Object) error {
	if r.behaviour.check != nil {
		change := Change{r.spec.Name, specs.Delete, object.Keys, object.Text, nil}
		if err := r.behaviour.check(call, change); err != nil {
			return err
		}
	}
	return c.remove(call, r.spec, id, object)
}

// clearer removes the objects of a collection that the query and the body choose: all, or none.
type clearer struct {
	*list
	compiler *compiler
}

func (d clearer) handle(call *op.Call) (op.Reply, error) {
	as := *call
	query, wanted := d.asked(call)
	as.Query = query
	for _, name := range d.unknown {
		if query.Get(name) != "" { // it may choose anything
			reply, err := d.receipt(&as, nil)
			reply.Notes = append(reply.Notes, fmt.Sprintf("nothing was deleted, since the mock does not know what %s chooses: "+
				"want list.filter in x-resources", name))
			return reply, err
		}
	}
	all, err := d.matching(&as, wanted)
	for _, object := range all {
		id, _, isThere := call.World.Own.Find(d.resource.spec.Name, object.Keys)
		if err == nil && isThere { // it may have gone with another one
			err = d.compiler.delete(call, d.resource, id, object)
		}
	}
	if err != nil {
		return op.Reply{}, err
	}
	return d.receipt(call, all)
}

// receipt says how many were deleted, and which, where the document has a place for it.
func (d clearer) receipt(call *op.Call, all []world.Object) (op.Reply, error) {
	var keys [][]byte
	for _, object := range all {
		keys = append(keys, scalar(d.resource.keySays, object.Keys[len(object.Keys)-1]))
	}
	return d.summary(call, len(all), listed(keys))
}

// summary answers with what became of several objects: how many they are, and their keys if there are any to show.
func (s *success) summary(call *op.Call, n int, keys jsontext.Value) (op.Reply, error) {
	if s.schema() == nil {
		return s.sample(call)
	}
	o := s.whole()
	var given []member
	for _, name := range slices.Sorted(maps.Keys(o.members)) {
		part := o.members[name].Value
		switch {
		case part == nil:
		case isNumber(part):
			given = append(given, member{name, jsontext.Value(strconv.Itoa(n))})
		case part.Type.Includes(openapi3.TypeArray) && keys != nil:
			given = append(given, member{name, keys})
		case part.Type.Is(openapi3.TypeBoolean):
			given = append(given, member{name, jsontext.Value("true")})
		}
	}
	text, err := o.complete(making{call: call, part: s.operation.ID, isNew: true}, given)
	if err != nil {
		return s.sample(call)
	}
	return s.reply(call, text), nil
}

// receipt answers with something else than the object, such as {"id":…,"deleted":true}: with its key, and those of its
// members that the answer has, too.
func (w *shower) receipt(call *op.Call, object world.Object) (op.Reply, error) {
	given := w.receiptOf(w.schema(), object, membersOf(object.Text), maxListDepth)
	isNamed := slices.ContainsFunc(given, func(m member) bool { return m.value.Kind() != 't' && m.value.Kind() != 'f' })
	if !isNamed && len(examplesOf(w.content)) > 0 {
		return w.sample(call)
	}
	text, err := w.whole().complete(
		making{call: call, resource: w.resource.spec.Name, keys: object.Keys, isNew: true}, given)
	if err != nil {
		return w.sample(call)
	}
	return w.reply(call, text), nil
}

func (w *shower) receiptOf(schema *openapi3.SchemaRef, object world.Object, list []member, depth int) (given []member) {
	members, r := specs.Members(schema), w.resource
	title := strings.ReplaceAll(r.spec.Title, " ", "")
	for _, name := range slices.Sorted(maps.Keys(members)) {
		part := members[name].Value
		if part == nil {
			continue
		}
		key := r.key[len(r.key)-1]
		i := index(list, name)
		switch text, isText := textOf(valueAt(list, specs.Pointer{name})); {
		case r.isKey(name), plain(name) == plain(key), plain(name) == plain(title+key):
			given = append(given, member{name, scalar(part, object.Keys[len(object.Keys)-1])})
		case isText:
			given = append(given, member{name, scalar(part, text)})
		case i >= 0 && part.Type.Is(openapi3.TypeBoolean):
			given = append(given, list[i])
		case part.Type.Is(openapi3.TypeBoolean):
			is := !strings.Contains(plain(name), "error") && !strings.Contains(plain(name), "fail")
			given = append(given, member{name, jsontext.Value(strconv.FormatBool(is))})
		case depth > 0 && specs.Members(members[name]) != nil:
			if within := w.receiptOf(members[name], object, list, depth-1); within != nil {
				given = append(given, member{name, join(within)})
			}
		}
	}
	return given
}
