package jsonapi

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// KindOf describes the special behaviour of one kind of resource, with attributes A. Hooks may be nil. NewKind makes a
// Kind of it.
type KindOf[A any] struct {
	Type string                      // as in answers: agentSchedules; requests may spell it agent_schedules, too
	Noun string                      // the singular, for errors: agent schedule
	Rows func(*world.LLM) table.Rows // nil: those in the table of kinds

	// New sets the defaults of a new resource.
	New func(c *op.Call, a *A)
	// Set may refuse a creation (before is nil) or a change, and sets the attributes that follow from others. It joins
	// several faults into one error.
	Set func(c *op.Call, before, after *world.Resource[A]) error
	// Remove may refuse a deletion, and removes the resources that depend on the deleted one.
	Remove func(c *op.Call, r world.Resource[A]) error
	// Filters holds the filters of a list by the name in the brackets.
	Filters map[string]Filter[A]
	// Sees reports whether the caller may see a resource, which otherwise does not exist for the caller; nil: every user
	// sees all.
	Visible func(c *op.Call, r world.Resource[A]) bool
	// View returns the attributes in the shown form; nil: as they are, with the times.
	View func(c *op.Call, r world.Resource[A]) any
	// Related returns the targets of a relation other than createdBy and updatedBy.
	Related func(w *world.State, r world.Resource[A], relation string) []Identifier
	// Unlinked leaves out the link of a resource to itself.
	Unlinked bool
	// Links returns the links of a resource, given the one to itself; nil: only that one.
	Links func(self string) any
}

// Sequence is the sequence of the ids of all kinds.
const Sequence = "llm"

// paging is the paging of all collections (public).
var paging = resource.ByOffset{Offset: "page[offset]", Limit: "page[limit]", Default: 20, Max: 100}

// Kind serves one kind of resource. Its hooks take pointers to resources as any, so that the code that all kinds share
// is compiled once, and not for each type of attributes.
type Kind struct {
	*resource.Resource

	Type     string
	unlinked bool
	links    func(self string) any

	initial func(c *op.Call, row any)
	set     func(c *op.Call, before, after any) error
	remove  func(c *op.Call, row any) error
	filters map[string]func(c *op.Call, text string) (func(row any) bool, error)
	visible func(c *op.Call, row any) bool
	shown   func(c *op.Call, row any) any
	related func(w *world.State, row any, relation string) []Identifier
}

// NewKind returns a kind from its description, with the hooks of the generic list, get, create, update and delete.
func NewKind[A any](of KindOf[A]) *Kind {
	type resourceOf = world.Resource[A]
	k := &Kind{
		Type: of.Type, unlinked: of.Unlinked, links: of.Links,
		initial: func(*op.Call, any) {},
		set:     func(*op.Call, any, any) error { return nil },
		remove:  func(*op.Call, any) error { return nil },
		filters: map[string]func(*op.Call, string) (func(any) bool, error){},
		shown:   func(_ *op.Call, row any) any { return WithTimes(*row.(*resourceOf)) },
		related: func(*world.State, any, string) []Identifier { return nil },
	}
	if of.New != nil {
		k.initial = func(c *op.Call, row any) { of.New(c, &row.(*resourceOf).Attributes) }
	}
	if of.Set != nil {
		k.set = func(c *op.Call, before, after any) error {
			had, _ := before.(*resourceOf)
			return of.Set(c, had, after.(*resourceOf))
		}
	}
	if of.Remove != nil {
		k.remove = func(c *op.Call, row any) error { return of.Remove(c, *row.(*resourceOf)) }
	}
	if of.Visible != nil {
		k.visible = func(c *op.Call, row any) bool { return of.Visible(c, *row.(*resourceOf)) }
	}
	if of.View != nil {
		k.shown = func(c *op.Call, row any) any { return of.View(c, *row.(*resourceOf)) }
	}
	if of.Related != nil {
		k.related = func(w *world.State, row any, relation string) []Identifier {
			return of.Related(w, *row.(*resourceOf), relation)
		}
	}
	for name, filter := range of.Filters {
		k.filters[name] = func(c *op.Call, text string) (func(any) bool, error) {
			passes, err := filter(c, text)
			return func(row any) bool { return passes(*row.(*resourceOf)) }, err
		}
	}
	if of.Rows == nil {
		of.Rows = rowsOf(of.Type)
	}
	k.Resource = &resource.Resource{
		Noun: of.Noun, IDs: Sequence, Key: "id", Page: paging.PageOf, Dialect: dialect,
		Rows:   func(w *world.State) table.Rows { return of.Rows(&w.LLM) },
		Lookup: func(w *world.State, uuid string) (int64, bool) { return w.LLM.UUIDs.Get(strings.ToLower(uuid)) },
		Bind:   k.bind, Guard: k.guard, Match: k.MatchFilters, Sort: k.sort,
		View: func(c *op.Call, row any) any { return k.Item(c, row) },
	}
	return k
}

