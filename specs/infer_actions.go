package specs

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// action returns what an operation does to the resource that its path names, or nil.
func (g *inference) action(o *Operation) map[string]any {
	path := template(plainPath(o))
	one, all := g.byPath[path], g.byCollection[path]
	if one != nil && (all == nil || slices.Equal(o.declaredNames(), one.parameters) || !all.isBelow(o)) {
		return g.onOne(o, one)
	}
	if r := all; r != nil {
		if action := g.onCollection(o, r); action != nil {
			return action
		}
	}
	if action := g.search(o, path); action != nil {
		return action
	}
	for end := len(path); end > 0; {
		end = strings.LastIndexAny(path[:end], "/:")
		if r := g.byPath[path[:max(end, 0)]]; r != nil {
			return g.beside(o, r, strings.Trim(path[end:], "/:"))
		}
	}
	if action := g.listBeside(o, path); action != nil {
		return action
	}
	return g.listOfAll(o, path)
}

// isBelow reports whether an operation's parameters are those of the resource's collection: /snippets/{user} has the
// snippets of a user, although /snippets/{id} is one.
func (r *inferred) isBelow(o *Operation) bool {
	return slices.Equal(o.declaredNames(), r.parameters[:len(r.parameters)-1])
}

func (g *inference) onOne(o *Operation, r *inferred) map[string]any {
	verb := map[string]string{"GET": Get, "PUT": Update, "PATCH": Update, "DELETE": Delete}[o.Method]
	shows := g.shows(o, r)
	if verb == "" && o.Method == "POST" && shows != nil {
		verb = Update
	}
	if verb == "" {
		return g.written(o, r, "act", map[string]any{"reads": true})
	}
	if retires := g.retires(o, r); verb == Delete && retires != "" {
		members := map[string]any{"changes": true}
		if shows != nil {
			members["at"] = shows.String()
		}
		return g.written(o, r, retires, members)
	}
	members := map[string]any{}
	if shows != nil && (verb == Delete || !slices.Equal(shows, r.at)) {
		members["at"] = shows.String()
	}
	return g.written(o, r, verb, members)
}

// retires returns the verb of a deletion after which the object is there, and says what became of it; empty for any
// other one. Its answer shows such an object, another action takes it back, or its name is that of the state.
func (g *inference) retires(o *Operation, r *inferred) string {
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(word string) bool {
			return g.on(r.path+"/"+word) != nil || g.on(r.path+":"+word) != nil
		})
	}
	first := verbOf(o.ID)
	if i := strings.IndexFunc(first, func(c rune) bool { return c >= 'A' && c <= 'Z' }); i > 0 {
		first = first[:i]
	}
	shown := SchemaAt(o.successSchema(), g.shows(o, r))
	isShown := shown != nil && isSame(shown, r.schema)
	for _, verb := range []string{"remove", "archive", first} {
		isTaken := has(verb) && verb != "remove"
		isSaid := verb == first && verb != Delete && isShown
		isUndone := has("un"+verb) || has(restoring...)
		if !isTaken && len(Entered(r.schema, verb)) > 0 && (isSaid || isUndone || isShown && verb != first) {
			return verb
		}
	}
	return ""
}

func (g *inference) onCollection(o *Operation, r *inferred) map[string]any {
	switch o.Method {
	case "GET":
		if at := itemsWithKey(o.successSchema(), r.key, maxListDepth); at != nil {
			return g.written(o, r, List, map[string]any{"at": at.String()})
		}
	case "POST":
		return g.creation(o, r)
	case "PUT", "PATCH":
		if o.requestHas(r.key) {
			return g.written(o, r, Update, map[string]any{"path": []any{}})
		}
	case "DELETE":
		return g.written(o, r, Delete, map[string]any{"path": []any{}})
	}
	return nil
}

