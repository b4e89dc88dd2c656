package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/accept"
	"svc.example/understudy/internal/sample"
	"svc.example/understudy/specs"
)

// The bounds of what is varied.
const (
	maxValues = 12 // of a list of values
	maxNested = 3  // members of members whose values are varied
	maxVaried = 80 // requests of an operation
	longText  = 10_000
)

// vary sends other valid requests of each operation, and some with one fault each.
func (w *walk) vary(ctx context.Context) error {
	if w.ValidOnly {
		return nil
	}
	for _, o := range w.operations {
		isOthers := o.Method == http.MethodDelete && !w.DeletesAll && !w.isOfMade(o)
		if w.failed[o] || isOthers {
			continue
		}
		d, err := w.draft(o)
		if err != nil {
			continue // as live has noted
		}
		v := &variants{walk: w, from: d}
		v.ofParameters()
		v.ofBody()
		v.ofRequest()
		for _, one := range v.list[:min(len(v.list), maxVaried)] {
			if err := w.send(ctx, one, Varied); err != nil {
				return err
			}
		}
	}
	return nil
}

// variants are requests that differ from one in a single place.
type variants struct {
	*walk
	from *draft
	list []*draft
}

// add adds a request with a change. A valid one is not sent for deletions, which would end what the others need.
func (v *variants) add(fault string, change func(*draft)) {
	if fault == "" && v.from.op.Method == http.MethodDelete {
		return
	}
	d := v.from.clone()
	d.fault = fault
	change(d)
	v.list = append(v.list, d)
}

// ofParameters leaves out parameters, and gives them other values.
func (v *variants) ofParameters() {
	for i, name := range v.from.op.PathParameters() {
		p := v.from.op.Parameters.GetByInAndName(openapi3.ParameterInPath, name)
		if p == nil {
			continue
		}
		for _, wrong := range wrongTexts(schemaOf(p)) {
			v.add(fmt.Sprintf("path parameter %s %s", name, wrong.is), func(d *draft) { d.path[i] = wrong.text })
		}
	}
	for _, ref := range v.from.op.Parameters {
		p := ref.Value
		if p.In == openapi3.ParameterInPath || specs.IsCredential(p) {
			continue
		}
		what := fmt.Sprintf("%s parameter %s", p.In, p.Name)
		if _, isSet := v.Header[http.CanonicalHeaderKey(p.Name)]; isSet {
			continue
		}
		if p.Required {
			v.add("required "+what+" is missing", func(d *draft) { delete(d.values, p) })
		} else if value, err := v.parameter(p); err == nil {
			v.add("", func(d *draft) { d.values[p] = value })
		}
		for _, value := range others(schemaOf(p), v.from.values[p]) {
			v.add("", func(d *draft) { d.values[p] = value })
		}
		if v.doc.Lenient.Query && schemaOf(p).Type.Is(openapi3.TypeBoolean) {
			continue // any text is one
		}
		for _, wrong := range wrongTexts(schemaOf(p)) {
			v.add(what+" "+wrong.is, func(d *draft) { d.values[p] = wrong.text })
		}
	}
}

// ofBody changes single values of a body that is written by a schema.
func (v *variants) ofBody() {
	isJSON, _, _ := v.from.kind()
	if v.from.body == nil {
		return
	}
	schema := v.from.contents()[v.from.media].Schema
	whole := plain(v.from.body)
	try := func(fault string, changed any) {
		if object, _ := changed.(map[string]any); !isJSON && len(object) == 0 {
			return // no more than a body that is missing
		}
		isValid := sample.CheckFormats(schema.Value, changed, accept.Request) == nil
		if isValid == (fault == "") {
			v.add(fault, func(d *draft) { d.body = changed })
		}
	}
	v.ofMembers(whole, specs.Pointer{}, schema, isJSON, try)
}

// ofMembers changes the members of an object that stands in a body.
func (v *variants) ofMembers(whole any, at specs.Pointer, schema *openapi3.SchemaRef, isJSON bool,
	try func(fault string, changed any),
) {
	object, isObject := at.FirstIn(whole).(map[string]any)
	if !isObject || len(at) >= maxNested {
		return
	}
	members := specs.Members(schema)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		here := slices.Concat(at, specs.Pointer{name})
		try(fmt.Sprintf("required body member %s is missing", here), changed(whole, here, nil, true))
		member := members[name]
		if member == nil || member.Value == nil || !isJSON {
			continue
		}
		for _, value := range others(member.Value, object[name]) {
			try("", changed(whole, here, value, false))
		}
		for _, wrong := range wrongValues(member.Value, object[name]) {
			if wrong.value == nil && v.doc.Lenient.Bodies {
				continue // it stands for a member that is absent
			}
			try(fmt.Sprintf("body member %s %s", here, wrong.is), changed(whole, here, wrong.value, false))
		}
		v.ofMembers(whole, here, member, isJSON, try)
	}
}

// ofRequest changes a request as a whole.
func (v *variants) ofRequest() {
	op := v.from.op
	if content := v.from.contents(); len(content) > 0 {
		if op.Spec.RequestBody.Value.Required {
			v.add("the required body is missing", func(d *draft) { d.media, d.body, d.text = "", nil, nil })
		}
		isJSON, _, _ := v.from.kind()
		if isJSON {
			v.add("the body is malformed JSON", func(d *draft) { d.text = []byte(`{"understudy": `) })
		}
		isOpen := slices.ContainsFunc(slices.Collect(maps.Keys(content)), func(media string) bool {
			return strings.Contains(media, "*")
		})
		if body, _, err := v.from.content(); err == nil && !isOpen {
			v.add("the body has the media type application/x-understudy-probe, which is not documented", func(d *draft) {
				d.text, d.media = body, "application/x-understudy-probe"
			})
		}
	}
	isOpen := func(schemes []*openapi3.SecurityScheme) bool { return len(schemes) == 0 }
	isSecured := len(op.Security()) > 0 && !slices.ContainsFunc(op.Security(), isOpen)
	if isSecured && (v.Key != "" || len(v.Header) > 0) {
		v.add("credentials are missing", func(d *draft) { d.isAnonymous = true })
	}
	v.ofUnknownKey()
}

