package learn

import (
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"go.yaml.in/yaml/v4"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
)

// collections are the collections of a scenario, by kind, in the order in which entities refer to each other.
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
	b := &llmBuilder{learner: l, users: l.llmUsers(), made: map[string]*sequence{}, known: map[string]bool{}}
	for _, c := range collections {
		b.made[c[0]] = newSequence()
	}
	for _, c := range collections {
		for _, t := range l.entities.of(c[0]) {
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
	users   map[string]string    // from the id that the interface has for a user to the name for references
	made    map[string]*sequence // by kind
	known   map[string]bool      // ids of what is made, with their kind
	needs   []wanted             // entities that must be there
	guessed []wanted             // entities of which no more is known
}

const artifactKind = "llm.artifact"

// add adds an entity as its first answer shows it.
func (b *llmBuilder) add(t *entity) {
	o, attributes := t.first(), t.first().Get("attributes")
	m := mappingOf("id", t.id, "user", b.users[o.Get("relationships", "createdBy", "data", "id").Text()],
		"createdAt", timeOf(attributes.Get("createdAt")))
	if at := attributes.Get("updatedAt"); at.Text() != attributes.Get("createdAt").Text() && len(t.changed) == 0 {
		m.set("updatedAt", timeOf(at))
		m.set("updatedBy", b.users[o.Get("relationships", "updatedBy", "data", "id").Text()])
	}
	b.addAttributes(m, t, attributes)
	if t.kind == chatKind {
		m.set("history", b.chatHistory(t))
	}
	b.made[t.kind].add(m)
	b.known[nameOf(t.kind, t.id)] = true
}

// addAttributes adds the attributes: those that clients set, and those that only the server sets.
func (b *llmBuilder) addAttributes(m *mapping, t *entity, o jsontree.Value) {
	known := b.attributesOf(t.kind)
	attributes, server := newMapping(), newMapping()
	for value := range o.Each {
		name := value.Name()
		property := known[name]
		switch {
		case slices.Contains(times, name), value.IsNull(),
			isRedacted(value.Text()) && property != nil && isReadOnly(property):
			continue
		case property == nil:
			b.notes = append(b.notes, "attribute "+name+" of "+nounOf(t.kind)+" "+t.id+": its document has none")
			continue
		}
		into, node := attributes, jsonNode(value)
		if isReadOnly(property) {
			into = server
		} else {
			node = writable(property, value)
		}
		b.note(name, value, o)
		into.guess(name, node, when(slices.Contains(t.sights[0].changed, name), setBefore))
	}
	if t.kind == chatKind && attributes.isEmpty() {
		b.note("agentId", jsontree.Value{}, o)
	}
	if attributes.node.Content == nil {
		attributes.node.Style = yaml.FlowStyle
	}
	m.set("attributes", attributes.node)
	m.set("serverAttributes", server)
}

// times are attributes that have members of their own in a scenario.
var times = []string{"createdAt", "updatedAt"}

// nounOf returns the noun for a kind: knowledge base.
func nounOf(kind string) string {
	return strings.ReplaceAll(strings.TrimPrefix(kind, "llm."), "-", " ")
}

// llmUsers returns the users by the ids that the interface has for them: of those who made and changed entities in the
// recording, and those whom answers include.
func (l *learner) llmUsers() map[string]string {
	users := map[string]string{}
	for e, body := range l.successes(string(specs.LLM)) {
		for included := range body.Get("included").List {
			if included.Get("type").Text() == "users" {
				if u := l.people.named(included.Get("attributes", "email").Text()); u != nil {
					users[included.Get("id").Text()] = u.ref()
				}
			}
		}
		relation := map[string]string{"POST": "createdBy", "PATCH": "updatedBy"}[e.Item.Request.Method]
		id := body.Get("data", "relationships", relation, "data", "id").Text()
		if u := l.people.byKey[e.Credential().Identity]; u != nil && id != "" && users[id] == "" {
			users[id] = u.ref()
		}
	}
	return users
}

const actionKind = "llm.action"

// actionsOf returns what an integration that no answer shows lists, as the actions that answers show have it.
func (b *llmBuilder) actionsOf(integration string) *yaml.Node {
	list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle} // which is written although nothing is in it
	for _, t := range b.entities.of(actionKind) {
		o := t.first().Get("attributes")
		if o.Get("integrationId").Text() != integration || integration == "" {
			continue
		}
		m := newMapping()
		m.copy(o, "promptId", "chatWidgetType", "chatWidgetLabel")
		if tags := o.Get("uiTags"); tags.Len() > 0 {
			m.set("uiTags", tags)
		}
		list.Style = 0
		list.Content = append(list.Content, m.node)
	}
	return list
}

// attributesOf returns the attributes of a kind, as its document describes them in answers.
func (b *llmBuilder) attributesOf(kind string) map[string]*openapi3.SchemaRef {
	for _, d := range b.Documents {
		if r := d.Resource(kind); r != nil && d.Interface == specs.LLM {
			return specs.Members(specs.Members(d.ObjectSchema(r))["attributes"])
		}
	}
	return nil
}

// writable returns a value as YAML, without what only a server sets.
func writable(schema *openapi3.SchemaRef, value jsontree.Value) *yaml.Node {
	switch {
	case schema.Value == nil:
	case value.IsArray() && schema.Value.Items != nil:
		s := newSequence()
		for item := range value.List {
			s.node.Content = append(s.node.Content, writable(schema.Value.Items, item))
		}
		return s.node
	case value.IsObject():
		properties, m := specs.Members(schema), newMapping()
		for member := range value.Each {
			switch property := properties[member.Name()]; {
			case property == nil:
				m.set(member.Name(), jsonNode(member))
			case !isReadOnly(property) && !member.IsNull():
				m.set(member.Name(), writable(property, member))
			}
		}
		return m.node
	}
	return jsonNode(value)
}

// isReadOnly reports whether only a server sets a property.
func isReadOnly(property *openapi3.SchemaRef) bool {
	return property.Value != nil && property.Value.ReadOnly
}
