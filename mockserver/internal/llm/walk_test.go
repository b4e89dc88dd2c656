package llm_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/specs"
)

// walked are all kinds that can be created, by their names in paths, with attributes for a creation and for a change,
// and one that is of the wrong type when it is 7. FORM and CHAT stand for ids of what the walk makes first.
var walked = []struct{ kind, attributes, change, text string }{
	{"projects", `{"name":"Other"}`, `{"description":"Agents"}`, "name"},
	{"agents", `{"name":"A","projectId":"PROJECT","modelType":"gpt-5"}`, `{"temperature":0.5}`, "name"},
	{"prompts", `{"name":"P","projectId":"PROJECT","agentId":"AGENT","template":"{{word}}"}`, `{"template":"Spell {{word}}"}`, "name"},
	{"form_interfaces", walkedForm, `{"name":"G"}`, "name"},
	{"chat_interfaces", `{"name":"C","projectId":"PROJECT","textInputEnabled":false}`, `{"starterMessage":"Hi"}`, "name"},
	{"integrations", `{"projectId":"PROJECT","serviceType":"WEBHOOK","actions":[]}`, `{"chatWelcomeMessage":"Hi"}`, "serviceType"},
	{"text_resources", `{"name":"T","description":null,"text":"Short sentences."}`, `{"text":"Long ones."}`, "name"},
	{"knowledge_bases", `{"name":"K","projectId":"PROJECT","svcDatabaseName":"shop"}`, `{"maxRows":10}`, "name"},
	{"text_knowledge_bases", `{"name":"K","projectId":"PROJECT","text":"All is well."}`, `{"text":"Nothing is."}`, "name"},
	{"datastore_query_tools", `{"name":"D","projectId":"PROJECT"}`, `{"maxRows":10}`, "name"},
	{"image_generators", `{"name":"I","projectId":"PROJECT","imageModelType":"nova-canvas","imageReturnMode":"ID"}`, `{"name":"J"}`, "name"},
	{"presentation_artifact_tools", `{"name":"P","projectId":"PROJECT"}`, `{"name":"Q"}`, "name"},
	{"web_search_tools", `{"name":"W","projectId":"PROJECT","modelType":"gpt-5"}`, `{"name":"V"}`, "name"},
	{"agent_schedules", walkedSchedule, `{"name":"R"}`, "name"},
	{"chats", `{"agentId":"AGENT"}`, "", "agentId"},
	{"chat_attachments", `{"chatId":"CHAT","inputFieldName":null,"contentType":"text/plain","binaryBase64":"aGk="}`, "", "contentType"},
}

const (
	walkedForm     = `{"name":"F","projectId":"PROJECT","agentId":"AGENT","promptTemplate":"{{x}}","formJsonSchema":"{}"}`
	walkedSchedule = `{"name":"S","projectId":"PROJECT","agentId":"AGENT","formInterfaceId":"FORM","repeatUnit":"daily",
		"repeatFrequency":1,"timezone":"UTC","startAt":"2026-02-01T09:00:00","parameterValues":{}}`
)

