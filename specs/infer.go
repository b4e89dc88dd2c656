package specs

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/getkin/kin-openapi/openapi3"
)

// A document that says nothing of resources is read by the conventions of the field. Where a path ends in a parameter,
// its GET shows an object that has the parameter's value, and a POST on the path before it, or a PUT on the path
// itself, makes one, the object is a resource. What is inferred is written as the extensions that say it, and is
// assumed.

// infer describes the resources of a document that does not, in its extensions.
func (d *Document) infer() {
	g := inference{document: d, operations: map[string]map[string]*Operation{}, names: map[string]bool{}}
	g.byPath, g.byCollection = map[string]*inferred{}, map[string]*inferred{}
	paths := map[string]string{}
	for _, o := range d.Operations {
		path := plainPath(o)
		at := sameIDs(path)
		if g.operations[at] == nil {
			g.operations[at], paths[at] = map[string]*Operation{}, path
		}
		g.operations[at][o.Method] = o
		if status, _, _ := o.Success(); status == "202" {
			g.accepted = append(g.accepted, o)
		}
	}
	for _, at := range sortedKeys(paths) { // parents come before their parts
		g.find(paths[at])
	}
	g.findElsewhere()
	if len(g.found) == 0 {
		return
	}
	resources := map[string]any{}
	for _, r := range g.found {
		resources[r.name] = r.written()
	}
	if d.T.Extensions == nil {
		d.T.Extensions = map[string]any{}
	}
	d.T.Extensions[resourcesExtension] = resources
	for _, o := range d.Operations {
		var does any
		action, begun := g.action(o), g.begun(o)
		switch {
		case action == nil && begun == nil:
			continue
		case action == nil:
			does = begun
		case begun == nil || action["resource"] == begun["resource"]:
			does = action
		default:
			does = []any{action, begun}
		}
		if o.Spec.Extensions == nil {
			o.Spec.Extensions = map[string]any{}
		}
		o.Spec.Extensions[resourceExtension] = does
	}
	d.Inferred = true
}

// plainPath returns the path of an operation without a format at its end: /orders/{id}.json is where /orders/{id} is.
// The path / is empty, as what comes before /{id} is.
func plainPath(o *Operation) string {
	return strings.TrimSuffix(strings.TrimSuffix(trimSlashes(o.Template), ".json"), "/")
}

type inference struct {
	document   *Document
	operations map[string]map[string]*Operation // by path, as sameIDs has it, and by method
	accepted   []*Operation                     // those that answer with 202
	found      []*inferred
	notMade    []*inferred // that are shown, and that no client can make at their paths
	names      map[string]bool

	byPath, byCollection map[string]*inferred // by templates of paths
}

// inferred is a resource as it was found.
type inferred struct {
	name       string
	path       string // that ends in the parameter which names one
	collection string // the path before
	parameters []string
	key        Pointer // to what the last parameter names
	at         Pointer
	schema     *openapi3.SchemaRef // of an object
	parent     *inferred
}

func (r *inferred) written() map[string]any {
	parameters := make([]any, len(r.parameters))
	for i, name := range r.parameters {
		parameters[i] = name
	}
	w := map[string]any{"path": parameters, "key": r.key.String(), "x-provenance": string(Assumed)}
	if len(r.at) > 0 {
		w["at"] = r.at.String()
	}
	if r.parent != nil {
		w["parents"] = []any{map[string]any{"resource": r.parent.name}}
	}
	return w
}

// on returns the operations of a path, by their methods.
func (g *inference) on(path string) map[string]*Operation { return g.operations[sameIDs(path)] }

// sameIDs returns a path with one name for the id of what stands before it, however a parameter is spelt:
// /orders/{orderId}, /orders/{order_id} and /orders/{id} are one, whereas /orders/{userId} is another one, which may
// have the orders of a user.
func sameIDs(path string) string {
	segments, noun := strings.Split(path, "/"), ""
	for i, segment := range segments {
		if !isParameter(segment) {
			noun = plainName(Singular(resourceName(segment)))
			continue
		}
		name := plainName(segment[1 : len(segment)-1])
		if strings.HasSuffix(name, "id") && strings.HasSuffix(noun+"id", name) {
			name = "id"
		}
		segments[i] = "{" + name + "}"
	}
	return strings.Join(segments, "/")
}

