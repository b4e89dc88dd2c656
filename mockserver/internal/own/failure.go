package own

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/accept"
	"svc.example/understudy/internal/sample"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/specs"
)

// The names that public interfaces give to the parts of an error, without what spellings differ in; of the message, the
// likeliest first.
var (
	messageNames = []string{"message", "detail", "errordescription", "description", "msg", "error", "reason", "title"}
	listNames    = []string{
		"errors", "error", "details", "detail", "violations", "fielderrors", "validationerrors", "invalidparams", "issues",
		"messages", "message", "errormessages", "fields",
	}
	codeNames   = []string{"code", "errorcode", "error", "type", "errortype", "reason", "key"}
	statusNames = []string{"status", "statuscode", "code", "httpstatus", "httpcode"}
	phraseNames = []string{"title", "error", "statustext", "reasonphrase"}
	timeNames   = []string{"timestamp", "time", "datetime", "date", "occurredat", "errortime"}
	pathNames   = []string{"path", "instance", "requestpath", "requesturi", "uri", "url"}
	fieldNames  = []string{
		"field", "fieldname", "param", "parameter", "property", "propertypath", "attribute", "pointer", // only of fields
		"path", "name",
		"loc", "location", "source",
	}
)

// ofFields is the number of the first of these names that are those of nothing else.
const ofFields = 8

// failure holds all that an error can say.
type failure struct {
	status int
	errs   op.Errors
	asked  op.Asked
	base   string // of paths
}

// errorPart is a part of an error in the form of a document.
type errorPart struct {
	name      string // without what spellings differ in
	schema    *openapi3.Schema
	in        map[string]any // the object that it is a member of
	one       *op.Error      // the mistake that it is about; nil where it is about all of them
	isNeeded  bool           // the schema requires it
	isExample bool           // the document shows it as an example
	depth     int
}

// maxErrorDepth is the depth in an error at which its message may stand.
const maxErrorDepth = 6

// filled enters what is known of the failure into the members of an error body that are meant for it, as far as the
// body still fits its schema, and returns the body.
func (f *failure) filled(schema *openapi3.Schema, value any, isExample bool) any {
	p := errorPart{schema: schema, isNeeded: true, isExample: isExample, depth: maxErrorDepth}
	if _, isList := value.([]any); isList {
		p.name = "errors"
	}
	if filled, _ := f.part(p, value); isValid(schema, filled) {
		return filled
	}
	return value
}

// part returns a part as it is to be; false if it is left out.
func (f *failure) part(p errorPart, value any) (any, bool) {
	if p.depth--; p.depth < 0 {
		return value, true
	}
	if list, is := f.list(p, value); is {
		return list, list != nil || p.isNeeded
	}
	switch value := value.(type) {
	case []any:
		if p.one != nil && slices.Contains(fieldNames, p.name) {
			return f.location(p.one), true
		}
		filled := slices.Clone(value)
		for i := range filled {
			inner := p
			inner.schema, inner.isNeeded = schemaOf(p.schema.Items), true
			filled[i], _ = f.part(inner, filled[i])
		}
		return filled, true
	case map[string]any:
		return f.object(p, value), true
	case string:
		if !p.isExample && slices.Contains(fieldNames[:ofFields], p.name) {
			if p.one == nil && len(f.errs) == 1 {
				p.one = f.errs[0]
			}
			if !p.isNeeded && (p.one == nil || p.one.Field == "") {
				return value, false
			}
		}
		return f.text(p, value), true
	case float64:
		switch {
		case slices.Contains(statusNames, p.name):
			return float64(f.status), true
		case slices.Contains(timeNames, p.name) && !f.asked.Now.IsZero():
			return float64(f.asked.Now.Unix()), true
		}
	}
	return value, true
}

