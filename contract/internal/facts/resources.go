package facts

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/sight"
)

// objectReader reads the entities that a request names and that its answer shows, as the document of the operation
// says.
type objectReader struct {
	event     *Exchange
	document  *specs.Document
	operation *specs.Operation
	isOwn     bool // the document is a user's
	names     sight.Names
	parent    sight.Entity // that the path names
	keyed     *keyedAnswer // nil unless the answer is one named entity
	lists     []listed     // of the action at hand, by their numbers
}

// name notes what the path and the query name.
func (o *objectReader) name(actions []*specs.Action, r *reading) {
	e, about := o.event, actions[0]
	e.Kind, e.Verb = Kind(about.Resource.Name), verbOf(about)
	if o.isOwn {
		e.Word = about.Verb
		if e.Verb == Changes && e.Method == http.MethodPut && e.Status == http.StatusCreated {
			e.Verb, e.Word = Creates, specs.Create
		}
	}
	for _, name := range about.MayCreate {
		e.MayCreate = append(e.MayCreate, Kind(name))
	}
	e.ID = r.Owner.Match.First()
	o.parent = o.names.Parent(about)
	e.Target, e.Parent = entityOf(o.names.Target(about)), entityOf(o.parent)
	for _, a := range actions[1:] {
		if t := entityOf(o.names.Target(a)); !t.IsNone() {
			e.Uses = append(e.Uses, Use{t, verbOf(a)})
		}
	}
	e.Partial = e.Verb == Lists && e.Method != http.MethodGet // a search
	for name := range r.query() {
		e.Partial = e.Partial || about.IsPartial(name)
	}
}

// entityOf returns an entity, or none in the place of one without an id.
func entityOf(t sight.Entity) Entity {
	if t.ID == "" {
		return Entity{}
	}
	return Entity{Kind(t.Kind), t.ID}
}

// show reads the objects of an answer.
func (o *objectReader) show(actions []*specs.Action, body jsontree.Value) {
	for i, a := range actions {
		does := Reads
		if i == 0 {
			does = o.event.Verb
		} else if a.Changes {
			does = verbOf(a)
		}
		answer := sight.Answer{Document: o.document, Action: a, Body: body, Parent: o.parent}
		o.lists = nil
		for _, at := range a.At {
			o.showAt(&answer, at, does)
		}
		for _, at := range a.Also {
			for s := range answer.At(at) {
				o.add(&s, sightOf{does: Reads, isComplete: !o.isOwn})
			}
		}
	}
	for pages := range sight.Values(body, actions[0].Pages()) {
		o.event.Partial = o.event.Partial || pages.Int() > 1
	}
}

// showAt reads what stands at a pointer.
func (o *objectReader) showAt(answer *sight.Answer, at specs.Pointer, does Verb) {
	a, last := answer.Action, len(at)-1
	isList := slices.Contains(at, "*")
	like := sightOf{
		does: does, isWhole: !isList || a.Verb == specs.List, isAnswer: !isList && a.Verb != "",
		isComplete: o.isWhole(a.Resource, at),
		isAmong:    isList && slices.Index(at, "*") == last && (!o.isOwn || a.Verb == specs.List),
	}
	if isList && at[last] == "*" {
		for list := range sight.Values(answer.Body, at[:last]) {
			o.event.Shows = slices.Grow(o.event.Shows, min(list.Len(), longest))
			if a.Verb == specs.List {
				o.event.Listed = list.IsArray()
				for total := range sight.Values(answer.Body, a.Total()) {
					o.event.Partial = o.event.Partial || total.Int() > int64(list.Len())
				}
			}
		}
	}
	for s := range answer.At(at) {
		o.add(&s, like)
	}
}

// longest is the number of objects that room is made for: a list that is longer may hold something else.
const longest = 100

// sightOf says what an object stands for where an answer shows it.
type sightOf struct {
	does       Verb
	isWhole    bool // it is all there is to show, which distinguishes one entity from another
	isAnswer   bool // the answer is about it alone
	isComplete bool // it has all members that such an object has
	isAmong    bool // it stands in a list that shows nothing twice
}

