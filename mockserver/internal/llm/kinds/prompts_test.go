package kinds_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"svc.example/understudy/mockserver/internal/llm/llmtest"
)

func TestPrompts(t *testing.T) {
	t.Parallel()
	t.Run("the agent of a prompt is fixed for life", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		other := s.Make("agents", `{"name":"Second","projectId":"PROJECT","modelType":"gpt-5"}`)
		llmtest.WantUnprocessable(s.Change("prompts", s.Prompt, `{"agentId":"`+other+`"}`), "agentId", "LLM_IMMUTABLE")
		s.Change("prompts", s.Prompt, `{"agentId":"AGENT","name":"Tell"}`).Want(http.StatusOK).
			Wants("data.attributes.agentId", s.Agent)
	})
	t.Run("the hint has the placeholders of the template, each once, in order", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		for template, want := range map[string]string{
			"Say it.":                           `{"type":"object","properties":{}}`,
			"{{b}} and {{ a }}, {{b}}":          `{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"string"}}}`,
			"{{{c}}}":                           `{"type":"object","properties":{"c":{"type":"string"}}}`,
			`{{"quoted" words}} {{ }} {{}} {x}`: `{"type":"object","properties":{"\"quoted\" words":{"type":"string"}}}`,
			"{{first\nline}} {{größe}} {{b":     `{"type":"object","properties":{"first\nline":{"type":"string"},"größe":{"type":"string"}}}`,
		} {
			s.Change("prompts", s.Prompt, `{"template":`+jsonText(template)+`}`).Want(http.StatusOK).
				Wants("data.attributes.jsonSchemaHint", want)
		}
		s.Change("prompts", s.Prompt, `{"jsonSchemaHint":"{}"}`).Refused(http.StatusBadRequest, `"code":"105"`)
	})
	t.Run("a system prompt has up to 9,000 characters", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		s.Change("prompts", s.Prompt, `{"systemPrompt":"`+strings.Repeat("é", 9000)+`"}`).Want(http.StatusOK)
		refused := s.Change("prompts", s.Prompt, `{"systemPrompt":"`+strings.Repeat("e", 9001)+`"}`)
		llmtest.WantUnprocessable(refused, "systemPrompt", llmtest.TooLong)
		if refused.Refused(422, "not 9001"); len(refused.Body) > 1000 {
			t.Errorf("the refusal repeats the whole prompt, in %d bytes", len(refused.Body))
		}
	})
	t.Run("a deleted prompt takes its actions out of integrations", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		other := s.Make("prompts", `{"name":"Tell","projectId":"PROJECT","agentId":"AGENT","template":"x"}`)
		hook := s.Make("integrations", `{"projectId":"PROJECT","serviceType":"WEBHOOK",
			"actions":[{"promptId":"PROMPT"},{"promptId":"`+other+`"}]}`)
		s.Remove("prompts", s.Prompt)
		s.Get("/api/integrations/"+hook).Wants("data.attributes.actions.#", "1", "data.attributes.actions.0.promptId", other)
		s.Get("/api/actions").Wants("meta.total", "1", "data.0.attributes.promptId", other)
	})
}

func TestTextResources(t *testing.T) {
	t.Parallel()
	t.Run("a text has up to 18,000 characters, and is not blank", func(t *testing.T) {
		t.Parallel()
		s := newTexts(t, "a")
		id := s.IDs("/api/text_resources")[0]
		s.Change("text_resources", id, `{"text":"`+strings.Repeat("é", 18000)+`"}`).Want(http.StatusOK)
		llmtest.WantUnprocessable(s.Change("text_resources", id, `{"text":"`+strings.Repeat("e", 18001)+`"}`), "text",
			llmtest.TooLong)
		llmtest.WantUnprocessable(s.Change("text_resources", id, `{"text":" "}`), "text", llmtest.Blank)
		llmtest.WantUnprocessable(s.Change("text_resources", id, `{"name":""}`), "name", llmtest.Blank)
	})
	t.Run("the description is needed, and may be null", func(t *testing.T) {
		t.Parallel()
		llmtest.WantUnprocessable(newTexts(t).Create("text_resources", `{"name":"a","text":"x"}`), "description",
			llmtest.Blank)
	})
	t.Run("lists are narrowed down by the whole name, or by a part of any text", func(t *testing.T) {
		t.Parallel()
		s := newTexts(t, "style", "style guide")
		s.Make("text_resources", `{"name":"rules","description":"of STYLE","text":"Be brief."}`)
		for query, want := range map[string]string{
			"filter[name]=style": "style", "filter[fulltext]=Style": "style style guide rules",
			"filter[fulltext]=brief": "rules",
			"filter[name]=Style":     "", "filter[name]=style&filter[fulltext]=guide": "",
		} {
			if got := s.Names("/api/text_resources?" + query); got != want {
				t.Errorf("%s gives %q, want %q", query, got, want)
			}
		}
	})
}