// request is the body of a creation or a change.
type request struct {
	Data *struct {
		ID         string                    `json:"id"`
		Attributes map[string]jsontext.Value `json:"attributes"`
	} `json:"data"`
}

// rowsOf returns the accessor of the rows of a kind, by the table of kinds.
func rowsOf(name string) func(*world.LLM) table.Rows {
	for _, k := range world.LLMKinds() {
		if k.Type == name {
			return k.Rows
		}
	}
	panic("world.LLMKinds has no entry for " + name)
}

// bind sets the attributes of a resource from the body.
func (k *Kind) bind(c *op.Call, id int64, row any) error {
	var body request
	if err := c.Decode(&body); err != nil {
		return err
	}
	head, attributes := world.Parts(row)
	isNew := head.ID == 0
	switch {
	case body.Data == nil:
		return BadRequest("data", reasonMissing, "is missing")
	case !isNew && !strings.EqualFold(body.Data.ID, head.UUID):
		return BadRequest("data.id", reasonKey, "want the id in the path, %s, not %q", head.UUID, body.Data.ID)
	}
	if err := errors.Join(k.refuseManaged(row), rejectReadOnly(c, body.Data.Attributes)); err != nil {
		return err
	}
	if isNew {
		*head = NewHead(c, id, NewUUID(c.World, id))
		return k.Fill(c, row, body.Data.Attributes)
	}
	before := resource.Copy(row)
	head.UpdatedAt, head.UpdatedBy = c.Now, c.Caller.User.ID
	if err := merge(attributes, body.Data.Attributes); err != nil {
		return err
	}
	return k.set(c, before, row)
}

// Fill sets the attributes of a new resource: the defaults, those that were sent, and those that follow from others.
func (k *Kind) Fill(c *op.Call, row any, sent map[string]jsontext.Value) error {
	k.initial(c, row)
	_, attributes := world.Parts(row)
	if err := merge(attributes, sent); err != nil {
		return err
	}
	return k.set(c, nil, row)
}

// NewResource returns a resource without attributes, and registers its id on the wire.
func NewResource[A any](c *op.Call, id int64) world.Resource[A] {
	return world.Resource[A]{Head: NewHead(c, id, NewUUID(c.World, id))}
}

// NewUUID returns the id on the wire for a resource that is made. It is never one that a fixture has given another.
func NewUUID(w *world.State, id int64) string {
	uuid := w.UUID(Sequence, id)
	for n := 1; ; n++ {
		if _, taken := w.LLM.UUIDs.Get(uuid); !taken {
			return uuid
		}
		uuid = w.UUID(Sequence+"/"+strconv.Itoa(n), id)
	}
}

// Own sets attributes of a resource that only the server sets.
func (k *Kind) Own(row any, attributes map[string]jsontext.Value) error {
	_, own := world.Parts(row)
	return merge(own, attributes)
}

// NewHead returns the head of a new resource, and registers its id on the wire.
func NewHead(c *op.Call, id int64, uuid string) world.Head {
	c.World.LLM.UUIDs.Put(uuid, id)
	return world.Head{
		ID: id, UUID: uuid, CreatedAt: c.Now, UpdatedAt: c.Now, CreatedBy: c.Caller.User.ID,
		UpdatedBy: c.Caller.User.ID,
	}
}

// merge replaces the attributes that were sent. It builds them anew, since other worlds share the targets of slices and
// pointers.
func merge(attributes any, sent map[string]jsontext.Value) error {
	text, err := json.Marshal(attributes)
	if err != nil {
		return err
	}
	all := map[string]jsontext.Value{}
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	maps.Copy(all, sent)
	if text, err = json.Marshal(all); err != nil {
		return err
	}
	merged := reflect.New(reflect.TypeOf(attributes).Elem())
	if err := op.Unmarshal(text, merged.Interface()); err != nil {
		return op.Invalid(AttributesField, "%v", err)
	}
	reflect.ValueOf(attributes).Elem().Set(merged.Elem())
	return nil
}

