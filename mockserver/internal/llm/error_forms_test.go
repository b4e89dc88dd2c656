package llm_test

import (
	"net/http"
	"testing"

	"svc.example/understudy/mockserver/internal/mocktest"
)

// wantErrors fails the test unless an answer has just these errors of a status: title, detail, pointer, validation code
// of each. The last two are empty but for 422.
func wantErrors(a mocktest.Answer, status int, errors ...[4]string) {
	a.Helper()
	a.Want(status)
	list := a.Value("errors").Array()
	if len(list) != len(errors) {
		a.Fatalf("%d errors, want %d: %s", len(list), len(errors), a.Body)
	}
	for i, want := range errors {
		one := list[i]
		got := [4]string{
			one.Get("title").String(), one.Get("detail").String(), one.Get("source.pointer").String(),
			one.Get("meta.validationCode").String(),
		}
		if got != want {
			a.Errorf("error %d is %q, want %q", i, got, want)
		}
	}
}

func TestErrorsOfResources(t *testing.T) {
	t.Parallel()
	t.Run("what is not there is named in a sentence", func(t *testing.T) {
		t.Parallel()
		s := newStudio(t)
		for _, path := range []string{"/api/agents/", "/api/tool_targets/", "/api/projects/", "/api/chats/"} {
			for _, id := range []string{noID, "7"} {
				wantErrors(s.Get(path+id), http.StatusNotFound,
					[4]string{"Record not found", "The record identified by " + id + " could not be found."})
			}
		}
	})
	t.Run("so is what cannot be sent", func(t *testing.T) {
		t.Parallel()
		s := newStudio(t)
		wantErrors(s.change("agents", s.agent, `{"isManaged":true,"colour":"red"}`), http.StatusBadRequest,
			[4]string{"Param not allowed", "isManaged is not allowed."})
		wantErrors(s.change("agents", s.agent, `{"size":7,"colour":"red"}`), http.StatusBadRequest,
			[4]string{"Param not allowed", "colour is not allowed."}, [4]string{"Param not allowed", "size is not allowed."})
	})
	t.Run("an invalid attribute has a title by its kind and its name before the reason", func(t *testing.T) {
		t.Parallel()
		s := newStudio(t)
		wantErrors(s.change("agents", s.agent, `{"name":" "}`), http.StatusUnprocessableEntity,
			[4]string{"can't be blank", "name - can't be blank", "/data/attributes/name", blank})
		wantErrors(s.create("projects", `{"name":"Store"}`), http.StatusUnprocessableEntity, [4]string{
			"has already been taken", `name - there is another project with the name "Store"`, "/data/attributes/name", twiceThere,
		})
		wantErrors(s.change("agents", s.agent, `{"outputs":[{"name":"a","functionName":"a","jsonSchema":"["}]}`),
			http.StatusUnprocessableEntity, [4]string{
				"is not valid JSON", `outputs/0/jsonSchema - want a JSON object as text, not "["`,
				"/data/attributes/outputs/0/jsonSchema", "LLM_INVALID_JSON",
			})
	})
	t.Run("titles are the same for all mistakes of a kind", func(t *testing.T) {
		t.Parallel()
		s := newStudio(t)
		for path, title := range map[string]string{
			"/api/projects?page[limit]=0":                "Invalid page value",
			"/api/projects?page[offset]=x":               "Invalid page value",
			"/api/projects?sort=colour":                  "Invalid sort criteria",
			"/api/projects?include=cars":                 "Invalid include",
			"/api/projects?filter[hasInterfaces]=cars":   "Invalid filter value",
			"/api/chats?filter[parent_segment_id]=shops": "Invalid filter value",
			"/api/projects?filter[colour]=red":           "Filter not allowed",
		} {
			s.Get(path).Want(http.StatusBadRequest).Wants("errors.0.title", title)
		}
		s.Post("/api/projects", `{}`).Want(http.StatusBadRequest).Wants("errors.0.title", "Missing parameter")
		s.Patch("/api/agents/"+s.agent, `{"data":{"type":"agents","id":"`+noID+`","attributes":{}}}`).
			Want(http.StatusBadRequest).Wants("errors.0.title", "Key is not included in URL")
		s.Patch("/api/agents/"+s.agent, `{"data":{"type":"cars","id":"`+s.agent+`","attributes":{}}}`).
			Want(http.StatusBadRequest).Wants("errors.0.title", "Invalid field value")
		for _, attributes := range []string{`{"projectId":"` + noID + `"}`, `{"temperature":7}`, `{"modelType":"abacus-1"}`} {
			s.change("agents", s.agent, attributes).Want(http.StatusUnprocessableEntity).Wants("errors.0.title", "is invalid")
		}
		wantErrors(s.Delete("/api/agents/"+s.agent), http.StatusUnprocessableEntity, [4]string{
			"cannot be deleted while others refer to it",
			"it cannot be deleted while these refer to it: prompts (" + s.prompt + ")", "/data", "DEPENDENT_DESTROY_RESTRICTED_HAS_MANY",
		})
	})
	t.Run("a return mode of null is no blank one", func(t *testing.T) {
		t.Parallel()
		s := newStudio(t)
		attributes := `{"name":"I","projectId":"PROJECT","imageModelType":"nova-canvas","imageReturnMode":`
		id := s.make("image_generators", attributes+`"ID"}`)
		for _, mode := range []string{"null", `""`, `"URL"`} {
			for _, got := range []mocktest.Answer{
				s.create("image_generators", attributes+mode+"}"), s.change("image_generators", id, `{"imageReturnMode":`+mode+`}`),
			} {
				wantUnfit(got, "imageReturnMode", misfit)
				got.Wants("errors.#", "1", "errors.0.title", "is invalid")
			}
		}
		wantUnfit(s.change("image_generators", id, `{"name":null}`), "name", blank)
	})
	t.Run("an attachment to an unknown chat lacks its project, the id of that, and the chat", func(t *testing.T) {
		t.Parallel()
		s := newStudio(t)
		wantErrors(s.create("chat_attachments",
			`{"chatId":"`+noID+`","inputFieldName":null,"contentType":"text/plain","binaryBase64":"aGk="}`),
			http.StatusUnprocessableEntity,
			[4]string{"is invalid", "project - must exist", "/data/attributes/project", misfit},
			[4]string{"can't be blank", "projectId - can't be blank", "/data/attributes/projectId", blank},
			[4]string{"is invalid", `chat - must exist: there is no chat with id "` + noID + `"`, "/data/attributes/chat", misfit},
		)
	})
	t.Run("an empty name of what is a tool target by itself is found on that, too", func(t *testing.T) {
		t.Parallel()
		s := newStudio(t)
		want := [][4]string{
			{"can't be blank", "name - can't be blank", "/data/attributes/name", blank},
			{"can't be blank", "toolTarget/name - can't be blank", "/data/attributes/toolTarget/name", blank},
		}
		for kind, rest := range map[string]string{"text_knowledge_bases": `,"text":"x"`, "presentation_artifact_tools": ""} {
			wantErrors(s.create(kind, `{"name":"","projectId":"PROJECT"`+rest+`}`), http.StatusUnprocessableEntity, want...)
			id := s.make(kind, `{"name":"K","projectId":"PROJECT"`+rest+`}`)
			wantErrors(s.change(kind, id, `{"name":" "}`), http.StatusUnprocessableEntity, want...)
		}
		wantErrors(s.create("datastore_query_tools", `{"name":"","projectId":"PROJECT"}`), http.StatusUnprocessableEntity, want[0])
	})
	t.Run("a schedule with no interface or with two is wrong as a whole", func(t *testing.T) {
		t.Parallel()
		s := newStage(t)
		id := s.schedule()
		want := [4]string{
			"exactly one interface is required", "want exactly one of formInterfaceId and chatInterfaceId", "/data",
			"LLM_EXACTLY_ONE_INTERFACE_REQUIRED",
		}
		for _, interfaces := range [][]string{{"chatInterfaceId", "null"}, {"formInterfaceId", quote(s.form)}} {
			wantErrors(s.post(interfaces...), http.StatusUnprocessableEntity, want)
			wantErrors(toolPatch(s.Client, "agent_schedules", id, `{`+quote(interfaces[0])+`:`+interfaces[1]+`}`),
				http.StatusUnprocessableEntity, want)
		}
	})
}

