package facts

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/internal/address"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/memo"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/sight"
)

// Contradiction is something in an answer that its own request, or the rest of the answer, contradicts.
type Contradiction struct {
	Aspect, Message string
	Provenance      specs.Provenance
}

var plans memo.Map[*specs.Operation, *answerPlan]

// maxContradictions bounds how many of these are kept of an exchange.
const maxContradictions = 5

// answerPlan says what of the answers of an operation is held against their requests.
type answerPlan struct {
	named []string // parameters of the path that identify entities, by a name that only such an entity has
	page  *page    // nil if it lists nothing

	wholes []whole // that the path names, and that what the answer shows is of
	member string  // the parameter that names one of the entities that are listed; empty if none does

	settable []string // members that an update may set
}

// whole is an entity that a parameter of the path names, and that objects of an answer point to.
type whole struct {
	parameter, noun string
	at              specs.Pointer // in an object
}

// nameWholes notes which parameters of the path name what the objects of an answer point to, and which one of these.
func (p *answerPlan) nameWholes(op *specs.Operation, about *specs.Action) {
	for _, parameter := range op.Parameters {
		if parameter.Value.In != "path" || parameter.Value.Schema == nil {
			continue
		}
		noun, _ := parameter.Value.Schema.Value.Extensions["x-id-of"].(string)
		is := func(resource string) bool {
			_, name, _ := strings.Cut(resource, ".")
			return name == noun
		}
		for _, link := range slices.Concat(about.Resource.Parents, about.Resource.Refers) {
			if link.At != nil && is(link.Resource) {
				p.wholes = append(p.wholes, whole{parameter.Value.Name, noun, link.At})
			}
		}
		if about.Verb == specs.List && is(about.Resource.Name) {
			p.member = parameter.Value.Name
		}
	}
}

func planOf(op *specs.Operation) *answerPlan {
	return plans.Of(op, func() *answerPlan { return newAnswerPlan(op) })
}

