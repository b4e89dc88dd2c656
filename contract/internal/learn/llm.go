package learn

import (
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/tidwall/gjson"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/specs"
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
	m := newMapping()
	for _, c := range collections {
		kind, name := c[0], c[1]
		s := newSequence()
		for _, t := range l.things.of(kind) {
			if o := t.first(); o.Exists() {
				s.add(l.llmResource(t, o))
			} else if t.used != nil {
				l.notes = append(l.notes, strings.TrimPrefix(kind, "llm.")+" "+t.id+": no answer shows it")
			}
		}
		if kind == "llm.project" {
			l.addUnseenProjects(s)
		}
		m.set(name, s)
	}
	m.set("turns", l.turns())
	return m
}

// addUnseenProjects adds the projects that things belong to, and no answer shows.
func (l *learner) addUnseenProjects(s *sequence) {
	seen := map[string]bool{}
	for _, t := range l.things.list {
		id := t.first().Get("attributes.projectId").String()
		if !strings.HasPrefix(t.kind, "llm.") || !t.wasThere() || id == "" || seen[id] {
			continue
		}
		seen[id] = true
		if p := l.things.find("llm.project", id); p != nil && p.first().Exists() {
			continue
		}
		m, attributes := newMapping(), newMapping()
		attributes.set("name", "Project "+id[:min(8, len(id))])
		m.set("id", id)
		m.set("attributes", attributes)
		s.addGuessed(m, "no answer shows more than its id")
	}
}

// times are attributes that have members of their own in a scenario.
var times = []string{"createdAt", "updatedAt"}

func (l *learner) llmResource(t *thing, o gjson.Result) *mapping {
	m := newMapping()
	m.set("id", t.id)
	m.set("createdAt", timeOf(o.Get("attributes.createdAt")))
	if at := o.Get("attributes.updatedAt"); at.String() != o.Get("attributes.createdAt").String() && len(t.changed) == 0 {
		m.set("updatedAt", timeOf(at))
	}
	known := l.creatable(t.kind)
	attributes, server := newMapping(), newMapping()
	o.Get("attributes").ForEach(func(name, value gjson.Result) bool {
		isChanged := slices.Contains(t.sights[0].changed, name.Str)
		into := attributes
		if known != nil && !slices.Contains(known, name.Str) {
			into = server
		}
		switch {
		case slices.Contains(times, name.Str), value.Type == gjson.Null, isRedacted(value.String()):
		case isChanged:
			into.guess(name.Str, value, "it was set before an answer showed it")
		default:
			into.add(name.Str, jsonNode(value), "")
		}
		return true
	})
	m.add("attributes", attributes.node, "")
	m.set("serverAttributes", server)
	if t.kind == chatKind {
		m.set("history", l.chatHistory(t))
	}
	return m
}

// creatable lists the attributes that a client may set when it creates a thing of a kind, or nil if nothing creates
// such.
func (l *learner) creatable(kind string) (names []string) {
	for _, d := range l.Documents {
		for _, op := range d.Operations {
			actions := op.Actions()
			if len(actions) == 0 || actions[0].Verb != specs.Create || actions[0].Resource.Name != kind ||
				op.Spec.RequestBody == nil {
				continue
			}
			for _, media := range op.Spec.RequestBody.Value.Content {
				names = append(names, propertiesAt(media.Schema, "data", "attributes")...)
			}
		}
	}
	return names
}

// propertiesAt lists the properties of what a schema describes at a path.
func propertiesAt(ref *openapi3.SchemaRef, path ...string) (names []string) {
	if ref == nil || ref.Value == nil {
		return nil
	}
	for _, part := range slices.Concat(ref.Value.AllOf, ref.Value.OneOf, ref.Value.AnyOf) {
		names = append(names, propertiesAt(part, path...)...)
	}
	if len(path) > 0 {
		return append(names, propertiesAt(ref.Value.Properties[path[0]], path[1:]...)...)
	}
	for name := range ref.Value.Properties {
		names = append(names, name)
	}
	return names
}

// chatHistory lists what had been said in a chat before the recording began.
func (l *learner) chatHistory(t *thing) *sequence {
	s := newSequence()
	for _, e := range l.exchanges {
		if param(e, "id") != t.id || !e.ok() {
			continue
		}
		switch e.name() {
		case "llm.continueChat":
			return s
		case "llm.getChatHistory":
			body, _ := e.JSONResponse()
			for _, entry := range body.Get("data").Array() {
				m := newMapping()
				m.set("at", timeOf(entry.Get("at")))
				entry.ForEach(func(name, value gjson.Result) bool {
					if name.Str != "at" {
						m.add(name.Str, jsonNode(value), "")
					}
					return true
				})
				s.add(m)
			}
			return s
		}
	}
	return s
}

// turns script what agents say in the recording, in the order of the inputs.
func (l *learner) turns() *sequence {
	s := newSequence()
	for _, e := range l.exchanges {
		if e.name() != "llm.continueChat" {
			continue
		}
		request, ok := e.JSONRequest()
		input := request.Get("input").String()
		if !ok || input == "" {
			continue
		}
		m := newMapping()
		if t := l.things.find(chatKind, param(e, "id")); t != nil && t.wasThere() {
			m.set("chat", t.id)
		}
		m.set("input", "^"+regexp.QuoteMeta(clean(input))+"$")
		switch {
		case e.Status() == 429 || e.Status() >= 500:
			answer, _ := e.JSONResponse()
			m.set("status", e.Status())
			m.set("message", answer.Get("error").String())
		case e.ok():
			events := eventsOf(e)
			if events == nil {
				continue
			}
			m.set("events", events)
		default:
			continue
		}
		m.set("times", 1)
		s.add(m)
	}
	return s
}

// eventsOf returns the events of an answer, without the input that the first one repeats, and without what follows from
// others.
func eventsOf(e *Exchange) *sequence {
	if e.Item.ResponseDoubt != "" || e.Item.Response.Body == nil {
		return nil
	}
	media := e.Operation().Spec.Responses.Status(e.Status()).Value.Content.Get("text/event-stream")
	if media == nil {
		return nil
	}
	decoded, reason := body.Decode(e.Item.Response.Body.Bytes, "text/event-stream", media, false)
	if reason != "" {
		return nil
	}
	s := newSequence()
	for _, raw := range decoded.Raw {
		event := gjson.ParseBytes(raw)
		m := newMapping()
		event.ForEach(func(name, value gjson.Result) bool {
			switch name.Str {
			case "at", "user_content", "artifact":
			case "tool":
				tool := newMapping()
				for _, member := range []string{"id", "functionName", "functionArguments", "content", "status"} {
					tool.set(member, value.Get(member))
				}
				m.set("tool", tool)
			default:
				m.add(name.Str, jsonNode(value), "")
			}
			return true
		})
		if !m.isEmpty() {
			s.add(m)
		}
	}
	return s
}
