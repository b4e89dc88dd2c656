package facts

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/internal/scan"
	"svc.example/understudy/specs"
)

// Contradiction is something in an answer that its own request, or the rest of the answer, contradicts.
type Contradiction struct {
	Aspect, Message string
	Provenance      specs.Provenance
}

var plans answerPlans

// maxContradictions bounds how many of these are kept of an exchange.
const maxContradictions = 5

// answerPlan says what of the answers of an operation is held against their requests.
type answerPlan struct {
	named []string // parameters of the path that identify things, by a name that only such a thing has
	page  *page    // nil if it lists nothing

	wholes []whole // that the path names, and of which the items of a list are parts

	settable []string // members that an update may set
}

// whole is a thing that a parameter of the path names, and that items of a list point to.
type whole struct {
	parameter, noun string
	at              specs.Pointer // in an item
}

// wholesOf lists the things that the path names and that the items of a list point to.
func wholesOf(op *specs.Operation) (list []whole) {
	actions := op.Actions()
	if len(actions) == 0 || actions[0].Verb != specs.List {
		return nil
	}
	for _, p := range op.Parameters {
		if p.Value.In != "path" || p.Value.Schema == nil {
			continue
		}
		noun, _ := p.Value.Schema.Value.Extensions["x-id-of"].(string)
		r := actions[0].Resource
		for _, link := range slices.Concat(r.Parents, r.Refers) {
			if _, name, _ := strings.Cut(link.Resource, "."); link.At != nil && name == noun {
				list = append(list, whole{p.Value.Name, noun, link.At})
			}
		}
		if noun == "session" {
			list = append(list, whole{p.Value.Name, noun, specs.Pointer{"sessionId"}})
		}
	}
	return list
}

// answerPlans holds the plans of the operations that were seen.
type answerPlans struct{ byOperation sync.Map }

func (p *answerPlans) of(op *specs.Operation) *answerPlan {
	if plan, known := p.byOperation.Load(op); known {
		return plan.(*answerPlan)
	}
	plan := &answerPlan{page: pageOf(op), wholes: wholesOf(op), settable: settableBy(op)}
	for i, a := range op.Actions() {
		if i > 0 && a.Resource == op.Actions()[0].Resource && len(a.At) > 0 { // the answer is about another one
			plan.named = nil
			break
		}
		for _, name := range slices.Concat(a.Path, a.Within) {
			if name != "id" && !slices.Contains(plan.named, name) {
				plan.named = append(plan.named, name)
			}
		}
	}
	if len(op.Actions()) > 0 && op.Actions()[0].Verb == "find" { // by what is not its id
		for _, p := range op.Parameters {
			if p.Value.In == "path" && p.Value.Name != "id" {
				plan.named = append(plan.named, p.Value.Name)
			}
		}
	}
	p.byOperation.Store(op, plan)
	return plan
}

// answerReader holds an answer against its request.
type answerReader struct {
	*objectReader
	r     *reading
	about *specs.Action
	body  scan.Value
}

// contradict notes a contradiction, unless there is one of the same aspect. What a user's own document does not say is
// only assumed.
func (a *answerReader) contradict(aspect string, sure specs.Provenance, format string, args ...any) {
	e := a.event
	if len(e.Contradictions) == maxContradictions ||
		slices.ContainsFunc(e.Contradictions, func(c Contradiction) bool { return c.Aspect == aspect }) {
		return
	}
	if a.document.Interface.IsOwn() && sure != specs.Documented {
		sure = specs.Assumed
	}
	e.Contradictions = append(e.Contradictions, Contradiction{aspect, fmt.Sprintf(format, args...), sure})
}

// contradictions looks for what an answer contradicts of its request and of itself.
func (o *objectReader) contradictions(actions []*specs.Action, r *reading) {
	plan := plans.of(r.Operation())
	isList := o.event.Verb == Lists
	if len(plan.named) == 0 && plan.page == nil && !isList && o.keyed == nil && actions[0].Identity == nil {
		return
	}
	body, ok := r.answerBody()
	if !ok {
		return
	}
	a := &answerReader{o, r, actions[0], body}
	a.checkEchoes(plan.named)
	a.checkNewName()
	switch {
	case o.keyed != nil:
		a.checkKeys(o.keyed)
	case o.event.Verb == Deletes && !o.event.Target.IsNone() && o.event.Answered == "":
		a.checkKeys(&keyedAnswer{a.about.Resource, body})
	}
	if isList {
		a.checkRepeated()
		a.checkWhole(plan)
	}
	if plan.page != nil {
		a.checkPage(plan.page)
	}
}

// checkEchoes looks whether an answer repeats what the path names: {"job_id": 8} is none to /job/kill/7. A request that
// changes a thing may give it a new name.
func (a *answerReader) checkEchoes(named []string) {
	for _, name := range named {
		asked := cmp.Or(a.match.Param(name), a.match.Declared(name))
		isAsked := func(value string) bool { return isSameName(value, asked) }
		for _, member := range []string{name, strings.TrimSuffix(name, "_name")} {
			shown := a.body.Get(member)
			// A user, whom the path names by the address, has a name as well.
			if (shown.IsString() || shown.IsNumber()) && !isAsked(shown.Text()) && !holds(a.body, isAsked) {
				a.checkSame(strings.ReplaceAll(strings.TrimSuffix(member, "_id"), "_", " "), asked, shown.Text())
			}
		}
	}
}