func TestFormInterfaces(t *testing.T) {
	t.Parallel()
	t.Run("its schemas are JSON objects, the one of its looks up to 15,000 characters long", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		form := s.Make("form_interfaces", llmtest.FormAttributes)
		llmtest.WantUnprocessable(s.Change("form_interfaces", form, `{"formJsonSchema":"type: object"}`),
			"formJsonSchema", "LLM_INVALID_JSON")
		llmtest.WantUnprocessable(s.Change("form_interfaces", form, `{"formUiSchema":"[]"}`), "formUiSchema",
			"LLM_INVALID_JSON")
		looks := func(size int) string {
			return `{"formUiSchema":` + jsonText(`{"x":"`+strings.Repeat("x", size-8)+`"}`) + `}`
		}
		s.Change("form_interfaces", form, looks(15000)).Want(http.StatusOK)
		llmtest.WantUnprocessable(s.Change("form_interfaces", form, looks(15001)), "formUiSchema", llmtest.TooLong)
		s.Change("form_interfaces", form, `{"formUiSchema":null}`).Want(http.StatusOK).
			Wants("data.attributes.formUiSchema", "")
	})
	t.Run("whether it takes a text resource follows from its schema and template", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		form := s.Make("form_interfaces", llmtest.FormAttributes)
		s.Get("/api/form_interfaces/"+form).Wants("data.attributes.useTextResource", "false")
		s.Change("form_interfaces", form, `{"promptTemplate":"{{textResource}}"}`).Wants("data.attributes.useTextResource",
			"true")
		s.Change("form_interfaces", form, `{"useTextResource":true}`).Refused(http.StatusBadRequest, `"code":"105"`)
	})
	t.Run("its agent and its project are there", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		form := s.Make("form_interfaces", llmtest.FormAttributes)
		llmtest.WantUnprocessable(s.Change("form_interfaces", form, `{"agentId":"PROJECT"}`), "agentId", llmtest.Misfit)
		llmtest.WantUnprocessable(s.Change("form_interfaces", form, `{"projectId":"AGENT"}`), "projectId", llmtest.Misfit)
		llmtest.WantUnprocessable(s.Change("form_interfaces", form, `{"promptTemplate":""}`), "promptTemplate", llmtest.Blank)
	})
	t.Run("lists are narrowed down by name and project", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		s.Make("form_interfaces", llmtest.FormAttributes)
		for query, want := range map[string]string{
			"filter[name]=F": "F", "filter[name]=f": "", "filter[project_id]=" + s.Project: "F", "filter[project_id]=x": "",
		} {
			if got := s.Names("/api/form_interfaces?" + query); got != want {
				t.Errorf("%s gives %q, want %q", query, got, want)
			}
		}
	})
}

func TestChatInterfaces(t *testing.T) {
	t.Parallel()
	t.Run("a button has a label of up to 50 characters, an agent and a prompt", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		buttons := func(label, agent, prompt string) string {
			return `{"name":"C","projectId":"PROJECT","textInputEnabled":false,"chatInterfaceButtons":[
				{"agentId":"AGENT","label":"Go","prompt":"go"},
				{"agentId":"` + agent + `","label":"` + label + `","prompt":"` + prompt + `"}]}`
		}
		s.Create("chat_interfaces", buttons(strings.Repeat("é", 50), s.Agent, "go")).Want(http.StatusCreated).
			Wants("data.attributes.chatInterfaceButtons.#", "2", "data.attributes.starterMessage", "")
		llmtest.WantUnprocessable(s.Create("chat_interfaces", buttons(strings.Repeat("e", 51), s.Agent, "go")),
			"chatInterfaceButtons/1/label", llmtest.TooLong)
		llmtest.WantUnprocessable(s.Create("chat_interfaces", buttons("Go", llmtest.NoID, "go")),
			"chatInterfaceButtons/1/agentId", llmtest.Misfit)
		llmtest.WantUnprocessable(s.Create("chat_interfaces", buttons("Go", s.Agent, "")), "chatInterfaceButtons/1/prompt",
			llmtest.Blank)
		llmtest.WantUnprocessable(s.Create("chat_interfaces", buttons("", s.Agent, "go")), "chatInterfaceButtons/1/label",
			llmtest.Blank)
	})
	t.Run("where one may type an agent may answer", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		s.Make("chat_interfaces", `{"name":"B","projectId":"PROJECT","textInputEnabled":true}`)
		llmtest.WantUnprocessable(s.Create("chat_interfaces",
			`{"name":"C","projectId":"PROJECT","textInputEnabled":true,"textInputAgentId":"PROMPT"}`),
			"textInputAgentId", llmtest.Misfit)
		s.Make("chat_interfaces", `{"name":"C","projectId":"PROJECT","textInputEnabled":true,"textInputAgentId":"AGENT"}`)
		for query, want := range map[string]string{
			"filter[name]=C": "C", "filter[name]=D": "", "filter[project_id]=" + s.Project: "B C", "filter[project_id]=x": "",
		} {
			if got := s.Names("/api/chat_interfaces?" + query); got != want {
				t.Errorf("%s gives %q, want %q", query, got, want)
			}
		}
	})
}

// jsonText returns a text as JSON.
func jsonText(text string) string {
	b, _ := json.Marshal(text) // a text can always be written
	return string(b)
}
