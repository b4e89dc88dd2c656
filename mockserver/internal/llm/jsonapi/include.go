package jsonapi

import (
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// Relations holds the possible targets of relations.
type Relations struct {
	Kinds  []*Kind
	Others map[string]func(c *op.Call, uuid string) *Item // by type, the targets that have no Kind
}

// find returns the target of a relation, or nil if it does not exist.
func (r Relations) find(c *op.Call, target Identifier) *Item {
	if find := r.Others[target.Type]; find != nil {
		return find(c, target.ID)
	}
	id, _ := c.World.LLM.UUIDs.Get(target.ID)
	for _, k := range r.Kinds {
		if k.Type != target.Type {
			continue
		}
		if row := k.Rows(c.World).Get(id); row != nil {
			return k.Item(c, row)
		}
	}
	return nil
}

// Including returns a handler that adds to a handler's answer the resources that the call includes. The parameter
// include names relations, separated by commas; a dot leads from a relation to one of its target's.
func (r Relations) Including(rule op.Handler) op.Handler {
	return func(c *op.Call) (op.Reply, error) {
		reply, err := rule(c)
		if err != nil || !c.Has("include") || !hasParameter(c.Operation, "include") {
			return reply, err
		}
		x := &inclusion{relations: r, call: c, present: map[Identifier]*Item{}}
		switch body := reply.Body.(type) {
		case *document:
			body.Included = x.all([]*Item{body.Data})
		case *collection:
			body.Included = x.all(body.Data)
		}
		return reply, nil
	}
}

// hasParameter reports whether the document gives a parameter to an operation. Other parameters are ignored.
func hasParameter(o *specs.Operation, parameter string) bool {
	return slices.ContainsFunc(o.Parameters, func(p *openapi3.ParameterRef) bool { return p.Value.Name == parameter })
}

// inclusion collects the included resources, each once.
type inclusion struct {
	relations Relations
	call      *op.Call
	present   map[Identifier]*Item
	included  []*Item
}

func (x *inclusion) all(items []*Item) []*Item {
	for path := range strings.SplitSeq(x.call.Text("include"), ",") {
		for _, one := range items {
			x.includePath(one, strings.TrimSpace(path))
		}
	}
	return x.included
}

// includePath includes the targets of a path of relations from a resource.
func (x *inclusion) includePath(from *Item, path string) {
	relation, rest, deeper := strings.Cut(path, ".")
	targets := []Identifier{}
	if from.related != nil {
		targets = append(targets, from.related(relation)...)
	}
	if from.Relationships == nil {
		from.Relationships = map[string]relationship{}
	}
	switch {
	case strings.HasSuffix(relation, "Interfaces"): // there may be several
		from.Relationships[relation] = relationship{targets}
	case len(targets) == 1:
		from.Relationships[relation] = relationship{targets[0]}
	}
	for _, target := range targets {
		if one := x.include(target); one != nil && deeper {
			x.includePath(one, rest)
		}
	}
}

func (x *inclusion) include(target Identifier) *Item {
	if one, ok := x.present[target]; ok {
		return one
	}
	one := x.relations.find(x.call, target)
	if one != nil {
		x.present[target] = one
		x.included = append(x.included, one)
	}
	return one
}

// UserType is the type of users in relations. They have ids of their own there (public).
const UserType = "users"

// UserUUID returns the id of a user in relations.
func UserUUID(w *world.State, id int64) string {
	if user, _ := w.Account.Users.Get(id); user.LLMID != "" {
		return user.LLMID
	}
	return w.UUID("llm.user", id)
}

func userIdentifier(w *world.State, id int64) Identifier {
	return Identifier{UserType, UserUUID(w, id)}
}

// UserItem returns a user in the form in which it is included, without a link (public), or nil if the user is unknown.
func UserItem(w *world.State, uuid string) *Item {
	for id, user := range table.All(&w.Account.Users) {
		if UserUUID(w, id) == uuid {
			return &Item{
				ID: uuid, Type: UserType,
				Attributes: map[string]string{"name": user.Name, "email": user.Email},
			}
		}
	}
	return nil
}
