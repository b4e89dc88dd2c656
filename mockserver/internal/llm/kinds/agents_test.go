package kinds_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver/internal/llm/llmtest"
)

func TestAgents(t *testing.T) {
	t.Parallel()
	t.Run("an agent has a temperature of 0, four rounds of tools and no effort to reason unless it says otherwise",
		func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t)
			s.Get("/api/agents/"+s.Agent).Wants("data.attributes.temperature", "0", "data.attributes.maxToolIterations", "4",
				"data.attributes.reasoningEffort", "NONE", "data.attributes.systemPrompt", "", "data.attributes.starterMessage", "",
				"data.attributes.tools.#", "0", "data.attributes.variables.#", "0", "data.attributes.outputs.#", "0",
				"data.attributes.isManaged", "false")
		})
	t.Run("texts that are null are empty ones, on creation and on change", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		made := s.Create("agents",
			`{"name":"A","projectId":"PROJECT","modelType":"gpt-5","systemPrompt":null,"starterMessage":null}`).
			Want(http.StatusCreated)
		wantEmptyTexts(made, "data.attributes.")
		s.Change("agents", s.Agent, `{"systemPrompt":"Be brief.","starterMessage":"Hello"}`).Want(http.StatusOK).
			Wants("data.attributes.systemPrompt", "Be brief.", "data.attributes.starterMessage", "Hello")
		wantEmptyTexts(s.Change("agents", s.Agent, `{"systemPrompt":null,"starterMessage":null}`).Want(http.StatusOK),
			"data.attributes.")
		llmtest.WantUnprocessable(s.Change("agents", s.Agent, `{"systemPrompt":7}`), "systemPrompt", llmtest.Misfit)
	})
	t.Run("a new agent has empty texts wherever it is answered, also one of a fixture", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		wantEmptyTexts(s.Create("agents", `{"name":"A","projectId":"PROJECT","modelType":"gpt-5"}`).Want(http.StatusCreated),
			"data.attributes.")
		wantEmptyTexts(s.Get("/api/agents/"+s.Agent).Want(http.StatusOK), "data.attributes.")
		wantEmptyTexts(s.Get("/api/agents").Want(http.StatusOK), "data.1.attributes.")
		seeded := llmtest.NewChats(t)
		wantEmptyTexts(seeded.Get("/api/agents/"+llmtest.ChatOther).Want(http.StatusOK), "data.attributes.")
	})
	t.Run("a temperature is from 0 to 1", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		s.Change("agents", s.Agent, `{"temperature":1}`).Want(http.StatusOK).Wants("data.attributes.temperature", "1")
		for _, text := range []string{"1.1", "-0.1", "2", `"warm"`} {
			llmtest.WantUnprocessable(s.Change("agents", s.Agent, `{"temperature":`+text+`}`), "temperature", llmtest.Misfit)
		}
		s.Get("/api/agents/"+s.Agent).Wants("data.attributes.temperature", "1")
	})
	t.Run("rounds of tools are counted from 1, in whole numbers", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		llmtest.WantUnprocessable(s.Change("agents", s.Agent, `{"maxToolIterations":1.5}`), "maxToolIterations",
			"NOT_AN_INTEGER")
		llmtest.WantUnprocessable(s.Change("agents", s.Agent, `{"maxToolIterations":0}`), "maxToolIterations", llmtest.Misfit)
	})
	t.Run("an agent is in a project that there is, and has a name", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		llmtest.WantUnprocessable(s.Change("agents", s.Agent, `{"projectId":"`+llmtest.NoID+`"}`), "projectId",
			llmtest.Misfit)
		llmtest.WantUnprocessable(s.Change("agents", s.Agent, `{"projectId":"`+s.Agent+`"}`), "projectId", llmtest.Misfit)
		llmtest.WantUnprocessable(s.Change("agents", s.Agent, `{"name":"\t"}`), "name", llmtest.Blank)
	})
	t.Run("what a change leaves out stays, and a list is replaced as a whole", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		output := `{"name":%q,"functionName":%q,"jsonSchema":"{}"}`
		s.Change("agents", s.Agent, `{"outputs":[`+fmt.Sprintf(output, "a", "a")+`,`+fmt.Sprintf(output, "b", "b")+`]}`).
			Want(http.StatusOK)
		s.Change("agents", s.Agent, `{"systemPrompt":"Be brief."}`).Want(http.StatusOK).
			Wants("data.attributes.outputs.#", "2")
		s.Change("agents", s.Agent, `{"outputs":[`+fmt.Sprintf(output, "c", "c")+`]}`).Want(http.StatusOK).Wants(
			"data.attributes.outputs.#", "1", "data.attributes.outputs.0.functionName", "c",
			"data.attributes.outputs.0.artifactType", "", "data.attributes.systemPrompt", "Be brief.")
	})
	t.Run("schemas are JSON, functions have names of their own", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		llmtest.WantUnprocessable(s.Change("agents", s.Agent,
			`{"outputs":[{"name":"a","functionName":"a","jsonSchema":"{\"type\":"}]}`),
			"outputs/0/jsonSchema", "LLM_INVALID_JSON")
		twice := s.Change("agents", s.Agent, `{"outputs":[{"name":"a","functionName":"a","jsonSchema":"{}"},
			{"name":"","functionName":"a","jsonSchema":"[]"}]}`)
		llmtest.WantUnprocessable(twice, "outputs/1/functionName", llmtest.TwiceThere)
		llmtest.WantUnprocessable(twice, "outputs/1/name", llmtest.Blank)
		llmtest.WantUnprocessable(twice, "outputs/1/jsonSchema", "LLM_INVALID_JSON")
	})
}

