package judge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/internal/accept"
	"svc.example/understudy/specs"
)

// The first engine is kin-openapi. It gets decoded values and sets no defaults, so that it changes nothing. It collects
// all errors. Formats that it does not know are passed to each call, not registered for the whole process.
//
// Most values have no fault, and a compiled schema accepts those sooner: the engine is asked about the others.

func schemaOptions(side side, is31 bool) []openapi3.SchemaValidationOption {
	options := append(directionOf(side).Options(), accept.Known.Options()...)
	if is31 {
		options = append(options, openapi3.EnableJSONSchema2020())
	}
	return options
}

func kinOnBody(b *content) (f faultList) {
	schema, isLarge := b.media.Schema.Value, len(b.decoded.JSON) > maxConcurrent
	for _, wrong := range b.decoded.Wrong {
		f.add(fault{path: []string{wrong.Name}, pointer: b.schemaPointer, message: wrong.Message})
	}
	for _, part := range b.decoded.Parts {
		f.partHeaders(b, part)
	}
	if b.compiled == nil && b.tree != nil && acceptsAll(b.tree, b.decoded) {
		return f
	}
	options := schemaOptions(b.side, b.op.Document.T.IsOpenAPI31OrLater())
	if !isLarge {
		options = append(options, openapi3.MultiErrors())
	}
	for i, value := range b.decoded.Values() {
		var at []string
		if b.decoded.Lines {
			at = []string{strconv.Itoa(i)}
		}
		if isTooMuch(b.op.Document, schema, value) {
			f.unexplained(b, value, at)
		} else if b.compiled != nil {
			f.jsonSchema(b.compiled, b.fitting(value), at)
		} else if err := schema.VisitJSON(value, options...); err != nil {
			f.schema(err, locatedSchema{schema, b.schemaPointer}, at)
		}
	}
	if b.compiled != nil {
		b.explainNulls(f.list)
	}
	if isLarge && len(f.list) > 0 {
		f.list[0].message += "; there may be more: in a body above 1 MiB only the first violation is reported"
	}
	return f
}

// explainNulls adds to the faults of nulls why a nullable at their place does not allow them (3.0.4, Schema Object,
// nullable; version 3.1 has none).
func (b *content) explainNulls(faults []fault) {
	why := "; `nullable: true` adds null to the `type` of the same schema object alone"
	if b.op.Document.T.IsOpenAPI31OrLater() {
		why = "; OpenAPI 3.1 has no `nullable`; want null in the list of `type`"
	}
	tree := cacheOf(b.op.Document).compilers[b.side].compiler.tree
	for i, f := range faults {
		ofNull := f.keyword == "type" || f.keyword == "enum"
		if ofNull && b.valueAt(f.path) == nil && slices.ContainsFunc(b.schemasAt(f.path), func(w locatedSchema) bool {
			return specs.IsAt(tree, w.pointer, "nullable")
		}) {
			faults[i].message += why
		}
	}
}

// fitting returns a decoded value, or what a form stands for as well if that alone fits.
func (b *content) fitting(value any) any {
	if plain := b.decoded.Plain; plain != nil && b.compiled.Validate(value) != nil && b.compiled.Validate(plain) == nil {
		return plain
	}
	return value
}

// partHeaders adds what is wrong with the headers of a part. Its Content-Type is described elsewhere (3.0 and 3.1,
// Encoding Object, headers).
func (f *faultList) partHeaders(b *content, part body.Part) {
	headers := b.media.Encoding[part.Name].Headers
	at := join(strings.TrimSuffix(b.schemaPointer, "/schema"), "encoding", part.Name, "headers")
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		header, lines := headers[name].Value, part.Headers.Values(name)
		if strings.EqualFold(name, "Content-Type") || slices.ContainsFunc(lines, isRedacted) {
			continue
		}
		wrong := &faultList{}
		wrong.usersParameter(b.op.Document, namedHeader(name, header),
			inHeader(lines, header.Explode != nil && *header.Explode), response, join(at, name))
		for _, one := range wrong.list {
			one.path, one.keyword, one.message = []string{part.Name}, "", fmt.Sprintf("part %q: %s", part.Name, one.message)
			f.add(one)
		}
		f.doubt = cmp.Or(f.doubt, wrong.doubt)
	}
}

