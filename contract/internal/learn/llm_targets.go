package learn

import (
	"slices"

	"github.com/tidwall/gjson"
)

const toolTargetKind = "llm.tool-target"

// toolTargets lists the things that answers show as targets of tools, by the kinds that their types stand for.
func (b *llmBuilder) toolTargets() (list []wanted) {
	for _, t := range b.things.of(toolTargetKind) {
		o := t.first()
		kind := b.kindOfTarget(o.Get("type").String())
		if shown := b.things.find(kind, t.id); kind == "" || shown != nil && !shown.wasThere() {
			continue
		}
		attributes := o.Get("attributes")
		list = append(list, wanted{
			kind: kind, id: t.id, project: attributes.Get("projectId").String(), name: attributes.Get("name").String(),
			shown: attributes,
		})
	}
	return list
}

// kindOfTarget returns the kind of things that a type of tool targets stands for, or nothing.
func (b *llmBuilder) kindOfTarget(name string) string {
	for _, d := range b.Documents {
		if r := d.ResourceOfType(name); r != nil && r.Name == toolTargetKind {
			for _, link := range r.Parents {
				if link.Type == name {
					return link.Resource
				}
			}
		}
	}
	return ""
}

// addTimes adds what a tool target shows of a thing beside its name.
func addTimes(m *mapping, shown gjson.Result) {
	created, updated := timeOf(shown.Get("createdAt")), timeOf(shown.Get("updatedAt"))
	m.set("createdAt", created)
	if updated != created {
		m.set("updatedAt", updated)
	}
}

// addShown adds the attributes that a tool target shows, and returns those that only the server sets.
func (b *llmBuilder) addShown(n wanted, attributes *mapping) *mapping {
	server, known := newMapping(), b.shapeOf(n.kind)
	n.shown.ForEach(func(name, value gjson.Result) bool {
		property := known[name.Str]
		switch {
		case property == nil, slices.Contains(times, name.Str), value.Type == gjson.Null:
		case property.ReadOnly:
			server.add(name.Str, jsonNode(value), "")
		default:
			attributes.drop(name.Str)
			attributes.add(name.Str, writable(property, value), "")
		}
		return true
	})
	return server
}

// earlier returns what a tool target shows of a thing before any answer shows the thing itself, or nothing.
func (b *llmBuilder) earlier(t *thing) gjson.Result {
	target := b.things.find(toolTargetKind, t.id)
	if target == nil || len(target.sights) == 0 || target.sights[0].N >= t.sights[0].N {
		return gjson.Result{}
	}
	return target.first().Get("attributes")
}
