package judge

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// The parameters of a user's own document are read by their styles, as RFC 6570 and the Parameter Object of OpenAPI
// 3.0 and 3.1 have them. A text may stand for several values, above all where a schema allows several types: it is
// wrong only if none of these fits.

// texts are the parts of a parameter as a message writes them.
type texts struct {
	whole   []string            // as it stands there, or once for each time that it does
	lists   [][]string          // the items, in each way to take them apart
	objects []map[string]string // the members, likewise
	repeat  map[string][]string // members that are there several times
	misfit  string              // in what it is not as its style has it, whatever it stands for
	isDeep  bool                // an object of it has members of members
}

// usersParameter adds what is wrong with a parameter of a user's own document. It reports false if its schema cannot be
// compiled.
func (f *faultList) usersParameter(d *specs.Document, g *openapi3.Parameter, t *texts, side side, pointer string,
) (isJudged bool) {
	at, name := []string{g.In, g.Name}, fmt.Sprintf("%s parameter %q", g.In, g.Name)
	if side == response {
		at, name = []string{g.Name}, "header "+g.Name
		if strings.EqualFold(g.Name, "Set-Cookie") { // what follows it and a colon is taken for a secret
			name = fmt.Sprintf("header %q", g.Name)
		}
	}
	schema, path, values := g.Schema, pointer+"/schema", t.values
	for _, media := range slices.Sorted(maps.Keys(g.Content)) {
		schema, path = g.Content[media].Schema, join(pointer, "content", media, "schema")
		values = t.contents(media, schema)
	}
	if t == nil {
		if g.Required {
			f.add(fault{path: at, pointer: pointer + "/required", message: name + " is missing", keyword: "required"})
		}
		return true
	}
	switch {
	case t.misfit != "":
		f.add(fault{path: at, pointer: pointer, keyword: "style", message: name + " " + t.misfit})
		return true
	case t.isDeep:
		f.doubt = "OpenAPI does not define how members of members of an object are written at " + pointer
		return true
	}
	isEmpty := g.AllowEmptyValue && len(t.whole) == 1 && t.whole[0] == ""
	if schema == nil || schema.Value == nil || values == nil || isEmpty {
		return true
	}
	compiled := compiled(d, path, side)
	if compiled == nil {
		return false
	}
	var first *faultList
	for _, value := range values(schema.Value) {
		wrong := &faultList{}
		if wrong.jsonSchema(compiled, value, at); len(wrong.list) == 0 {
			f.doubt = cmp.Or(f.doubt, wrong.doubt)
			return true
		}
		if first == nil {
			first = wrong
		}
	}
	switch {
	case first == nil && g.Content == nil:
	case first == nil:
		f.add(fault{path: at, pointer: path, message: name + " is not " + body.JSONType, keyword: "type"})
	case g.Content == nil && isNested(schema.Value):
		f.doubt = "OpenAPI does not define how lists and objects in a list or an object are written at " + pointer
	case g.Content == nil && g.In == openapi3.ParameterInCookie && g.Style != styleCookie && isExploded(g) &&
		typesOf(schema.Value, 0)["object"]:
		f.doubt = "OpenAPI does not define how objects that are exploded are written in cookies at " + pointer
	default:
		for _, one := range first.list {
			one.message = name + ": " + one.message
			f.add(one)
		}
	}
	return true
}

// contents returns the values of a parameter that has a media type, or nil if that is neither JSON nor a text that
// stands for itself.
func (t *texts) contents(media string, ref *openapi3.SchemaRef) func(*openapi3.Schema) []any {
	kind := body.MediaType(media)
	isText := strings.HasPrefix(kind, "text/") && ref != nil && typesOf(ref.Value, 0)["string"]
	if !body.IsJSON(kind) && !isText {
		return nil
	}
	return func(*openapi3.Schema) (values []any) {
		for _, text := range t.whole {
			if value, err := body.DecodeJSON([]byte(text)); isText {
				values = append(values, text)
			} else if err == nil {
				values = append(values, value)
			}
		}
		return values
	}
}

