package llm_test

import (
	"net/http"
	"strings"
	"testing"

	"svc.example/understudy/mockserver/internal/llm/llmtest"
	"svc.example/understudy/specs"
)

const jsonAPI = "application/vnd.api+json"

// otherBodies holds bodies of the operations that take JSON and are not those of every kind. ID stands for a resource
// of the kind in the path.
var otherBodies = map[string]struct{ kind, attributes, body string }{
	"callbackAgentSchedule": {
		"agent_schedules", llmtest.ScheduleAttributes,
		`{"session_id":"1","attempt_id":"2","status":"success"}`,
	},
	"executeAgentSchedule": {"agent_schedules", llmtest.ScheduleAttributes, `{}`},
	"continueChat":         {"chats", `{"agentId":"AGENT"}`, `{"input":"Hello"}`},
	"downloadChatFiles":    {"chats", `{"agentId":"AGENT"}`, `{"method":"multipart"}`},
	"queryKnowledgeBase": {
		"knowledge_bases", `{"name":"K","projectId":"PROJECT","svcDatabaseName":"shop"}`,
		`{"function":"LIST_COLUMNS","arguments":{}}`,
	},
	"convertSegmentRule": {"", "", `{"name":"n","description":"d","simplifiedIonRule":{"title":"t","summary":"s",
		"conditions":[{"attribute_column":"a","operator":"=","right_value":1}]}}`},
}

// request returns the path and the body of an operation that takes JSON. It creates the resources that they name.
func request(w llmtest.Walk, o *specs.Operation) (path, body string) {
	w.Helper()
	if other, ok := otherBodies[o.ID]; ok {
		if other.kind == "" {
			return o.Path, other.body
		}
		return strings.Replace(o.Path, "{id}", w.Make(other.kind, w.With(other.attributes)), 1), other.body
	}
	for _, tt := range llmtest.Walked {
		if o.Path == "/api/"+tt.Kind {
			return o.Path, w.Fill(`{"data":{"type":"` + llmtest.CamelType(tt.Kind) + `","attributes":` + w.With(tt.Attributes) +
				`}}`)
		}
		if o.Path == "/api/"+tt.Kind+"/{id}" {
			id := w.Make(tt.Kind, w.With(tt.Attributes))
			return "/api/" + tt.Kind + "/" + id,
				w.Fill(`{"data":{"type":"` + llmtest.CamelType(tt.Kind) + `","id":"` + id + `","attributes":` + tt.Change + `}}`)
		}
	}
	w.Fatalf("there is no body for %s: give its kind a row in llmtest.Walked", o.ID)
	return "", ""
}

// Every operation that takes JSON also takes it under the media type of JSON:API, with the same answer.
func TestEveryJSONBodyMayBeOfTheMediaTypeOfJSONAPI(t *testing.T) {
	t.Parallel()
	doc, err := specs.Load(specs.LLM, "")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, o := range doc.Operations {
		if o.Spec.RequestBody == nil || o.Spec.RequestBody.Value.Content["application/json"] == nil {
			continue
		}
		count++
		t.Run(o.ID, func(t *testing.T) {
			t.Parallel()
			if o.Spec.RequestBody.Value.Content[jsonAPI] == nil {
				t.Errorf("the document does not have %s", jsonAPI)
			}
			var answers []string
			for _, media := range []string{"application/json", jsonAPI, jsonAPI + "; charset=utf-8"} {
				w := llmtest.NewWalk(t, doc, "")
				path, body := request(w, o)
				got := w.Call(o.Method, path, body, "Content-Type", media)
				if got.Status >= http.StatusMultipleChoices {
					t.Errorf("%s: status %d: %s", media, got.Status, got.Body)
				}
				answers = append(answers, got.Body)
			}
			if answers[1] != answers[0] || answers[2] != answers[0] {
				t.Errorf("the answers differ:\n%s", strings.Join(answers, "\n"))
			}
		})
	}
	if count < 30 {
		t.Errorf("only %d operations take JSON: this test sees too little", count)
	}
}
