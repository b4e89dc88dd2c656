package learn

import (
	"slices"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"
)

// wanted is a reference to a thing that must be there.
type wanted struct {
	kind, id, project    string       // the id is empty for one that is only counted
	agent, name, service string       // what is known of it
	shown                gjson.Result // its attributes as a target of tools
	node                 *mapping
}

// llmReference returns the kind that an attribute leads to, or nothing. An id has the name of what it leads to, with
// few exceptions.
func llmReference(name string, beside gjson.Result) string {
	of, isID := strings.CutSuffix(name, "Id")
	switch {
	case !isID:
		return ""
	case name == "textInputAgentId":
		of = "agent"
	case name == "toolTargetId":
		of = strings.ReplaceAll(beside.Get("toolTargetType").String(), "_", "-")
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
func (b *llmBuilder) note(name string, value, beside gjson.Result) {
	switch {
	case value.IsArray() || value.IsObject():
		if slices.Contains(freeForm, name) {
			return
		}
		value.ForEach(func(inner, member gjson.Result) bool {
			if value.IsArray() {
				b.note(name, member, beside)
			} else {
				b.note(inner.Str, member, value)
			}
			return true
		})
	case value.Type == gjson.String && value.Str != "":
		if kind := llmReference(name, beside); kind != "" {
			n := wanted{kind: kind, id: value.Str, project: beside.Get("projectId").String()}
			if strings.HasSuffix(kind, "-interface") || kind == "llm.prompt" {
				n.agent = beside.Get("agentId").String()
			}
			b.needs = append(b.needs, n)
		}
	}
}

// addUnseen adds what is referred to or used, and no answer shows.
func (b *llmBuilder) addUnseen() {
	b.needs = append(b.toolTargets(), b.needs...)
	for _, t := range b.things.list {
		if strings.HasPrefix(t.kind, "llm.") && t.wasThere() && t.used != nil && !t.first().Exists() {
			b.needs = append(b.needs, wanted{kind: t.kind, id: t.id})
		}
	}
	for _, e := range b.exchanges {
		if request, ok := e.JSONRequest(); ok && e.ok() && e.Operation().Interface == "llm" {
			b.note("", request.Get("data.attributes"), gjson.Result{})
		}
	}
	b.addNeeds()
	b.addCounted()
}

// addNeeds adds what is needed so far, and what that needs.
func (b *llmBuilder) addNeeds() {
	for len(b.needs) > 0 {
		n := b.needs[0]
		b.needs = b.needs[1:]
		t := b.things.find(n.kind, n.id)
		if b.made[n.kind] != nil && !b.known[nameOf(n.kind, n.id)] && (t == nil || t.wasThere() && !b.isLater(t)) {
			b.known[nameOf(n.kind, n.id)] = true
			b.guess(n)
		}
	}
}

// guess adds a thing of which the recording shows no more than its id.
func (b *llmBuilder) guess(n wanted) {
	m, attributes := newMapping(), newMapping()
	m.set("id", n.id)
	addTimes(m, n.shown)
	if n.kind == chatKind {
		b.addOwner(m, n.id)
	}
	name := b.nameFor(n)
	if name != "" {
		attributes.set("name", name)
	}
	if n.project == "" && n.agent != "" {
		if t := b.things.find("llm.agent", n.agent); t != nil {
			n.project = t.first().Get("attributes.projectId").String()
		}
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
	m.set("attributes", attributes)
	m.set("serverAttributes", server)
	if t := b.things.find(n.kind, n.id); n.kind == chatKind && t != nil {
		m.set("history", b.chatHistory(t))
	}
	n.node = m
	b.guessed = append(b.guessed, n)
	reason := "no answer shows more than its id"
	if n.id == "" {
		reason = "no answer shows it, and an overview counts it"
	}
	b.made[n.kind].addGuessed(m, reason)
}

// guessRest sets what a thing of the kind cannot be without, and reports whether there can be one.
func (b *llmBuilder) guessRest(n *wanted, attributes *mapping) bool {
	switch n.kind {
	case "llm.project", "llm.datastore-query-tool", "llm.presentation-artifact-tool":
	case "llm.agent":
		attributes.set("modelType", b.model())
		b.guessTools(n, attributes)
	case "llm.prompt":
		attributes.set("agentId", b.agentFor(n))
		attributes.set("template", "unknown")
	case "llm.integration":
		attributes.set("serviceType", serviceOf(b.serviceBy(n)))
		attributes.add("actions", b.actionsOf(n.id), "")
	case "llm.form-interface":
		attributes.set("agentId", b.agentFor(n))
		attributes.set("promptTemplate", "unknown")
		attributes.set("formJsonSchema", `{"type":"object","properties":{}}`)
	case "llm.chat-interface":
		attributes.set("textInputEnabled", true)
		attributes.set("textInputAgentId", b.agentFor(n))
	case "llm.knowledge-base":
		database, _ := b.profiles()
		if list := b.things.of(databaseKind); database == assumedDatabase && len(list) > 0 {
			database = list[0].id
		}
		b.assumes = b.assumes || database == assumedDatabase
		attributes.set("svcDatabaseName", database)
	case "llm.text-knowledge-base", "llm.text-resource":
		attributes.set("text", "unknown")
	case "llm.image-generator":
		attributes.set("imageModelType", "gpt-image-1")
		attributes.set("imageReturnMode", "IMAGE_ID_OUTPUT")
	case "llm.web-search-tool":
		attributes.set("modelType", b.model())
	case chatKind:
		attributes.set("agentId", b.agent(n.project))
	default:
		return false
	}
	return true
}

// nameFor returns the name of a thing that no answer shows: that of the target of tools which it is, or one that is
// made up.
func (b *llmBuilder) nameFor(n wanted) string {
	switch {
	case n.kind == chatKind, n.kind == "llm.integration":
		return ""
	case n.name != "":
		return n.name
	}
	if t := b.things.find("llm.tool-target", n.id); t != nil {
		if name := t.first().Get("attributes.name").String(); name != "" {
			return name
		}
	}
	for _, e := range b.exchanges {
		for _, event := range rawEvents(e) {
			for _, mention := range []string{"tool.toolTarget", "tool.targetKnowledgeBase", "tool.targetAgent"} {
				if event.Get(mention+".id").String() == n.id && event.Get(mention+".name").String() != "" {
					return event.Get(mention + ".name").String()
				}
			}
		}
	}
	noun := nounOf(n.kind)
	return strings.TrimSpace(strings.ToUpper(noun[:1]) + noun[1:] + " " + n.id[:min(8, len(n.id))])
}

// project returns the id of a project that is there: a given one, or the first.
func (b *llmBuilder) project(id string) string {
	if id == "" {
		for _, t := range b.things.of("llm.project") {
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

// agentFor returns the id of the agent that a thing is known to refer to, or of one that is there.
func (b *llmBuilder) agentFor(n *wanted) string {
	if t := b.things.find("llm.agent", n.agent); n.agent == "" || t != nil && (!t.wasThere() || b.isLater(t)) {
		n.agent = b.agent(n.project)
	}
	b.needs = append(b.needs, wanted{kind: "llm.agent", id: n.agent, project: n.project})
	return n.agent
}

// agent returns the id of an agent that is there: one of the project, the first, or one that is made up.
func (b *llmBuilder) agent(project string) string {
	first := ""
	for _, t := range b.things.of("llm.agent") {
		if b.isLater(t) || !t.first().Exists() {
			continue
		}
		if t.first().Get("attributes.projectId").String() == project {
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
	for _, t := range b.things.of("llm.agent") {
		if model := t.first().Get("attributes.modelType").String(); model != "" {
			return model
		}
	}
	return "gpt-5"
}

// guessTools gives an agent that no answer shows the functions that were called in the recording.
func (b *llmBuilder) guessTools(n *wanted, attributes *mapping) {
	tools := newSequence()
	var seen []string
	for _, e := range b.exchanges {
		for _, event := range rawEvents(e) {
			call := event.Get("tool")
			name, target := call.Get("functionName").String(), call.Get("toolTarget")
			if name == "" || slices.Contains(seen, name) || !target.Get("id").Exists() {
				continue
			}
			seen = append(seen, name)
			m := newMapping()
			m.set("toolTargetId", target.Get("id"))
			m.set("toolTargetType", target.Get("type"))
			m.set("targetFunction", call.Get("targetFunction"))
			m.set("functionName", name)
			tools.add(m)
			kind := "llm." + strings.ReplaceAll(target.Get("type").String(), "_", "-")
			b.needs = append(b.needs, wanted{kind: kind, id: target.Get("id").String(), project: n.project})
		}
	}
	attributes.set("tools", tools)
}