// creation describes a POST that makes one, or several that stand in a list of its body.
func (g *inference) creation(o *Operation, r *inferred) map[string]any {
	members := map[string]any{}
	if several := g.several(o, r); several != nil {
		members["request"] = several.String()
		if at := itemsLike(o.successSchema(), r, maxListDepth); at != nil {
			members["at"] = at.String()
		}
	} else if shows := g.shows(o, r); shows != nil && !slices.Equal(shows, r.at) {
		members["at"] = shows.String()
	}
	return g.written(o, r, Create, members)
}

// begun describes the making of what an operation answers with whose work is not done yet: 202 with a job, which
// clients then ask for.
func (g *inference) begun(o *Operation) map[string]any {
	if !slices.Contains(g.accepted, o) {
		return nil
	}
	for _, r := range g.found {
		if g.begins(o, r) {
			return g.written(o, r, Create, map[string]any{"at": g.shows(o, r).String()})
		}
	}
	return nil
}

// begins reports whether an operation that answers with 202 begins to make such an object.
func (g *inference) begins(o *Operation, r *inferred) bool {
	if len(r.parameters) > 1 || g.on(r.path)["GET"] == nil {
		return false
	}
	at := g.shows(o, r)
	if len(at) > 0 && isScalar(SchemaAt(o.successSchema(), Pointer{"id"})) { // the member of another object
		return false
	}
	return at != nil && isSame(SchemaAt(o.successSchema(), at), r.schema)
}

// several returns where the body of a request has a list of such objects as it makes; nil if it has none.
func (g *inference) several(o *Operation, r *inferred) Pointer {
	body := o.JSONBody()
	if body == nil {
		return nil
	}
	schema := &openapi3.SchemaRef{Value: body}
	alternatives := append(openapi3.SchemaRefs{schema}, slices.Concat(body.OneOf, body.AnyOf)...)
	for _, one := range alternatives {
		if one.Value != nil && one.Value.Items != nil {
			return Pointer{"*"}
		}
	}
	for _, name := range sortedKeys(Members(schema)) {
		part := Members(schema)[name]
		if part.Value == nil || part.Value.Items == nil || Members(r.schema)[name] != nil {
			continue
		}
		if item := part.Value.Items; isSame(item, r.schema) || isPartOf(item, r) {
			return Pointer{name, "*"}
		}
	}
	return nil
}

// isPartOf reports whether objects of a schema have members, and mostly such as those of a resource.
func isPartOf(schema *openapi3.SchemaRef, r *inferred) bool {
	n, members := 0, Members(schema)
	for name := range members {
		if Members(r.schema)[name] != nil {
			n++
		}
	}
	return len(members) > 0 && 2*n > len(members)
}

// itemsLike finds the list in an answer whose items are objects of a resource, or have one as a member.
func itemsLike(answer *openapi3.SchemaRef, r *inferred, depth int) Pointer {
	if answer == nil || answer.Value == nil || depth == 0 {
		return nil
	}
	if items := answer.Value.Items; items != nil {
		isPart := isPartOf(items, r) && isScalar(SchemaAt(items, r.key))
		if isSame(items, r.schema) || isAlike(items, r) || isPart {
			return Pointer{"*"}
		}
		for _, name := range sortedKeys(Members(items)) {
			if part := Members(items)[name]; isSame(part, r.schema) || isAlike(part, r) {
				return Pointer{"*", name}
			}
		}
		return nil
	}
	for _, name := range sortedKeys(Members(answer)) {
		if at := itemsLike(Members(answer)[name], r, depth-1); at != nil {
			return append(Pointer{name}, at...)
		}
	}
	return nil
}