// unexplained adds the fault of a value that the engine would take too long to judge, or that there may be one.
func (f *faultList) unexplained(b *content, value any, at []string) {
	if !b.tree.Refuses(value) {
		f.tooMuch(b.schemaPointer)
	} else if f.room() {
		f.list = append(f.list, fault{
			path: at, pointer: b.schemaPointer, message: "does not match the schema, which combines too many others to say why",
		})
	}
}

func acceptsAll(tree *accept.Tree, decoded *body.Body) bool {
	for _, value := range decoded.All() {
		if !tree.AcceptsFlat(value) {
			return false
		}
	}
	return true
}

// schema flattens an error of the engine. A value that fits none of several schemas is one fault; what each of them
// says is not reported.
func (f *faultList) schema(err error, root locatedSchema, at []string) {
	switch e := err.(type) { //nolint:errorlint // the tree of errors is walked by hand
	case openapi3.MultiError:
		for _, each := range e {
			f.schema(each, root, at)
		}
	case *openapi3.SchemaError:
		var parts openapi3.MultiError
		switch {
		case e.SchemaField == "allOf" && errors.As(e.Origin, &parts):
			f.schema(parts, root, at)
		case strings.HasPrefix(e.Reason, "cannot compile pattern"): // so that it has not judged
			f.doubt = "a pattern at " + root.pointer + " of the document cannot be compiled"
		case f.room():
			f.list = append(f.list, schemaFault(e, root, at))
		}
	default:
		if f.room() {
			f.list = append(f.list, fault{path: at, pointer: root.pointer, message: redactMessage(err.Error())})
		}
	}
}

func schemaFault(e *openapi3.SchemaError, root locatedSchema, at []string) fault {
	path := e.JSONPointer()
	f := fault{
		path:    append(append([]string{}, at...), path...),
		pointer: locate(root.schema, root.pointer, path, e.Schema, e.SchemaField),
		message: messageOf(e),
		keyword: e.SchemaField,
	}
	if e.SchemaField == "format" && e.Schema != nil {
		f.format = e.Schema.Format
	}
	return f
}

func messageOf(e *openapi3.SchemaError) string {
	what, _, _ := strings.Cut(e.Reason, " (string doesn't match pattern")
	if what == "" {
		what = fmt.Sprintf("does not satisfy %q", e.SchemaField)
	}
	return redactMessage(what)
}

// kinOnParameters judges the parameters of a request one by one.
func kinOnParameters(p *parameters) (f faultList) {
	var input *openapi3filter.RequestValidationInput
	for i, ref := range p.op.Parameters {
		if specs.IsCredential(ref.Value) || p.isIgnored(ref.Value) || p.isRedacted(ref.Value) || p.isEmptyPart(ref.Value) ||
			!p.op.Document.IsUsers() && p.accepts(ref.Value) {
			continue
		}
		if p.isTooMuch(ref.Value) {
			f.tooMuch(p.op.ParameterPointer(i))
			continue
		}
		if p.op.Document.IsUsers() && f.usersParameter(p.op.Document, ref.Value, p.textsOf(ref.Value), request,
			p.op.ParameterPointer(i)) {
			continue
		}
		if input == nil {
			input = p.input()
		}
		if err := openapi3filter.ValidateParameter(context.Background(), input, ref.Value); err != nil {
			f.parameter(err, ref.Value, p.op.ParameterPointer(i))
		}
	}
	return f
}

// isTooMuch reports whether engines would take too long to judge a parameter, as a text or a list of texts.
func (p *parameters) isTooMuch(g *openapi3.Parameter) bool {
	values := p.query[g.Name]
	switch g.In {
	case openapi3.ParameterInPath:
		values = []string{p.inPath(g.Name)}
	case openapi3.ParameterInHeader:
		values = headerOf(p.headers).Values(g.Name)
	}
	if g.Schema == nil || g.Schema.Value == nil {
		return false
	}
	list := []any{}
	for _, value := range values {
		for text := range strings.SplitSeq(value, ",") {
			list = append(list, text)
		}
	}
	return isTooMuch(p.op.Document, g.Schema.Value, strings.Join(values, ",")) ||
		isTooMuch(p.op.Document, g.Schema.Value, list)
}