// find adds the resource that a path names, if it names one.
func (g *inference) find(path string) {
	cut := strings.LastIndexByte(path, '/')
	if cut < 0 || !isParameter(path[cut+1:]) {
		return
	}
	r := &inferred{path: path, collection: path[:cut], parameters: parameterNames(path)}
	parameter := r.parameters[len(r.parameters)-1]
	noun := g.noun(r.collection)
	here := g.on(path)
	names := keyNames{list: namesOfKey(parameter, noun), isNumber: isNumber(here, parameter)}
	for _, o := range []*Operation{
		here["GET"], here["PUT"], here["PATCH"], here["POST"],
		g.on(r.collection)["POST"], g.on(r.top())["POST"], // such as of what can only be deleted
	} {
		if o != nil && r.schema == nil {
			r.schema, r.at, r.key = g.objectWithKey(o.successSchema(), r.collection, names)
		}
	}
	isList := here["GET"] != nil && here["GET"].listsAt(r.schema, r.key) != nil // the parameter names something else
	if r.schema == nil || isList {
		return
	}
	if !g.isMade(r) {
		g.notMade = append(g.notMade, r)
		return
	}
	for above := template(r.collection); above != "" && r.parent == nil; {
		above = above[:max(strings.LastIndexByte(above, '/'), 0)]
		r.parent = g.byPath[above]
	}
	r.name = g.unique(noun, r)
	g.found = append(g.found, r)
	g.byPath[template(path)] = r
	for _, path := range []string{r.collection, r.top()} {
		if at := template(path); g.byCollection[at] == nil {
			g.byCollection[at] = r
		}
	}
}

// findElsewhere takes what is shown at a path and made at another one, such as below /admin, for one resource: both
// have objects of one schema, by one key and one name.
func (g *inference) findElsewhere() {
	for _, r := range g.notMade {
		i := slices.IndexFunc(g.found, func(made *inferred) bool {
			return len(r.parameters) == 1 && slices.Equal(r.parameters, made.parameters) && slices.Equal(r.key, made.key) &&
				isSame(r.schema, made.schema) && g.noun(r.collection) == g.noun(made.collection)
		})
		if at := template(r.path); i >= 0 && g.byPath[at] == nil {
			g.byPath[at] = g.found[i]
		}
	}
}

// top returns the path before all parameters at the end of that of one: /repos of /repos/{owner}/{name}, which two keys
// name together.
func (r *inferred) top() string {
	segments := strings.Split(r.collection, "/")
	for len(segments) > 1 && isParameter(segments[len(segments)-1]) {
		segments = segments[:len(segments)-1]
	}
	return strings.Join(segments, "/")
}

// isMade reports whether clients can make such an object, so that one that no client has made is not there.
func (g *inference) isMade(r *inferred) bool {
	post := g.on(r.collection)["POST"]
	if top := g.on(r.top())["POST"]; post == nil && top != nil && r.namedIn(top) {
		post = top
	}
	if post != nil {
		_, _, answer := post.Success()
		return post.successSchema() == nil || mayHaveAnything(answer, r.at.Join(r.key)) || g.shows(post, r) != nil ||
			g.several(post, r) != nil || isScalar(SchemaAt(post.successSchema(), r.key))
	}
	here := g.on(r.path)
	if slices.ContainsFunc(g.accepted, func(o *Operation) bool { return g.begins(o, r) }) {
		return true
	}
	if post := here["POST"]; post != nil && here["DELETE"] != nil && g.shows(post, r) != nil && post.sends(r.schema) {
		return true
	}
	return here["PUT"] != nil && here["PUT"].Spec.RequestBody != nil
}

// namedIn reports whether a request has all parameters of the path of one as members, or what it is to make has.
func (r *inferred) namedIn(o *Operation) bool {
	body := o.JSONBody()
	if body == nil {
		return false
	}
	sent := Members(&openapi3.SchemaRef{Value: body})
	return !slices.ContainsFunc(r.parameters[:len(r.parameters)-1], func(name string) bool { return sent[name] == nil })
}

// sends reports whether the request of an operation is a whole object of a schema.
func (o *Operation) sends(object *openapi3.SchemaRef) bool {
	if o.Spec.RequestBody == nil || o.Spec.RequestBody.Value == nil {
		return false
	}
	key, media := jsonOf(o.Spec.RequestBody.Value.Content)
	return TypeOfPart(key) == mediaJSON && isSame(media.Schema, object)
}

func isParameter(segment string) bool {
	return strings.HasPrefix(segment, "{") && strings.IndexByte(segment, '}') == len(segment)-1
}

// noun returns the singular of the last fixed segment of a path.
func (g *inference) noun(path string) string {
	segments := strings.FieldsFunc(placeholder.ReplaceAllString(path, ""), func(r rune) bool { return r == '/' })
	if len(segments) == 0 {
		return "thing"
	}
	return Singular(resourceName(segments[len(segments)-1]))
}