// wantEmptyTexts fails the test unless an agent has empty texts, not null, at a path.
func wantEmptyTexts(a mocktest.Answer, path string) {
	a.Helper()
	for _, name := range []string{"systemPrompt", "starterMessage"} {
		if got := a.Value(path + name).Raw(); got != `""` {
			a.Errorf("%s is %s, want an empty text", name, got)
		}
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	t.Run("the models in use are listed with names for people", func(t *testing.T) {
		t.Parallel()
		settings := llmtest.New(t).Get("/api/users/current_settings").Want(http.StatusOK).Wants(
			`availableModels.claude-4\.5-sonnet.displayName`, "Claude 4.5 Sonnet",
			"availableImageModels.nova-canvas.displayName", "Nova Canvas", "data", "")
		if models := slices.Collect(settings.Value("availableModels").Each); len(models) != 16 {
			t.Errorf("%d models are listed, want 16", len(models))
		}
	})
	t.Run("an agent is made with a model in use", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		llmtest.WantUnprocessable(s.Create("agents", `{"name":"A","projectId":"PROJECT","modelType":"abacus-1"}`),
			"modelType", llmtest.Misfit)
		llmtest.WantUnprocessable(s.Change("agents", s.Agent, `{"modelType":"abacus-1"}`), "modelType", llmtest.Misfit)
	})
	t.Run("a model that has gone out of use stays until it is changed, to one in use", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		s.Edit(func(state string) string { return strings.Replace(state, `"gpt-5"`, `"abacus-1"`, 1) })
		s.Change("agents", s.Agent, `{"name":"Old hand"}`).Want(http.StatusOK).Wants("data.attributes.modelType", "abacus-1")
		s.Change("agents", s.Agent, `{"modelType":"abacus-1"}`).Want(http.StatusOK)
		llmtest.WantUnprocessable(s.Change("agents", s.Agent, `{"modelType":"abacus-2"}`), "modelType", llmtest.Misfit)
		s.Change("agents", s.Agent, `{"modelType":"gpt-5-mini"}`).Want(http.StatusOK)
		llmtest.WantUnprocessable(s.Change("agents", s.Agent, `{"modelType":"abacus-1"}`), "modelType", llmtest.Misfit)
	})
	t.Run("the caller and the account have their ids in digits", func(t *testing.T) {
		t.Parallel()
		llmtest.New(t).As("1/owner").Get("/api/users/current").Want(http.StatusOK).
			Wants("user.id", "2", "user.name", "Otto Owner", "account.id", "1", "data", "")
	})
}

// toolFor returns a tool that points at a target.
func toolFor(kind, target, function string) string {
	return fmt.Sprintf(`{"toolTargetId":%q,"toolTargetType":%q,"targetFunction":"RUN","functionName":%q}`, target, kind,
		function)
}