// input returns the parameters as the engine takes them.
func (p *parameters) input() *openapi3filter.RequestValidationInput {
	path := map[string]string{}
	for _, ref := range p.op.Parameters {
		if ref.Value.In == openapi3.ParameterInPath {
			path[ref.Value.Name] = p.inPath(ref.Value.Name)
		}
	}
	return &openapi3filter.RequestValidationInput{
		Request: p.request(), PathParams: path, QueryParams: p.query,
		Options: &openapi3filter.Options{
			MultiError: true, SkipSettingDefaults: true,
			SchemaValidationOptions: append(
				schemaOptions(request, p.op.Document.T.IsOpenAPI31OrLater()), openapi3.MultiErrors()),
		},
	}
}

// isEmptyPart reports whether a parameter is the empty second half of a segment, and may be. The engine takes it for
// missing.
func (p *parameters) isEmptyPart(parameter *openapi3.Parameter) bool {
	return parameter.In == openapi3.ParameterInPath && p.inPath(parameter.Name) == "" && parameter.Schema != nil &&
		takes(p.op.Document, parameter.Schema.Value, "")
}

func (f *faultList) parameter(err error, parameter *openapi3.Parameter, pointer string) {
	at, name := []string{parameter.In, parameter.Name}, fmt.Sprintf("%s parameter %q", parameter.In, parameter.Name)
	var invalid *openapi3filter.RequestError
	switch {
	case errors.Is(err, openapi3filter.ErrInvalidRequired):
		f.list = append(f.list, fault{path: at, pointer: pointer + "/required", message: name + " is missing"})
	case errors.Is(err, openapi3filter.ErrInvalidEmptyValue):
		f.list = append(f.list, fault{path: at, pointer: pointer, message: name + " is empty"})
	case errors.As(err, &invalid) && parameter.Schema != nil && isSchemaError(invalid.Err):
		before := len(f.list)
		f.schema(invalid.Err, locatedSchema{parameter.Schema.Value, pointer + "/schema"}, at)
		for i := range f.list[before:] {
			f.list[before+i].message = name + ": " + f.list[before+i].message
		}
	default:
		wrong := fault{path: at, pointer: pointer + "/schema", message: name + " does not have the documented type"}
		if errors.Is(err, strconv.ErrRange) && parameter.Schema != nil && parameter.Schema.Value.Format != "" {
			wrong.keyword, wrong.format = "format", parameter.Schema.Value.Format
		}
		f.list = append(f.list, wrong)
	}
}

func isSchemaError(err error) bool {
	switch err.(type) { //nolint:errorlint // only as the outermost
	case *openapi3.SchemaError, openapi3.MultiError:
		return true
	}
	return false
}

// kinOnHeader judges one documented header of a response.
func (j *Judge) kinOnHeader(name string, header *openapi3.Header, values http.Header, pointer string) []fault {
	key := headerKey{name, header}
	input := *j.headers.Of(key, func() *openapi3filter.ResponseValidationInput { return headerInput(key) })
	input.Header = values
	err := openapi3filter.ValidateResponse(context.Background(), &input)
	if err == nil {
		return nil
	}
	message := fmt.Sprintf("header %s does not have the documented form", name)
	if values.Get(name) == "" {
		message = fmt.Sprintf("header %s is missing", name)
	}
	return []fault{{path: []string{name}, pointer: pointer, message: message}}
}

// headerKey identifies a documented header: several names may share a description.
type headerKey struct {
	name   string
	header *openapi3.Header
}

// headerInput returns what the engine validates a header with, but for the headers of the response.
func headerInput(k headerKey) *openapi3filter.ResponseValidationInput {
	operation := &openapi3.Operation{Responses: openapi3.NewResponses(openapi3.WithStatus(200, &openapi3.ResponseRef{
		Value: &openapi3.Response{Headers: openapi3.Headers{k.name: {Value: k.header}}},
	}))}
	return &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: (&http.Request{Method: http.MethodGet, URL: &url.URL{}}).WithContext(context.Background()),
			Route:   &routers.Route{Spec: &openapi3.T{OpenAPI: "3.0.3"}, Operation: operation},
		},
		Status: http.StatusOK,
		Options: &openapi3filter.Options{
			MultiError: true, ExcludeResponseBody: true,
			SchemaValidationOptions: append(accept.Known.Options(), accept.BriefErrors()),
		},
	}
}
