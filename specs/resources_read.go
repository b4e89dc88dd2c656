package specs

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
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

// CheckResources checks what the document says of resources: its form, that what it names is there, and that pointers
// lead somewhere. The error lists all that is wrong, with file, line and pointer, and what would be right. Documents of
// users are checked when they are loaded.
func (d *Document) CheckResources() error {
	x, err := d.index()
	if err != nil {
		return fmt.Errorf("index %s: %w", d.File, err)
	}
	c := &resourceChecker{document: d, index: x}
	if c.checkForm(); len(c.problems) == 0 {
		c.checkMeaning()
	}
	return errors.Join(c.problems...)
}

// describesResources reports whether the document itself says anything of resources.
func (d *Document) describesResources() bool {
	for _, name := range []string{resourcesExtension, defaultsExtension} {
		if _, found := d.T.Extensions[name]; found {
			return true
		}
	}
	return slices.ContainsFunc(d.Operations, func(o *Operation) bool {
		_, found := o.Spec.Extensions[resourceExtension]
		return found
	})
}

type resourceChecker struct {
	document *Document
	index    *index
	set      *resourceSet
	problems []error
}

func (c *resourceChecker) add(pointer, format string, args ...any) {
	place := c.index.place(pointer)
	c.problems = append(c.problems,
		fmt.Errorf("%s:%d: %s: %s", cmp.Or(place.File, c.document.File), place.Line, pointer, fmt.Sprintf(format, args...)))
}

// checkMeaning checks what the schema cannot: names, parameters and pointers.
func (c *resourceChecker) checkMeaning() {
	c.set = &resourceSet{
		byName: map[string]*Resource{}, byType: map[string]*Resource{},
		actions: map[*Operation][]*Action{},
	}
	if err := c.document.addInherited(c.set); err != nil {
		c.problems = append(c.problems, err)
		return
	}
	if err := c.document.addResources(c.set); err != nil {
		c.problems = append(c.problems, err)
		return
	}
	places := map[string][]shownPlace{}
	for _, o := range c.document.Operations {
		if value, found := o.Spec.Extensions[resourceExtension]; found {
			c.checkActions(o, value, places)
		}
	}
	stated, _ := c.document.T.Extensions[resourcesExtension].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(stated)) {
		c.checkResource(name, stated[name], places)
	}
}

// shownPlace is a place at which an operation shows a resource.
type shownPlace struct {
	operation *Operation
	at        Pointer
}

func (c *resourceChecker) checkActions(o *Operation, value any, places map[string][]shownPlace) {
	list, err := actionsIn(value)
	if err != nil {
		c.add(o.Pointer+"/"+resourceExtension, "%v", err)
		return
	}
	for i := range list {
		pointer := o.Pointer + "/" + resourceExtension
		if _, isList := value.([]any); isList {
			pointer += "/" + strconv.Itoa(i)
		}
		a, err := c.document.action(c.set, o, &list[i])
		if err != nil {
			c.add(pointer+"/resource", "%v", err)
			continue
		}
		c.checkAction(o, a, &list[i], pointer)
		for _, at := range a.At {
			places[a.Resource.Name] = append(places[a.Resource.Name], shownPlace{o, at})
		}
	}
}

func (c *resourceChecker) checkAction(o *Operation, a *Action, w *writtenAction, pointer string) {
	c.checkParameters(o, a, w, pointer)
	for _, at := range a.At {
		keys := a.Identity
		if keys == nil {
			keys = a.Resource.Keys[:1]
		}
		switch {
		case !o.answerHas(at):
			c.add(pointer+"/at", "%q does not match anything in the schema of a successful response", at)
		case !slices.ContainsFunc(keys, func(key Pointer) bool { return o.answerHas(at.Join(key)) }):
			c.add(pointer+"/at", "the object at %q has no %s, which identifies it: want another place, or identity", at, keys[0])
		}
	}
	if w.Keeps != "" && !w.Reads {
		c.add(pointer+"/keeps", "want reads: true beside it: a mark is one of something that is there")
	}
	for _, name := range w.MayCreate {
		if _, err := c.document.find(c.set, name); err != nil {
			c.add(pointer+"/mayCreate", "%v", err)
		}
	}
	if w.Request != nil && len(a.Request) > 0 && !o.requestHas(a.Request) { // an empty one is the whole
		c.add(pointer+"/request", "%q does not match anything in the schema of the request", a.Request)
	}
}