// beside describes an operation on a path below that of one: an action, which changes it if it shows it, if its name is
// that of a state, or if it is a POST that sends and shows nothing.
func (g *inference) beside(o *Operation, r *inferred, rest string) map[string]any {
	verb := verbOf(rest)
	if g.isMark(plainPath(o)) {
		return g.written(o, r, verb, map[string]any{"reads": true, "keeps": Mark})
	}
	if shows := g.shows(o, r); shows != nil {
		at := g.on(plainPath(o))
		switch isChanged := at["PUT"] != nil || at["PATCH"] != nil; {
		case o.Method != "GET":
			return g.written(o, r, verb, map[string]any{"changes": true, "at": shows.String()})
		case isChanged: // as the status of one, which is changed by itself
			return g.written(o, r, verb, map[string]any{"reads": true, "at": shows.String()})
		}
	}
	isAction := o.Method != "GET" && o.Method != "HEAD" && !strings.Contains(rest, "{")
	if at := g.on(plainPath(o)); o.Method == "DELETE" && (at["PUT"] != nil || at["POST"] != nil) {
		verb = "un" + verb
	}
	if isAction && (len(Entered(r.schema, verb)) > 0 ||
		o.Method == "POST" && o.Spec.RequestBody == nil && o.successSchema() == nil) {
		return g.written(o, r, verb, map[string]any{"changes": true})
	}
	return g.written(o, r, verb, map[string]any{"reads": true})
}

// isMark reports whether a path stands for something that is set or not, as a star is: a PUT or a POST without a body
// sets it, and a GET without an answer finds it.
func (g *inference) isMark(path string) bool {
	get, set := g.on(path)["GET"], cmp.Or(g.on(path)["PUT"], g.on(path)["POST"])
	return get.IsBare() && set.IsBare()
}

// IsBare reports whether an operation sends and shows nothing, so that its status says all. There may be none.
func (o *Operation) IsBare() bool {
	return o != nil && o.Spec.RequestBody == nil && o.successSchema() == nil && o.Spec.Responses.Status(204) != nil
}

// listBeside describes a list of a resource at a path of its own below the collection, such as /pet/findByStatus.
func (g *inference) listBeside(o *Operation, path string) map[string]any {
	for o.Method == "GET" && path != "" {
		path = path[:max(strings.LastIndexByte(path, '/'), 0)]
		r := g.byCollection[path]
		if r == nil || r.parent != nil {
			continue
		}
		if at := o.listsAt(r.schema, r.key); at != nil {
			return g.written(o, r, List, map[string]any{"at": at.String()})
		}
	}
	return nil
}

// listOfAll describes a list of a resource whatever its parents are: /pods of /namespaces/{namespace}/pods.
func (g *inference) listOfAll(o *Operation, path string) map[string]any {
	if o.Method != "GET" || len(o.declaredNames()) > 0 {
		return nil
	}
	var only *inferred
	for _, r := range g.found {
		if len(r.parameters) > 1 && strings.HasSuffix(template(r.collection), "}"+path) && o.listsAt(r.schema, r.key) != nil {
			if only != nil {
				return nil
			}
			only = r
		}
	}
	if only == nil {
		return nil
	}
	return g.written(o, only, List, map[string]any{"at": o.listsAt(only.schema, only.key).String()})
}

// search describes a list of a resource that a POST asks for, such as /products/search, or several that are made at
// once, as by /products/bulk.
func (g *inference) search(o *Operation, path string) map[string]any {
	cut := strings.LastIndexAny(path, "/:")
	if o.Method != "POST" || cut < 0 || !searching.MatchString(path[cut+1:]) && !bulk.MatchString(path[cut+1:]) {
		return nil
	}
	r := g.byCollection[path[:cut]]
	if r == nil {
		return nil
	}
	if !searching.MatchString(path[cut+1:]) {
		if g.several(o, r) == nil {
			return nil
		}
		return g.creation(o, r)
	}
	at := itemsWithKey(o.successSchema(), r.key, maxListDepth)
	if items := SchemaAt(o.successSchema(), at); at == nil || !isSame(items, r.schema) && !isAlike(items, r) {
		return nil
	}
	return g.written(o, r, List, map[string]any{"at": at.String()})
}

// The last words of paths by which a POST searches, or makes several.
var (
	searching = regexp.MustCompile(`(?i)^_?(search|query|find|filter|lookup)|search$`)
	bulk      = regexp.MustCompile(`(?i)bulk|batch|^(createMany|import)$`)
)
