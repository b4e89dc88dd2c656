package learn

import (
	"slices"
	"strings"
	"unicode"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
)

// wanted is a reference to an entity that must be there.
type wanted struct {
	kind, id, project string
	agent, name       string         // what is known of it
	shown             jsontree.Value // its attributes as a target of tools
}

// llmReference returns the kind that an attribute leads to, or nothing. An id has the name of what it leads to, with
// few exceptions.
func llmReference(name string, beside jsontree.Value) string {
	of, isID := strings.CutSuffix(name, "Id")
	switch {
	case !isID:
		return ""
	case name == "textInputAgentId":
		of = "agent"
	case name == "toolTargetId":
		of = strings.ReplaceAll(beside.Get("toolTargetType").Text(), "_", "-")
	}
	var kind strings.Builder
	for _, r := range of {
		if unicode.IsUpper(r) {
			kind.WriteByte('-')
		}
		kind.WriteRune(unicode.ToLower(r))
	}
	full := "llm." + kind.String()
	if slices.ContainsFunc(collections, func(c [2]string) bool { return c[0] == full }) {
		return full
	}
	return ""
}

// freeForm are the attributes whose members are named by users.
var freeForm = []string{"parameterValues", "filters", "lastJob"}

// note notes what an attribute refers to, at any depth.
func (b *llmBuilder) note(name string, value, beside jsontree.Value) {
	switch {
	case value.IsArray() || value.IsObject():
		if slices.Contains(freeForm, name) {
			return
		}
		for member := range value.Each {
			if value.IsArray() {
				b.note(name, member, beside)
			} else {
				b.note(member.Name(), member, value)
			}
		}
	case value.IsString() && value.Text() != "":
		if kind := llmReference(name, beside); kind != "" {
			n := wanted{kind: kind, id: value.Text(), project: beside.Get("projectId").Text()}
			if strings.HasSuffix(kind, "-interface") || kind == "llm.prompt" {
				n.agent = beside.Get("agentId").Text()
			}
			b.needs = append(b.needs, n)
		}
	}
}

// addUnseen adds what is referred to or used, and no answer shows.
func (b *llmBuilder) addUnseen() {
	b.needs = append(b.toolTargets(), b.needs...)
	for _, t := range b.entities.list {
		if strings.HasPrefix(t.kind, "llm.") && t.wasThere() && t.used != nil && !t.first().Exists() {
			b.needs = append(b.needs, wanted{kind: t.kind, id: t.id})
		}
	}
	for e := range b.successes(string(specs.LLM)) {
		b.note("", e.asked().Get("data", "attributes"), jsontree.Value{})
	}
	b.addNeeds()
	b.addListed()
}

// addNeeds adds what is needed so far, and what that needs.
func (b *llmBuilder) addNeeds() {
	for len(b.needs) > 0 {
		n := b.needs[0]
		b.needs = b.needs[1:]
		t := b.entities.find(n.kind, n.id)
		if b.made[n.kind] != nil && !b.known[nameOf(n.kind, n.id)] && (t == nil || t.wasThere()) {
			b.known[nameOf(n.kind, n.id)] = true
			b.guess(n)
		}
	}
}

// guess adds an entity of which the recording shows no more than its id.
func (b *llmBuilder) guess(n wanted) {
	m, attributes := mappingOf("id", n.id), newMapping()
	created, updated := timeOf(n.shown.Get("createdAt")), timeOf(n.shown.Get("updatedAt"))
	if m.set("createdAt", created); updated != created {
		m.set("updatedAt", updated)
	}
	attributes.set("name", b.nameFor(n))
	if n.project == "" {
		n.project = b.entities.find("llm.agent", n.agent).first().Get("attributes", "projectId").Text()
	}
	if n.kind != "llm.project" && n.kind != "llm.text-resource" && n.kind != chatKind && n.kind != "llm.chat-attachment" {
		n.project = b.project(n.project)
		attributes.set("projectId", n.project)
	}
	if !b.guessRest(&n, attributes) {
		b.notes = append(b.notes, nounOf(n.kind)+" "+n.id+": no answer shows it")
		return
	}
	server := b.addShown(n, attributes)
	m.with("attributes", attributes, "serverAttributes", server)
	if t := b.entities.find(n.kind, n.id); n.kind == chatKind && t != nil {
		m.set("history", b.chatHistory(t))
	}
	b.guessed = append(b.guessed, n)
	b.made[n.kind].addGuessed(m, "no answer shows more than its id")
}

// least holds the attributes that an entity of a kind cannot be without, beside those that refer to others. Of no other
// kind there can be an entity of which no more is known than its id.
var least = map[string]string{
	"llm.project": `{}`, "llm.agent": `{}`, "llm.datastore-query-tool": `{}`, "llm.presentation-artifact-tool": `{}`,
	"llm.web-search-tool": `{}`, "llm.knowledge-base": `{}`, "llm.integration": `{}`, chatKind: `{}`,
	"llm.prompt":              `{"template":"unknown"}`,
	"llm.form-interface":      `{"promptTemplate":"unknown","formJsonSchema":"{\"type\":\"object\",\"properties\":{}}"}`,
	"llm.chat-interface":      `{"textInputEnabled":true}`,
	"llm.text-knowledge-base": `{"text":"unknown"}`,
	"llm.text-resource":       `{"text":"unknown"}`,
	"llm.image-generator":     `{"imageModelType":"gpt-image-1","imageReturnMode":"IMAGE_ID_OUTPUT"}`,
}

