package specs

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v5"
)

// The extensions that say what an operation does to which resource. resources.schema.json says what they hold.
const (
	resourcesExtension = "x-resources"         // at the top: the resources by name
	defaultsExtension  = "x-resource-defaults" // at the top: what holds for all of them that do not say otherwise
	resourceExtension  = "x-resource"          // at an operation: what it does, to one resource or several
)

// Resource is a kind of things that operations make, show, change and delete. Pointers lead from an object of it.
type Resource struct {
	Name    string    // with its interface: workflow.pool-rule
	Title   string    // the noun for messages: pool rule
	Path    []string  // the path parameters that name one, those of its parent first
	Keys    []Pointer // to what the last of these has: any of them may stand in a path
	ID      Pointer   // to what distinguishes one from another of the same key; nil if nothing does
	NamedAt Pointer   // to the name that people know one by; nil if it has none
	Created []Pointer // to when one was made, wherever that may stand
	Types   []string  // of the objects, where each says its type; empty where none does

	Parents []Link // what one is a part of, and gone with
	Parts   []Link // what is a part of one, as only the whole shows
	Refers  []Link // what one refers to
	Embeds  []Link // objects of other resources that stand in one

	Provenance Provenance // of it that what was deleted is gone
	Behaviour  Behaviour

	at      Pointer   // where one stands in answers and in requests
	also    []Pointer // where answers hold objects of any resource
	partial partial   // of lists
}

// Link leads from an object of one resource to one of another.
type Link struct {
	Resource   string     // with its interface
	At         Pointer    // to the identity of the other, or to the object itself; nil where the path names it
	Type       string     // of the only objects that have it; empty where all do
	Provenance Provenance // of it that the part is gone with the whole
	MustExist  bool       // what one refers to is there when it is made or changed
	OnDelete   string     // Refuse and so on; empty: Keep
}

// The verbs that every resource may have. Any other one is an action.
const (
	List   = "list"
	Get    = "get"
	Create = "create"
	Update = "update"
	Delete = "delete"
)

// Mark stands for something that a path below a thing keeps: a PUT or a POST sets it, a DELETE takes it away, and a GET
// finds it or not.
const Mark = "mark"

// Action describes what an operation does to a resource. Pointers lead from the answer's body, or the request's.
type Action struct {
	Resource  *Resource
	Verb      string    // List and so on, or a word for an action; empty if one is only shown or named
	Reads     bool      // it is answered with success only where there is one
	Changes   bool      // likewise, and changes it
	Keeps     string    // Mark where the path stands for a mark of one; empty for nothing of its own
	Path      []string  // the path parameters that name one; empty if the path names none
	Within    []string  // the path parameters that name its parent
	Query     string    // the query parameter that names one instead
	At        []Pointer // where the answer shows such objects
	Also      []Pointer // where it shows objects of any resource that says its type
	Identity  []Pointer // to all parts of the identity in such an object, where it shows its parents, too
	Request   Pointer   // where the request's body has one; nil if it has none
	MayCreate []string  // resources of which it may make one that it does not name

	partial partial
}

// partial lists the lists that lack some of what there is.
type partial struct {
	Query []string `json:"query"` // parameters that make them so; a name may end in *
	Total string   `json:"total"` // pointer to how many there are
	Pages string   `json:"pages"` // pointer to how many pages there are
}

// IsPartial reports whether a query parameter makes a list lack some of what there is.
func (a *Action) IsPartial(parameter string) bool {
	return slices.ContainsFunc(a.partial.Query, func(name string) bool {
		prefix, isOpen := strings.CutSuffix(name, "*")
		return parameter == name || isOpen && strings.HasPrefix(parameter, prefix)
	})
}

// Total points to how many there are of what a list holds, and Pages to on how many pages. They are nil if no answer
// says that.
func (a *Action) Total() Pointer { return optional(a.partial.Total) }

// Pages points to the number of pages, as Total does to that of items.
func (a *Action) Pages() Pointer { return optional(a.partial.Pages) }

// IsNamed reports whether clients choose the key of one, and may give it to another one when it is gone.
func (r *Resource) IsNamed() bool {
	return slices.ContainsFunc(r.Keys, func(key Pointer) bool { return r.NamedAt != nil && slices.Equal(key, r.NamedAt) })
}

// Parent returns the resource that the path names along with one, or the empty string.
func (r *Resource) Parent() string {
	for _, link := range r.Parents {
		if link.At == nil {
			return link.Resource
		}
	}
	return ""
}

