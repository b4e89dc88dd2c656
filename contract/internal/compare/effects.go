package compare

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"svc.example/understudy/internal/address"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/sight"
)

// effects remember which exchange last changed an entity, or anything of a kind, as the recording has it, and which of
// these changes answers have shown since.
type effects struct {
	last    map[sight.Entity]change // by entity, and by kind with no id
	differs map[string]change       // by kind: one that only one of the servers did
	any     map[string]change       // by kind: one that may have changed any entity of it
	gone    map[string]change       // by kind: one that removed an entity of it
	above   map[string][]string     // by kind: those whose entities take entities of the kind with them
	alike   map[trait]int           // the number of changes when both answers last showed the same
	blamed  map[trait]blame         // what differs
	count   int
	tree    jsontree.Tree // of the answer at hand
}

// trait is a member of an entity, or with no name, whether there is the entity.
type trait struct {
	sight.Entity
	member string
}

// blame names the exchange that is behind a difference in an entity, and what the entity refers to.
type blame struct {
	*Exchange
	refers []sight.Entity
}

// change is an exchange that changed something, in the order of the replay.
type change struct {
	*Exchange
	number     int
	isDeletion bool
}

func newEffects(documents []*specs.Document) *effects {
	f := &effects{
		last: map[sight.Entity]change{}, differs: map[string]change{}, any: map[string]change{}, gone: map[string]change{},
		above: map[string][]string{}, alike: map[trait]int{}, blamed: map[trait]blame{},
	}
	for _, d := range documents {
		for _, r := range d.Resources() {
			for _, link := range r.Parents {
				f.above[r.Name] = append(f.above[r.Name], link.Resource)
			}
			for _, link := range r.Parts {
				f.above[link.Resource] = append(f.above[link.Resource], r.Name)
			}
		}
	}
	return f
}

// add notes what an exchange changed, and what its answer shows of earlier changes.
func (f *effects) add(e *Exchange) {
	for _, a := range e.Operation().Actions() {
		isDone := e.Status()/100 == 2 || e.isDoneByOne()
		if !isDone || a.Verb == "" || a.Verb == specs.List || a.Verb == specs.Get || a.Reads && !a.Changes ||
			e.Item.Request.Method == "GET" {
			continue
		}
		f.count++
		f.addAction(change{e, f.count, a.Verb == specs.Delete}, a)
	}
	f.addDifferences(e)
}

// isDoneByOne reports whether only one of the answers is a success.
func (e *Exchange) isDoneByOne() bool {
	return e.Answer != nil && (e.Status()/100 == 2) != (e.Answer.Status/100 == 2)
}

// addDifferences notes which traits both answers show alike, and which differ because of what. The answer to a change
// shows what was asked for, which may not have been done.
func (f *effects) addDifferences(e *Exchange) {
	for _, at := range e.alike {
		delete(f.blamed, at)
		if _, isKnown := f.alike[at]; !isKnown {
			at.member = strings.Clone(at.member)
		}
		if isRead(e) {
			f.alike[at] = f.count
		}
	}
	for i := range e.Differences {
		d := &e.Differences[i]
		switch at := e.abouts[i].trait; {
		case at.ID == "" || d.Kind == Status || d.Kind == Shape:
		case d.Since != nil:
			f.blamed[at] = blame{d.Since, e.abouts[i].refers}
		case !isRead(e):
			f.blamed[at] = blame{e, e.abouts[i].refers}
		}
	}
	if !isRead(e) || e.isDoneByOne() {
		return
	}
	for _, t := range e.targets() {
		if t.ID != "" {
			f.alike[trait{Entity: t}] = f.count
		}
	}
}

func (f *effects) addAction(now change, a *specs.Action) {
	kind := kindOf(a.Resource.Name)
	f.last[sight.Entity{Kind: kind}] = now
	names := now.names()
	ids := []string{lastOf(names.Target(a).ID)}
	answer := sight.Answer{Document: now.Operation().Document, Action: a, Parent: names.Parent(a)}
	answer.Body = now.JSONResponse(&f.tree)
	for s := range answer.Shows {
		if s.Items == 0 && !s.Whole.Exists() {
			ids = append(ids, lastOf(s.ID))
		}
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return id == "" })
	for _, id := range ids {
		f.last[sight.Entity{Kind: kind, ID: id}] = now
	}
	if first, last := 0, len(ids)-1; last > 0 && ids[first] != ids[last] {
		f.rename(sight.Entity{Kind: kind, ID: ids[first]}, sight.Entity{Kind: kind, ID: ids[last]})
	}
	if now.isDoneByOne() {
		f.differs[kind] = now
	}
	if len(ids) == 0 {
		f.any[kind] = now
	}
	if a.Verb == specs.Delete {
		f.gone[kind] = now
	}
	for _, name := range a.MayCreate {
		f.any[name] = now
	}
}