// object puts what is known into the members of an object: into all, or else into those with which it fits.
func (f *failure) object(p errorPart, value map[string]any) map[string]any {
	members, required := specs.Members(&openapi3.SchemaRef{Value: p.schema}), requiredOf(p.schema, maxNested)
	filled := maps.Clone(value)
	set := func(into map[string]any, name string) {
		inner := errorPart{
			name: plain(name), schema: schemaOf(members[name]), in: value, one: p.one,
			isNeeded: slices.Contains(required, name), isExample: p.isExample, depth: p.depth,
		}
		if part, isThere := f.part(inner, value[name]); isThere {
			into[name] = part
		} else {
			delete(into, name)
		}
	}
	names := slices.Sorted(maps.Keys(value))
	for _, name := range names {
		set(filled, name)
	}
	if isValid(p.schema, filled) {
		return filled
	}
	for _, name := range names {
		with := maps.Clone(value)
		if set(with, name); isValid(p.schema, with) {
			value = with
		}
	}
	return value
}

// list returns the mistakes in a list, or by the names of fields; false if the part holds no mistakes. It is nil where
// the message stands elsewhere.
func (f *failure) list(p errorPart, value any) (any, bool) {
	if p.one != nil || !slices.Contains(listNames, p.name) {
		return nil, false
	}
	isSaid := hasMember(p.in, messageNames, p.name) &&
		!slices.ContainsFunc(f.errs, func(e *op.Error) bool { return e.Field != "" })
	switch value := value.(type) {
	case []any:
		if none := f.none(p, []any{}); isSaid && (none != nil || !p.isNeeded) {
			return none, true
		}
		var list []any
		for _, e := range f.errs {
			list = append(list, f.item(p, schemaOf(p.schema.Items), value, e, e.Error()))
		}
		return list, true
	case map[string]any:
		named, isOpen := p.schema.Properties, p.schema.AdditionalProperties.Schema
		isOfFields := isOpen != nil && len(named) == 0 || p.isExample && len(named) == 0 && isOfLists(value)
		for _, member := range named { // each field has a member of its own
			isOfFields = isOfFields || member != nil && member.Value != nil && member.Value.Type.Is(openapi3.TypeArray) &&
				schemaOf(member.Value.Items).Type.Is(openapi3.TypeString) && named["message"] == nil
		}
		if !isOfFields {
			return nil, false
		}
		if none := f.none(p, map[string]any{}); isSaid && (none != nil || !p.isNeeded) {
			return none, true
		}
		return f.byField(p, value), true
	}
	return nil, false
}

// none returns an empty list where one is needed.
func (f *failure) none(p errorPart, empty any) any {
	if p.isNeeded && isValid(p.schema, empty) {
		return empty
	}
	return nil
}

// byField returns the messages by the names of fields; those of none are of base.
func (f *failure) byField(p errorPart, value map[string]any) map[string]any {
	schema, byName := schemaOf(p.schema.AdditionalProperties.Schema), map[string]any{}
	var like any
	if names := slices.Sorted(maps.Keys(value)); len(names) > 0 {
		like = value[names[0]]
	}
	for _, e := range f.errs {
		name := cmp.Or(e.Field, "base")
		inner := p
		if inner.schema = schema; p.schema.Properties[name] != nil && p.schema.Properties[name].Value != nil {
			inner.schema = p.schema.Properties[name].Value
		}
		list, isList := like.([]any)
		switch before, _ := byName[name].([]any); {
		case isList:
			byName[name] = append(before, f.item(inner, schemaOf(inner.schema.Items), list, e, e.Message))
		case byName[name] == nil:
			byName[name] = f.item(inner, inner.schema, []any{like}, e, e.Message)
		}
	}
	return byName
}

func isOfLists(value map[string]any) bool {
	for _, part := range value {
		if _, isList := part.([]any); !isList {
			return false
		}
	}
	return len(value) > 0
}

// item returns one mistake, in the form of the first item of a list that the document shows, or else of a sample. Where
// that is a text, it is the message.
func (f *failure) item(p errorPart, schema *openapi3.Schema, like []any, e *op.Error, message string) any {
	var value any
	if len(like) > 0 {
		value = like[0]
	} else {
		m := sample.Maker{Direction: accept.Response, Place: "error", Plain: true}
		value, _ = m.Of(schema)
	}
	if _, isText := value.(string); isText || value == nil {
		return message
	}
	filled, _ := f.part(errorPart{schema: schema, one: e, isNeeded: true, isExample: p.isExample, depth: p.depth}, value)
	return filled
}