// resourceName writes a segment as the name of a resource: lower-case words with hyphens.
func resourceName(segment string) string {
	var name strings.Builder
	for i, c := range segment {
		switch {
		case c < unicode.MaxASCII && unicode.IsUpper(c) && i > 0:
			name.WriteString("-" + string(unicode.ToLower(c)))
		case c < unicode.MaxASCII && (unicode.IsLetter(c) || unicode.IsDigit(c)):
			name.WriteRune(unicode.ToLower(c))
		default:
			name.WriteByte('-')
		}
	}
	parts := strings.FieldsFunc(name.String(), func(r rune) bool { return r == '-' })
	return cmp.Or(strings.Join(parts, "-"), "thing")
}

// Singular returns the singular of a noun.
func Singular(noun string) string {
	for _, ending := range [][2]string{
		{"ies", "y"},
		{"sses", "ss"},
		{"shes", "sh"},
		{"ches", "ch"},
		{"xes", "x"},
		{"ss", "ss"},
		{"tuses", "tus"},
		{"us", "us"},
		{"s", ""},
	} {
		if stem, ok := strings.CutSuffix(noun, ending[0]); ok && len(stem) > 1 && !strings.HasSuffix(stem, "-") {
			return stem + ending[1]
		}
	}
	return noun
}

// unique returns a name that no other resource has: the noun, after that of its parent or with a number if need be.
func (g *inference) unique(noun string, r *inferred) string {
	name := noun
	if g.names[name] && r.parent != nil {
		name = r.parent.name + "-" + noun
	}
	for n := 2; g.names[name]; n++ {
		name = noun + "-" + strconv.Itoa(n)
	}
	g.names[name] = true
	return name
}

// maxNested bounds how deep schemas are looked into that are made of others.
const maxNested = 8

// Members returns the members that objects of a schema may have, those of the schemas that it is made of included.
func Members(ref *openapi3.SchemaRef) map[string]*openapi3.SchemaRef { return members(ref, maxNested) }

func members(ref *openapi3.SchemaRef, depth int) map[string]*openapi3.SchemaRef {
	if ref == nil || ref.Value == nil || depth == 0 {
		return nil
	}
	s := ref.Value
	if len(s.AllOf)+len(s.OneOf)+len(s.AnyOf) == 0 {
		return s.Properties
	}
	all := map[string]*openapi3.SchemaRef{}
	for _, part := range slices.Concat(s.AllOf, s.OneOf, s.AnyOf) {
		maps.Copy(all, members(part, depth-1))
	}
	maps.Copy(all, s.Properties)
	return all
}

// itemsWithKey finds the list in an answer whose items have a key.
func itemsWithKey(answer *openapi3.SchemaRef, key Pointer, depth int) Pointer {
	if answer == nil || answer.Value == nil || depth == 0 {
		return nil
	}
	isList := answer.Value.Type == nil || answer.Value.Type.Includes(openapi3.TypeArray)
	if items := answer.Value.Items; items != nil && isList {
		if SchemaAt(items, key) != nil {
			return Pointer{"*"}
		}
		return nil
	}
	properties := Members(answer)
	for _, name := range sortedKeys(properties) {
		if at := itemsWithKey(properties[name], key, depth-1); at != nil {
			return append(Pointer{name}, at...)
		}
	}
	return nil
}

// listsAt returns where an operation lists objects of a schema that have a key, or nil.
func (o *Operation) listsAt(object *openapi3.SchemaRef, key Pointer) Pointer {
	answer := o.successSchema()
	if at := itemsWithKey(answer, key, maxListDepth); at != nil && isSame(SchemaAt(answer, at), object) {
		return at
	}
	return nil
}

// maxListDepth is the depth in an answer to which a list is looked for.
const maxListDepth = 3

// successSchema returns the schema of the JSON that the operation answers with on success, or nil.
func (o *Operation) successSchema() *openapi3.SchemaRef {
	if _, _, media := o.Success(); media != nil {
		return media.Schema
	}
	return nil
}

// Success returns the first status of success that the document has for the operation, 201 before others for a POST,
// or its default, with the JSON that it is answered with. The media type and its content are empty if that is none.
func (o *Operation) Success() (status string, mediaType string, media *openapi3.MediaType) {
	var statuses []string
	for code := range o.Spec.Responses.Map() {
		if strings.HasPrefix(code, "2") {
			statuses = append(statuses, code)
		}
	}
	slices.Sort(statuses)
	switch {
	case o.Method == "POST" && slices.Contains(statuses, "201") && !o.hasBare201():
		status = "201"
	case len(statuses) > 0:
		status = statuses[0]
	case o.Spec.Responses.Default() != nil:
		status = "default"
	default:
		return "", "", nil
	}
	response := o.Spec.Responses.Value(status)
	if response.Value == nil {
		return status, "", nil
	}
	mediaType, media = jsonOf(response.Value.Content)
	for _, name := range []string{"application/*", "*/*"} {
		if open := response.Value.Content[name]; media == nil && open != nil && needsJSON(open.Schema) {
			mediaType, media = mediaJSON, open
		}
	}
	return status, mediaType, media
}

