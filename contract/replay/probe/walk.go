package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/specs"
)

// walk leads through the lives of what one document describes.
type walk struct {
	*run

	doc        *specs.Document
	base       string
	operations []*specs.Operation // in an order in which what they need is there
	called     map[*specs.Operation]bool
	failed     map[*specs.Operation]bool // no request of these can be made, or none was answered

	made, seen map[string][]pathKeys // by resource
	deleted    map[string]pathKeys   // the last one of each
	set        map[string][]string   // by resource: pointers into the one that was changed, and values there
}

// pathKeys holds the values of a path that name one of a resource, those of its parents first.
type pathKeys []string

// The ranks of operations in their order, by what they do.
const (
	lists   = 1
	gets    = 2
	updates = 3
	deletes = 8
)

func rankOf(o *specs.Operation) int {
	actions := o.Actions()
	if len(actions) == 0 {
		return rankOfPlain(o)
	}
	switch actions[0].Verb {
	case specs.Create:
		return 0
	case specs.List:
		return lists
	case specs.Get:
		return gets
	case specs.Update:
		return updates
	case "":
		return 4
	case specs.Delete:
		return deletes
	}
	if actions[0].Keeps == specs.Mark {
		return rankOfMark(o)
	}
	return 5
}

// rankOfPlain is that of an operation that is about no resource, though its path may stand for a mark.
func rankOfPlain(o *specs.Operation) int {
	if o.IsBare() {
		return rankOfMark(o)
	}
	return 4
}

// rankOfMark puts a mark before looking for it, since it is found while it is set.
func rankOfMark(o *specs.Operation) int {
	return max(5, map[string]int{http.MethodGet: 6, http.MethodDelete: 7}[o.Method])
}

// inOrder sorts operations so that what they need is there when they are called: parents before their parts, and in
// deletions after them.
func inOrder(operations []*specs.Operation) []*specs.Operation {
	depth := func(o *specs.Operation) int { return strings.Count(o.Template, "/") }
	slices.SortStableFunc(operations, func(a, b *specs.Operation) int {
		switch x, y := rankOf(a), rankOf(b); {
		case x != y:
			return x - y
		case x == deletes:
			return depth(b) - depth(a)
		}
		return depth(a) - depth(b)
	})
	return operations
}

// live calls every operation once, but for deletions, and shows again what was changed.
func (w *walk) live(ctx context.Context) error {
	for _, o := range w.operations {
		if rankOf(o) == deletes {
			continue
		}
		for _, a := range o.Actions() {
			needed := a.Resource
			if a.Verb == specs.Create || len(a.Path) == 0 {
				needed = w.doc.Resource(a.Resource.Parent())
			}
			if err := w.put(ctx, needed); err != nil {
				return err
			}
		}
		if err := w.first(ctx, o); err != nil {
			return err
		}
		if rankOf(o) == updates {
			if err := w.showAgain(ctx, subject(o), Changed); err != nil {
				return err
			}
		}
	}
	return nil
}

// subject returns the resource that an operation is about; its rank must say that it is about one.
func subject(o *specs.Operation) *specs.Resource { return o.Actions()[0].Resource }

// put makes an entity of a resource whose keys clients choose, and before it one that it is a part of.
func (w *walk) put(ctx context.Context, r *specs.Resource) error {
	if r == nil || w.made[r.Name] != nil {
		return nil
	}
	if err := w.put(ctx, w.doc.Resource(r.Parent())); err != nil {
		return err
	}
	for _, o := range w.operations {
		for _, a := range o.Actions() {
			if a.Resource.Name == r.Name && a.Verb == specs.Update && o.Method != http.MethodPatch && !w.called[o] {
				return w.first(ctx, o)
			}
		}
	}
	return nil
}

// first calls an operation if it was not called before.
func (w *walk) first(ctx context.Context, o *specs.Operation) error {
	if w.called[o] || o.Method == http.MethodDelete && !w.DeletesAll && !w.isOfMade(o) {
		return nil
	}
	w.called[o] = true
	return w.call(ctx, o, First)
}

// isOfMade reports whether the path of an operation names something that was made.
func (w *walk) isOfMade(o *specs.Operation) bool {
	return slices.ContainsFunc(o.Actions(), func(a *specs.Action) bool {
		isItself := len(w.made[a.Resource.Name]) > 0 && len(a.Path) > 0
		return isItself || len(w.made[a.Resource.Parent()]) > 0 && len(a.Within) > 0
	})
}

