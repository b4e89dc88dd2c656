package learn

import (
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/tidwall/gjson"
	"go.yaml.in/yaml/v4"
)

// collections are the collections of a scenario, by kind, in the order in which things refer to each other.
var collections = [][2]string{
	{"llm.project", "projects"},
	{"llm.text-resource", "textResources"},
	{"llm.workflow-executor", "workflowExecutors"},
	{"llm.knowledge-base", "knowledgeBases"},
	{"llm.text-knowledge-base", "textKnowledgeBases"},
	{"llm.datastore-query-tool", "datastoreQueryTools"},
	{"llm.image-generator", "imageGenerators"},
	{"llm.presentation-artifact-tool", "presentationArtifactTools"},
	{"llm.web-search-tool", "webSearchTools"},
	{"llm.agent", "agents"},
	{"llm.prompt", "prompts"},
	{"llm.integration", "integrations"},
	{"llm.action", "actions"},
	{"llm.chat-interface", "chatInterfaces"},
	{"llm.form-interface", "formInterfaces"},
	{"llm.agent-schedule", "agentSchedules"},
	{chatKind, "chats"},
	{"llm.chat-attachment", "chatAttachments"},
	{"llm.artifact", "artifacts"},
}

const chatKind = "llm.chat"

// llm returns the section of the LLM interface.
func (l *learner) llm() *mapping {
	if l.llmSection == nil {
		l.llmSection = l.makeLLM()
	}
	return l.llmSection
}

func (l *learner) makeLLM() *mapping {
	b := &llmBuilder{
		learner: l, shapes: map[string]shape{}, users: l.llmUsers(), made: map[string]*sequence{}, known: map[string]bool{},
	}
	for _, c := range collections {
		b.made[c[0]] = newSequence()
	}
	for _, c := range collections {
		for _, t := range l.things.of(c[0]) {
			if t.first().Exists() {
				b.add(t)
			}
		}
	}
	turns := b.turns()
	b.addUnseen()
	m := newMapping()
	for _, c := range collections {
		m.set(c[1], b.made[c[0]])
	}
	m.set("turns", turns)
	return m
}

// llmBuilder builds the section of the LLM interface.
type llmBuilder struct {
	*learner
	shapes  map[string]shape     // by kind
	users   map[string]string    // from the id that the interface has for a user to the name for references
	made    map[string]*sequence // by kind
	known   map[string]bool      // ids of what is made, with their kind
	needs   []wanted             // things that must be there
	guessed []wanted             // things of which no more is known
}

const artifactKind = "llm.artifact"

// add adds a thing as its first answer shows it.
func (b *llmBuilder) add(t *thing) {
	o := t.first()
	m := newMapping()
	m.set("id", t.id)
	m.set("user", b.users[o.Get("relationships.createdBy.data.id").String()])
	m.set("createdAt", timeOf(o.Get("attributes.createdAt")))
	if at := o.Get("attributes.updatedAt"); at.String() != o.Get("attributes.createdAt").String() && len(t.changed) == 0 {
		m.set("updatedAt", timeOf(at))
		m.set("updatedBy", b.users[o.Get("relationships.updatedBy.data.id").String()])
	}
	b.addAttributes(m, t, o.Get("attributes"))
	if t.kind == chatKind {
		m.set("history", b.chatHistory(t))
	}
	b.made[t.kind].add(m)
	b.known[nameOf(t.kind, t.id)] = true
}

// addAttributes adds the attributes: those that clients set, and those that only the server sets.
func (b *llmBuilder) addAttributes(m *mapping, t *thing, o gjson.Result) {
	known := b.shapeOf(t.kind)
	attributes, server := newMapping(), newMapping()
	before := b.earlier(t)
	o.ForEach(func(name, value gjson.Result) bool {
		property := known[name.Str]
		if shown := before.Get(gjson.Escape(name.Str)); shown.Exists() {
			value = shown
		}
		switch {
		case slices.Contains(times, name.Str), value.Type == gjson.Null,
			isRedacted(value.String()) && property != nil && property.ReadOnly,
			t.kind == chatKind && b.isFollowed(t, name.Str):
			return true
		case property == nil:
			b.notes = append(b.notes, "attribute "+name.Str+" of "+nounOf(t.kind)+" "+t.id+": its document has none")
			return true
		}
		into, node := attributes, jsonNode(value)
		if property.ReadOnly {
			into = server
		} else {
			node = writable(property, value)
		}
		reason := ""
		if slices.Contains(t.sights[0].changed, name.Str) {
			reason = "it was set before an answer showed it"
		}
		b.note(name.Str, value, o)
		into.add(name.Str, node, reason)
		return true
	})
	if t.kind == chatKind && attributes.isEmpty() {
		b.note("agentId", gjson.Result{}, o)
	}
	if attributes.node.Content == nil {
		attributes.node.Style = yaml.FlowStyle
	}
	m.add("attributes", attributes.node, "")
	m.set("serverAttributes", server)
}