func TestAgentTools(t *testing.T) {
	t.Parallel()
	t.Run("a tool says what it points at", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		text := s.Make("text_knowledge_bases", `{"name":"K","projectId":"PROJECT","text":"All is well."}`)
		helper := s.Make("agents", `{"name":"Second","projectId":"PROJECT","modelType":"gpt-5"}`)
		s.Change("agents", s.Agent,
			`{"tools":[`+toolFor("text_knowledge_base", text, "read")+`,`+toolFor("agent", helper, "ask")+`]}`).
			Want(http.StatusOK).Wants(
			"data.attributes.tools.0.targetType", "TextKnowledgeBase", "data.attributes.tools.0.targetAgentId", "",
			"data.attributes.tools.0.inheritChatFiles", "false", "data.attributes.tools.1.targetType", "Agent",
			"data.attributes.tools.1.targetAgentId", helper, "data.attributes.tools.1.targetKnowledgeBaseId", "")
	})
	t.Run("the output mode of a tool is never null in an answer", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		text := s.Make("text_knowledge_bases", `{"name":"K","projectId":"PROJECT","text":"All is well."}`)
		tool := func(name, mode string) string {
			return strings.Replace(toolFor("text_knowledge_base", text, name), "}", mode+"}", 1)
		}
		tools := `"tools":[` + tool("a", "") + `,` + tool("b", `,"agentOutputMode":null`) + `,` + tool("c",
			`,"agentOutputMode":"SHOW"`) + `]`
		const modes = "attributes.tools.#.agentOutputMode"
		const want = `["RETURN","RETURN","SHOW"]`
		s.Create("agents", `{"name":"A","projectId":"PROJECT","modelType":"gpt-5",`+tools+`}`).Want(http.StatusCreated).
			Wants("data."+modes, want)
		s.Change("agents", s.Agent, `{`+tools+`}`).Want(http.StatusOK).Wants("data."+modes, want)
		s.Get("/api/agents/"+s.Agent).Wants("data."+modes, want)
		s.Get("/api/agents").Wants("data.1."+modes, want)
		llmtest.WantUnprocessable(s.Change("agents", s.Agent, `{"tools":[`+tool("a", `,"agentOutputMode":"WHISPER"`)+`]}`),
			"tools/0/agentOutputMode", llmtest.Misfit)
		llmtest.NewChats(t).Get("/api/agents/"+llmtest.ChatAgent).Wants("data."+modes, `["RETURN","RETURN","RETURN"]`)
	})
	t.Run("a target is there, and of the kind that the tool says", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		for _, kind := range []string{
			"knowledge_base", "text_knowledge_base", "datastore_query_tool", "image_generator", "presentation_artifact_tool",
			"web_search_tool", "workflow_executor",
		} {
			llmtest.WantUnprocessable(s.Change("agents", s.Agent, `{"tools":[`+toolFor(kind, s.Prompt, "read")+`]}`),
				"tools/0/toolTargetId", llmtest.Misfit)
		}
		llmtest.WantUnprocessable(s.Change("agents", s.Agent, `{"tools":[`+toolFor("agent", llmtest.NoID, "ask")+`]}`),
			"tools/0/toolTargetId", llmtest.Misfit)
		llmtest.WantUnprocessable(s.Change("agents", s.Agent, `{"tools":[`+toolFor("car", s.Agent, "drive")+`]}`),
			"tools/0/toolTargetType", llmtest.Misfit)
		s.Get("/api/agents/"+s.Agent).Wants("data.attributes.tools.#", "0")
	})
	t.Run("a tool may not point at an agent of others", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		theirs := s.WithKey("1/owner").Make("agents", `{"name":"Theirs","projectId":"PROJECT","modelType":"gpt-5"}`)
		tools := `"tools":[` + toolFor("agent", theirs, "ask") + `]`
		s.Create("agents", `{"name":"Mine","projectId":"PROJECT","modelType":"gpt-5",`+tools+`}`).
			Refused(http.StatusForbidden, theirs, `"status":"403"`)
		mine := s.WithKey("1/owner").Make("agents", `{"name":"Mine","projectId":"PROJECT","modelType":"gpt-5",`+tools+`}`)
		s.Change("agents", mine, `{"name":"Yours",`+tools+`}`).Want(http.StatusOK) // it was there before
	})
	t.Run("what the server works out cannot be sent", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		tool := `{"toolTargetId":"AGENT","toolTargetType":"agent","targetFunction":"RUN","functionName":"ask","targetType":"Agent"}`
		s.Change("agents", s.Agent, `{"tools":[`+tool+`]}`).Refused(http.StatusBadRequest, "targetType", `"code":"105"`)
	})
	t.Run("functions of tools and outputs share their names, and the schema of an agent's input is JSON",
		func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t)
			tool := `{"toolTargetId":"AGENT","toolTargetType":"agent","targetFunction":"RUN","functionName":"ask","agentPromptSchema":"{"}`
			refused := s.Change("agents", s.Agent,
				`{"outputs":[{"name":"a","functionName":"ask","jsonSchema":"{}"}],"tools":[`+tool+`]}`)
			llmtest.WantUnprocessable(refused, "tools/0/functionName", llmtest.TwiceThere)
			llmtest.WantUnprocessable(refused, "tools/0/agentPromptSchema", "LLM_INVALID_JSON")
		})
	t.Run("a tool whose target is gone stays, and cannot be added again", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		text := s.Make("text_knowledge_bases", `{"name":"K","projectId":"PROJECT","text":"All is well."}`)
		tools := `{"tools":[` + toolFor("text_knowledge_base", text, "read") + `]}`
		s.Change("agents", s.Agent, tools).Want(http.StatusOK)
		s.Remove("text_knowledge_bases", text)
		s.Change("agents", s.Agent, tools).Want(http.StatusOK)
		s.Change("agents", s.Agent, `{"tools":[]}`).Want(http.StatusOK)
		llmtest.WantUnprocessable(s.Change("agents", s.Agent, tools), "tools/0/toolTargetId", llmtest.Misfit)
	})
	t.Run("variables point at targets like tools", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		variable := func(target, more string) string {
			return `{"variables":[{"name":"columns","toolTargetId":"` + target +
				`","toolTargetType":"text_knowledge_base","targetFunction":"LIST_COLUMNS"` + more + `}]}`
		}
		text := s.Make("text_knowledge_bases", `{"name":"K","projectId":"PROJECT","text":"All is well."}`)
		s.Change("agents", s.Agent, variable(text, "")).Want(http.StatusOK).Wants(
			"data.attributes.variables.0.toolTargetId", text, "data.attributes.variables.0.targetKnowledgeBaseId", "")
		llmtest.WantUnprocessable(s.Change("agents", s.Agent, variable(llmtest.NoID, "")), "variables/0/toolTargetId",
			llmtest.Misfit)
		llmtest.WantUnprocessable(s.Change("agents", s.Agent, variable(text, `,"targetKnowledgeBaseId":"`+llmtest.NoID+`"`)),
			"variables/0/targetKnowledgeBaseId", llmtest.Misfit)
	})
}