// add notes that an answer shows an entity, and what it says of it.
func (o *objectReader) add(s *sight.Shown, as sightOf) {
	if s.Whole.Exists() {
		as = sightOf{does: Reads, isComplete: !o.isOwn, isAmong: !o.isOwn && s.Items > 0}
	}
	e, r := o.event, s.Resource
	f := Shown{Entity: Entity{Kind(r.Name), s.ID}, Does: as.does}
	if s.IsApart {
		e.Shows = append(e.Shows, f)
		return
	}
	f.Ident = sight.Text(s.Object, r.ID)
	for _, at := range r.Created {
		if born := instant(sight.Text(s.Object, at)); !born.IsZero() {
			f.Born = born
		}
	}
	if as.isComplete && as.does != Deletes {
		f.Object, f.Set = o.objectOf(r, f.Entity, s.Object), o.settings(r, f.Born, s.Object)
	}
	for _, key := range r.Keys[1:] {
		// Digits in a path are read as an id before a name (assumed), so a name of digits alone identifies nothing.
		if alias := sight.Text(s.Object, key); strings.Trim(alias, "0123456789") != "" {
			f.Aliases = append(f.Aliases, alias)
		}
	}
	const enough = 40 // bytes: shorter names may be shared by several
	if len(s.Object.Raw()) >= enough && (as.isWhole && as.does != Deletes || !r.IsNamed() || !f.Born.IsZero()) {
		f.Mark = e.markOf(s.Object.Raw())
	}
	if isNumbered := !r.IsNamed() && len(r.Path) == 1 && len(r.Types) == 0; as.isAnswer && isNumbered &&
		f.Entity.Kind == e.Kind && judge.IsDistinct(s.ID) {
		if e.Answered = s.ID; isSameName(s.ID, e.Target.ID) { // 007 is 7
			e.Answered = e.Target.ID
		}
	} else if as.isAnswer && len(r.Types) == 0 && f.Entity.Kind == e.Kind && !e.Target.IsNone() {
		o.keyed = &keyedAnswer{r, s.Object}
	}
	if as.isAmong {
		o.listed(s.Items).add(o, r, &f)
	}
	e.Shows = append(e.Shows, f)
	if read := objects[f.Entity.Kind]; read != nil {
		read(e, &e.Shows[len(e.Shows)-1], s.Object, s.Whole)
	}
	o.tie(r, f.Entity, s.Object)
}

// tie notes what an entity is a part of, and what is a part of it.
func (o *objectReader) tie(r *specs.Resource, t Entity, object jsontree.Value) {
	for _, link := range r.Parents {
		if link.At != nil && (link.Type == "" || link.Type == object.Get("type").Text()) {
			o.event.addMembership(t, Entity{Kind(link.Resource), sight.Text(object, link.At)}, link.Provenance)
		}
	}
	for _, link := range r.Parts {
		o.event.addMembership(Entity{Kind(link.Resource), sight.Text(object, link.At)}, t, link.Provenance)
	}
}

// refer notes what a request wants something to be a part of, or to refer to.
func (o *objectReader) refer(a *specs.Action, body jsontree.Value) {
	e := o.event
	for i, link := range slices.Concat(a.Resource.Parents, a.Resource.Refers) {
		if isPart := i < len(a.Resource.Parents); !isPart && o.isOwn {
			if link.At = a.Request.Join(link.At); !link.MustExist {
				continue // the document does not say that it is refused
			}
			e.Refers = append(e.Refers, o.references(&link, e.Parent.ID+"/", body)...)
		} else if id := sight.Text(body, a.Request.Join(link.At)); id != "" {
			e.Refers = append(e.Refers, Reference{Entity: Entity{Kind(link.Resource), id}})
		}
	}
}

// instant reads the forms of time that the interfaces have, to the second.
func instant(text string) time.Time {
	const day = len("2006-01-02")
	const zone = "2006-01-02 15:04:05 -0700"
	for _, form := range []string{time.RFC3339, zone, "2006-01-02 15:04:05 MST"} {
		if len(text) <= day || text[day] != form[day] || form == zone && !strings.ContainsAny(text[day:], "+-") {
			continue // to make an error takes longer
		}
		if t, err := time.Parse(form, text); err == nil {
			return t.Truncate(time.Second)
		}
	}
	return time.Time{}
}