// call sends a valid request of an operation.
func (w *walk) call(ctx context.Context, o *specs.Operation, moment Moment) error {
	d, err := w.draft(o)
	if err != nil {
		w.failed[o] = true
		w.Unmade = append(w.Unmade, fmt.Errorf("%s: %w", o.Name(), err))
		w.tell(&Answer{Operation: o, Moment: moment, Err: err})
		return nil
	}
	if d.expects = w.expected(o, moment); moment == Gone && rankOf(o) == gets {
		d.fault = "it is asked for what was deleted before"
	}
	return w.send(ctx, d, moment)
}

// expected returns what an answer has to show of what was made or changed before.
func (w *walk) expected(o *specs.Operation, moment Moment) (lines []string) {
	if len(o.Actions()) == 0 || len(o.Actions()[0].At) == 0 {
		return nil
	}
	a := o.Actions()[0]
	made := w.made[a.Resource.Name]
	switch {
	case len(made) == 0 || len(a.Resource.Keys) == 0:
	case rankOf(o) == gets && moment == Changed:
		for _, line := range w.set[a.Resource.Name] {
			lines = append(lines, a.At[0].String()+line)
		}
	case rankOf(o) == lists && moment == First && o.Method == http.MethodGet && !isPaged(o):
		key := a.At[0].Join(a.Resource.Keys[0])
		lines = append(lines, key.String()+" "+made[0][len(made[0])-1])
	}
	return lines
}

// isPaged reports whether a list has short pages by default.
func isPaged(o *specs.Operation) bool {
	return slices.ContainsFunc(o.Parameters, func(ref *openapi3.ParameterRef) bool {
		size, isNumber := schemaOf(ref.Value).Default.(float64)
		return ref.Value.In == openapi3.ParameterInQuery && isNumber && size > 0 && size < 10 || ref.Value.Required
	})
}

// noteSet notes which values a request has set that a later answer shows as they are. Whether its own answer does so is
// for others to judge.
func (w *walk) noteSet(d *draft, a *specs.Action, shown any) {
	w.set[a.Resource.Name] = nil
	object, _ := a.Request.FirstIn(d.body).(map[string]any)
	members := specs.Members(w.doc.ObjectSchema(a.Resource))
	for _, name := range slices.Sorted(maps.Keys(object)) {
		switch object[name].(type) {
		case string:
			if m := members[name]; m == nil || m.Value == nil || len(m.Value.Enum) == 0 {
				continue // texts are trimmed and normalised
			}
		case float64, bool:
		default:
			continue
		}
		if len(a.At) > 0 {
			answered := a.At[0].Join(specs.Pointer{name}).FirstIn(shown)
			if answered != nil && textOf(answered) != textOf(object[name]) {
				continue
			}
		}
		w.set[a.Resource.Name] = append(w.set[a.Resource.Name], specs.Pointer{name}.String()+" "+textOf(object[name]))
	}
}

// send sends a request, and learns of its answer.
func (w *walk) send(ctx context.Context, d *draft, moment Moment) error {
	a, err := w.do(ctx, d, w.base, moment)
	if err != nil {
		return err
	}
	w.failed[d.op] = w.failed[d.op] || a.Err != nil
	if a.Err == nil && a.Status < 300 {
		a.NoKey = w.learn(d, a)
	}
	w.tell(a)
	return nil
}

// showAgain gets and lists the entities of a resource once more.
func (w *walk) showAgain(ctx context.Context, r *specs.Resource, moment Moment) error {
	for _, o := range w.operations {
		isShown := rankOf(o) == gets || rankOf(o) == lists && moment == Gone && w.deleted[r.Parent()] == nil
		if isShown && subject(o).Name == r.Name && (w.made[r.Name] != nil || moment == Gone) {
			if err := w.call(ctx, o, moment); err != nil {
				return err
			}
		}
	}
	return nil
}

// end deletes what was made, parts before their parents, and looks whether it is gone.
func (w *walk) end(ctx context.Context) error {
	w.isAtEnd = true
	for _, o := range w.operations {
		if rankOf(o) != deletes {
			continue
		}
		if err := w.first(ctx, o); err != nil {
			return err
		}
		name := subject(o).Name
		for before := -1; len(w.made[name]) > 0 && w.deleted[name] != nil && before != len(w.made[name]); {
			before = len(w.made[name])
			if err := w.call(ctx, o, Deleted); err != nil {
				return err
			}
		}
	}
	for name, gone := range w.deleted {
		w.made[name] = []pathKeys{gone}
	}
	for _, r := range w.doc.Resources() {
		if w.deleted[r.Name] == nil {
			continue
		}
		if err := w.showAgain(ctx, r, Gone); err != nil {
			return err
		}
		delete(w.made, r.Name)
	}
	return nil
}

