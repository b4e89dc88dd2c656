package llm_test

import (
	"bytes"
	"testing"

	"svc.example/understudy/mockserver/internal/llm/llmtest"
)

// newFull returns a client of a mock with a resource of every kind that has rules here.
func newFull(t *testing.T) *llmtest.Client {
	t.Helper()
	s := llmtest.New(t)
	s.Change("projects", s.Project, `{"useWorkflowExecutor":true,"useRuntimeTextResource":true}`)
	s.Make("form_interfaces", llmtest.FormAttributes)
	s.Make("chat_interfaces", `{"name":"C","projectId":"PROJECT","textInputEnabled":true,"textInputAgentId":"AGENT"}`)
	s.Make("integrations", llmtest.WebhookAttributes)
	s.Make("text_resources", `{"name":"T","description":null,"text":"x"}`)
	return s
}

func TestDumps(t *testing.T) {
	t.Parallel()
	t.Run("a world that is dumped and loaded answers as before", func(t *testing.T) {
		t.Parallel()
		s := newFull(t)
		paths := []string{
			"/api/projects?include=overview,createdBy", "/api/agents", "/api/prompts", "/api/form_interfaces",
			"/api/chat_interfaces",
			"/api/integrations", "/api/actions", "/api/text_resources",
		}
		before := make([]string, len(paths))
		for i, path := range paths {
			before[i] = s.Get(path).Want(200).Body
		}
		dump, err := s.World().State()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.World().Load(dump); err != nil {
			t.Fatal(err)
		}
		for i, path := range paths {
			if after := s.Get(path).Want(200).Body; after != before[i] {
				t.Errorf("%s\nbefore %s\nafter %s", path, before[i], after)
			}
		}
		again, err := s.World().State()
		if err != nil || !bytes.Equal(again, dump) {
			t.Errorf("%v: dumps differ:\n%s\n%s", err, dump, again)
		}
	})
}