// guessRest sets what an entity of the kind cannot be without, and reports whether there can be one.
func (b *llmBuilder) guessRest(n *wanted, attributes *mapping) bool {
	text, isKnown := least[n.kind]
	switch n.kind {
	case "llm.agent", "llm.web-search-tool":
		attributes.set("modelType", b.model())
	case "llm.prompt", "llm.form-interface":
		attributes.set("agentId", b.agentFor(n))
	case "llm.chat-interface":
		attributes.set("textInputAgentId", b.agentFor(n))
	case "llm.integration":
		attributes.set("serviceType", b.serviceOf(n))
		attributes.set("actions", b.actionsOf(n.id))
	case "llm.knowledge-base":
		database, _ := b.profiles()
		if list := b.entities.of(databaseKind); database == assumedDatabase && len(list) > 0 {
			database = list[0].id
		}
		b.assumes = b.assumes || database == assumedDatabase
		attributes.set("svcDatabaseName", database)
	case chatKind:
		attributes.set("agentId", b.agent(n.project))
	}
	attributes.copyAll(jsontree.Parse(text))
	return isKnown
}

// nameFor returns the name of an entity that no answer shows: that of the target of tools which it is, or one that is
// made up.
func (b *llmBuilder) nameFor(n wanted) string {
	switch {
	case n.kind == chatKind, n.kind == "llm.integration":
		return ""
	case n.name != "":
		return n.name
	}
	noun := nounOf(n.kind)
	return strings.TrimSpace(strings.ToUpper(noun[:1]) + noun[1:] + " " + n.id[:min(8, len(n.id))])
}

// project returns the id of a project that is there: a given one, or the first.
func (b *llmBuilder) project(id string) string {
	if id == "" {
		for _, t := range b.entities.of("llm.project") {
			return t.id
		}
		for _, n := range slices.Concat(b.guessed, b.needs) {
			if n.kind == "llm.project" && n.id != "" {
				return n.id
			}
		}
		id = "00000000-0000-4000-8000-000000000001"
	}
	b.needs = append(b.needs, wanted{kind: "llm.project", id: id})
	return id
}

// agentFor returns the id of the agent that an entity is known to refer to, or of one that is there.
func (b *llmBuilder) agentFor(n *wanted) string {
	if t := b.entities.find("llm.agent", n.agent); n.agent == "" || t != nil && !t.wasThere() {
		n.agent = b.agent(n.project)
	}
	b.needs = append(b.needs, wanted{kind: "llm.agent", id: n.agent, project: n.project})
	return n.agent
}

// agent returns the id of an agent that is there: one of the project, the first, or one that is made up.
func (b *llmBuilder) agent(project string) string {
	first := ""
	for _, t := range b.entities.of("llm.agent") {
		if !t.first().Exists() {
			continue
		}
		if t.text("attributes.projectId") == project {
			return t.id
		}
		if first == "" {
			first = t.id
		}
	}
	for _, n := range slices.Concat(b.guessed, b.needs, b.toolTargets()) {
		if first == "" && n.kind == "llm.agent" && n.id != "" {
			first = n.id
		}
	}
	if first == "" {
		first = "00000000-0000-4000-8000-000000000002"
		b.needs = append(b.needs, wanted{kind: "llm.agent", id: first, project: project})
	}
	return first
}

// model returns a model that the account has.
func (b *llmBuilder) model() string {
	for _, t := range b.entities.of("llm.agent") {
		if model := t.text("attributes.modelType"); model != "" {
			return model
		}
	}
	return "gpt-5"
}

const toolTargetKind = "llm.tool-target"

// toolTargets lists the entities that answers show as targets of tools, by the kinds that their types stand for.
func (b *llmBuilder) toolTargets() (list []wanted) {
	for _, t := range b.entities.of(toolTargetKind) {
		o := t.first()
		kind := b.kindOfTarget(o.Get("type").Text())
		if shown := b.entities.find(kind, t.id); kind == "" || shown != nil && !shown.wasThere() {
			continue
		}
		attributes := o.Get("attributes")
		list = append(list, wanted{
			kind: kind, id: t.id, project: attributes.Get("projectId").Text(), name: attributes.Get("name").Text(),
			shown: attributes,
		})
	}
	return list
}

// kindOfTarget returns the kind of entities that a type of tool targets stands for, or nothing.
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

// addShown adds the attributes that a tool target shows, and returns those that only the server sets.
func (b *llmBuilder) addShown(n wanted, attributes *mapping) *mapping {
	server, known := newMapping(), b.attributesOf(n.kind)
	for value := range n.shown.Each {
		name := value.Name()
		property := known[name]
		switch {
		case property == nil, slices.Contains(times, name), value.IsNull():
		case isReadOnly(property):
			server.set(name, value)
		default:
			attributes.drop(name)
			attributes.set(name, writable(property, value))
		}
	}
	return server
}

// addListed adds what refusals list, and no answer shows.
func (b *llmBuilder) addListed() {
	for _, e := range b.exchanges {
		if e.Operation().Interface != specs.LLM {
			continue
		}
		for _, id := range textsAt(e.answer(), "errors.*.meta.referencedByPrompts.*.id") {
			b.needs = append(b.needs, wanted{kind: "llm.prompt", id: id, agent: param(e, "id")})
		}
	}
	b.addNeeds()
}

// serviceOf returns the kind of an integration that no answer shows, as the addresses of its actions show it.
func (b *llmBuilder) serviceOf(n *wanted) string {
	if slices.ContainsFunc(b.entities.of(actionKind), func(t *entity) bool {
		o := t.first().Get("attributes")
		return o.Get("integrationId").Text() == n.id && o.Get("chatappRequestUrl").Text() != ""
	}) {
		return "CHATAPP"
	}
	return "WEBHOOK"
}
