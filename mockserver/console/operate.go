package console

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/accept"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/sample"
	"svc.example/understudy/specs"
)

// operationPage lets a person fill in a request to an operation, and try or send it.
type operationPage struct {
	*specs.Operation
	Summary, Description string
	Fields               []field
	HasBody              bool
	Members              []field // of the body, if it is an object of which a form can be made
	AsText               bool    // the body is written as text, although it has members
	Body                 string
	Key                  string
	Wrong                string  // what is wrong with the body as a whole
	IsWrong              bool    // something is, so that the request was not sent
	Tried                *result // what became of it in a fork
	Next                 []link  // where to go after it
	Example              string  // of the body
}

// field is a parameter of an operation, or a member of a body.
type field struct {
	Name, In, Description, Value, Example string
	Required                              bool
	Choices                               []string
	Input                                 string // its type in HTML, or truth; empty of JSON
	Wrong                                 string // what is wrong with its value
}

// ID identifies the field on the page.
func (f field) ID() string { return f.In + "-" + f.Name }

// Switch is the address of the same page with the body as text, or with a form.
func (p *operationPage) Switch(asText bool) string {
	query := url.Values{}
	for _, f := range p.Fields {
		if f.Value != "" {
			query.Set(f.In+":"+f.Name, f.Value)
		}
	}
	if asText {
		query.Set("as", "text")
	}
	return "?" + query.Encode()
}

func (v *view) operationPage() error {
	page, err := v.newOperationPage(v.r.URL.Query())
	if err != nil {
		return err
	}
	if err := page.begin(v); err != nil {
		return err
	}
	return v.ok("operation", "resources", v.Summary(page.Operation), page)
}

func (v *view) newOperationPage(given url.Values) (*operationPage, error) {
	name := v.r.PathValue("operation")
	iface, id, _ := strings.Cut(name, ".")
	c, err := v.catalog()
	if err != nil {
		return nil, err
	}
	doc := c.document(specs.Interface(iface))
	if doc == nil || doc.Operation(id) == nil {
		return nil, &refusal{answer{Status: http.StatusNotFound, Body: []byte("Operation " + name + " was not found.")}}
	}
	o, readable := doc.Operation(id), c.readable[doc.Interface]().Operation(id)
	if readable == nil {
		readable = o
	}
	page := &operationPage{
		Operation: o, Summary: v.Summary(o), Description: readable.Spec.Description, Key: given.Get("key"),
		HasBody: o.Spec.RequestBody != nil, Body: given.Get("body"), AsText: given.Get("as") == "text",
	}
	for _, p := range readable.Parameters {
		page.Fields = append(page.Fields, fieldOf(p.Value, given))
	}
	if page.HasBody {
		page.Example = exampleOf(readable.Spec.RequestBody.Value)
		page.Members = membersOf(readable)
	}
	for i := range page.Members {
		page.Members[i].Value = given.Get(page.Members[i].In + ":" + page.Members[i].Name)
	}
	if page.Key == "" {
		page.Key = keyOf(o)
	}
	return page, nil
}

// membersOf returns the fields for the members of an operation's body, unless that is not an object, or is one around
// another.
func membersOf(o *specs.Operation) (fields []field) {
	schema := bodySchema(o)
	if schema == nil || len(o.Actions()) > 0 && len(action(o).Request) > 0 {
		return nil
	}
	members := specs.Members(schema)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		s := members[name].Value
		if s == nil || s.ReadOnly {
			continue
		}
		f := field{
			Name: name, In: "json", Description: s.Description, Required: slices.Contains(schema.Value.Required, name),
		}
		switch {
		case s.Type.Is("string"):
			f.In, f.Input = "string", "text"
			if s.Format == "date" {
				f.Input = "date"
			}
		case s.Type.Is("number"), s.Type.Is("integer"):
			f.In, f.Input = "number", "number"
		case s.Type.Is("boolean"):
			f.Input = "truth"
		}
		for _, choice := range s.Enum {
			f.Choices = append(f.Choices, shown(choice))
		}
		if s.Default != nil {
			f.Example = shown(s.Default)
		}
		fields = append(fields, f)
	}
	slices.SortStableFunc(fields, func(a, b field) int {
		switch {
		case a.Required == b.Required:
			return 0
		case a.Required:
			return -1
		}
		return 1
	})
	return fields
}

