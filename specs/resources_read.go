package specs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
)

// resourceSet holds the resources and actions of a document.
type resourceSet struct {
	byName  map[string]*Resource // with their interface
	sorted  []*Resource          // by name
	byType  map[string]*Resource
	actions map[*Operation][]*Action
	objects map[*Resource]shownObject
}

// describeResources makes the set when it is first asked for.
func (d *Document) describeResources() {
	d.resources = sync.OnceValues(func() (*resourceSet, error) {
		set := &resourceSet{
			byName: map[string]*Resource{}, byType: map[string]*Resource{},
			actions: map[*Operation][]*Action{},
		}
		if err := d.addInherited(set); err != nil {
			return nil, err
		}
		if err := d.addResources(set); err != nil {
			return nil, err
		}
		set.sorted = slices.SortedFunc(maps.Values(set.byName), byName)
		for _, r := range set.sorted {
			for _, name := range r.Types {
				set.byType[name] = r
			}
		}
		if err := d.addActions(set); err != nil {
			return set, err
		}
		d.addObjects(set)
		return set, nil
	})
}

// addInherited adds the resources of our own document of the same interface to those of a user's.
func (d *Document) addInherited(set *resourceSet) error {
	if !d.isOwn {
		return nil
	}
	embedded, err := Load(d.Interface, d.Brand)
	if err != nil {
		return err
	}
	for _, r := range embedded.Resources() {
		set.byName[r.Name] = r
	}
	return nil
}

// words are a list of texts, or a single one.
type words []string

func (w *words) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*w = words{one}
		return nil
	}
	*w = words{}
	return json.Unmarshal(text, (*[]string)(w))
}

func (w words) pointers() (list []Pointer) {
	for _, text := range w {
		list = append(list, PointerOf(text))
	}
	return list
}

// optional reads a pointer, or returns nil for the empty text.
func optional(text string) Pointer {
	if text == "" {
		return nil
	}
	return PointerOf(text)
}

type writtenLink struct {
	Resource   string     `json:"resource"`
	At         *string    `json:"at"`
	Type       string     `json:"type"`
	Must       string     `json:"must"`
	OnDelete   string     `json:"onDelete"`
	Provenance Provenance `json:"x-provenance"`
}

type writtenResource struct {
	Behaviour
	Title      string        `json:"title"`
	Path       []string      `json:"path"`
	Key        words         `json:"key"`
	ID         string        `json:"id"`
	Name       string        `json:"name"`
	Created    words         `json:"created"`
	Type       words         `json:"type"`
	At         string        `json:"at"`
	Also       words         `json:"also"`
	Parents    []writtenLink `json:"parents"`
	Parts      []writtenLink `json:"parts"`
	Refers     []writtenLink `json:"refers"`
	Embeds     []writtenLink `json:"embeds"`
	Partial    partial       `json:"partial"`
	Provenance Provenance    `json:"x-provenance"`
}