// users are one kind, whatever an operation calls them.
const users = "core.user"

func kindOf(name string) string {
	if name == "core.access-control-user" || name == "core.sub-user" {
		return users
	}
	return name
}

// accessKinds are the kinds of entities that decide who may do what.
var accessKinds = []string{users, "core.policy", "core.policy-group", "core.oauth-token", "core.delegated-admin"}

func (e *Exchange) names() sight.Names {
	query, _ := address.Query(e.Owner.Query)
	return sight.Names{Match: &e.Owner.Match, Query: query}
}

// targets lists the entity that a request names for each of its actions, without an id where it names none.
func (e *Exchange) targets() (list []sight.Entity) {
	names := e.names()
	for _, a := range e.Operation().Actions() {
		list = append(list, sight.Entity{Kind: kindOf(a.Resource.Name), ID: lastOf(names.Target(a).ID)})
	}
	return list
}

// lastOf returns the last part of an id, which is all that most answers show of it.
func lastOf(id string) string { return id[strings.LastIndexByte(id, '/')+1:] }

// rename takes what is known of the differences of an entity to its new name.
func (f *effects) rename(from, to sight.Entity) {
	for at, behind := range f.blamed {
		if at.Entity == from {
			f.blamed[trait{to, at.member}] = behind
		}
	}
}

// explain turns a difference that shows in what was changed before into one of behaviour. A change that both answers
// have shown alike since is not behind it.
func (f *effects) explain(e *Exchange, found *found) Difference {
	d := found.Difference
	var since *Exchange
	isUnsure := false
	switch {
	case d.Kind == Shape, found.isOfPage:
	case d.Kind == Status && isAbout(http.StatusUnauthorized, &d) || isAbout(http.StatusForbidden, &d):
		since, isUnsure = f.ofAccess(), true
	case d.Kind == Status:
		since, isUnsure = f.ofStatus(e, &d)
	case e.Status() >= http.StatusBadRequest:
	case found.Entity.Kind == "":
		if isRead(e) && !does(e, specs.List) {
			since, isUnsure = f.ofOperation(e)
		}
	default:
		since, isUnsure = f.ofTrait(e, found)
	}
	for since != nil && since.isDoneByOne() && since.Differences[0].Since != nil {
		since, isUnsure = since.Differences[0].Since, true // without which it would have been answered alike
	}
	if since != nil && since != e {
		d.Kind, d.Since, d.IsUnsure = Behaviour, since, isUnsure
	}
	return d
}

// ofStatus returns the exchange that last made or removed what a request is about, if only one of the answers is a
// success, or is behind a difference in what refers to that.
func (f *effects) ofStatus(e *Exchange, d *Difference) (since *Exchange, isUnsure bool) {
	isAboutTarget := isAbout(http.StatusNotFound, d) || isAbout(http.StatusConflict, d)
	if !e.isDoneByOne() {
		return nil, false
	}
	if isRead(e) && isAboutTarget {
		return f.ofOperation(e)
	}
	for _, t := range e.targets() {
		at, last := trait{Entity: t}, f.last[t]
		switch {
		case t.ID == "":
		case isAboutTarget && last.Exchange != nil && last.number > f.alike[at]:
			return last.Exchange, false
		case !isAboutTarget:
			if behind := f.behindReference(t); behind != nil {
				return behind, true
			}
		}
	}
	return nil, false
}

// behindReference returns the first exchange that is behind there being, or not, something that refers to an entity.
func (f *effects) behindReference(to sight.Entity) (first *Exchange) {
	for at, behind := range f.blamed {
		isSuch := at.member == "" && slices.Contains(behind.refers, to)
		if isSuch && (first == nil || behind.Item.Number < first.Item.Number) {
			first = behind.Exchange
		}
	}
	return first
}

// ofTrait returns the exchange that is behind a difference in an entity. A change answers for what it shows, unless
// that has differed before.
func (f *effects) ofTrait(e *Exchange, found *found) (since *Exchange, isUnsure bool) {
	at := found.trait()
	if at.member != "" && !isRead(e) && sets(e, at.member) {
		return nil, false
	}
	if behind := f.blamed[at]; behind.Exchange != nil && at.ID != "" {
		return behind.Exchange, false
	}
	if !isRead(e) {
		return nil, false
	}
	last := f.last[at.Entity]
	if at.member == "" && found.isExtra && last.Exchange != nil && !last.isDeletion && last.Agrees() {
		return nil, false // it is where both have it, and the list shows too much
	}
	isUnsure = at.ID == ""
	if isUnsure || at.member != "" {
		var isOther bool
		last, isOther = f.of(at.Entity, found.refers)
		isUnsure = isUnsure || isOther
	} else if last = f.sure(at.Entity); last.Exchange == nil {
		last, isUnsure = f.removal(at.Entity, found.refers), true
	}
	switch {
	case last.Exchange == nil && at.member == "":
		return f.ofPath(e), true
	case at.ID != "" && last.number <= f.alike[at]:
		return nil, false
	}
	return last.Exchange, isUnsure
}