func TestAgentsInUse(t *testing.T) {
	t.Parallel()
	t.Run("an agent is not deleted while prompts and tools refer to it, which the error lists", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		user := s.Make("agents",
			`{"name":"User","projectId":"PROJECT","modelType":"gpt-5","tools":[`+toolFor("agent", s.Agent, "ask")+`]}`)
		refused := s.Delete("/api/agents/" + s.Agent)
		refused.Refused(http.StatusUnprocessableEntity, s.Prompt, user)
		refused.Wants("errors.#", "1", "errors.0.meta.validationCode", "DEPENDENT_DESTROY_RESTRICTED_HAS_MANY",
			"errors.0.code", "100",
			"errors.0.meta.referencedByPrompts", `[{"id":"`+s.Prompt+`"}]`, "errors.0.meta.referencedByTools",
			`[{"id":"`+user+`"}]`)
		s.Get("/api/agents/" + s.Agent).Want(http.StatusOK)
		s.Remove("prompts", s.Prompt)
		s.Delete("/api/agents/"+s.Agent).Want(http.StatusUnprocessableEntity).Wants("errors.0.meta.referencedByPrompts", "")
		s.Remove("agents", user)
		s.Remove("agents", s.Agent)
	})
	t.Run("its own tools do not keep it", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		s.Change("agents", s.Agent, `{"tools":[`+toolFor("agent", s.Agent, "ask")+`]}`).Want(http.StatusOK)
		s.Remove("prompts", s.Prompt)
		s.Remove("agents", s.Agent)
	})
	t.Run("interfaces keep it, too", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		s.Remove("prompts", s.Prompt)
		for kind, attributes := range map[string]string{
			"form_interfaces": llmtest.FormAttributes,
			"chat_interfaces": `{"name":"C","projectId":"PROJECT","textInputEnabled":false,
				"chatInterfaceButtons":[{"agentId":"AGENT","label":"Go","prompt":"go"}]}`,
		} {
			id := s.Make(kind, attributes)
			s.Delete("/api/agents/"+s.Agent).Refused(http.StatusUnprocessableEntity, id)
			s.Remove(kind, id)
		}
		id := s.Make("chat_interfaces",
			`{"name":"C","projectId":"PROJECT","textInputEnabled":true,"textInputAgentId":"AGENT"}`)
		s.Delete("/api/agents/"+s.Agent).Refused(http.StatusUnprocessableEntity, "chat interfaces", id)
		s.Remove("chat_interfaces", id)
		s.Remove("agents", s.Agent)
	})
}
