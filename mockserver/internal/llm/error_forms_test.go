package llm_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver/internal/llm/llmtest"
)

// wantErrors fails the test unless an answer has exactly these errors of a status: title, detail, pointer, validation
// code of each. The last two are empty except for 422.
func wantErrors(a mocktest.Answer, status int, errors ...[4]string) {
	a.Helper()
	a.Want(status)
	list := slices.Collect(a.Value("errors").List)
	if len(list) != len(errors) {
		a.Fatalf("%d errors, want %d: %s", len(list), len(errors), a.Body)
	}
	for i, want := range errors {
		one := list[i]
		got := [4]string{
			one.Find("title").Text(), one.Find("detail").Text(), one.Find("source.pointer").Text(),
			one.Find("meta.validationCode").Text(),
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
		s := llmtest.New(t)
		for _, path := range []string{"/api/agents/", "/api/tool_targets/", "/api/projects/", "/api/chats/"} {
			for _, id := range []string{llmtest.NoID, "7"} {
				wantErrors(s.Get(path+id), http.StatusNotFound,
					[4]string{"Record not found", "The record identified by " + id + " could not be found."})
			}
		}
	})
	t.Run("so is what cannot be sent", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		wantErrors(s.Change("agents", s.Agent, `{"isManaged":true,"colour":"red"}`), http.StatusBadRequest,
			[4]string{"Param not allowed", "isManaged is not allowed."})
		wantErrors(s.Change("agents", s.Agent, `{"size":7,"colour":"red"}`), http.StatusBadRequest,
			[4]string{"Param not allowed", "colour is not allowed."}, [4]string{"Param not allowed", "size is not allowed."})
	})
	t.Run("an invalid attribute has a title by its kind and its name before the reason", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		wantErrors(s.Change("agents", s.Agent, `{"name":" "}`), http.StatusUnprocessableEntity,
			[4]string{"can't be blank", "name - can't be blank", "/data/attributes/name", llmtest.Blank})
		wantErrors(s.Create("projects", `{"name":"Store"}`), http.StatusUnprocessableEntity, [4]string{
			"has already been taken", `name - the name "Store" is already used by another project`, "/data/attributes/name",
			llmtest.TwiceThere,
		})
		wantErrors(s.Change("agents", s.Agent, `{"outputs":[{"name":"a","functionName":"a","jsonSchema":"["}]}`),
			http.StatusUnprocessableEntity, [4]string{
				"is not valid JSON", `outputs/0/jsonSchema - want a JSON object in a string, not "["`,
				"/data/attributes/outputs/0/jsonSchema", "LLM_INVALID_JSON",
			})
	})
	t.Run("titles are the same for all mistakes of a kind", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
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
		s.Patch("/api/agents/"+s.Agent, `{"data":{"type":"agents","id":"`+llmtest.NoID+`","attributes":{}}}`).
			Want(http.StatusBadRequest).Wants("errors.0.title", "Key is not included in URL")
		s.Patch("/api/agents/"+s.Agent, `{"data":{"type":"cars","id":"`+s.Agent+`","attributes":{}}}`).
			Want(http.StatusBadRequest).Wants("errors.0.title", "Invalid field value")
		for _, attributes := range []string{
			`{"projectId":"` + llmtest.NoID + `"}`, `{"temperature":7}`,
			`{"modelType":"abacus-1"}`,
		} {
			s.Change("agents", s.Agent, attributes).Want(http.StatusUnprocessableEntity).Wants("errors.0.title", "is invalid")
		}
		wantErrors(s.Delete("/api/agents/"+s.Agent), http.StatusUnprocessableEntity, [4]string{
			"cannot be deleted while others refer to it",
			"it cannot be deleted while these refer to it: prompts (" + s.Prompt + ")", "/data",
			"DEPENDENT_DESTROY_RESTRICTED_HAS_MANY",
		})
	})
	t.Run("a return mode of null is no blank one", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		attributes := `{"name":"I","projectId":"PROJECT","imageModelType":"nova-canvas","imageReturnMode":`
		id := s.Make("image_generators", attributes+`"ID"}`)
		for _, mode := range []string{"null", `""`, `"URL"`} {
			for _, got := range []mocktest.Answer{
				s.Create("image_generators", attributes+mode+"}"), s.Change("image_generators", id, `{"imageReturnMode":`+mode+`}`),
			} {
				llmtest.WantUnprocessable(got, "imageReturnMode", llmtest.Misfit)
				got.Wants("errors.#", "1", "errors.0.title", "is invalid")
			}
		}
		llmtest.WantUnprocessable(s.Change("image_generators", id, `{"name":null}`), "name", llmtest.Blank)
	})
	t.Run("an attachment to an unknown chat lacks its project, the id of that, and the chat", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		wantErrors(s.Create("chat_attachments",
			`{"chatId":"`+llmtest.NoID+`","inputFieldName":null,"contentType":"text/plain","binaryBase64":"aGk="}`),
			http.StatusUnprocessableEntity,
			[4]string{"is invalid", "project - must exist", "/data/attributes/project", llmtest.Misfit},
			[4]string{"can't be blank", "projectId - can't be blank", "/data/attributes/projectId", llmtest.Blank},
			[4]string{
				"is invalid", `chat - must exist: chat with id "` + llmtest.NoID + `" not found`, "/data/attributes/chat",
				llmtest.Misfit,
			},
		)
	})
	t.Run("an empty name of what is a tool target by itself is found on that, too", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		want := [][4]string{
			{"can't be blank", "name - can't be blank", "/data/attributes/name", llmtest.Blank},
			{"can't be blank", "toolTarget/name - can't be blank", "/data/attributes/toolTarget/name", llmtest.Blank},
		}
		for kind, rest := range map[string]string{"text_knowledge_bases": `,"text":"x"`, "presentation_artifact_tools": ""} {
			wantErrors(s.Create(kind, `{"name":"","projectId":"PROJECT"`+rest+`}`), http.StatusUnprocessableEntity, want...)
			id := s.Make(kind, `{"name":"K","projectId":"PROJECT"`+rest+`}`)
			wantErrors(s.Change(kind, id, `{"name":" "}`), http.StatusUnprocessableEntity, want...)
		}
		wantErrors(s.Create("datastore_query_tools", `{"name":"","projectId":"PROJECT"}`), http.StatusUnprocessableEntity,
			want[0])
	})
	t.Run("a schedule with no interface or with two is wrong as a whole", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		form := `"formInterfaceId":"` + s.Make("form_interfaces", llmtest.FormAttributes) + `"`
		chat := `"chatInterfaceId":"` + s.Make("chat_interfaces",
			`{"name":"C","projectId":"PROJECT","textInputEnabled":false}`) + `"`
		schedule := func(interfaces string) string {
			return strings.Replace(llmtest.ScheduleAttributes, `"formInterfaceId":"FORM"`, interfaces, 1)
		}
		id := s.Make("agent_schedules", schedule(form))
		want := [4]string{
			"exactly one interface is required", "want exactly one of formInterfaceId and chatInterfaceId", "/data",
			"LLM_EXACTLY_ONE_INTERFACE_REQUIRED",
		}
		for _, interfaces := range []string{`"formInterfaceId":null`, form + "," + chat} {
			wantErrors(s.Create("agent_schedules", schedule(interfaces)), http.StatusUnprocessableEntity, want)
			wantErrors(s.Change("agent_schedules", id, "{"+interfaces+"}"), http.StatusUnprocessableEntity, want)
		}
	})
}