// guard prepares the deletion of a resource: it refuses it, or removes the dependent resources and unregisters the id.
func (k *Kind) guard(c *op.Call, before, after any) error {
	if after != nil {
		return nil // bind has made all refusals
	}
	if err := k.refuseManaged(before); err != nil {
		return err
	}
	if err := k.remove(c, before); err != nil {
		return err
	}
	head, _ := world.Parts(before)
	c.World.LLM.UUIDs.Delete(head.UUID)
	return nil
}

// VisibleOnly returns a handler for the resource of the path that answers 404 if the caller may not see the resource.
func (k *Kind) VisibleOnly(rule op.Handler) op.Handler {
	if k.visible == nil {
		return rule
	}
	return func(c *op.Call) (op.Reply, error) {
		if _, row, err := k.Find(c); err == nil && !k.visible(c, row) {
			return op.Reply{}, op.NotFound(k.Noun, "id", c.Param("id"))
		}
		return rule(c)
	}
}

// refuseManaged refuses a change of a resource that the platform manages (assumed: only the platform changes it).
func (k *Kind) refuseManaged(row any) error {
	head, attributes := world.Parts(row)
	if WireFields(attributes)["isManaged"] != true {
		return nil
	}
	return op.Forbidden("%s %s is managed by the platform and cannot be changed or removed", k.Noun, head.UUID)
}

// Verb is one of the five generic operations.
type Verb string

// The five generic operations.
const (
	List   Verb = "GET /api/{kind}"
	Create Verb = "POST /api/{kind}"
	Get    Verb = "GET /api/{kind}/{id}"
	Update Verb = "PATCH /api/{kind}/{id}"
	Remove Verb = "DELETE /api/{kind}/{id}"
)

// Routes returns the routes of a kind for the given generic operations, those that the document has.
func (r Relations) Routes(k *Kind, verbs ...Verb) []op.Route {
	path, routes := Snake(k.Type), make([]op.Route, len(verbs))
	for i, v := range verbs {
		routes[i] = op.Route{Path: strings.Replace(string(v), "{kind}", path, 1), Handle: r.handler(k, v)}
	}
	return routes
}

func (r Relations) handler(k *Kind, v Verb) op.Handler {
	switch v {
	case List:
		return r.Including(k.List)
	case Create:
		return k.Create
	case Update:
		return k.Update
	case Remove:
		return k.Delete
	case Get:
		return r.Including(k.VisibleOnly(k.Get))
	}
	panic("no such verb: " + v)
}

// readOnlyReason is the message for an attribute that clients cannot send.
const readOnlyReason = "is set by the server"

// rejectReadOnly refuses attributes that the document does not let clients write (public).
func rejectReadOnly(c *op.Call, sent map[string]jsontext.Value) error {
	var errs []error
	known := attributesOf(c.Operation)
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		switch schema := known[name]; {
		case schema == nil:
			errs = append(errs, BadRequest(AttributesField+"."+name, reasonReadOnly,
				"is not an attribute of this kind of resource"))
		case schema.Value.ReadOnly:
			errs = append(errs, BadRequest(AttributesField+"."+name, reasonReadOnly, readOnlyReason))
		}
	}
	return errors.Join(errs...)
}

// attributesOf returns the attributes that the document allows in a request of an operation.
func attributesOf(o *specs.Operation) openapi3.Schemas {
	return specs.Members(specs.SchemaAt(&openapi3.SchemaRef{Value: o.JSONBody()}, specs.Pointer{"data", "attributes"}))
}

// readOnlyErrors replaces every error on an attribute that the server sets by one that only states this: clients cannot
// send the attribute, whatever its value.
func readOnlyErrors(o *specs.Operation, list op.Errors) op.Errors {
	changed := slices.Clone(list)
	for i, e := range list {
		name, inside := strings.CutPrefix(e.Field, AttributesField+".")
		name, _, _ = strings.Cut(name, ".") // a part of an attribute counts as the attribute
		if !inside || e.Code != op.CodeInvalid {
			continue
		}
		if schema := attributesOf(o)[name]; schema != nil && schema.Value.ReadOnly {
			changed[i] = &op.Error{Code: e.Code, Field: e.Field, Reason: reasonReadOnly, Message: readOnlyReason}
		}
	}
	return changed
}
