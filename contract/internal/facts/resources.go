package facts

import (
	"cmp"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/internal/scan"
	"svc.example/understudy/specs"
)

// objectReader reads the things that a request names and that its answer shows, as the document of the operation says.
type objectReader struct {
	event     *Exchange
	document  *specs.Document
	operation *specs.Operation
	isOwn     bool // the document is a user's
	query     url.Values
	match     *specs.Match
	keyed     *keyedAnswer // nil unless the answer is one named thing
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
	e.Target = Thing{e.Kind, o.id(about.Path)}
	if about.Query != "" {
		e.Target.ID = r.query().Get(about.Query)
	}
	e.Target = e.Target.orNone()
	e.Parent = Thing{Kind(about.Resource.Parent()), o.id(about.Within)}.orNone()
	for _, a := range actions[1:] {
		if t := (Thing{Kind(a.Resource.Name), o.id(a.Path)}).orNone(); !t.IsNone() {
			e.Uses = append(e.Uses, Use{t, verbOf(a)})
		}
	}
	e.Partial = e.Verb == Lists && e.Method != http.MethodGet // a search
	for name := range r.query() {
		e.Partial = e.Partial || about.IsPartial(name)
	}
}

// orNone returns no thing in place of one without an id.
func (t Thing) orNone() Thing {
	if t.ID == "" {
		return Thing{}
	}
	return t
}

