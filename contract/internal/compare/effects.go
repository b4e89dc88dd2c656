package compare

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/tidwall/gjson"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/specs"
)

// effects remember which exchange last changed a thing, or anything of a kind, as the recording has it.
type effects struct {
	last  map[thing]change    // by thing, and by kind with no id
	any   map[string]change   // by kind: one that may have changed any thing of it
	gone  map[string]change   // by kind: one that removed a thing of it
	above map[string][]string // by kind: those whose things take things of the kind with them
	count int
}

// change is an exchange that changed something, in the order of the replay.
type change struct {
	*Exchange
	number int
}

func newEffects(documents []*specs.Document) *effects {
	f := &effects{
		last: map[thing]change{}, any: map[string]change{}, gone: map[string]change{}, above: map[string][]string{},
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

// take notes what an exchange changed.
func (f *effects) take(e *Exchange) {
	if e.Status()/100 != 2 {
		return
	}
	f.count++
	now := change{e, f.count}
	for _, a := range e.Operation().Actions() {
		if a.Verb == "" || a.Verb == specs.List || a.Verb == specs.Get || a.Reads && !a.Changes ||
			e.Item.Request.Method == "GET" {
			continue
		}
		f.takeAction(now, a)
	}
}

func (f *effects) takeAction(now change, a *specs.Action) {
	kind := kindOf(a.Resource.Name)
	f.last[thing{kind: kind}] = now
	ids := []string{targetOf(now.Exchange, a)}
	for _, at := range a.At {
		key, _ := textOf(valueAt(now.shownAt(at), a.Resource.Keys[0]))
		ids = append(ids, key)
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return id == "" })
	for _, id := range ids {
		f.last[thing{kind, id}] = now
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

// accessKinds are the kinds of things that decide who may do what.
var accessKinds = []string{users, "core.policy", "core.policy-group", "core.oauth-token", "core.delegated-admin"}

// targetOf returns the id that the path of a request names.
func targetOf(e *Exchange, a *specs.Action) string {
	if len(a.Path) == 0 {
		return ""
	}
	return e.Owner.Match.Param(a.Path[len(a.Path)-1])
}

// shownAt returns what the recorded answer shows at a place that is not a list, or nil.
func (e *Exchange) shownAt(at specs.Pointer) any {
	value, ok := e.JSONResponse()
	if !ok || slices.Contains(at, items) {
		return nil
	}
	for _, token := range at {
		value = value.Get(gjson.Escape(token))
	}
	decoded, err := body.DecodeJSON([]byte(value.Raw))
	if err != nil {
		return nil
	}
	return decoded
}

// explain turns a difference that shows in what was changed before into one of behaviour.
func (f *effects) explain(e *Exchange, found *found) Difference {
	d := found.Difference
	var since *Exchange
	isUnsure := false
	switch {
	case d.Kind == Shape, found.isOfPage:
	case d.Kind == Status && isAbout(http.StatusUnauthorized, &d) || isAbout(http.StatusForbidden, &d):
		since, isUnsure = f.ofAccess(), true
	case !isRead(e):
	case found.thing.kind == "":
		since, isUnsure = f.ofOperation(e)
	default:
		since, isUnsure = f.of(found.thing, found.refers)
	}
	if since != nil && since != e {
		d.Kind, d.Since, d.IsUnsure = Behaviour, since, isUnsure
	}
	return d
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
		if last := f.last[thing{kind: kind}]; last.number > latest.number {
			latest = last
		}
	}
	return latest.Exchange
}

// of returns the exchange that last changed a thing, or removed what things of its kind go with. If there is none, it
// returns the one that last changed what it refers to, another thing of its kind, or what such things are parts of; it
// is then unsure that this is the reason.
func (f *effects) of(t thing, refers []thing) (since *Exchange, isUnsure bool) {
	latest := f.last[t]
	ancestors := f.ancestors(t.kind, nil)
	surely := []change{f.any[t.kind]}
	for _, kind := range ancestors {
		surely = append(surely, f.gone[kind])
	}
	for _, other := range surely {
		if other.number > latest.number {
			latest = other
		}
	}
	if latest.Exchange != nil {
		return latest.Exchange, false
	}
	perhaps := []thing{{kind: t.kind}}
	for _, kind := range ancestors {
		perhaps = append(perhaps, thing{kind: kind})
	}
	for _, other := range slices.Concat(refers, perhaps) {
		if latest.Exchange == nil {
			latest = f.last[other]
		}
	}
	return latest.Exchange, true
}

// ancestors lists the kinds whose things take things of a kind with them, directly or not.
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
	for _, a := range e.Operation().Actions() {
		if since, isUnsure := f.of(thing{kindOf(a.Resource.Name), targetOf(e, a)}, nil); since != nil {
			return since, isUnsure
		}
	}
	return nil, false
}

// isRead reports whether a request only reads.
func isRead(e *Exchange) bool {
	method := e.Item.Request.Method
	for _, a := range e.Operation().Actions() {
		if a.Verb == specs.List || a.Verb == specs.Get {
			return true
		}
	}
	return method == "GET" || method == "HEAD"
}