// values returns what a parameter may stand for.
func (t *texts) values(schema *openapi3.Schema) (values []any) {
	types := typesOf(schema, 0)
	for _, isTyped := range []bool{true, false} {
		if types["object"] {
			for _, members := range t.objects {
				object := map[string]any{}
				for name, text := range members {
					member := memberOf(schema, name)
					object[name] = scalar(text, member, isTyped)
					if several := t.repeat[name]; len(several) > 1 || len(several) == 1 && typesOf(member, 0)["array"] {
						object[name] = list(several, member, isTyped)
					}
				}
				values = append(values, object)
			}
		}
		if types["array"] {
			for _, items := range t.lists {
				values = append(values, list(items, schema, isTyped))
			}
		}
		if !types["array"] && !types["object"] || len(types) > 1 || len(values) == 0 {
			for _, text := range t.whole {
				values = append(values, scalar(text, schema, isTyped))
			}
		}
	}
	return values
}

func list(items []string, schema *openapi3.Schema, isTyped bool) []any {
	values := make([]any, len(items))
	for i, text := range items {
		values[i] = scalar(text, itemsOf(schema, 0), isTyped)
	}
	return values
}

// scalar returns the value of a text by the types that a schema allows, or the text. A schema without types allows all.
func scalar(text string, schema *openapi3.Schema, isTyped bool) any {
	if !isTyped {
		return text
	}
	return body.Scalar(text, typesOf(schema, 0))
}

// typesOf returns the types that a schema and those that it consists of name.
func typesOf(schema *openapi3.Schema, depth int) map[string]bool {
	types := map[string]bool{}
	if schema == nil || depth > maxWalk/8 {
		return types
	}
	for _, name := range schema.Type.Slice() {
		types[name] = true
	}
	for _, part := range combinedSchemas(schema, noPointer) {
		maps.Copy(types, typesOf(part.schema, depth+1))
	}
	return types
}

// itemsOf returns the schema of the items of a list, or nil.
func itemsOf(schema *openapi3.Schema, depth int) *openapi3.Schema {
	if schema == nil || depth > maxWalk/8 {
		return nil
	}
	if schema.Items != nil {
		return schema.Items.Value
	}
	for _, part := range combinedSchemas(schema, noPointer) {
		if items := itemsOf(part.schema, depth+1); items != nil {
			return items
		}
	}
	return nil
}

// memberOf returns the schema of a member of an object, or nil.
func memberOf(schema *openapi3.Schema, name string) *openapi3.Schema {
	for _, w := range withCombined([]locatedSchema{{schema: schema}}, nil) {
		if inner := innerSchema(w.schema, noPointer, name); inner.schema != nil {
			return inner.schema
		}
	}
	return nil
}

// isNested reports whether lists or objects may stand in a list or an object: how they are written is not defined
// (Parameter Object, style).
func isNested(schema *openapi3.Schema) bool {
	isDeep := func(inner *openapi3.Schema) bool {
		types := typesOf(inner, 0)
		return types["object"] || types["array"]
	}
	for _, w := range withCombined([]locatedSchema{{schema: schema}}, nil) {
		for _, ref := range w.schema.Properties {
			if isDeep(ref.Value) {
				return true
			}
		}
		if w.schema.Items != nil && isDeep(w.schema.Items.Value) {
			return true
		}
	}
	return false
}

// textsOf returns the texts of a parameter, or nil if it is not there.
func (p *parameters) textsOf(g *openapi3.Parameter) *texts {
	explode := g.Explode != nil && *g.Explode
	switch g.In {
	case openapi3.ParameterInPath:
		return inPath(p.owner.Match.Escaped(g.Name), g, explode)
	case openapi3.ParameterInHeader:
		return inHeader(linesOf(p.headers, g.Name), explode)
	case openapi3.ParameterInCookie:
		return p.inCookie(g)
	}
	return p.inQuery(g, g.Explode == nil && (g.Style == "" || g.Style == "form") || explode)
}

// styleCookie is the style of OpenAPI 3.2 that writes lists and objects as several cookies.
const styleCookie = "cookie"

