package llm_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestProjects(t *testing.T) {
	t.Parallel()
	t.Run("a new project is nobody's but the account's", func(t *testing.T) {
		t.Parallel()
		newStudio(t).create("projects", `{"name":"Other"}`).Want(http.StatusCreated).Wants(
			"data.attributes.managedType", "NONE", "data.attributes.isManaged", "false", "data.attributes.useParentSegment", "false",
			"data.attributes.description", "", "data.attributes.createdAt", "2026-01-15T09:30:00.000Z")
	})
	t.Run("a name is there once in the account", func(t *testing.T) {
		t.Parallel()
		s := newStudio(t)
		wantUnfit(s.create("projects", `{"name":"Store"}`), "name", twiceThere)
		other := s.make("projects", `{"name":"Other"}`)
		wantUnfit(s.change("projects", other, `{"name":"Store"}`), "name", twiceThere)
		s.change("projects", other, `{"name":"Other","description":"x"}`).Want(http.StatusOK)
		s.remove("projects", s.project)
		s.change("projects", other, `{"name":"Store"}`).Want(http.StatusOK)
	})
	t.Run("a name is not blank, a description not longer than 2,000 characters", func(t *testing.T) {
		t.Parallel()
		s := newStudio(t)
		wantUnfit(s.create("projects", `{"name":" "}`), "name", blank)
		long := strings.Repeat("ä", 2000)
		s.change("projects", s.project, `{"description":"`+long+`"}`).Want(http.StatusOK)
		wantUnfit(s.change("projects", s.project, `{"description":"`+long+`x"}`), "description", tooLong)
		s.Get("/api/projects/"+s.project).Wants("data.attributes.description", long)
	})
	t.Run("managedType cannot be sent", func(t *testing.T) {
		t.Parallel()
		newStudio(t).create("projects", `{"name":"Other","managedType":"NONE"}`).
			Refused(http.StatusBadRequest, "managedType", `"code":"105"`)
	})
	t.Run("a project with useWorkflowExecutor has a workflow executor", func(t *testing.T) {
		t.Parallel()
		s := newStudio(t)
		made := s.create("projects", `{"name":"Other","useWorkflowExecutor":true}`).Want(http.StatusCreated)
		project := made.Value("data.id").String()
		state := stateOf(s)
		executor := state.Get("llm.workflowExecutors.0.uuid").String()
		s.Get("/api/workflow_executors/"+executor).Want(http.StatusOK).
			Wants("data.attributes.projectId", project, "data.attributes.svcAccountId", "1")
		s.change("projects", project, `{"description":"x"}`).Want(http.StatusOK)
		s.Get("/api/workflow_executors/" + executor).Want(http.StatusOK)
		s.change("projects", project, `{"useWorkflowExecutor":false}`).Want(http.StatusOK)
		s.Get("/api/workflow_executors/" + executor).Want(http.StatusNotFound)
	})
	t.Run("a project with useRuntimeTextResource has a managed text tool, which nobody else touches", func(t *testing.T) {
		t.Parallel()
		s := newStudio(t)
		s.change("projects", s.project, `{"useRuntimeTextResource":true}`).Want(http.StatusOK)
		tool := stateOf(s).Get("llm.textKnowledgeBases.0.uuid").String()
		s.Get("/api/text_knowledge_bases/"+tool).Want(http.StatusOK).
			Wants("data.attributes.isManaged", "true", "data.attributes.projectId", s.project)
		s.Delete("/api/text_knowledge_bases/"+tool).Refused(http.StatusForbidden, "managed", tool)
		s.change("text_knowledge_bases", tool, `{"text":"mine"}`).Refused(http.StatusForbidden, "managed")
		s.change("projects", s.project, `{"useRuntimeTextResource":false}`).Want(http.StatusOK)
		s.Get("/api/text_knowledge_bases/" + tool).Want(http.StatusNotFound)
	})
}