// read reads the value of an extension over what is there.
func read(value, into any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

func (d *Document) addResources(set *resourceSet) error {
	stated, _ := d.T.Extensions[resourcesExtension].(map[string]any)
	sure, _ := d.T.Extensions["x-provenance"].(string)
	for name, value := range stated {
		w := writtenResource{
			Key: words{"/id"}, Created: words{"/created_at", "/createdAt"},
			Provenance: Provenance(cmp.Or(sure, string(Documented))),
		}
		if defaults, found := d.T.Extensions[defaultsExtension]; found {
			if err := read(defaults, &w); err != nil {
				return fmt.Errorf("%s: %w", defaultsExtension, err)
			}
		}
		if err := read(value, &w); err != nil {
			return fmt.Errorf("%s, %s: %w", resourcesExtension, name, err)
		}
		full := d.fullName(name)
		set.byName[full] = &Resource{
			Name: full, Title: cmp.Or(w.Title, strings.ReplaceAll(name, "-", " ")), Path: w.Path, Keys: w.Key.pointers(),
			ID: optional(w.ID), NamedAt: optional(w.Name), Created: w.Created.pointers(), Types: w.Type,
			Parents: d.links(w.Parents, w.Provenance), Parts: d.links(w.Parts, w.Provenance),
			Refers: d.links(w.Refers, w.Provenance), Embeds: d.links(w.Embeds, w.Provenance),
			Provenance: w.Provenance, Behaviour: w.Behaviour, at: PointerOf(w.At), also: w.Also.pointers(), partial: w.Partial,
		}
	}
	return nil
}

// fullName returns the name of a resource with its interface.
func (d *Document) fullName(name string) string {
	if strings.Contains(name, ".") {
		return name
	}
	return string(d.Interface) + "." + name
}

func (d *Document) links(list []writtenLink, sure Provenance) (links []Link) {
	for _, w := range list {
		link := Link{
			Resource: d.fullName(w.Resource), Type: w.Type, Provenance: cmp.Or(w.Provenance, sure),
			MustExist: w.Must == "exist", OnDelete: w.OnDelete,
		}
		if w.At != nil {
			link.At = PointerOf(*w.At)
		}
		links = append(links, link)
	}
	return links
}

type writtenAction struct {
	Resource  string    `json:"resource"`
	Verb      string    `json:"verb"`
	Reads     bool      `json:"reads"`
	Changes   bool      `json:"changes"`
	Keeps     string    `json:"keeps"`
	Path      *[]string `json:"path"`
	Query     string    `json:"query"`
	At        *words    `json:"at"`
	Identity  words     `json:"identity"`
	Request   *string   `json:"request"`
	MayCreate []string  `json:"mayCreate"`
	Partial   *partial  `json:"partial"`
}

// actionsIn reads an x-resource: one action or several.
func actionsIn(value any) (list []writtenAction, err error) {
	if _, isList := value.([]any); !isList {
		value = []any{value}
	}
	return list, read(value, &list)
}

func (d *Document) addActions(set *resourceSet) error {
	for _, o := range d.Operations {
		value, found := o.Spec.Extensions[resourceExtension]
		if !found {
			continue
		}
		list, err := actionsIn(value)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", o.Name(), resourceExtension, err)
		}
		for i := range list {
			a, err := d.action(set, o, &list[i])
			if err != nil {
				return fmt.Errorf("%s: %s: %w", o.Name(), resourceExtension, err)
			}
			set.actions[o] = append(set.actions[o], a)
		}
	}
	return nil
}

// find returns a resource of this document, or of another one that its name begins with.
func (d *Document) find(set *resourceSet, name string) (*Resource, error) {
	full := d.fullName(name)
	if r := set.byName[full]; r != nil {
		return r, nil
	}
	iface, _, _ := strings.Cut(full, ".")
	if isExtra := d.T.Extensions[extraExtension] == true; Interface(iface) != d.Interface || isExtra {
		other, err := Load(Interface(iface), d.Brand)
		if err != nil {
			return nil, err
		}
		if other == d { // extras that were loaded by themselves
			return nil, fmt.Errorf("unknown resource %s", name)
		}
		if stated, err := other.resources(); err == nil && stated.byName[full] != nil {
			return stated.byName[full], nil
		}
	}
	return nil, fmt.Errorf("unknown resource %s; want one of %s", name,
		strings.Join(slices.Sorted(maps.Keys(set.byName)), ", "))
}

func hasAll(list, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(one string) bool { return !slices.Contains(list, one) })
}

func (d *Document) action(set *resourceSet, o *Operation, w *writtenAction) (*Action, error) {
	r, err := d.find(set, w.Resource)
	if err != nil {
		return nil, err
	}
	a := &Action{
		Resource: r, Verb: w.Verb, Path: r.Path, Query: w.Query, At: d.shownAt(o, r, w), Identity: w.Identity.pointers(),
		Reads: w.Reads || w.Verb == Get || w.Verb == List, Changes: w.Changes || w.Verb == Update, Keeps: w.Keeps,
		partial: r.partial,
	}
	if w.Path != nil {
		a.Path = *w.Path
	}
	if len(a.At) > 0 && w.Verb != "" {
		a.Also = r.also
	}
	if name := r.Parent(); name != "" {
		parent, err := d.find(set, name)
		if err != nil {
			return nil, err
		}
		a.Within = a.Path[:min(len(parent.Path), len(a.Path))]
		above := r.Path[:min(len(parent.Path), len(r.Path))]
		if w.Verb == Delete && len(a.Path) == 0 && hasAll(o.declared, above) { // of several
			a.Within = above
		}
	}
	if len(o.declared) < len(a.Within) { // all of them, whatever they are in
		a.Within = nil
	}
	isOnlyShown := w.Verb == "" && w.At != nil && w.Path == nil
	if isOnlyShown {
		a.Within = nil
	}
	if isOnlyShown || w.Verb == List || len(a.Path) == len(a.Within) {
		a.Path = nil
	}
	if w.Verb == Create || w.Verb == Update {
		a.Request = r.at
	}
	if w.Request != nil {
		a.Request = PointerOf(*w.Request)
	}
	if w.Partial != nil {
		a.partial = *w.Partial
	}
	for _, name := range w.MayCreate {
		a.MayCreate = append(a.MayCreate, d.fullName(name))
	}
	return a, nil
}