// Every kind is made, read, listed, changed and removed, as far as the document has the operations.
func TestEveryKind(t *testing.T) {
	t.Parallel()
	doc, err := specs.Load("llm", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range walked {
		t.Run(tt.kind, func(t *testing.T) {
			t.Parallel()
			w := newWalk(t, doc, tt.kind)
			w.refuses(tt.attributes, tt.text)
			created := w.create(tt.kind, w.with(tt.attributes)).Want(http.StatusCreated)
			id, path := created.Value("data.id").String(), "/api/"+tt.kind+"/"+created.Value("data.id").String()
			created.Wants("data.type", camelType(tt.kind), "data.links.self", "http://localhost/llm"+path)
			if got := w.Get(path).Want(http.StatusOK); string(got.Body) != string(created.Body) {
				t.Errorf("created\n%s\nread\n%s", created.Body, got.Body)
			}
			if w.has(http.MethodGet, "") && !slices.Contains(w.ids("/api/"+tt.kind), id) {
				t.Errorf("%s is not listed", id)
			}
			if w.has(http.MethodPatch, "/x") {
				w.changes(id, path, tt.change)
				wantUnfit(w.change(tt.kind, id, `{"`+tt.text+`":7}`), tt.text, misfit)
				w.Call(http.MethodPatch, path, "x=1").Refused(http.StatusUnsupportedMediaType, "application/vnd.api+json")
			}
			if w.has(http.MethodDelete, "/x") {
				w.goes(id, path)
			}
		})
	}
}

type walk struct {
	*studio
	doc  *specs.Document
	kind string
}

// newWalk is a walk through a studio in which every kind has what it needs.
func newWalk(t *testing.T, doc *specs.Document, kind string) walk {
	t.Helper()
	return walk{newStudio(t, "core: {databases: [{name: shop}]}"), doc, kind}
}

// with puts ids of what is made for it in the place of the words FORM and CHAT.
func (w walk) with(attributes string) string {
	w.Helper()
	if strings.Contains(attributes, "FORM") {
		attributes = strings.ReplaceAll(attributes, "FORM", w.make("form_interfaces", walkedForm))
	}
	if strings.Contains(attributes, "CHAT") {
		attributes = strings.ReplaceAll(attributes, "CHAT", w.make("chats", `{"agentId":"AGENT"}`))
	}
	return attributes
}

func (w walk) has(method, more string) bool {
	return w.doc.Find(method, "/api/"+w.kind+more).Operation != nil
}

// refuses wants creations and lists refused that are off the document.
func (w walk) refuses(attributes, text string) {
	w.Helper()
	wantUnfit(w.create(w.kind, `{"`+text+`":7}`), text, misfit)
	w.Post("/api/"+w.kind, w.fill(`{"data":{"type":"cars","attributes":`+attributes+`}}`)).
		Refused(http.StatusBadRequest, "data.type", `"code":"103"`)
	w.Post("/api/"+w.kind, `{}`).Refused(http.StatusBadRequest, `"code":"106"`)
	w.Post("/api/"+w.kind, "x=1").Refused(http.StatusUnsupportedMediaType, "application/vnd.api+json")
	w.Get("/api/"+w.kind+"/"+noID).Refused(http.StatusNotFound, noID)
	w.Get("/api/"+w.kind+"/7").Refused(http.StatusNotFound, `"code":"404"`)
	if w.has(http.MethodGet, "") {
		w.Get("/api/"+w.kind+"?page[limit]=0").Refused(http.StatusBadRequest, `"code":"118"`)
	}
}

func (w walk) changes(id, path, attributes string) {
	w.Helper()
	changed := w.change(w.kind, id, attributes).Want(http.StatusOK).Wants("data.id", id)
	if got := w.Get(path).Want(http.StatusOK); string(got.Body) != string(changed.Body) {
		w.Errorf("changed\n%s\nread\n%s", changed.Body, got.Body)
	}
	w.change(w.kind, noID, attributes).Refused(http.StatusNotFound, noID, `"code":"404"`)
	w.change(w.kind, id, `{"createdAt":"2026-01-15T09:30:00.000Z"}`).Refused(http.StatusBadRequest, `"code":"105"`)
	w.change(w.kind, id, `{"colour":"red"}`).Refused(http.StatusBadRequest, `"code":"105"`, "colour")
}

func (w walk) goes(id, path string) {
	w.Helper()
	w.remove(w.kind, id)
	w.Get(path).Refused(http.StatusNotFound, id, `"code":"404"`)
	w.Delete(path).Refused(http.StatusNotFound, id)
	if w.has(http.MethodGet, "") && slices.Contains(w.ids("/api/"+w.kind), id) {
		w.Errorf("%s is still listed", id)
	}
}