func TestProjectFilters(t *testing.T) {
	t.Parallel()
	s := newStudio(t) // Store has no interfaces
	forms := s.make("projects", `{"name":"Forms","description":"for the shop window"}`)
	chats := s.make("projects", `{"name":"Chats"}`)
	s.make("form_interfaces", strings.Replace(walkedForm, "PROJECT", forms, 1))
	s.make("chat_interfaces", `{"name":"C","projectId":"`+chats+`","textInputEnabled":false}`)
	for query, want := range map[string]string{
		"filter[fulltext]=SHOP":                                 "Forms",
		"filter[fulltext]=s":                                    "Store Forms Chats",
		"filter[hasInterfaces]=form":                            "Forms",
		"filter[hasInterfaces]=form,%20chat":                    "Forms Chats",
		"filter[has_form_interfaces]=true":                      "Forms",
		"filter[has_form_interfaces]=false":                     "Store Chats",
		"filter[is_managed]=true":                               "",
		"filter[is_managed]=false&filter[fulltext]=a":           "Chats",
		"filter[manage_type]=PACKAGE,NONE":                      "Store Forms Chats",
		"filter[manage_type]=PACKAGE":                           "",
		"filter[fulltext]=s&page[limit]=1&page[offset]=1":       "Forms",
		"filter[hasInterfaces]=chat&filter[fulltext]=forms":     "",
		"filter[manage_type]=NONE&sort=name&filter[fulltext]=t": "Chats Forms Store",
	} {
		if got := s.names("/api/projects?" + query); got != want {
			t.Errorf("%s gives %q, want %q", query, got, want)
		}
	}
	for query, word := range map[string]string{
		"filter[hasInterfaces]=cars": "form, chat", "filter[has_form_interfaces]=1": "true or false", "filter[is_managed]=": "true or false",
	} {
		s.Get("/api/projects?"+query).Refused(http.StatusBadRequest, `"code":"107"`, word)
	}
}

func TestOverviews(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	s.make("agents", `{"name":"Second","projectId":"PROJECT","modelType":"gpt-5"}`)
	s.make("form_interfaces", walkedForm)
	project := s.Get("/api/projects/" + s.project + "?include=overview").Want(http.StatusOK)
	project.Wants("data.relationships.overview.data.type", "overviews", "included.0.type", "overviews", "included.0.id", s.project,
		"included.0.attributes.agentsCount", "2", "included.0.attributes.firstAgentName", "Helper",
		"included.0.attributes.promptsCount", "1", "included.0.attributes.firstPromptName", "Ask",
		"included.0.attributes.chatInterfacesCount", "0", "included.0.attributes.firstChatInterfaceName", "",
		"included.0.attributes.knowledgeBasesCount", "0", "included.0.attributes.formInterfacesCount", "1")
	agents := s.Get("/api/agents?include=overview").Want(http.StatusOK)
	agents.Wants("included.#", "2", "included.0.id", s.agent, "included.0.attributes.promptsCount", "1",
		"included.0.attributes.firstFormInterfaceName", "F", "included.1.attributes.promptsCount", "0")
}

// What is in a project goes with it, and what is in others loses its references.
func TestProjectRemoval(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	other := s.make("projects", `{"name":"Other"}`)
	gone := []string{
		"/api/agents/" + s.agent, "/api/prompts/" + s.prompt,
		"/api/form_interfaces/" + s.make("form_interfaces", walkedForm),
		"/api/form_interfaces/" + s.make("form_interfaces", strings.Replace(walkedForm, "PROJECT", other, 1)),
		"/api/chat_interfaces/" + s.make("chat_interfaces", `{"name":"C","projectId":"PROJECT","textInputEnabled":false}`),
		"/api/integrations/" + s.make("integrations", `{"projectId":"PROJECT","serviceType":"WEBHOOK","actions":[{"promptId":"PROMPT"}]}`),
		"/api/text_knowledge_bases/" + s.make("text_knowledge_bases", `{"name":"K","projectId":"PROJECT","text":"All is well."}`),
		"/api/presentation_artifact_tools/" + s.make("presentation_artifact_tools", `{"name":"P","projectId":"PROJECT"}`),
		"/api/projects/" + s.project,
	}
	hook := s.make("integrations", `{"projectId":"`+other+`","serviceType":"WEBHOOK","actions":[{"promptId":"PROMPT"}]}`)
	buttons := s.make("chat_interfaces", `{"name":"C","projectId":"`+other+`","textInputEnabled":true,"textInputAgentId":"AGENT",
		"chatInterfaceButtons":[{"agentId":"AGENT","label":"Go","prompt":"go"}]}`)
	text := s.make("text_resources", `{"name":"T","description":null,"text":"x"}`)

	s.remove("projects", s.project)
	for _, path := range gone {
		s.Get(path).Want(http.StatusNotFound)
	}
	s.Get("/api/actions").Wants("meta.total", "0")
	s.Get("/api/integrations/"+hook).Want(http.StatusOK).Wants("data.attributes.actions.#", "0")
	s.Get("/api/chat_interfaces/"+buttons).Want(http.StatusOK).Wants("data.attributes.chatInterfaceButtons.#", "0",
		"data.attributes.textInputAgentId", "", "data.attributes.textInputEnabled", "false")
	s.Get("/api/text_resources/" + text).Want(http.StatusOK)
	if got := stateOf(s).Get("llm.agents.#").Int(); got != 0 {
		t.Errorf("%d agents are left in the dump", got)
	}
}