// bodySchema returns the schema of an operation's body, if that is JSON; else nil.
func bodySchema(o *specs.Operation) *openapi3.SchemaRef {
	if o.Spec.RequestBody == nil || o.Spec.RequestBody.Value == nil {
		return nil
	}
	content := o.Spec.RequestBody.Value.Content
	if kinds := slices.Sorted(maps.Keys(content)); len(kinds) > 0 && strings.HasSuffix(kinds[0], "json") {
		if schema := content[kinds[0]].Schema; schema != nil && schema.Value != nil {
			return schema
		}
	}
	return nil
}

// begin fills in a body to begin with: what is there of an object that is changed, or else the document's example.
func (p *operationPage) begin(v *view) error {
	if !p.HasBody || v.r.URL.Query().Has("body") {
		return nil
	}
	there, err := p.there(v)
	if err != nil {
		return err
	}
	switch {
	case there != nil:
		text, err := json.MarshalIndent(there, "", "  ")
		if err != nil {
			return err
		}
		p.Body = string(text)
	case p.Example != "":
		p.Body = p.Example
	case len(p.Members) == 0 || p.AsText:
		p.Body = sampleOf(p.Operation)
	}
	if members, err := jsontree.Decode[any]([]byte(p.Body)); err == nil {
		for i := range p.Members {
			m := &p.Members[i]
			if value, ok := members.(map[string]any)[m.Name]; ok && value != nil {
				m.Value = shown(value)
				if m.In == "json" {
					text, _ := json.Marshal(value) // it was read as JSON
					m.Value = string(text)
				}
			}
		}
	}
	return nil
}

// sampleOf makes a body to begin with of its schema; empty if there is none that fits.
func sampleOf(o *specs.Operation) string {
	schema := bodySchema(o)
	if schema == nil {
		return ""
	}
	value, err := (&sample.Maker{Direction: accept.Request, Place: o.Name(), Plain: true}).Of(schema.Value)
	if err != nil {
		return ""
	}
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return ""
	}
	return string(text)
}

// there returns what a request may write of the object that it is about, as it is now; nil if it is about none.
func (p *operationPage) there(v *view) (any, error) {
	schema := bodySchema(p.Operation)
	if len(p.Actions()) == 0 || schema == nil || action(p.Operation).Verb != specs.Update || v.World == "" {
		return nil, nil //nolint:nilnil // most are about none
	}
	c, err := v.catalog()
	if err != nil {
		return nil, err
	}
	a := action(p.Operation)
	k, path := c.byName[a.Resource.Name], []string{}
	for _, name := range a.Path {
		if value := v.r.URL.Query().Get("path:" + name); value != "" {
			path = append(path, value)
		}
	}
	if k == nil || len(path) == 0 || len(path) != len(a.Path) {
		return nil, nil //nolint:nilnil // it is not said which
	}
	var value any
	err = v.visit(func(v *visitor) (err error) {
		value, err = v.one(k, path)
		return err
	})
	if err != nil {
		return nil, err
	}
	value = writable(specs.SchemaAt(schema, a.Request), value)
	for _, token := range slices.Backward(a.Request) {
		value = map[string]any{token: value}
	}
	return value, nil
}