// times are attributes that have members of their own in a scenario.
var times = []string{"createdAt", "updatedAt"}

// nounOf returns the noun for a kind: knowledge base.
func nounOf(kind string) string {
	return strings.ReplaceAll(strings.TrimPrefix(kind, "llm."), "-", " ")
}

// llmUsers returns the users by the ids that the interface has for them: of those who made and changed things in the
// recording, and those whom answers include.
func (l *learner) llmUsers() map[string]string {
	users := map[string]string{}
	for _, e := range l.exchanges {
		body, ok := e.JSONResponse()
		if e.Operation().Interface != "llm" || !ok || !e.ok() {
			continue
		}
		for _, included := range body.Get("included").Array() {
			if included.Get("type").Str == "users" {
				if u := l.people.named(included.Get("attributes.email").String()); u != nil {
					users[included.Get("id").String()] = u.ref()
				}
			}
		}
		relation := map[string]string{"POST": "createdBy", "PATCH": "updatedBy"}[e.Item.Request.Method]
		id := body.Get("data.relationships." + relation + ".data.id").String()
		if u := l.people.byKey[e.Credential().Identity]; u != nil && id != "" && users[id] == "" {
			users[id] = u.ref()
		}
	}
	return users
}

const actionKind = "llm.action"

// actionsOf returns what an integration that no answer shows lists, as the actions that answers show have it.
func (b *llmBuilder) actionsOf(integration string) *yaml.Node {
	list := emptyList()
	for _, t := range b.things.of(actionKind) {
		o := t.first().Get("attributes")
		if o.Get("integrationId").String() != integration || integration == "" {
			continue
		}
		m := newMapping()
		for _, name := range []string{"promptId", "chatWidgetType", "chatWidgetLabel"} {
			m.set(name, o.Get(name))
		}
		if tags := o.Get("uiTags"); len(tags.Array()) > 0 {
			m.set("uiTags", tags)
		}
		list.Style = 0
		list.Content = append(list.Content, m.node)
	}
	return list
}

// serviceBy returns the kind of an integration as an overview or the addresses of its actions show it.
func (b *llmBuilder) serviceBy(n *wanted) string {
	for _, t := range b.things.of(actionKind) {
		o := t.first().Get("attributes")
		if o.Get("integrationId").String() == n.id && o.Get("chatappRequestUrl").String() != "" {
			return "CHATAPP"
		}
	}
	return n.service
}

// shape describes the members of an object by their names.
type shape map[string]*openapi3.Schema

// shapeOf returns the attributes of a kind, as its document describes them in answers.
func (b *llmBuilder) shapeOf(kind string) shape {
	if known := b.shapes[kind]; known != nil {
		return known
	}
	known := shape{}
	for _, d := range b.Documents {
		for _, op := range d.Operations {
			actions := op.Actions()
			if len(actions) == 0 || actions[0].Resource.Name != kind || op.Spec.Responses.Status(200) == nil {
				continue
			}
			for _, media := range op.Spec.Responses.Status(200).Value.Content {
				collectProperties(media.Schema, known, "data", "attributes")
			}
		}
	}
	b.shapes[kind] = known
	return known
}

// collectProperties collects the properties of what a schema describes at a path.
func collectProperties(ref *openapi3.SchemaRef, into shape, path ...string) {
	if ref == nil || ref.Value == nil {
		return
	}
	for _, parts := range []openapi3.SchemaRefs{ref.Value.AllOf, ref.Value.OneOf, ref.Value.AnyOf} {
		for _, part := range parts {
			collectProperties(part, into, path...)
		}
	}
	collectProperties(ref.Value.Items, into, path...)
	if len(path) > 0 {
		collectProperties(ref.Value.Properties[path[0]], into, path[1:]...)
		return
	}
	for name, property := range ref.Value.Properties {
		into[name] = property.Value
	}
}

// writable returns a value as YAML, without what only a server sets.
func writable(schema *openapi3.Schema, value gjson.Result) *yaml.Node {
	switch {
	case value.IsArray() && schema.Items != nil && schema.Items.Value != nil:
		s := newSequence()
		for _, item := range value.Array() {
			s.node.Content = append(s.node.Content, writable(schema.Items.Value, item))
		}
		return s.node
	case value.IsObject():
		properties := shape{}
		collectProperties(&openapi3.SchemaRef{Value: schema}, properties)
		maps.DeleteFunc(properties, func(_ string, p *openapi3.Schema) bool { return p == nil })
		m := newMapping()
		value.ForEach(func(name, member gjson.Result) bool {
			switch property := properties[name.Str]; {
			case property == nil:
				m.add(name.Str, jsonNode(member), "")
			case !property.ReadOnly && member.Type != gjson.Null:
				m.add(name.Str, writable(property, member), "")
			}
			return true
		})
		return m.node
	}
	return jsonNode(value)
}