// isExploded reports whether a parameter of a query or a cookie is exploded: form and cookie are by default.
func isExploded(g *openapi3.Parameter) bool {
	if g.Explode == nil {
		return g.Style == "" || g.Style == openapi3.SerializationForm || g.Style == styleCookie
	}
	return *g.Explode
}

// inCookie reads a cookie. OpenAPI does not define how lists and objects are exploded before version 3.2: they may be
// several cookies, or joined as in a query.
func (p *parameters) inCookie(g *openapi3.Parameter) *texts {
	t, members := &texts{}, map[string]string{}
	for cookie := range strings.SplitSeq(strings.Join(linesOf(p.headers, "Cookie"), ";"), ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(cookie), "=")
		if name == g.Name {
			t.whole = append(t.whole, value)
		} else if isExploded(g) && g.Schema != nil && memberOf(g.Schema.Value, name) != nil {
			members[name] = value
		}
	}
	switch {
	case len(t.whole) == 0 && len(members) > 0:
		t.objects = []map[string]string{members}
		return t
	case len(t.whole) == 0:
		return nil
	case len(t.whole) > 1 && isExploded(g) && repeats(g):
		t.lists = [][]string{t.whole}
		return t
	case isExploded(g):
		t.lists = [][]string{strings.Split(t.whole[0], "&"+g.Name+"=")}
	}
	// A cookie cannot have a comma as it is, so that clients put a list in quotes (RFC 6265, 4.1.1).
	if inner, isQuoted := strings.CutPrefix(t.whole[0], `"`); isQuoted {
		t.splitText(strings.TrimSuffix(inner, `"`), ",", false)
	}
	if plain, err := url.PathUnescape(t.whole[0]); err == nil && plain != t.whole[0] {
		t.whole = append(t.whole, plain)
	}
	t.split(",", false)
	return t
}

// split takes the texts apart in each way in which they may be meant.
func (t *texts) split(separator string, explode bool) {
	for _, whole := range t.whole {
		t.splitText(whole, separator, explode)
	}
}

func (t *texts) splitText(whole, separator string, explode bool) {
	items := strings.Split(whole, separator)
	for i := range items {
		items[i] = strings.TrimSpace(items[i])
	}
	t.add(items, explode)
}

// add adds the list and the object that items are.
func (t *texts) add(items []string, explode bool) {
	t.lists = append(t.lists, items)
	t.object(items, explode)
}

// object adds the object of which items are the members: pairs with an equals sign, or names and values by turns.
// Other items add no object.
func (t *texts) object(items []string, explode bool) {
	members := map[string]string{}
	if len(items) == 1 && items[0] == "" {
		items = nil // an empty object (3.0.4, Style Examples)
	}
	if !explode && len(items)%2 > 0 {
		return
	}
	for i := 0; i < len(items); i++ {
		if !explode {
			members[items[i]] = items[i+1]
			i++
			continue
		}
		name, value, isPair := strings.Cut(items[i], "=")
		if !isPair {
			return
		}
		members[name] = value
	}
	t.objects = append(t.objects, members)
}

// inPath reads a parameter of a path, in which what separates items counts where it is not escaped; some clients escape
// it all the same. The styles label and matrix begin with a mark (RFC 6570, 3.2.5 and 3.2.7).
func inPath(escaped string, g *openapi3.Parameter, explode bool) *texts {
	separators, begins := []string{","}, true
	switch g.Style {
	case openapi3.SerializationLabel:
		escaped, begins = strings.CutPrefix(escaped, ".")
		switch { // 3.0 and 3.1 write what is not exploded in two ways
		case explode:
			separators = []string{"."}
		case strings.Contains(escaped, "."):
			separators = []string{".", ","}
		}
	case openapi3.SerializationMatrix:
		mark := ";" + g.Name + "="
		if explode {
			separators = []string{mark}
		}
		switch {
		case explode && g.Schema != nil && typesOf(g.Schema.Value, 0)["object"]:
			separators = []string{";"}
			escaped, begins = strings.CutPrefix(escaped, ";")
		case escaped+"=" == mark: // an empty value
			escaped = ""
		default:
			escaped, begins = strings.CutPrefix(escaped, mark)
		}
	}
	if !begins {
		return &texts{misfit: "does not begin as its style " + g.Style + " does"}
	}
	plain := specs.Unescaped(escaped)
	t := &texts{whole: []string{plain}}
	for _, separator := range separators {
		items := strings.Split(escaped, separator)
		for i := range items {
			items[i] = specs.Unescaped(items[i])
		}
		if t.add(items, explode); plain != escaped {
			t.splitText(plain, separator, explode)
		}
	}
	return t
}