func newAnswerPlan(op *specs.Operation) *answerPlan {
	plan := &answerPlan{page: pageOf(op), settable: settableBy(op)}
	for i, a := range op.Actions() {
		if i == 0 {
			plan.nameWholes(op, a)
		}
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
	return plan
}

// answerReader holds an answer against its request.
type answerReader struct {
	*objectReader
	r     *reading
	about *specs.Action
	body  jsontree.Value
}

// contradict notes a contradiction, unless there is one of the same aspect. What a user's own document does not say is
// only assumed.
func (o *objectReader) contradict(aspect string, sure specs.Provenance, format string, args ...any) {
	e := o.event
	if len(e.Contradictions) == maxContradictions ||
		slices.ContainsFunc(e.Contradictions, func(c Contradiction) bool { return c.Aspect == aspect }) {
		return
	}
	if o.isOwn && sure != specs.Documented {
		sure = specs.Assumed
	}
	e.Contradictions = append(e.Contradictions, Contradiction{aspect, fmt.Sprintf(format, args...), sure})
}

// contradictions looks for what an answer contradicts of its request and of itself.
func (o *objectReader) contradictions(actions []*specs.Action, r *reading) {
	plan := planOf(r.Operation())
	if len(plan.named)+len(plan.wholes) == 0 && plan.page == nil && o.keyed == nil && actions[0].Identity == nil {
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
	a.checkWholes(plan)
	if plan.page != nil {
		a.checkPage(plan.page)
	}
}

// checkEchoes looks whether an answer repeats what the path names: {"job_id": 8} is none to /job/kill/7. A request that
// changes an entity may give it a new name.
func (a *answerReader) checkEchoes(named []string) {
	for _, name := range named {
		asked := a.asked(name)
		isAsked := func(value string) bool { return isSameName(value, asked) }
		short := strings.Replace(name, "_name", "", 1) // table_name_1 is table1 there
		for _, member := range slices.Compact([]string{name, short, strings.ReplaceAll(short, "_", "")}) {
			shown := a.body.Get(member)
			// A user, whom the path names by the address, has a name as well.
			if (shown.IsString() || shown.IsNumber()) && !isAsked(shown.Text()) && !holds(a.body, isAsked) {
				a.checkSame(strings.ReplaceAll(strings.TrimSuffix(member, "_id"), "_", " "), asked, shown.Text())
			}
		}
	}
}

// checkSame looks whether an answer names the entity that the request names.
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
	if a.about.Identity != nil { // the path may name what comes of the change
		address, err := url.Parse(a.r.Item.Request.URL)
		if err != nil || slices.ContainsFunc(strings.Split(address.Path, "/"), is) {
			return true
		}
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
		form, err := address.Query(string(sent.Bytes))
		isBroken := strings.ContainsRune("{[", rune(sent.Bytes[0])) // JSON, of which the rest may have named it
		return err != nil || isBroken || inForm(form) || strings.Contains(string(sent.Bytes), text)
	}
	return false
}

// holds reports whether a scalar in a value is as wanted.
func holds(value jsontree.Value, is func(string) bool) (found bool) {
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

// checkNewName looks whether an entity that a request renames or moves is where the request wants it.
func (a *answerReader) checkNewName() {
	e := a.event
	if e.Verb != Changes || len(e.Shows) != 1 || e.Shows[0].Entity.Kind != e.Kind || !a.about.Resource.IsNamed() {
		return
	}
	for part := range strings.SplitSeq(e.Shows[0].Entity.ID, "/") {
		if judge.IsDistinct(part) && a.about.Identity != nil && !a.requestNames(part) {
			a.contradict("address", specs.Public, "a request for %s %s was answered with %[1]s %[3]s, which it does not name",
				a.about.Resource.Title, e.Target.ID, e.Shows[0].Entity.ID)
		}
	}
}

// keyedAnswer is the one named entity that an answer is.
type keyedAnswer struct {
	resource *specs.Resource
	object   jsontree.Value
}

// checkKeys looks whether the entity that an answer is has the key that the path or the query names.
func (a *answerReader) checkKeys(k *keyedAnswer) {
	asked := lastOf(a.event.Target.ID)
	var keys []string
	for _, at := range k.resource.Keys {
		if key := sight.Text(k.object, at); key != "" {
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

// listed holds what a list has shown so far.
type listed struct {
	first Entity // of these
	seen  map[Entity]bool
}

// listed returns what the list of a number has shown.
func (o *objectReader) listed(number int) *listed {
	if n := number - len(o.lists); n > 0 {
		o.lists = append(o.lists, make([]listed, n)...)
	}
	return &o.lists[number-1]
}

// add looks whether a list shows an entity again, or the id of one that it shows under another name.
func (l *listed) add(o *objectReader, r *specs.Resource, f *Shown) {
	if !judge.IsDistinct(lastOf(f.Entity.ID)) {
		return
	}
	if l.first.IsNone() && !r.IsNamed() {
		l.first = f.Entity
		return
	}
	if l.seen == nil {
		l.seen = map[Entity]bool{l.first: true}
	}
	if l.seen[f.Entity] {
		o.contradict("twice", specs.Public, "the list shows %s %s twice", r.Title, f.Entity.ID)
	}
	l.seen[f.Entity] = true
	if id := (Entity{ID: f.Ident}); r.IsNamed() && f.Ident != "" && judge.IsDistinct(f.Ident) {
		if l.seen[id] {
			o.contradict("twice", specs.Public, "the list shows the id %s of a %s twice", f.Ident, r.Title)
		}
		l.seen[id] = true
	}
}

// checkWholes looks for what belongs to something else than the path names.
func (a *answerReader) checkWholes(plan *answerPlan) {
	for _, w := range plan.wholes {
		asked := a.asked(w.parameter)
		for _, at := range a.about.At {
			for object := range sight.Values(a.body, at) {
				if shown := sight.Text(object, w.at); shown != "" {
					a.checkSame(w.noun, asked, shown)
				}
			}
		}
	}
	if plan.member != "" && a.event.Listed {
		a.checkMember(a.asked(plan.member))
	}
}

// asked returns the value that a request has for a parameter of the path.
func (a *answerReader) asked(name string) string {
	return a.names.ID([]string{name})
}

// checkMember looks whether a list that the path describes by one of its entities has that, and only what is set alike
// in it: the attempts of its session.
func (a *answerReader) checkMember(asked string) {
	var common []Held
	isThere := false
	for i := range a.event.Shows {
		f := &a.event.Shows[i]
		if f.Does != Lists || f.Entity.Kind != a.event.Kind {
			continue
		}
		isThere = isThere || isSameName(f.Entity.ID, asked) || !judge.IsDistinct(f.Entity.ID)
		if f.Object == nil {
			continue
		}
		for _, is := range f.Object.Once {
			j := slices.IndexFunc(common, func(h Held) bool { return h.Member == is.Member })
			if j < 0 {
				common = append(common, is)
			} else if !common[j].Equals(is) {
				a.contradict("siblings", specs.Public, "the list around %s %s shows two values of %s: %s and %s",
					a.about.Resource.Title, asked, is.Member, common[j].Value, is.Value)
			}
		}
	}
	if !isThere {
		a.contradict("member", specs.Client, "the list around %s %s lacks it", a.about.Resource.Title, asked)
	}
}
