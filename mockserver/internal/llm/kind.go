package llm

import (
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// kind describes one kind of resource with attributes A: what is not the same for all of them. A nil hook means that
// there is no special rule.
type kind[A any] struct {
	Type string // as in answers, agentSchedules; requests may spell it agent_schedules, too
	Noun string // one of them, for errors: agent schedule
	Rows func(*world.LLM) *table.Table[world.Resource[A]]

	// New gives a new resource what it has unless the client says otherwise.
	New func(c *op.Call, a *A)
	// Set may refuse a creation (before is nil) or a change, and sets the attributes that follow from others. Several
	// things that are wrong are joined into one error.
	Set func(c *op.Call, before, after *world.Resource[A]) error
	// Remove may refuse a deletion, and takes with the resource what cannot be without it.
	Remove func(c *op.Call, r world.Resource[A]) error
	// Filters tell, by the name in the brackets, which resources pass a filter's text.
	Filters map[string]filter[A]
	// Sees tells whether the caller may see a resource, which else is not there for them; nil: every user sees all.
	Sees func(c *op.Call, r world.Resource[A]) bool
	// View is the attributes as they are shown; nil: as they are, with the times.
	View func(c *op.Call, r world.Resource[A]) any
	// Related are the resources that a relation leads to, beside createdBy and updatedBy.
	Related func(w *world.World, r world.Resource[A], relation string) []identifier
	// Unlinked resources have no link to themselves.
	Unlinked bool
	// Links are those of a resource, given the one to itself; nil: only that one.
	Links func(self string) any
}

// sequence is where the ids of all kinds come from.
const sequence = "llm"

// paging is that of all collections (public).
var paging = resource.ByOffset{Offset: "page[offset]", Limit: "page[limit]", Default: 20, Max: 100}

// resource makes a kind of it that the generic rules carry.
func (k kind[A]) resource() *resource.Of[world.Resource[A]] {
	return &resource.Of[world.Resource[A]]{
		Noun: k.Noun, IDs: sequence, Key: "id", Page: paging.Window, Dialect: dialect,
		Rows:   func(w *world.World) *table.Table[world.Resource[A]] { return k.Rows(&w.LLM) },
		Lookup: func(w *world.World, uuid string) (int64, bool) { return w.LLM.UUIDs.Get(strings.ToLower(uuid)) },
		Bind:   k.bind, Guard: k.guard, Match: k.match, Sort: k.sort,
		View: func(c *op.Call, r world.Resource[A]) any { return k.item(c, r) },
	}
}

// request is the body of a creation or a change.
type request struct {
	Data *struct {
		ID         string                    `json:"id"`
		Attributes map[string]jsontext.Value `json:"attributes"`
	} `json:"data"`
}

// bind brings the attributes that were sent into a resource.
func (k kind[A]) bind(c *op.Call, id int64, r *world.Resource[A]) error {
	var body request
	if err := c.Decode(&body); err != nil {
		return err
	}
	isNew := r.ID == 0
	switch {
	case body.Data == nil:
		return missing("data")
	case !isNew && !strings.EqualFold(body.Data.ID, r.UUID):
		return wrong("data.id", reasonKey, "want the id of the path, %s, not %q", r.UUID, body.Data.ID)
	}
	if err := errors.Join(k.managed(*r), owned(c, body.Data.Attributes)); err != nil {
		return err
	}
	if isNew {
		*r = newResource[A](c, id)
		return k.fill(c, r, body.Data.Attributes)
	}
	before := *r
	r.UpdatedAt, r.UpdatedBy = c.Now, c.Caller.User.ID
	if err := merge(&r.Attributes, body.Data.Attributes); err != nil || k.Set == nil {
		return err
	}
	return k.Set(c, &before, r)
}

// fill gives a new resource its attributes: those that were sent, and those that follow.
func (k kind[A]) fill(c *op.Call, r *world.Resource[A], sent map[string]jsontext.Value) error {
	if k.New != nil {
		k.New(c, &r.Attributes)
	}
	if err := merge(&r.Attributes, sent); err != nil || k.Set == nil {
		return err
	}
	return k.Set(c, nil, r)
}

// newResource is a resource without attributes, known by its id on the wire.
func newResource[A any](c *op.Call, id int64) world.Resource[A] {
	return resourceOf[A](c, id, c.World.UUID(sequence, id))
}

// resourceOf is a resource without attributes that has an id on the wire.
func resourceOf[A any](c *op.Call, id int64, uuid string) world.Resource[A] {
	c.World.LLM.UUIDs.Put(uuid, id)
	return world.Resource[A]{
		ID: id, UUID: uuid, CreatedAt: c.Now, UpdatedAt: c.Now, CreatedBy: c.Caller.User.ID, UpdatedBy: c.Caller.User.ID,
	}
}

// merge replaces the attributes that were sent. It builds them anew, since what slices and pointers lead to is shared
// with other worlds.
func merge[A any](attributes *A, sent map[string]jsontext.Value) error {
	text, err := json.Marshal(*attributes)
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
	var merged A
	if err := op.Unmarshal(text, &merged); err != nil {
		return op.Invalid(attributesField, "%v", err)
	}
	*attributes = merged
	return nil
}

// deleting is a rule that deletes a resource.
func deleting(rule op.Rule) op.Rule {
	return func(c *op.Call) (op.Reply, error) {
		if c.Skip[SkipDeletion] {
			return op.None()
		}
		return rule(c)
	}
}

// guard is the deletion of a resource, which is then known by its id no more.
func (k kind[A]) guard(c *op.Call, before, after *world.Resource[A]) error {
	if after != nil {
		return nil // bind has refused what is to be refused
	}
	if err := k.managed(*before); err != nil {
		return err
	}
	if k.Remove != nil {
		if err := k.Remove(c, *before); err != nil {
			return err
		}
	}
	c.World.LLM.UUIDs.Delete(before.UUID)
	return nil
}

// seen is a rule about the resource in the path, which must be one that the caller sees.
func (k kind[A]) seen(rule op.Rule) op.Rule {
	return func(c *op.Call) (op.Reply, error) {
		r, ok := named(c.World, strings.ToLower(c.Param("id")), k.Rows(&c.World.LLM))
		if ok && !k.Sees(c, r) {
			return op.Reply{}, op.NotFound(k.Noun, "id", c.Param("id"))
		}
		return rule(c)
	}
}

// managed refuses to touch what the platform manages (assumed: only the platform does).
func (k kind[A]) managed(r world.Resource[A]) error {
	if fields(r.Attributes)["isManaged"] != true {
		return nil
	}
	return op.Forbidden("%s %s is managed by the platform, which alone changes and removes it", k.Noun, r.UUID)
}

// match reads all filters of a call, refuses those that the kind does not have, and leaves out what the caller does not
// see.
func (k kind[A]) match(c *op.Call) (func(world.Resource[A]) bool, error) {
	known := slices.Sorted(maps.Keys(k.Filters))
	if err := onlyFilters(c.Query, known); err != nil {
		return nil, err
	}
	var all []func(world.Resource[A]) bool
	if k.Sees != nil {
		all = append(all, func(r world.Resource[A]) bool { return k.Sees(c, r) })
	}
	for _, name := range known {
		parameter := filterParameter(name)
		if !c.Has(parameter) {
			continue
		}
		passes, err := k.Filters[name](c, c.Text(parameter))
		if err != nil {
			return nil, err
		}
		all = append(all, passes)
	}
	return func(r world.Resource[A]) bool {
		for _, passes := range all {
			if !passes(r) {
				return false
			}
		}
		return true
	}, nil
}

// item is a resource on the wire.
func (k kind[A]) item(c *op.Call, r world.Resource[A]) *item {
	i := &item{ID: r.UUID, Type: k.Type, Attributes: dated(r)}
	if k.View != nil {
		i.Attributes = k.View(c, r)
	}
	if self := c.Base + "/api/" + snake(k.Type) + "/" + url.PathEscape(r.UUID); k.Links != nil {
		i.Links = k.Links(self)
	} else if !k.Unlinked {
		i.Links = links{Self: self}
	}
	i.related = func(relation string) []identifier {
		switch relation {
		case "createdBy":
			return []identifier{userIdentifier(c.World, r.CreatedBy)}
		case "updatedBy":
			return []identifier{userIdentifier(c.World, r.UpdatedBy)}
		}
		if k.Related == nil {
			return nil
		}
		return k.Related(c.World, r, relation)
	}
	return i
}

// attributes are those of a kind with the times that all resources have.
type attributes[A any] struct {
	CreatedAt string `json:"createdAt,omitempty"`
	UpdatedAt string `json:"updatedAt,omitempty"`
	Own       A      `json:",embed"`
}

func dated[A any](r world.Resource[A]) attributes[A] {
	return attributes[A]{CreatedAt: millis(r.CreatedAt), UpdatedAt: millis(r.UpdatedAt), Own: r.Attributes}
}