// Resources returns the resources that the document and its extras describe, by name. A user's own document also has
// those of ours of the same interface that it does not describe otherwise. The list is not to be changed.
func (d *Document) Resources() []*Resource {
	set, err := d.resources()
	if err != nil {
		return nil
	}
	if d.Extras == nil {
		return set.sorted
	}
	all := slices.Clone(set.sorted)
	for _, r := range d.Extras.Resources() {
		if set.byName[r.Name] == nil {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, byName)
	return all
}

func byName(a, b *Resource) int { return cmp.Compare(a.Name, b.Name) }

// Actions returns what the operation does to resources, first of all to the one that it is about. An operation of a
// user's own document that does not say so does what ours of the same method and path does.
func (o *Operation) Actions() []*Action {
	actions, err := o.Document.actionsOf(o)
	if err != nil {
		return nil
	}
	return actions
}

func (d *Document) actionsOf(o *Operation) ([]*Action, error) {
	if _, own := o.Spec.Extensions[resourceExtension]; !own && o.Embedded != nil && o.Embedded != o {
		return o.Embedded.Document.actionsOf(o.Embedded)
	}
	set, err := d.resources()
	if err != nil {
		return nil, err
	}
	return set.actions[o], nil
}

// ResourceOfType returns the resource whose objects say that they are of a type, or nil.
func (d *Document) ResourceOfType(name string) *Resource {
	set, err := d.resources()
	if err != nil {
		return nil
	}
	return set.byType[name]
}

// Resource returns the resource of a name, be it one of another interface, or nil.
func (d *Document) Resource(name string) *Resource {
	set, err := d.resources()
	if err != nil {
		return nil
	}
	if r, err := d.find(set, name); err == nil {
		return r
	}
	if d.Extras != nil {
		return d.Extras.Resource(name)
	}
	return nil
}

//go:embed resources.schema.json
var resourcesSchema string

const resourcesSchemaName = "resources.schema.json"

// compiledResourcesSchema is made when a user's own document describes resources.
var compiledResourcesSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	return jsonschema.CompileString(resourcesSchemaName, resourcesSchema)
})

// ResourcesSchema returns the JSON Schema of what documents say of resources.
func ResourcesSchema() string { return resourcesSchema }

// checkForm holds the document against the JSON Schema.
func (c *resourceChecker) checkForm() {
	schema, err := compiledResourcesSchema()
	if err != nil {
		c.problems = append(c.problems, err)
		return
	}
	tree, err := treeOf(c.index.root)
	if err != nil {
		c.problems = append(c.problems, err)
		return
	}
	if invalid, ok := errors.AsType[*jsonschema.ValidationError](schema.Validate(tree)); ok {
		c.explain(invalid)
	}
}

// explain adds the innermost reasons of an error.
func (c *resourceChecker) explain(e *jsonschema.ValidationError) {
	for _, cause := range e.Causes {
		c.explain(cause)
	}
	if len(e.Causes) > 0 {
		return
	}
	message := e.Message
	at, keyword := path.Split(e.AbsoluteKeywordLocation)
	if keyword == "additionalProperties" {
		message += ": want one of " + strings.Join(knownKeys(strings.TrimSuffix(at, "/")), ", ")
	}
	pointer, err := url.PathUnescape(e.InstanceLocation) // it is written as a fragment of a URL
	if err != nil {
		pointer = e.InstanceLocation
	}
	c.add(pointer, "%s", message)
}

// knownKeys lists the properties of the schema at a location.
func knownKeys(location string) []string {
	var node any
	if json.Unmarshal([]byte(resourcesSchema), &node) != nil {
		return nil
	}
	_, pointer, _ := strings.Cut(location, "#")
	for _, token := range splitPointer(pointer + "/properties") {
		object, _ := node.(map[string]any)
		node = object[token]
	}
	known, _ := node.(map[string]any)
	return sortedKeys(known)
}

// shownAt returns where an answer shows a resource: where the document says so, or else, when one is got, created or
// updated, where that resource always stands, if the schema of the answer has its key there.
func (d *Document) shownAt(o *Operation, r *Resource, w *writtenAction) []Pointer {
	if w.At != nil {
		return w.At.pointers()
	}
	isOne := w.Verb == Get || w.Verb == Create || w.Verb == Update
	if isOne && o.answerHas(r.at.Join(r.Keys[0])) {
		return []Pointer{r.at}
	}
	return nil
}

// answerHas reports whether the schema of a successful answer allows a value at a pointer.
func (o *Operation) answerHas(at Pointer) bool {
	if o.Spec.Responses == nil {
		return false
	}
	for status, ref := range o.Spec.Responses.Map() {
		if !strings.HasPrefix(status, "2") || ref.Value == nil {
			continue
		}
		for mediaType, media := range ref.Value.Content {
			isRange := strings.HasSuffix(mediaType, "/*")
			if (isJSONType(mediaType) || isRange) && media.Schema != nil &&
				(mayHaveAnything(media, at) || mayHaveValueAt(media.Schema.Value, at)) {
				return true
			}
		}
	}
	return false
}