// isAbout reports whether one of two statuses is a certain one.
func isAbout(status int, d *Difference) bool {
	text := strconv.Itoa(status)
	return d.Recorded == text || d.Answered == text
}

// ofAccess returns the exchange that last changed who may do what.
func (f *effects) ofAccess() *Exchange {
	var latest change
	for _, kind := range accessKinds {
		if last := f.last[sight.Entity{Kind: kind}]; last.number > latest.number {
			latest = last
		}
	}
	return latest.Exchange
}

// of returns the change of an entity that was the last one, or the removal of what entities of its kind go with. If
// there is none, it returns that of another entity of its kind which only one of the servers did, of what the entity
// refers to, of any other entity of its kind, or of what such entities are parts of; it is then unsure that this is the
// reason.
func (f *effects) of(t sight.Entity, refers []sight.Entity) (since change, isUnsure bool) {
	if since = f.sure(t); since.Exchange != nil {
		return since, false
	}
	if differs := f.differs[t.Kind]; differs.Exchange != nil {
		return differs, true
	}
	perhaps := []sight.Entity{{Kind: t.Kind}}
	for _, kind := range f.ancestors(t.Kind, nil) {
		perhaps = append(perhaps, sight.Entity{Kind: kind})
	}
	for _, other := range slices.Concat(refers, perhaps) {
		if since.Exchange == nil {
			since = f.last[other]
		}
	}
	return since, true
}

// sure returns the last change that was surely one of an entity.
func (f *effects) sure(t sight.Entity) change {
	latest := f.last[t]
	surely := []change{f.any[t.Kind]}
	for _, kind := range f.ancestors(t.Kind, nil) {
		surely = append(surely, f.gone[kind])
	}
	for _, other := range surely {
		if other.number > latest.number {
			latest = other
		}
	}
	return latest
}

// removal returns the last one of another entity of a kind, or of what such an entity refers to or belongs to.
func (f *effects) removal(t sight.Entity, refers []sight.Entity) (latest change) {
	others := append(slices.Clone(refers), sight.Entity{Kind: t.Kind})
	kinds := append(f.ancestors(t.Kind, nil), t.Kind)
	for _, other := range others {
		if last := f.last[other]; last.isDeletion && last.number > latest.number {
			latest = last
		}
	}
	for _, kind := range kinds {
		if gone := f.gone[kind]; gone.number > latest.number {
			latest = gone
		}
	}
	return latest
}

// ancestors lists the kinds whose entities take entities of a kind with them, directly or not.
func (f *effects) ancestors(kind string, seen []string) []string {
	for _, name := range f.above[kind] {
		if !slices.Contains(seen, name) {
			seen = f.ancestors(name, append(seen, name))
		}
	}
	return seen
}

// ofOperation returns the exchange that last changed what a request is about, or what that is a part of.
func (f *effects) ofOperation(e *Exchange) (since *Exchange, isUnsure bool) {
	for _, t := range e.targets() {
		if since, isUnsure := f.of(t, nil); since.Exchange != nil {
			return since.Exchange, isUnsure
		}
	}
	return nil, false
}

// ofPath returns the exchange that last changed what the path of a request names.
func (f *effects) ofPath(e *Exchange) *Exchange {
	for _, t := range e.targets() {
		if t.ID != "" && f.last[t].Exchange != nil {
			return f.last[t].Exchange
		}
	}
	return nil
}

// isRead reports whether a request only reads.
func isRead(e *Exchange) bool {
	method := e.Item.Request.Method
	return does(e, specs.List, specs.Get) || method == "GET" || method == "HEAD"
}

// does reports whether a request has one of some verbs for a resource.
func does(e *Exchange, verbs ...string) bool {
	isSuch := func(a *specs.Action) bool { return slices.Contains(verbs, a.Verb) }
	return slices.ContainsFunc(e.Operation().Actions(), isSuch)
}

// sets reports whether the body of a request has a member, at its top or in the object that it is about.
func sets(e *Exchange, member string) bool {
	body := e.JSONRequest(&jsontree.Tree{Shares: true})
	return body.Get(member).Exists() || slices.ContainsFunc(e.Operation().Actions(), func(a *specs.Action) bool {
		return body.Get(append(slices.Clip(a.Request), member)...).Exists()
	})
}
