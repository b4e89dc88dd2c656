package llmtest

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/specs"
)

// Walked lists all kinds that can be created, by their names in paths, with attributes for a creation and for a change,
// and one attribute that is of the wrong type if it is 7. FORM and CHAT stand for ids of resources that the walk
// creates first.
var Walked = []struct{ Kind, Attributes, Change, text string }{
	{"projects", `{"name":"Other"}`, `{"description":"Agents"}`, "name"},
	{"agents", `{"name":"A","projectId":"PROJECT","modelType":"gpt-5"}`, `{"temperature":0.5}`, "name"},
	{
		"prompts", `{"name":"P","projectId":"PROJECT","agentId":"AGENT","template":"{{word}}"}`,
		`{"template":"Spell {{word}}"}`, "name",
	},
	{"form_interfaces", FormAttributes, `{"name":"G"}`, "name"},
	{
		"chat_interfaces", `{"name":"C","projectId":"PROJECT","textInputEnabled":false}`, `{"starterMessage":"Hi"}`,
		"name",
	},
	{
		"integrations", `{"projectId":"PROJECT","serviceType":"WEBHOOK","actions":[]}`, `{"chatWelcomeMessage":"Hi"}`,
		"serviceType",
	},
	{"text_resources", `{"name":"T","description":null,"text":"Short sentences."}`, `{"text":"Long ones."}`, "name"},
	{"knowledge_bases", `{"name":"K","projectId":"PROJECT","svcDatabaseName":"shop"}`, `{"maxRows":10}`, "name"},
	{
		"text_knowledge_bases", `{"name":"K","projectId":"PROJECT","text":"All is well."}`, `{"text":"Nothing is."}`,
		"name",
	},
	{"datastore_query_tools", `{"name":"D","projectId":"PROJECT"}`, `{"maxRows":10}`, "name"},
	{
		"image_generators", `{"name":"I","projectId":"PROJECT","imageModelType":"nova-canvas","imageReturnMode":"ID"}`,
		`{"name":"J"}`, "name",
	},
	{"presentation_artifact_tools", `{"name":"P","projectId":"PROJECT"}`, `{"name":"Q"}`, "name"},
	{"web_search_tools", `{"name":"W","projectId":"PROJECT","modelType":"gpt-5"}`, `{"name":"V"}`, "name"},
	{"agent_schedules", ScheduleAttributes, `{"name":"R"}`, "name"},
	{"chats", `{"agentId":"AGENT"}`, "", "agentId"},
	{
		"chat_attachments", `{"chatId":"CHAT","inputFieldName":null,"contentType":"text/plain","binaryBase64":"aGk="}`,
		"", "contentType",
	},
}

// Attributes of kinds that need many of them.
const (
	FormAttributes     = `{"name":"F","projectId":"PROJECT","agentId":"AGENT","promptTemplate":"{{x}}","formJsonSchema":"{}"}`
	ScheduleAttributes = `{"name":"S","projectId":"PROJECT","agentId":"AGENT","formInterfaceId":"FORM","repeatUnit":"daily",
		"repeatFrequency":1,"timezone":"UTC","startAt":"2026-02-01T09:00:00","parameterValues":{}}`
)