// ofUnknownThing asks for something that is not there. That only a GET of it is refused is sure, and only if the
// document says so.
func (v *variants) ofUnknownKey() {
	op := v.from.op
	actions, last := op.Actions(), len(v.from.path)-1
	if last < 0 || len(actions) == 0 || len(actions[0].Path) == 0 {
		return
	}
	p := op.Parameters.GetByInAndName(openapi3.ParameterInPath, op.PathParameters()[last])
	if p == nil {
		return
	}
	unknown := "understudy-probe-none"
	if s := schemaOf(p); s.Type.Is(openapi3.TypeInteger) {
		unknown = "2000000011"
	} else if sample.CheckFormats(s, unknown, accept.Request) != nil {
		return
	}
	fault := ""
	isDocumented := op.Spec.Responses.Status(http.StatusNotFound) != nil || op.Spec.Responses.Value("4XX") != nil
	if actions[0].Verb == specs.Get && op.Method == http.MethodGet && isDocumented {
		fault = fmt.Sprintf("path parameter %s names nothing that is there", p.Name)
	}
	if fault != "" || op.Method == http.MethodDelete {
		v.add(fault, func(d *draft) { d.path[last] = unknown })
	}
}

// others returns other valid values for a place: of a list the others, and of a range the ends.
func others(s *openapi3.Schema, than any) (list []any) {
	for _, value := range s.Enum[:min(len(s.Enum), maxValues)] {
		if fmt.Sprint(value) != fmt.Sprint(than) && value != nil {
			list = append(list, value)
		}
	}
	if s.Type.Is(openapi3.TypeBoolean) {
		list = append(list, than != true)
	}
	for _, end := range []*float64{s.Min, s.Max} {
		if end != nil && sample.Check(s, *end, accept.Request) == nil && math.Abs(*end) < 1<<53 {
			list = append(list, *end)
		}
	}
	return list
}

// wrong is a value that a schema forbids.
type wrong struct {
	value any
	is    string // what is wrong about it
	text  string // as a parameter
}

// wrongValues returns values that a schema forbids in the place of a valid one.
func wrongValues(s *openapi3.Schema, valid any) []wrong {
	list := []wrong{{is: "is null", value: nil}}
	switch valid.(type) {
	case string:
		list = append(list, wrong{is: "is a number, not a text", value: 12345.0})
	case map[string]any, []any:
		list = append(list, wrong{is: "is a text, not an object or a list", value: "understudy"})
	default:
		list = append(list, wrong{is: "is a text", value: "understudy"})
	}
	return slices.Concat(list, outside(s))
}

// outside returns values of the right type that a schema forbids.
func outside(s *openapi3.Schema) (list []wrong) {
	if len(s.Enum) > 0 {
		list = append(list, wrong{is: "is not one of the documented values", value: "understudy-unknown"})
	}
	if s.Min != nil {
		list = append(list, wrong{is: "is below its minimum", value: *s.Min - 1})
	}
	if s.Max != nil {
		list = append(list, wrong{is: "is above its maximum", value: *s.Max + 1})
	}
	if s.MinLength > 0 {
		list = append(list, wrong{is: "is too short", value: ""})
	}
	if s.MaxLength != nil && *s.MaxLength < longText {
		list = append(list, wrong{is: "is too long", value: strings.Repeat("x", int(*s.MaxLength)+1)})
	}
	if s.Pattern != "" {
		list = append(list, wrong{is: "does not fit its pattern", value: "~ understudy ~"})
	}
	if s.MinItems > 0 {
		list = append(list, wrong{is: "has too few items", value: []any{}})
	}
	return list
}

// wrongTexts returns texts of a parameter that its schema forbids.
func wrongTexts(s *openapi3.Schema) (list []wrong) {
	isNumber := s.Type.Is(openapi3.TypeInteger) || s.Type.Is(openapi3.TypeNumber)
	if isNumber || s.Type.Is(openapi3.TypeBoolean) {
		list = append(list, wrong{is: "is a text", text: "understudy"})
	}
	if !isNumber && !s.Type.Is(openapi3.TypeString) {
		return list // how it would be read is not sure
	}
	for _, one := range outside(s) {
		switch value := one.value.(type) {
		case string:
			one.text = value
		case float64:
			one.text = strconv.FormatFloat(value, 'f', -1, 64)
		}
		_, isText := one.value.(string)
		if one.text != "" && isText != isNumber && sample.Check(s, one.value, accept.Request) != nil {
			list = append(list, one)
		}
	}
	return list
}

// plain returns a value as encoding/json decodes it.
func plain(value any) (copied any) {
	text, _ := json.Marshal(value)
	_ = json.Unmarshal(text, &copied)
	return copied
}

// changed returns a copy of a value with another one at a place, or without what is there.
func changed(value any, at specs.Pointer, to any, isRemoved bool) any {
	object, isObject := value.(map[string]any)
	if !isObject {
		return value
	}
	object = maps.Clone(object)
	switch {
	case len(at) > 1:
		object[at[0]] = changed(object[at[0]], at[1:], to, isRemoved)
	case isRemoved:
		delete(object, at[0])
	default:
		object[at[0]] = to
	}
	return object
}