// text returns what a text of an error says.
func (f *failure) text(p errorPart, value string) string {
	isFree := !p.isExample && p.schema.Example == nil && p.schema.Default == nil
	switch {
	case len(p.schema.Enum) > 0:
		return f.oneOf(p, value)
	case p.in == nil, isMessage(p.name, p.in):
		return f.message(p)
	case (p.schema.Format == "date-time" || p.schema.Format == "" && slices.Contains(timeNames, p.name)) &&
		!f.asked.Now.IsZero():
		return f.asked.Now.UTC().Format(time.RFC3339)
	case p.one != nil && slices.Contains(fieldNames, p.name) && p.name != "type":
		if p.name == "pointer" {
			return "/" + strings.ReplaceAll(p.one.Field, ".", "/")
		}
		return p.one.Field
	case p.one == nil && slices.Contains(pathNames, p.name):
		return f.base + f.asked.Path
	case slices.Contains([]string{"method", "httpmethod", "requestmethod"}, p.name) && f.asked.Operation != nil:
		return f.asked.Operation.Method
	case slices.Contains(statusNames[:2], p.name) && (isFree || len(value) == len(strconv.Itoa(f.status))):
		return strconv.Itoa(f.status)
	case !isFree:
		return value
	case p.name == "type" && strings.HasPrefix(p.schema.Format, "ur"):
		return "about:blank"
	case p.name == "title", slices.Contains(phraseNames, p.name) && hasStatus(p.in):
		return http.StatusText(f.status)
	case slices.Contains(codeNames, p.name):
		return strings.ToLower(strings.ReplaceAll(http.StatusText(f.status), " ", "_"))
	}
	return value
}

// message returns the message about one mistake, or about all.
func (f *failure) message(p errorPart) string {
	switch {
	case p.one == nil:
		return f.errs.One().Error()
	case hasMember(p.in, fieldNames, ""):
		return p.one.Message
	}
	return p.one.Error()
}

// oneOf returns the value of an enum that is called like the status, or else the one that the document shows.
func (f *failure) oneOf(p errorPart, value string) string {
	wanted := []string{
		strconv.Itoa(f.status), plain(strings.ReplaceAll(http.StatusText(f.status), " ", "")), "error", "fail", "failure",
	}
	if f.status == http.StatusBadRequest || f.status == http.StatusUnprocessableEntity {
		wanted = append(wanted, "validationerror", "validationfailed", "validation", "invalid", "invalidrequest",
			"invalidinput")
	}
	stem := func(text string) string { return strings.TrimSuffix(plain(text), "error") }
	for _, want := range wanted {
		for _, one := range p.schema.Enum {
			if text, isText := one.(string); isText && stem(text) == stem(want) {
				return text
			}
		}
	}
	return value
}

// location returns where a mistake is, part by part: in the query, for instance, and its name.
func (f *failure) location(e *op.Error) []any {
	in := "body"
	if f.asked.Operation != nil {
		for _, ref := range f.asked.Operation.Parameters {
			if ref.Value.Name == e.Field {
				in = ref.Value.In
			}
		}
	}
	location := []any{in}
	for step := range strings.SplitSeq(e.Field, ".") {
		if n, err := strconv.Atoi(step); err == nil {
			location = append(location, float64(n))
		} else if step != "" {
			location = append(location, step)
		}
	}
	return location
}

// isMessage reports whether a member is the likeliest one of an error to have its message.
func isMessage(name string, node map[string]any) bool {
	for _, likely := range messageNames {
		for other, value := range node {
			if _, isText := value.(string); isText && plain(other) == likely {
				return name == likely
			}
		}
	}
	return false
}

// hasMember reports whether an object has one of some members, but for one.
func hasMember(node map[string]any, names []string, but string) bool {
	for other := range node {
		if name := plain(other); name != but && slices.Contains(names, name) {
			return true
		}
	}
	return false
}

func hasStatus(node map[string]any) bool {
	for other, value := range node {
		if _, isNumber := value.(float64); isNumber && slices.Contains(statusNames, plain(other)) {
			return true
		}
	}
	return false
}