// mayHaveAnything reports whether a document says nothing of the members of a body, and shows no example without a
// value at a pointer.
func mayHaveAnything(media *openapi3.MediaType, at Pointer) bool {
	if media == nil || media.Schema == nil || !isFreeForm(media.Schema.Value) {
		return false
	}
	examples := []any{media.Example, media.Schema.Value.Example}
	for _, ref := range media.Examples {
		if ref != nil && ref.Value != nil {
			examples = append(examples, ref.Value.Value)
		}
	}
	return !slices.ContainsFunc(examples, func(value any) bool {
		for _, token := range at {
			if object, isObject := value.(map[string]any); value != nil && (!isObject || object[token] == nil) {
				return true
			} else if isObject {
				value = object[token]
			}
		}
		return false
	})
}

// isFreeForm reports whether a schema says nothing of the members of an object.
func isFreeForm(s *openapi3.Schema) bool {
	if s == nil || len(s.Properties)+len(s.AllOf)+len(s.OneOf)+len(s.AnyOf) > 0 || s.Not != nil {
		return false
	}
	others := s.AdditionalProperties
	isOpen := (others.Has == nil || *others.Has) && (others.Schema == nil || others.Schema.Value.IsEmpty())
	return isOpen && (s.Type == nil || s.Type.Is(openapi3.TypeObject))
}

// mayHaveValueAt reports whether a schema allows a value at a pointer.
func mayHaveValueAt(s *openapi3.Schema, at Pointer) bool { return places{}.allows(s, at) }

// places holds the schemas that were asked already, by how much of the pointer was left.
type places map[place]bool

type place struct {
	schema *openapi3.Schema
	left   int
}

func (p places) allows(s *openapi3.Schema, at Pointer) bool {
	here := place{s, len(at)}
	if s == nil || p[here] {
		return false
	}
	if len(at) == 0 {
		return true
	}
	p[here] = true
	for _, part := range slices.Concat(s.AllOf, s.OneOf, s.AnyOf) {
		if p.allows(part.Value, at) {
			return true
		}
	}
	switch child := s.Properties[at[0]]; {
	case at[0] == "*":
		return s.Items != nil && p.allows(s.Items.Value, at[1:])
	case child != nil:
		return p.allows(child.Value, at[1:])
	case s.AdditionalProperties.Schema != nil:
		return p.allows(s.AdditionalProperties.Schema.Value, at[1:])
	}
	return false
}

// requestHas reports whether the schema of the request allows a value at a pointer.
func (o *Operation) requestHas(at Pointer) bool {
	if o.Spec.RequestBody == nil || o.Spec.RequestBody.Value == nil {
		return false
	}
	for _, media := range o.Spec.RequestBody.Value.Content {
		if media.Schema != nil && mayHaveValueAt(media.Schema.Value, at) {
			return true
		}
	}
	return false
}

// ObjectSchema returns the schema of a resource's objects: that of what an operation shows which gets one, or else one
// that makes, changes or lists them; nil if no operation shows any.
func (d *Document) ObjectSchema(r *Resource) *openapi3.SchemaRef {
	set, err := d.resources()
	if err != nil {
		return nil
	}
	return set.objects[r].schema
}

// ShowsWhole reports whether an operation shows objects of a resource at a place as what gets one does.
func (o *Operation) ShowsWhole(r *Resource, at Pointer) bool {
	whole, here := o.Document.ObjectSchema(r), SchemaAt(o.successSchema(), at)
	return whole != nil && here != nil && whole.Value == here.Value
}

// shownObject is the schema of an object, with the rank of the verb of the operation that shows it.
type shownObject struct {
	schema *openapi3.SchemaRef
	rank   int
}

func (d *Document) addObjects(set *resourceSet) {
	set.objects = map[*Resource]shownObject{}
	for _, o := range d.Operations {
		for _, a := range set.actions[o] {
			verbs := []string{Get, Create, Update, List}
			rank := slices.Index(verbs, a.Verb)
			if rank < 0 || len(a.At) == 0 {
				continue
			}
			schema := SchemaAt(o.successSchema(), a.At[0])
			if schema == nil || schema.Value == nil {
				continue
			}
			if isFreeForm(schema.Value) { // another one says more
				rank += len(verbs)
			}
			if known := set.objects[a.Resource]; known.schema == nil || rank < known.rank {
				set.objects[a.Resource] = shownObject{schema, rank}
			}
		}
	}
}

// HidesNames reports whether a schema names members and does not say that there may be others.
func HidesNames(schema *openapi3.Schema) bool {
	extra := schema.AdditionalProperties
	return len(Members(&openapi3.SchemaRef{Value: schema})) > 0 && extra.Schema == nil && (extra.Has == nil || !*extra.Has)
}