// The status in a plain 404 is text or an integer, by the operation.
func TestStatusesOfPlainErrors(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	for path, test := range map[string]struct{ body, status string }{
		"/api/agent_schedules/" + noID + "/callback": {`{"session_id":"1","attempt_id":"2","status":"success"}`, `"404"`},
		"/api/agent_schedules/" + noID + "/execute":  {"", "404"},
		"/api/chats/" + noID + "/continue":           {`{"input":"Hello"}`, "404"},
		"/api/chats/" + noID + "/download_files":     {`{"method":"multipart"}`, "404"},
		"/api/knowledge_bases/" + noID + "/query":    {`{"function":"LIST_COLUMNS","arguments":{}}`, "404"},
	} {
		if got := s.Post(path, test.body).Want(http.StatusNotFound).Value("status").Raw; got != test.status {
			t.Errorf("%s: status is %s, want %s", path, got, test.status)
		}
	}
	if got := s.send(noID, command, commandKey, mocktest.Now).Want(http.StatusNotFound).Value("status").Raw; got != `"404"` {
		t.Errorf("chatapp: status is %s, want it as text", got)
	}
	for path, body := range map[string]string{
		"/api/agent_schedules/" + noID + "/callback": `{}`, "/api/chats/" + noID + "/download_files": `{}`,
	} {
		if got := s.Post(path, body).Want(http.StatusBadRequest).Value("status").Raw; got != `"400"` {
			t.Errorf("%s: status is %s, want it as text", path, got)
		}
	}
}
