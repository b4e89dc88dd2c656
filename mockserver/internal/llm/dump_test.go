package llm_test

import (
	"bytes"
	"testing"
)

// newFull is a studio with a resource of every kind of which there are rules here.
func newFull(t *testing.T) *studio {
	t.Helper()
	s := newStudio(t)
	s.change("projects", s.project, `{"useWorkflowExecutor":true,"useRuntimeTextResource":true}`)
	s.make("form_interfaces", walkedForm)
	s.make("chat_interfaces", `{"name":"C","projectId":"PROJECT","textInputEnabled":true,"textInputAgentId":"AGENT"}`)
	s.make("integrations", hookAttributes)
	s.make("text_resources", `{"name":"T","description":null,"text":"x"}`)
	return s
}

func TestDumps(t *testing.T) {
	t.Parallel()
	t.Run("a world that is dumped and loaded answers as before", func(t *testing.T) {
		t.Parallel()
		s := newFull(t)
		paths := []string{
			"/api/projects?include=overview,createdBy", "/api/agents", "/api/prompts", "/api/form_interfaces", "/api/chat_interfaces",
			"/api/integrations", "/api/actions", "/api/text_resources",
		}
		before := make([]string, len(paths))
		for i, path := range paths {
			before[i] = string(s.Get(path).Want(200).Body)
		}
		dump, err := s.World().State()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.World().Load(dump); err != nil {
			t.Fatal(err)
		}
		for i, path := range paths {
			if after := string(s.Get(path).Want(200).Body); after != before[i] {
				t.Errorf("%s\nbefore %s\nafter %s", path, before[i], after)
			}
		}
		again, err := s.World().State()
		if err != nil || !bytes.Equal(again, dump) {
			t.Errorf("%v: dumps differ:\n%s\n%s", err, dump, again)
		}
	})
}