// left counts the entities that were made and not deleted.
func (w *walk) left() (n int) {
	for _, list := range w.made {
		n += len(list)
	}
	return n
}

// learn notes what an answer shows to be made, deleted or there.
func (w *walk) learn(d *draft, answer *Answer) error {
	var shown any
	_ = json.Unmarshal(answer.Body, &shown)
	for _, a := range d.op.Actions() {
		name := a.Resource.Name
		if a.Verb == specs.Update && answer.Status != http.StatusAccepted {
			w.noteSet(d, a, shown)
		}
		isPut := a.Verb == specs.Update && d.op.Method != http.MethodPatch && w.made[name] == nil
		isCounted := len(a.At) == 0 && slices.Contains(a.Request, "*") // several were made, and none is shown
		switch {
		case a.Verb == specs.Delete:
			w.forget(name)
		case a.Verb == specs.List || a.Verb == specs.Get:
			w.see(d, a, shown)
		case a.Verb != specs.Create && !isPut, len(a.Resource.Keys) == 0, isCounted:
		case isPut && len(d.path) == len(a.Resource.Path):
			w.add(name, d.path)
		default:
			key := w.keyIn(d, a, shown, answer.Header.Get("Location"))
			if key == nil || key == "" {
				return fmt.Errorf("the answer has no key at %s%s", a.At, a.Resource.Keys[0])
			}
			w.add(name, append(w.parentsIn(d, a, shown), textOf(key)))
		}
	}
	return nil
}

// parentsIn returns what names the parents of an entity: in the path of a request, or else in what the answer shows of
// it or the request says.
func (w *walk) parentsIn(d *draft, a *specs.Action, shown any) pathKeys {
	names := a.Resource.Path[:max(0, len(a.Resource.Path)-1)]
	parents := slices.Clone(d.path[:min(len(d.path), len(names))])
	for _, name := range names[len(parents):] {
		var value any
		if len(a.At) > 0 && a.At[0] != nil {
			value = a.At[0].Join(specs.Pointer{name}).FirstIn(shown)
		}
		if value == nil && a.Request != nil {
			value = a.Request.Join(specs.Pointer{name}).FirstIn(d.body)
		}
		if value == nil {
			break
		}
		parents = append(parents, textOf(value))
	}
	return parents
}

// keyIn returns the key of what a request has made.
func (w *walk) keyIn(d *draft, a *specs.Action, shown any, location string) any {
	switch at := a.Resource.Keys[0]; {
	case len(a.At) > 0:
		return a.At[0].Join(at).FirstIn(shown)
	case shown != nil: // an answer that is not documented
		return at.FirstIn(shown)
	case location != "":
		key, _ := url.PathUnescape(location[strings.LastIndexByte(location, '/')+1:])
		return key
	default:
		return a.Request.Join(at).FirstIn(d.body)
	}
}

// add notes an entity that was made. One request is kept for its deletion.
func (w *walk) add(resource string, one pathKeys) {
	if slices.ContainsFunc(w.made[resource], func(t pathKeys) bool { return slices.Equal(t, one) }) {
		return
	}
	w.made[resource] = append(w.made[resource], one)
	if w.isDeletable(resource) {
		w.kept++
	}
}

func (w *walk) isDeletable(resource string) bool {
	return slices.ContainsFunc(w.operations, func(o *specs.Operation) bool {
		return rankOf(o) == deletes && subject(o).Name == resource
	})
}

// forget notes that the entity which requests name was deleted.
func (w *walk) forget(resource string) {
	w.deleted[resource] = pathKeys{}
	if made := w.made[resource]; len(made) > 0 {
		w.deleted[resource], w.made[resource] = made[0], made[1:]
	}
}

// see notes the entities that a list shows.
func (w *walk) see(d *draft, a *specs.Action, shown any) {
	if len(a.At) == 0 || len(a.Resource.Keys) == 0 || len(w.seen[a.Resource.Name]) > 0 {
		return
	}
	if key := a.At[0].Join(a.Resource.Keys[0]).FirstIn(shown); key != nil && key != "" {
		w.seen[a.Resource.Name] = []pathKeys{append(w.parentsIn(d, a, shown), textOf(key))}
	}
}