// The status in a plain 404 is text or an integer, depending on the operation.
func TestStatusesOfPlainErrors(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	for path, test := range map[string]struct{ body, status string }{
		"/api/agent_schedules/" + llmtest.NoID + "/callback": {
			`{"session_id":"1","attempt_id":"2","status":"success"}`,
			`"404"`,
		},
		"/api/agent_schedules/" + llmtest.NoID + "/execute": {"", "404"},
		"/api/chats/" + llmtest.NoID + "/continue":          {`{"input":"Hello"}`, "404"},
		"/api/chats/" + llmtest.NoID + "/download_files":    {`{"method":"multipart"}`, "404"},
		"/api/knowledge_bases/" + llmtest.NoID + "/query":   {`{"function":"LIST_COLUMNS","arguments":{}}`, "404"},
	} {
		if got := s.Post(path, test.body).Want(http.StatusNotFound).Value("status").Raw(); got != test.status {
			t.Errorf("%s: status is %s, want %s", path, got, test.status)
		}
	}
	command := "response_url=https%3A%2F%2Fchatapp.example%2Fanswer&text=x&command=%2Fask"
	if got := s.As("").Call(http.MethodPost, "/api/actions/"+llmtest.NoID+"/chatapp", command, "X-Chatapp-Signature",
		"v0=", "X-Chatapp-Request-Timestamp", strconv.FormatInt(mocktest.Now.Unix(), 10)).Want(http.StatusNotFound).Value("status").Raw(); got != `"404"` {
		t.Errorf("chatapp: status is %s, want it as text", got)
	}
	for path, body := range map[string]string{
		"/api/agent_schedules/" + llmtest.NoID + "/callback": `{}`, "/api/chats/" + llmtest.NoID + "/download_files": `{}`,
	} {
		if got := s.Post(path, body).Want(http.StatusBadRequest).Value("status").Raw(); got != `"400"` {
			t.Errorf("%s: status is %s, want it as text", path, got)
		}
	}
}