// WalkKinds creates, reads, lists, changes and deletes a resource of every kind that a package answers for, such as
// llm/kinds, as far as the document has the operations.
func WalkKinds(t *testing.T, part string) {
	t.Helper()
	doc, err := specs.Load("llm", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range Walked {
		if operation := doc.Find(http.MethodPost, "/api/"+tt.Kind).Operation; !mocktest.Answers(part, operation) {
			continue
		}
		t.Run(tt.Kind, func(t *testing.T) {
			t.Parallel()
			NewWalk(t, doc, tt.Kind).walkAll(tt.Attributes, tt.Change, tt.text)
		})
	}
}

func (w Walk) walkAll(attributes, change, text string) {
	w.Helper()
	w.requireRefusals(attributes, text)
	created := w.Create(w.kind, w.With(attributes)).Want(http.StatusCreated)
	id, path := created.Value("data.id").Text(), "/api/"+w.kind+"/"+created.Value("data.id").Text()
	created.Wants("data.type", CamelType(w.kind), "data.links.self", "http://localhost/llm"+path)
	if got := w.Get(path).Want(http.StatusOK); got.Body != created.Body {
		w.Errorf("created\n%s\nread\n%s", created.Body, got.Body)
	}
	if w.hasOperation(http.MethodGet, "") && !slices.Contains(w.IDs("/api/"+w.kind), id) {
		w.Errorf("%s is not listed", id)
	}
	if w.hasOperation(http.MethodPatch, "/x") {
		w.requireChange(id, path, change)
		WantUnprocessable(w.Change(w.kind, id, `{"`+text+`":7}`), text, Misfit)
		w.Call(http.MethodPatch, path, "x=1").Refused(http.StatusUnsupportedMediaType, "application/vnd.api+json")
	}
	if w.hasOperation(http.MethodDelete, "/x") {
		w.requireDeletion(id, path)
	}
}

// Walk is a walk through the operations of one kind.
type Walk struct {
	*Client
	doc  *specs.Document
	kind string
}

// NewWalk returns a walk through a mock in which every kind has the resources that it needs.
func NewWalk(t *testing.T, doc *specs.Document, kind string) Walk {
	t.Helper()
	return Walk{New(t, "core: {databases: [{name: shop}]}"), doc, kind}
}

// With replaces the words FORM and CHAT by ids of resources that it creates.
func (w Walk) With(attributes string) string {
	w.Helper()
	if strings.Contains(attributes, "FORM") {
		attributes = strings.ReplaceAll(attributes, "FORM", w.Make("form_interfaces", FormAttributes))
	}
	if strings.Contains(attributes, "CHAT") {
		attributes = strings.ReplaceAll(attributes, "CHAT", w.Make("chats", `{"agentId":"AGENT"}`))
	}
	return attributes
}

func (w Walk) hasOperation(method, more string) bool {
	return w.doc.Find(method, "/api/"+w.kind+more).Operation != nil
}

// requireRefusals fails the test unless creations and lists that deviate from the document are refused.
func (w Walk) requireRefusals(attributes, text string) {
	w.Helper()
	WantUnprocessable(w.Create(w.kind, `{"`+text+`":7}`), text, Misfit)
	w.Post("/api/"+w.kind, w.Fill(`{"data":{"type":"cars","attributes":`+attributes+`}}`)).
		Refused(http.StatusBadRequest, "data.type", `"code":"103"`)
	w.Post("/api/"+w.kind, `{}`).Refused(http.StatusBadRequest, `"code":"106"`)
	w.Post("/api/"+w.kind, "x=1").Refused(http.StatusUnsupportedMediaType, "application/vnd.api+json")
	w.Get("/api/"+w.kind+"/"+NoID).Refused(http.StatusNotFound, NoID)
	w.Get("/api/"+w.kind+"/7").Refused(http.StatusNotFound, `"code":"404"`)
	if w.hasOperation(http.MethodGet, "") {
		w.Get("/api/"+w.kind+"?page[limit]=0").Refused(http.StatusBadRequest, `"code":"118"`)
	}
}

func (w Walk) requireChange(id, path, attributes string) {
	w.Helper()
	changed := w.Change(w.kind, id, attributes).Want(http.StatusOK).Wants("data.id", id)
	if got := w.Get(path).Want(http.StatusOK); got.Body != changed.Body {
		w.Errorf("changed\n%s\nread\n%s", changed.Body, got.Body)
	}
	w.Change(w.kind, NoID, attributes).Refused(http.StatusNotFound, NoID, `"code":"404"`)
	w.Change(w.kind, id, `{"createdAt":"2026-01-15T09:30:00.000Z"}`).Refused(http.StatusBadRequest, `"code":"105"`)
	w.Change(w.kind, id, `{"colour":"red"}`).Refused(http.StatusBadRequest, `"code":"105"`, "colour")
}

func (w Walk) requireDeletion(id, path string) {
	w.Helper()
	w.Remove(w.kind, id)
	w.Get(path).Refused(http.StatusNotFound, id, `"code":"404"`)
	w.Delete(path).Refused(http.StatusNotFound, id)
	if w.hasOperation(http.MethodGet, "") && slices.Contains(w.IDs("/api/"+w.kind), id) {
		w.Errorf("%s is still listed", id)
	}
}