// id returns the values of path parameters, or nothing if one of them is empty.
func (o *objectReader) id(names []string) string {
	parts := make([]string, 0, 4) // on the stack
	for _, name := range names {
		part := cmp.Or(o.match.Param(name), o.match.Declared(name))
		if part == "" {
			return ""
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "/")
}

// show reads the objects of an answer.
func (o *objectReader) show(actions []*specs.Action, body scan.Value) {
	for i, a := range actions {
		does := Reads
		if i == 0 {
			does = o.event.Verb
		} else if a.Changes {
			does = verbOf(a)
		}
		for _, at := range a.At {
			o.showAt(a, at, does, body)
		}
		for _, at := range a.Also {
			for _, object := range follow(nil, body, at) {
				o.add(a, &sightOf{does: Reads, object: object, isComplete: !o.isOwn})
			}
		}
	}
	o.measure(actions[0], body)
}

// longest is the number of objects that room is made for: a list that is longer may hold something else.
const longest = 100

// showAt reads what stands at a pointer.
func (o *objectReader) showAt(a *specs.Action, at specs.Pointer, does Verb, body scan.Value) {
	isList := slices.Contains(at, "*")
	isComplete := o.isWhole(a.Resource, at)
	var among *listed
	if slices.Index(at, "*") == len(at)-1 && isList && (!o.isOwn || a.Verb == specs.List) {
		among = &listed{}
	}
	found := follow(nil, body, at)
	if n := len(at) - 1; n >= 0 && at[n] == "*" {
		o.event.Shows = slices.Grow(o.event.Shows, min(len(found), longest))
	}
	for _, object := range found {
		o.add(a, &sightOf{
			does: does, object: object, isWhole: !isList || a.Verb == specs.List, isAnswer: !isList && a.Verb != "",
			isComplete: isComplete, among: among,
		})
	}
	if n := len(at) - 1; a.Verb == specs.List && n >= 0 && at[n] == "*" {
		for _, list := range follow(nil, body, at[:n]) {
			o.event.Listed = list.IsArray()
			for _, total := range follow(nil, body, a.Total()) {
				o.event.Partial = o.event.Partial || total.Int() > int64(list.Len())
			}
		}
	}
}

// measure notes that a list goes on with other pages.
func (o *objectReader) measure(a *specs.Action, body scan.Value) {
	for _, pages := range follow(nil, body, a.Pages()) {
		o.event.Partial = o.event.Partial || pages.Int() > 1
	}
}

// follow appends what a pointer leads to in a value.
func follow(to []scan.Value, value scan.Value, at specs.Pointer) []scan.Value {
	member := func(value scan.Value, name string) (scan.Value, bool) {
		inner := value.Get(name)
		return inner, inner.Exists()
	}
	items := func(value scan.Value) iter.Seq[scan.Value] {
		if !value.IsArray() {
			value = scan.Value{}
		}
		return value.Each
	}
	if !value.Exists() {
		return to
	}
	return specs.Follow(to, value, at, member, items)
}

// first returns the text at a pointer that leads to one value, or nothing.
func first(object scan.Value, at specs.Pointer) (found string) {
	var room [1]scan.Value // on the stack
	for _, value := range follow(room[:0], object, at) {
		found = value.Text()
	}
	return found
}

// sightOf is an object where an answer shows it.
type sightOf struct {
	does       Verb
	object     scan.Value
	whole      scan.Value // that it is embedded in
	isWhole    bool       // it is all there is to show, which distinguishes one thing from another
	isAnswer   bool       // the answer is about it alone
	isComplete bool       // it has all members that such an object has
	among      *listed    // nil unless it stands in a list that shows nothing twice
}

// add notes that an answer shows a thing, and what it says of it.
func (o *objectReader) add(a *specs.Action, s *sightOf) {
	r := a.Resource
	kindName := s.object.Get("type").Text()
	if len(r.Types) > 0 {
		if r = o.document.ResourceOfType(kindName); r == nil {
			return
		}
	}
	if a.Identity == nil || r != a.Resource {
		o.addObject(r, s, kindName)
		return
	}
	parts := make([]string, 0, 4) // on the stack
	for _, at := range a.Identity {
		part := first(s.object, at)
		if part == "" {
			return
		}
		parts = append(parts, part)
	}
	o.event.Shows = append(o.event.Shows, Shown{Thing: Thing{Kind(r.Name), strings.Join(parts, "/")}, Does: s.does})
}

func (o *objectReader) addObject(r *specs.Resource, s *sightOf, kindName string) {
	id := o.idOf(r, s.object)
	if id == "" {
		return
	}
	e := o.event
	f := Shown{Thing: Thing{Kind(r.Name), id}, Does: s.does, Ident: first(s.object, r.ID)}
	for _, at := range r.Created {
		if born := instant(first(s.object, at)); !born.IsZero() {
			f.Born = born
		}
	}
	if s.isComplete && s.does != Deletes {
		f.Object, f.Set = o.objectOf(r, f.Thing, s.object), o.settings(r, f.Born, s.object)
	}
	for _, key := range r.Keys[1:] {
		// Digits in a path are read as an id before a name (assumed), so a name of digits alone identifies nothing.
		if alias := first(s.object, key); strings.Trim(alias, "0123456789") != "" {
			f.Aliases = append(f.Aliases, alias)
		}
	}
	const enough = 40 // bytes: shorter names may be shared by several
	if len(s.object.Raw()) >= enough && (s.isWhole && s.does != Deletes || !r.IsNamed() || !f.Born.IsZero()) {
		f.Mark = e.markOf(s.object.Raw())
	}
	if isNumbered := !r.IsNamed() && len(r.Path) == 1 && len(r.Types) == 0; s.isAnswer && isNumbered &&
		f.Thing.Kind == e.Kind && judge.IsDistinct(id) {
		if e.Answered = id; isSameName(id, e.Target.ID) { // 007 is 7
			e.Answered = e.Target.ID
		}
	} else if s.isAnswer && len(r.Types) == 0 && f.Thing.Kind == e.Kind && !e.Target.IsNone() {
		o.keyed = &keyedAnswer{r, s.object}
	}
	s.among.take(o, r, &f)
	e.Shows = append(e.Shows, f)
	if read := objects[f.Thing.Kind]; read != nil {
		read(e, &e.Shows[len(e.Shows)-1], s.object, s.whole)
	}
	o.tie(r, f.Thing, s, kindName)
}

// idOf returns the id of an object: its key, after that of what the path names as its parent.
func (o *objectReader) idOf(r *specs.Resource, object scan.Value) string {
	key := first(object, r.Keys[0])
	if r.Parent() == "" || key == "" {
		return key
	}
	if in := o.event.Parent; string(in.Kind) == r.Parent() {
		return in.ID + "/" + key
	}
	return ""
}

// tie notes what a thing is a part of, what is a part of it, and what is embedded in it.
func (o *objectReader) tie(r *specs.Resource, t Thing, s *sightOf, kindName string) {
	for _, link := range r.Parents {
		if link.At != nil && (link.Type == "" || link.Type == kindName) {
			o.event.addMembership(t, Thing{Kind(link.Resource), first(s.object, link.At)}, link.Provenance)
		}
	}
	for _, link := range r.Parts {
		o.event.addMembership(Thing{Kind(link.Resource), first(s.object, link.At)}, t, link.Provenance)
	}
	for _, link := range r.Embeds {
		embedded, among := o.document.Resource(link.Resource), (*listed)(nil)
		if !o.isOwn && len(link.At) > 0 && link.At[len(link.At)-1] == "*" {
			among = &listed{}
		}
		for _, object := range follow(nil, s.object, link.At) {
			if embedded != nil && object.IsObject() {
				o.addObject(embedded, &sightOf{
					does: Reads, object: object, whole: s.object, isComplete: !o.isOwn, among: among,
				}, "")
			}
		}
	}
}

// refer notes what a request wants something to be a part of, or to refer to.
func (o *objectReader) refer(a *specs.Action, body scan.Value) {
	e := o.event
	for i, link := range slices.Concat(a.Resource.Parents, a.Resource.Refers) {
		if isPart := i < len(a.Resource.Parents); !isPart && o.isOwn {
			if link.At = a.Request.Join(link.At); !link.MustExist {
				continue // the document does not say that it is refused
			}
			e.Refers = append(e.Refers, o.references(&link, e.Parent.ID+"/", body)...)
		} else if t := (Thing{Kind(link.Resource), first(body, a.Request.Join(link.At))}).orNone(); !t.IsNone() {
			e.Refers = append(e.Refers, Reference{Thing: t})
		}
	}
}

// instant reads the forms of time that the interfaces have, to the second.
func instant(text string) time.Time {
	const day = len("2006-01-02")
	for _, form := range []string{time.RFC3339, "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 MST"} {
		if len(text) <= day || text[day] != form[day] { // to find an error takes longer
			continue
		}
		if t, err := time.Parse(form, text); err == nil {
			return t.Truncate(time.Second)
		}
	}
	return time.Time{}
}