// writable returns what a request may have of a value: the members that its schema has and that are not read-only.
func writable(schema *openapi3.SchemaRef, value any) any {
	members, ok := value.(map[string]any)
	declared := specs.Members(schema)
	if !ok || len(declared) == 0 {
		return value
	}
	kept := map[string]any{}
	for name, part := range declared {
		if inner, has := members[name]; has && part.Value != nil && !part.Value.ReadOnly {
			kept[name] = writable(part, inner)
		}
	}
	return kept
}

func fieldOf(p *openapi3.Parameter, given url.Values) field {
	f := field{
		Name: p.Name, In: p.In, Description: p.Description, Required: p.Required, Value: given.Get(p.In + ":" + p.Name),
	}
	if p.Example != nil {
		f.Example = shown(p.Example)
	}
	if p.Schema != nil && p.Schema.Value != nil {
		for _, choice := range p.Schema.Value.Enum {
			f.Choices = append(f.Choices, shown(choice))
		}
	}
	return f
}

// exampleOf returns an example of a body, as the document has one.
func exampleOf(body *openapi3.RequestBody) string {
	for _, kind := range slices.Sorted(maps.Keys(body.Content)) {
		media := body.Content[kind]
		example := media.Example
		for _, name := range slices.Sorted(maps.Keys(media.Examples)) {
			if example == nil && media.Examples[name].Value != nil {
				example = media.Examples[name].Value.Value
			}
		}
		if text, ok := example.(string); ok {
			return text
		}
		if example != nil {
			text, err := json.MarshalIndent(example, "", "  ")
			if err == nil {
				return string(text)
			}
		}
	}
	return ""
}

// tryOperation sends the request of a form: to the world, or first to a fork of it, to see what would become of it. One
// that its document does not allow is not sent, unless the person insists.
func (v *view) tryOperation() error {
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, maxForm)
	if err := v.r.ParseForm(); err != nil {
		return v.problem(http.StatusBadRequest, "The form cannot be read: "+err.Error())
	}
	form := v.r.PostForm
	page, err := v.newOperationPage(form)
	if err != nil {
		return err
	}
	show := func() error { return v.ok("operation", "resources", page.Summary, page) }
	page.write(form)
	if form.Get("force") == "" && !page.IsWrong {
		page.validate()
	}
	c := page.call(v)
	switch {
	case page.IsWrong:
		return show()
	case form.Get("check") == "":
		a, err := v.send(c.inWorld(v.WorldOrDefault()))
		if err != nil {
			return err
		}
		page.Tried = newResult(v, c.inWorld(v.WorldOrDefault()), a)
		page.after(v, a)
		return show()
	}
	err = v.visit(func(visitor *visitor) error {
		a, err := visitor.sendToFork(c)
		if err == nil {
			page.Tried = newResult(v, c.inWorld(v.WorldOrDefault()), a)
			page.Tried.IsTrial = true
			page.blame()
		}
		return err
	})
	if err != nil {
		return err
	}
	return show()
}

// write makes the body of its members, if the form has these.
func (p *operationPage) write(form url.Values) {
	if len(p.Members) == 0 || form.Has("body") {
		p.AsText = true
		return
	}
	body := []byte("{}")
	for i := range p.Members {
		m := &p.Members[i]
		if m.Value == "" {
			continue
		}
		written, err := setMember(body, m.In, m.Name, m.Value)
		if err != nil {
			_, m.Wrong, _ = strings.Cut(err.Error(), ": ")
			p.IsWrong = true
			continue
		}
		body = written
	}
	p.Body = string(body)
}

