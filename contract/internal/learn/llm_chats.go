package learn

import (
	"regexp"
	"slices"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/internal/jsontree"
)

// continued lists the exchanges that went on with a chat, up to one of them.
func (l *learner) continued(chat string, until *Exchange) (list []*Exchange) {
	for e := range l.successes(nameOf(continueChat, chat)) {
		if e.N < until.N {
			list = append(list, e)
		}
	}
	return list
}

const continueChat = "llm.continueChat"

// chatHistory lists what had been said in a chat before the recording began.
func (l *learner) chatHistory(t *entity) *sequence {
	s := newSequence()
	for e, answer := range l.successes(nameOf(getHistory, t.id)) {
		for _, entry := range beforeInputs(slices.Collect(answer.Get("data").List), len(l.continued(t.id, e))) {
			m := mappingOf("at", timeOf(entry.Get("at")))
			for value := range entry.Each {
				if value.Name() != "at" {
					m.set(value.Name(), jsonNode(value))
				}
			}
			s.add(m)
		}
		break
	}
	return s
}

// beforeInputs returns the entries of a history before the last so many inputs.
func beforeInputs(entries []jsontree.Value, inputs int) []jsontree.Value {
	for i := len(entries) - 1; i >= 0 && inputs > 0; i-- {
		if entries[i].Get("input").Exists() {
			inputs--
			entries = entries[:i]
		}
	}
	return entries
}

// turns script what agents say in the recording, in the order of the inputs.
func (b *llmBuilder) turns() *sequence {
	s := newSequence()
	for _, e := range b.calls[continueChat] {
		request := e.asked()
		events := rawEvents(e)
		input := request.Get("input").Text()
		if len(events) > 0 && events[0].Get("user_content").Exists() {
			input = events[0].Get("user_content").Text()
		}
		m := newMapping()
		if t := b.entities.find(chatKind, param(e, "id")); t != nil && t.wasThere() {
			m.set("chat", t.id)
		}
		if input != "" {
			m.set("input", "^"+regexp.QuoteMeta(clean(input))+"$")
		}
		script := b.script(events)
		switch {
		case e.Status() == 429:
			m.set("status", e.Status())
			m.set("message", e.answer().Get("error").Text())
		case e.ok() && len(script.node.Content) > 0:
			m.set("events", script)
		default:
			continue
		}
		m.set("times", 1)
		s.add(m)
	}
	return s
}

// rawEvents returns the events of an answer that comes in such.
func rawEvents(e *Exchange) (events []jsontree.Value) {
	if e.name() != continueChat || !e.ok() || e.Item.ResponseDoubt != "" || e.Item.Response.Body == nil {
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
	for _, raw := range decoded.Raw {
		events = append(events, jsontree.Parse(string(raw)))
	}
	return events
}

// script returns the events that lead to an answer: without the input that the first one repeats, and without what
// follows from others.
func (b *llmBuilder) script(events []jsontree.Value) *sequence {
	s := newSequence()
	for i, event := range events {
		m := newMapping()
		m.copyAll(event, "at", "user_content", "tool", "artifact")
		if tool := event.Get("tool"); tool.Exists() {
			m.set("tool", b.toolCall(tool))
		}
		if made := event.Get("artifact"); made.Exists() && (i == 0 || !events[i-1].Get("output").Exists()) {
			m.set("artifact", b.artifact(made))
		}
		if !m.isEmpty() {
			s.add(m)
		}
	}
	return s
}

// toolCall returns a call of a tool as it is scripted: what it gave, and what it was about if that was there before.
func (b *llmBuilder) toolCall(call jsontree.Value) *mapping {
	m := mappingOf("id", call.Get("id"), "functionName", call.Get("functionName"),
		"functionArguments", call.Get("functionArguments"))
	if content := call.Get("content"); content.IsString() {
		m.set("content", content)
	}
	m.copy(call, "status", "targetFunction")
	for _, name := range []string{"targetKnowledgeBase", "toolTarget", "targetAgent"} {
		mention := call.Get(name)
		isNew := func(t *entity) bool { return t.id == mention.Get("id").Text() && !t.wasThere() }
		if mention.IsObject() && !slices.ContainsFunc(b.entities.list, isNew) {
			m.set(name, mention)
		}
	}
	return m
}

// artifact returns an artifact as it is scripted, with the content that another answer shows.
func (b *llmBuilder) artifact(made jsontree.Value) *mapping {
	m := newMapping()
	m.copy(made, "output", "artifactType", "contentType")
	attributes := b.entities.find(artifactKind, made.Get("id").Text()).first().Get("attributes")
	for _, name := range []string{"textContent", "binaryContent"} {
		if content := attributes.Get(name); content.IsString() {
			m.set(name, content)
			return m
		}
	}
	const unshown = "no answer shows the content"
	switch made.Get("artifactType").Text() {
	case "MARKDOWN_TEXT_OUTPUT", "REACT_OUTPUT", "PLOTLY_OUTPUT":
		m.guess("textContent", "unknown", unshown)
	default:
		m.guess("binaryContent", "AA==", unshown)
	}
	return m
}

const getHistory = "llm.getChatHistory"
