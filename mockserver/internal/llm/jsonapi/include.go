package jsonapi

import (
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/specs"
)

// Relations holds what relations may lead to.
type Relations struct {
	Kinds  []*Kind
	Others map[string]func(c *op.Call, uuid string) *Item // by type, what is no kind of its own
}

// find returns what a relation leads to, or nil if it is not there.
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

// Including answers with what a handler answers, and the resources that the call wants included. include names
// relations, separated by commas; a dot leads from a relation to one of its own.
func (r Relations) Including(rule op.Handler) op.Handler {
	return func(c *op.Call) (op.Reply, error) {
		reply, err := rule(c)
		if err != nil || !c.Has("include") || !takes(c.Operation, "include") {
			return reply, err
		}
		x := &inclusion{relations: r, call: c, there: map[Identifier]*Item{}}
		switch body := reply.Body.(type) {
		case *document:
			err = x.all([]*Item{body.Data})
			body.Included = x.included
		case *collection:
			err = x.all(body.Data)
			body.Included = x.included
		}
		return reply, err
	}
}

// takes reports whether the document gives a parameter to an operation. Others are ignored.
func takes(o *specs.Operation, parameter string) bool {
	return slices.ContainsFunc(o.Parameters, func(p *openapi3.ParameterRef) bool { return p.Value.Name == parameter })
}

// inclusion gathers what is included, each resource once.
type inclusion struct {
	relations Relations
	call      *op.Call
	there     map[Identifier]*Item
	included  []*Item
}

func (x *inclusion) all(items []*Item) error {
	for path := range strings.SplitSeq(x.call.Text("include"), ",") {
		for _, one := range items {
			if err := x.follow(one, strings.TrimSpace(path)); err != nil {
				return err
			}
		}
	}
	return nil
}

// follow includes what a path of relations leads to from a resource.
func (x *inclusion) follow(from *Item, path string) error {
	relation, rest, deeper := strings.Cut(path, ".")
	targets, many := x.targets(from, relation)
	if from.Relationships == nil {
		from.Relationships = map[string]relationship{}
	}
	switch {
	case many:
		from.Relationships[relation] = relationship{targets}
	case len(targets) == 1:
		from.Relationships[relation] = relationship{targets[0]}
	}
	for _, target := range targets {
		one := x.include(target)
		if one == nil || !deeper {
			continue
		}
		if err := x.follow(one, rest); err != nil {
			return err
		}
	}
	return nil
}

// targets are what a relation leads to, and whether it may lead to many.
func (x *inclusion) targets(from *Item, relation string) ([]Identifier, bool) {
	many := strings.HasSuffix(relation, "Interfaces")
	targets := []Identifier{}
	if from.related != nil {
		targets = append(targets, from.related(relation)...)
	}
	return targets, many
}

func (x *inclusion) include(target Identifier) *Item {
	if one, ok := x.there[target]; ok {
		return one
	}
	one := x.relations.find(x.call, target)
	if one != nil {
		x.there[target] = one
		x.included = append(x.included, one)
	}
	return one
}