// checkSame looks whether an answer names the thing that the request names.
func (a *answerReader) checkSame(noun, asked, shown string) {
	if asked == "" || isSameName(asked, shown) || !judge.IsDistinct(shown) || !judge.IsDistinct(asked) ||
		!isOfSameForm(asked, shown) ||
		a.event.Verb == NoVerb || a.event.Verb == Changes && a.requestNames(shown) {
		return
	}
	a.contradict("address", specs.Public, "a request for %s %s was answered with %[1]s %[3]s", noun, asked, shown)
}

func isSameName(a, b string) bool {
	return strings.EqualFold(a, b) || isDigits(a) && isDigits(b) && strings.TrimLeft(a, "0") == strings.TrimLeft(b, "0")
}

func isDigits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// isOfSameForm reports whether two texts may be identities of the same form: an answer to /users/me shows the id
// that me stands for.
func isOfSameForm(a, b string) bool {
	hasDigit := func(text string) bool { return strings.ContainsAny(text, "0123456789") }
	return isDigits(a) == isDigits(b) && (hasDigit(a) == hasDigit(b) || len(a) == len(b)) || strings.ContainsAny(a, "_-")
}

// requestNames reports whether the path, the query or the body of a request holds a text.
func (a *answerReader) requestNames(text string) bool {
	is := func(value string) bool { return isSameName(value, text) }
	address, err := url.Parse(a.r.Item.Request.URL)
	if err != nil || slices.ContainsFunc(strings.Split(address.Path, "/"), is) {
		return true
	}
	inForm := func(form url.Values) bool {
		for _, values := range form {
			if slices.ContainsFunc(values, is) {
				return true
			}
		}
		return false
	}
	if inForm(a.r.query()) {
		return true
	}
	if body, isJSON := a.r.requestBody(); isJSON {
		return holds(body, is)
	}
	if sent := a.r.Item.Request.Body; sent != nil && len(sent.Bytes) > 0 {
		form, err := url.ParseQuery(string(sent.Bytes))
		isBroken := strings.ContainsRune("{[", rune(sent.Bytes[0])) // JSON, of which the rest may have named it
		return err != nil || isBroken || inForm(form) || strings.Contains(string(sent.Bytes), text)
	}
	return false
}

// holds reports whether a scalar in a value is as wanted.
func holds(value scan.Value, is func(string) bool) (found bool) {
	if !value.IsObject() && !value.IsArray() {
		return is(value.Text())
	}
	for member := range value.Each {
		if found = holds(member, is); found {
			return true
		}
	}
	return false
}

// checkNewName looks whether a thing that a request renames or moves is where the request wants it.
func (a *answerReader) checkNewName() {
	e := a.event
	if e.Verb != Changes || len(e.Shows) != 1 || e.Shows[0].Thing.Kind != e.Kind || !a.about.Resource.IsNamed() {
		return
	}
	for part := range strings.SplitSeq(e.Shows[0].Thing.ID, "/") {
		if judge.IsDistinct(part) && a.about.Identity != nil && !a.requestNames(part) {
			a.contradict("address", specs.Public, "a request for %s %s was answered with %[1]s %[3]s, which it does not name",
				a.about.Resource.Title, e.Target.ID, e.Shows[0].Thing.ID)
		}
	}
}

// keyedAnswer is the one named thing that an answer is.
type keyedAnswer struct {
	resource *specs.Resource
	object   scan.Value
}

// checkKeys looks whether the thing that an answer is has the key that the path or the query names.
func (a *answerReader) checkKeys(k *keyedAnswer) {
	asked := lastOf(a.event.Target.ID)
	var keys []string
	for _, at := range k.resource.Keys {
		if key := first(k.object, at); key != "" {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 || slices.ContainsFunc(keys, func(key string) bool { return isSameName(key, asked) }) {
		return
	}
	a.checkSame(k.resource.Title, asked, keys[0])
}

// lastOf returns the last part of an identity.
func lastOf(id string) string { return id[strings.LastIndexByte(id, '/')+1:] }

// checkRepeated looks for a thing that a list shows twice.
func (a *answerReader) checkRepeated() {
	if len(a.event.Shows) < 2 {
		return
	}
	seen := make(map[string]bool, len(a.event.Shows))
	var idents map[string]bool
	if a.about.Resource.IsNamed() {
		idents = make(map[string]bool, len(a.event.Shows))
	}
	for i := range a.event.Shows {
		f := &a.event.Shows[i]
		if f.Does != Lists || f.Thing.Kind != a.event.Kind {
			continue
		}
		if seen[f.Thing.ID] && judge.IsDistinct(lastOf(f.Thing.ID)) {
			a.contradict("twice", specs.Public, "the list shows %s %s twice", a.about.Resource.Title, f.Thing.ID)
		}
		seen[f.Thing.ID] = true
		if idents != nil && f.Ident != "" && judge.IsDistinct(f.Ident) {
			if idents[f.Ident] {
				a.contradict("twice", specs.Public, "the list shows the id %s of a %s twice", f.Ident, a.about.Resource.Title)
			}
			idents[f.Ident] = true
		}
	}
}

// checkWhole looks for items of a list that belong to something else than the path names.
func (a *answerReader) checkWhole(plan *answerPlan) {
	if plan.page == nil || plan.page.at == nil {
		return
	}
	for _, w := range plan.wholes {
		asked := cmp.Or(a.match.Param(w.parameter), a.match.Declared(w.parameter))
		each(a.body, plan.page.at, func(list scan.Value) {
			for item := range list.List {
				if shown := first(item, w.at); shown != "" {
					a.checkSame(w.noun, asked, shown)
				}
			}
		})
	}
}