// checkParameters checks that the operation has the parameters that name things. A list and a creation need only those
// of the parent.
func (c *resourceChecker) checkParameters(o *Operation, a *Action, w *writtenAction, pointer string) {
	names := a.Within
	isNamed := w.Verb == Get || w.Verb == Update || w.Verb == Delete || w.Reads || w.Changes
	if w.Path != nil || isNamed && w.Query == "" {
		names = a.Path
	}
	for _, name := range names {
		if !slices.Contains(o.names, name) && !slices.Contains(o.declared, name) {
			c.add(pointer, "%s has no path parameter %s: want path with those of [%s] that identify the resource, "+
				"or an empty list",
				o.Template, name, strings.Join(o.declared, ", "))
		}
	}
	if w.Query != "" && o.Parameters.GetByInAndName("query", w.Query) == nil {
		c.add(pointer+"/query", "the operation has no query parameter %s", w.Query)
	}
}

// checkResource checks what a resource says itself, and not what the defaults say.
func (c *resourceChecker) checkResource(name string, value any, places map[string][]shownPlace) {
	r := c.set.byName[c.document.fullName(name)]
	pointer := "/" + resourcesExtension + "/" + EscapePointer(name)
	own, _ := value.(map[string]any)
	shown := places[r.Name]
	check := func(member string, at Pointer) {
		leads := func(p shownPlace) bool { return p.operation.answerHas(p.at.Join(at)) }
		first, _, _ := strings.Cut(member, "/")
		if _, isOwn := own[first]; isOwn && at != nil && len(shown) > 0 && !slices.ContainsFunc(shown, leads) {
			c.add(pointer+"/"+member, "%q does not match anything in a response that shows such an object", at)
		}
	}
	for _, key := range r.Keys {
		check("key", key)
	}
	for _, at := range r.Created {
		check("created", at)
	}
	check("id", r.ID)
	check("name", r.NamedAt)
	links := map[string][]Link{"parents": r.Parents, "parts": r.Parts, "refers": r.Refers, "embeds": r.Embeds}
	for _, member := range slices.Sorted(maps.Keys(links)) {
		for _, link := range links[member] {
			check(member, link.At)
			if _, err := c.document.find(c.set, link.Resource); err != nil {
				c.add(pointer+"/"+member, "%v", err)
			}
		}
	}
	c.checkBehaviour(r, pointer, check)
	c.checkParents(r, pointer)
}

// checkParents follows the parents that paths name, for as long as there are resources.
func (c *resourceChecker) checkParents(r *Resource, pointer string) {
	if chain := c.cycle(r.Name, nil); chain != nil {
		c.add(pointer+"/parents", "it would contain itself: %s", strings.Join(chain, ", "))
		return
	}
	if r.Parent() == "" {
		return
	}
	if parent, err := c.document.find(c.set, r.Parent()); err == nil && len(r.Path) < len(parent.Path) {
		c.add(pointer+"/path", "%s does not identify a %s, its parent: want the parent's parameters first",
			strings.Join(r.Path, ", "), parent.Title)
	}
}

// cycle returns a chain of parents that leads back to where it began.
func (c *resourceChecker) cycle(name string, chain []string) []string {
	if slices.Contains(chain, name) {
		if chain[0] == name {
			return append(chain, name)
		}
		return nil
	}
	r, err := c.document.find(c.set, name)
	if err != nil {
		return nil
	}
	for _, link := range r.Parents {
		if found := c.cycle(link.Resource, append(slices.Clip(chain), name)); found != nil {
			return found
		}
	}
	return nil
}
