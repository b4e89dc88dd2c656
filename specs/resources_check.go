package specs

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

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