// validate holds the request against its document.
func (p *operationPage) validate() {
	for i := range p.Fields {
		if f := &p.Fields[i]; f.Required && f.Value == "" {
			f.Wrong, p.IsWrong = "is required", true
		}
	}
	schema := bodySchema(p.Operation)
	if schema == nil || p.Body == "" && !p.Spec.RequestBody.Value.Required {
		return
	}
	value, err := jsontree.Decode[any]([]byte(p.Body))
	if err != nil {
		p.Wrong, p.IsWrong = "is not JSON: "+err.Error(), true
		return
	}
	err = sample.Check(schema.Value, value, accept.Request)
	if err == nil {
		return
	}
	p.IsWrong = true
	var wrong *openapi3.SchemaError
	if !errors.As(err, &wrong) {
		p.Wrong = err.Error()
		return
	}
	all := openapi3.MultiError{wrong}
	errors.As(schema.Value.VisitJSON(value, append(accept.Request.Options(), openapi3.MultiErrors())...), &all)
	for _, err := range all {
		if errors.As(err, &wrong) {
			p.say(wrong.JSONPointer(), wrong.Reason)
		}
	}
}

// say shows what is wrong beside the member that it is about.
func (p *operationPage) say(pointer []string, message string) {
	if len(pointer) > 0 && !p.AsText {
		at := slices.IndexFunc(p.Members, func(f field) bool { return f.Name == pointer[0] })
		if at >= 0 {
			p.Members[at].Wrong = message
			return
		}
	}
	if len(pointer) > 0 {
		message = strings.Join(pointer, ".") + ": " + message
	}
	p.Wrong = message
}

// blame shows a refusal beside the member that it names, as the messages of the mock begin with it.
func (p *operationPage) blame() {
	if name, message, found := strings.Cut(p.Tried.Message, ": "); found && p.Tried.IsRefused() {
		if slices.ContainsFunc(p.Members, func(f field) bool { return f.Name == name }) {
			p.say([]string{name}, message)
		}
	}
}

// after says where to go after a request, and empties the form of one that made something.
func (p *operationPage) after(v *view, a answer) {
	p.blame()
	c, err := v.catalog()
	if p.Tried.IsRefused() || err != nil || len(p.Actions()) == 0 {
		return
	}
	act := action(p.Operation)
	k := c.byName[act.Resource.Name]
	if k == nil {
		return
	}
	names, isNew := leading(p.Operation)
	var path []string
	for _, name := range names {
		at := slices.IndexFunc(p.Fields, func(f field) bool { return f.In == "path" && f.Name == name })
		if at >= 0 {
			path = append(path, p.Fields[at].Value)
		}
	}
	if body, err := jsontree.Decode[any](a.Body); err == nil && isNew && len(act.At) > 0 {
		if found := act.At[0].In(body); len(found) > 0 {
			if made := newObject(k, found[0]); made.Key != "" {
				p.Next = append(p.Next, v.linkTo(k, append(slices.Clip(path), made.Key), k.Title))
			}
		}
	} else if !isNew && len(path) == len(names) && act.Verb != specs.Delete {
		p.Next = append(p.Next, v.linkTo(k, path, k.Title))
	}
	if k.List != nil {
		within := path[:min(len(pathParameters(k.List)), len(path))]
		address := v.In("resources", k.Kind())
		if len(within) > 0 {
			address += "?" + url.Values{tableOf: within}.Encode()
		}
		p.Next = append(p.Next, link{What: "all", Key: plural(k.Title), Address: address})
	}
}

// call is the request that the fields make, for no world.
func (p *operationPage) call(v *view) call {
	path, query := map[string]string{}, url.Values{}
	var header [][2]string
	for _, f := range p.Fields {
		switch {
		case f.Value == "":
		case f.In == "path":
			path[f.Name] = f.Value
		case f.In == "query":
			query.Set(f.Name, f.Value)
		case f.In == "header":
			header = append(header, [2]string{f.Name, f.Value})
		}
	}
	c := v.request(p.Operation, path, query, p.Key)
	c.Header = append(c.Header, header...)
	if p.HasBody && p.Body != "" {
		c.Body = []byte(p.Body)
		if kinds := slices.Sorted(maps.Keys(p.Spec.RequestBody.Value.Content)); len(kinds) > 0 {
			c.Header = append(c.Header, [2]string{"Content-Type", kinds[0]})
		}
	}
	return c
}