// hasBare201 reports whether the document says nothing of a 201 and has a 200 with a body: generators of documents add
// the one to what a service answers.
func (o *Operation) hasBare201() bool {
	ok, created := o.Spec.Responses.Value("200"), o.Spec.Responses.Value("201").Value
	return ok != nil && ok.Value != nil && len(ok.Value.Content) > 0 &&
		created != nil && len(created.Content)+len(created.Headers)+len(created.Links) == 0
}

// SucceedsByDefault reports whether an operation has no status of success but default, which then says nothing of
// errors.
func (o *Operation) SucceedsByDefault() bool {
	status, _, _ := o.Success()
	return status == "default"
}

// needsJSON reports whether values of a schema are objects or lists.
func needsJSON(ref *openapi3.SchemaRef) bool {
	return ref != nil && ref.Value != nil &&
		(ref.Value.Type.Is(openapi3.TypeArray) || ref.Value.Type.Is(openapi3.TypeObject) || len(Members(ref)) > 0)
}

// SchemaAt returns the schema of what a pointer leads to.
func SchemaAt(schema *openapi3.SchemaRef, at Pointer) *openapi3.SchemaRef {
	for _, token := range at {
		switch {
		case schema == nil || schema.Value == nil:
			return nil
		case token == "*":
			schema = schema.Value.Items
		default:
			schema = Members(schema)[token]
		}
	}
	return schema
}

func isSame(a, b *openapi3.SchemaRef) bool {
	return a != nil && b != nil && (a.Ref != "" && a.Ref == b.Ref || a.Value == b.Value)
}

// shows returns where the answer of an operation shows an object of the resource, or nil.
func (g *inference) shows(o *Operation, r *inferred) Pointer {
	answer := o.successSchema()
	for _, at := range []Pointer{r.at, {}} {
		if object := SchemaAt(answer, at); isSame(object, r.schema) || isAlike(object, r) {
			return at
		}
	}
	properties := Members(answer)
	for _, name := range sortedKeys(properties) {
		if isSame(properties[name], r.schema) {
			return Pointer{name}
		}
	}
	return nil
}

// isAlike reports whether objects of a schema have the key of a resource, and most of its other members.
func isAlike(schema *openapi3.SchemaRef, r *inferred) bool {
	have, want := Members(schema), Members(r.schema)
	if !isScalar(SchemaAt(schema, r.key)) {
		return false
	}
	n := 0
	for name := range want {
		if have[name] != nil {
			n++
		}
	}
	return 2*n > len(want)
}

func (g *inference) written(o *Operation, r *inferred, verb string, members map[string]any) map[string]any {
	members["resource"], members["verb"] = r.name, verb
	if (verb == Create || verb == Update) && len(r.at) > 0 && members["request"] == nil && !o.requestHas(r.at) {
		members["request"] = "" // the answer has an envelope, and the request has none
	}
	names, isNamed := o.declaredNames(), verb != List && verb != Create
	if !isNamed && len(names) < len(r.parameters)-1 {
		if members["identity"] = r.identity(); members["identity"] == nil {
			return nil
		}
	}
	if members["path"] == nil && isNamed && len(names) >= len(r.parameters) {
		if own := names[:len(r.parameters)]; !slices.Equal(own, r.parameters) {
			path := make([]any, len(own))
			for i, name := range own {
				path[i] = name
			}
			members["path"] = path
		}
	}
	return members
}

// identity lists pointers to what the parameters of the path of one name, in an object that shows all of it; nil if it
// does not.
func (r *inferred) identity() any {
	in := r.key[:len(r.key)-1]
	var list []any
	for _, name := range r.parameters[:len(r.parameters)-1] {
		member := keyOf(SchemaAt(r.schema, in), keyNames{list: []string{name}})
		if member == "" {
			return nil
		}
		list = append(list, in.Join(Pointer{member}).String())
	}
	return append(list, r.key.String())
}

func (o *Operation) declaredNames() []string { return parameterNames(o.Template) }

// verbOf makes a verb of the rest of a path: cancel of cancel, removeDocument of remove-document.
func verbOf(rest string) string {
	var verb strings.Builder
	isLetter := func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
	rest = placeholder.ReplaceAllString(rest, "")
	for word := range strings.FieldsFuncSeq(rest, func(r rune) bool { return !isLetter(r) }) {
		if verb.Len() == 0 {
			verb.WriteString(strings.ToLower(word[:1]) + word[1:])
		} else {
			verb.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	if name := verb.String(); name != "" && !slices.Contains([]string{List, Get, Create, Update, Delete}, name) {
		return name
	}
	return "act"
}