// linesOf returns the values of all headers of a name.
func linesOf(headers recording.Headers, name string) (values []string) {
	for _, line := range headers {
		if strings.EqualFold(line[0], name) {
			values = append(values, line[1])
		}
	}
	return values
}

func inHeader(lines []string, explode bool) *texts {
	if len(lines) == 0 {
		return nil
	}
	t := &texts{whole: []string{strings.TrimSpace(strings.Join(lines, ", "))}}
	t.split(",", explode)
	return t
}

// inQuery reads a parameter of the query, whose separators count where they are not escaped; some clients escape them
// all the same.
func (p *parameters) inQuery(g *openapi3.Parameter, explode bool) *texts {
	t, bracket := &texts{}, map[string]string{}
	t.repeat = map[string][]string{}
	var raw []string
	separator := cmp.Or(map[string]string{"spaceDelimited": " ", "pipeDelimited": "|"}[g.Style], ",")
	for pair := range strings.SplitSeq(p.owner.Query, "&") {
		rawName, rawValue, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(rawName)
		value, err2 := url.QueryUnescape(rawValue)
		if err != nil || err2 != nil {
			continue
		}
		member, isMember := strings.CutPrefix(name, g.Name+"[")
		switch {
		case g.Style == "deepObject" && isMember:
			member = strings.TrimSuffix(member, "]")
			t.isDeep = t.isDeep || strings.Contains(member, "]")
			bracket[member], t.repeat[member] = value, append(t.repeat[member], value)
		case hasMember(g, name) && !namesQuery(p.op, name, g):
			bracket[name], t.repeat[name] = value, append(t.repeat[name], value)
		case name == g.Name:
			t.whole, raw = append(t.whole, value), append(raw, rawValue)
		}
	}
	switch {
	case len(bracket) > 0:
		t.objects = []map[string]string{bracket}
		return t
	case len(t.whole) == 0:
		return nil
	case len(raw) > 1 && !(explode && repeats(g)):
		t.misfit = fmt.Sprintf("is there %d times, and its style writes it once", len(raw))
		return t
	case explode:
		t.lists, t.whole = [][]string{t.whole}, t.whole[:1]
		return t
	}
	if separator == "," { // the others are always escaped (3.0.4, Style Examples)
		items := strings.Split(raw[0], separator)
		for i := range items {
			items[i], _ = url.QueryUnescape(items[i]) // which has worked with the whole
		}
		t.add(items, false)
	}
	t.split(separator, false)
	return t
}

// repeats reports whether a parameter that is exploded may be a list, which is there once for each item.
func repeats(g *openapi3.Parameter) bool {
	if g.Schema == nil {
		return false
	}
	types := typesOf(g.Schema.Value, 0)
	return types["array"] || len(types) == 0
}

// hasMember reports whether a parameter of the query is an object whose members stand there as parameters of their own,
// and a name is one of them.
func hasMember(g *openapi3.Parameter, name string) bool {
	isExploded := (g.Explode == nil || *g.Explode) && (g.Style == "" || g.Style == openapi3.SerializationForm)
	if g.In != openapi3.ParameterInQuery || !isExploded || g.Schema == nil || !typesOf(g.Schema.Value, 0)["object"] {
		return false
	}
	s := g.Schema.Value
	isOpen := s.AdditionalProperties.Has != nil && *s.AdditionalProperties.Has ||
		len(s.Properties) == 0 && !isCombinedSchema(s) && s.AdditionalProperties.Has == nil
	return isOpen || memberOf(s, name) != nil
}
