package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/specs"
)

// operationPage lets a person fill in a request to an operation, and try or send it.
type operationPage struct {
	*specs.Operation
	Summary, Description string
	Fields               []field
	HasBody              bool
	Body                 string
	Key                  string
	Tried                *result // what became of it in a fork
	Example              string  // of the body
}

// field is a parameter of an operation.
type field struct {
	Name, In, Description, Value, Example string
	Required                              bool
	Choices                               []string
}

func (v *view) operationPage() error {
	page, err := v.newOperationPage(v.r.URL.Query())
	if err != nil {
		return err
	}
	return v.ok("operation", "resources", page.Name(), page)
}

func (v *view) newOperationPage(given url.Values) (*operationPage, error) {
	iface, id, _ := strings.Cut(v.r.PathValue("operation"), ".")
	if !isInterface(specs.Interface(iface)) {
		return nil, noOperation(iface + "." + id)
	}
	doc, err := specs.Readable(specs.Interface(iface), v.brand)
	if err != nil {
		return nil, err
	}
	o := doc.Operation(id)
	if o == nil {
		return nil, noOperation(iface + "." + id)
	}
	page := &operationPage{
		Operation: o, Summary: o.Spec.Summary, Description: o.Spec.Description, Key: given.Get("key"),
		HasBody: o.Spec.RequestBody != nil, Body: given.Get("body"),
	}
	for _, p := range o.Parameters {
		page.Fields = append(page.Fields, fieldOf(p.Value, given))
	}
	if page.HasBody {
		page.Example = exampleOf(o.Spec.RequestBody.Value)
		if page.Body == "" && !given.Has("body") {
			page.Body = page.Example
		}
	}
	if page.Key == "" {
		page.Key = adminKey
	}
	return page, nil
}

func noOperation(name string) error {
	return &refusal{answer{Status: http.StatusNotFound, Body: []byte("Operation " + name + " was not found.")}}
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
	for _, media := range sortedContent(body.Content) {
		example := media.Example
		for _, name := range sortedKeys(media.Examples) {
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

func sortedKeys[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func sortedContent(content openapi3.Content) (list []*openapi3.MediaType) {
	for _, kind := range sortedKeys(content) {
		list = append(list, content[kind])
	}
	return list
}

// tryOperation sends the request of a form: to the world, or first to a fork of it, to see what would become of it.
func (v *view) tryOperation() error {
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, maxForm)
	if err := v.r.ParseForm(); err != nil {
		return v.problem(http.StatusBadRequest, "The form cannot be read: "+err.Error())
	}
	page, err := v.newOperationPage(v.r.PostForm)
	if err != nil {
		return err
	}
	c := page.call(v)
	if v.r.PostForm.Get("send") != "" {
		a, err := v.send(c)
		if err != nil {
			return err
		}
		page.Tried = newResult(v, c, a)
		return v.ok("operation", "resources", page.Name(), page)
	}
	err = v.visit(func(visitor *visitor) error {
		inFork := c
		inFork.Header = append([][2]string{{worldHeader, visitor.fork}}, slices.DeleteFunc(slices.Clone(c.Header),
			func(line [2]string) bool { return line[0] == worldHeader })...)
		a, err := v.send(inFork)
		if err == nil {
			page.Tried = newResult(v, c, a)
			page.Tried.IsTrial = true
		}
		return err
	})
	if err != nil {
		return err
	}
	return v.ok("operation", "resources", page.Name(), page)
}

// call is the request that the fields make.
func (p *operationPage) call(v *view) call {
	path, query := map[string]string{}, url.Values{}
	c := call{Method: p.Method, Header: v.asAdmin()}
	c.Header[0][1] = v.brand.Scheme() + " " + p.Key
	for _, f := range p.Fields {
		switch {
		case f.Value == "":
		case f.In == "path":
			path[f.Name] = f.Value
		case f.In == "query":
			query.Set(f.Name, f.Value)
		case f.In == "header":
			c.Header = append(c.Header, [2]string{f.Name, f.Value})
		}
	}
	c.Path = addressOf(p.Operation, path)
	if len(query) > 0 {
		c.Path += "?" + query.Encode()
	}
	if p.HasBody && p.Body != "" {
		c.Body = []byte(p.Body)
		if kinds := sortedKeys(p.Spec.RequestBody.Value.Content); len(kinds) > 0 {
			c.Header = append(c.Header, [2]string{"Content-Type", kinds[0]})
		}
	}
	return c
}
