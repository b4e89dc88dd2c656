package specs

import (
	"cmp"
	"slices"
	"strings"
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
