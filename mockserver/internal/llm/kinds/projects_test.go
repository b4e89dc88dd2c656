package kinds_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/mockserver/internal/llm/llmtest"
)

func TestProjects(t *testing.T) {
	t.Parallel()
	t.Run("a new project is nobody's but the account's", func(t *testing.T) {
		t.Parallel()
		llmtest.New(t).Create("projects", `{"name":"Other"}`).Want(http.StatusCreated).Wants(
			"data.attributes.managedType", "NONE", "data.attributes.isManaged", "false", "data.attributes.useParentSegment",
			"false",
			"data.attributes.description", "", "data.attributes.createdAt", "2026-01-15T09:30:00.000Z")
	})
	t.Run("a name is there once in the account", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		llmtest.WantUnprocessable(s.Create("projects", `{"name":"Store"}`), "name", llmtest.TwiceThere)
		other := s.Make("projects", `{"name":"Other"}`)
		llmtest.WantUnprocessable(s.Change("projects", other, `{"name":"Store"}`), "name", llmtest.TwiceThere)
		s.Change("projects", other, `{"name":"Other","description":"x"}`).Want(http.StatusOK)
		s.Remove("projects", s.Project)
		s.Change("projects", other, `{"name":"Store"}`).Want(http.StatusOK)
	})
	t.Run("a name is not blank, a description not longer than 2,000 characters", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		llmtest.WantUnprocessable(s.Create("projects", `{"name":" "}`), "name", llmtest.Blank)
		long := strings.Repeat("ä", 2000)
		s.Change("projects", s.Project, `{"description":"`+long+`"}`).Want(http.StatusOK)
		llmtest.WantUnprocessable(s.Change("projects", s.Project, `{"description":"`+long+`x"}`), "description",
			llmtest.TooLong)
		s.Get("/api/projects/"+s.Project).Wants("data.attributes.description", long)
	})
	t.Run("managedType cannot be sent", func(t *testing.T) {
		t.Parallel()
		llmtest.New(t).Create("projects", `{"name":"Other","managedType":"NONE"}`).
			Refused(http.StatusBadRequest, "managedType", `"code":"105"`)
	})
	t.Run("a project with useWorkflowExecutor has a workflow executor", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		made := s.Create("projects", `{"name":"Other","useWorkflowExecutor":true}`).Want(http.StatusCreated)
		project := made.Value("data.id").Text()
		state := stateOf(s)
		executor := first(state.Find("llm.WorkflowExecutors")).Get("uuid").Text()
		s.Get("/api/workflow_executors/"+executor).Want(http.StatusOK).
			Wants("data.attributes.projectId", project, "data.attributes.svcAccountId", "1")
		s.Change("projects", project, `{"description":"x"}`).Want(http.StatusOK)
		s.Get("/api/workflow_executors/" + executor).Want(http.StatusOK)
		s.Change("projects", project, `{"useWorkflowExecutor":false}`).Want(http.StatusOK)
		s.Get("/api/workflow_executors/" + executor).Want(http.StatusNotFound)
	})
	t.Run("a project with useRuntimeTextResource has a managed text tool, which nobody else touches", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		s.Change("projects", s.Project, `{"useRuntimeTextResource":true}`).Want(http.StatusOK)
		tool := first(stateOf(s).Find("llm.TextKnowledgeBases")).Get("uuid").Text()
		s.Get("/api/text_knowledge_bases/"+tool).Want(http.StatusOK).
			Wants("data.attributes.isManaged", "true", "data.attributes.projectId", s.Project)
		s.Delete("/api/text_knowledge_bases/"+tool).Refused(http.StatusForbidden, "managed", tool)
		s.Change("text_knowledge_bases", tool, `{"text":"mine"}`).Refused(http.StatusForbidden, "managed")
		s.Change("projects", s.Project, `{"useRuntimeTextResource":false}`).Want(http.StatusOK)
		s.Get("/api/text_knowledge_bases/" + tool).Want(http.StatusNotFound)
	})
}

func TestProjectFilters(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t) // Store has no interfaces
	forms := s.Make("projects", `{"name":"Forms","description":"for the shop window"}`)
	chats := s.Make("projects", `{"name":"Chats"}`)
	s.Make("form_interfaces", strings.Replace(llmtest.FormAttributes, "PROJECT", forms, 1))
	s.Make("chat_interfaces", `{"name":"C","projectId":"`+chats+`","textInputEnabled":false}`)
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
		if got := s.Names("/api/projects?" + query); got != want {
			t.Errorf("%s gives %q, want %q", query, got, want)
		}
	}
	for query, word := range map[string]string{
		"filter[hasInterfaces]=cars": "form, chat", "filter[has_form_interfaces]=1": "true or false",
		"filter[is_managed]=": "true or false",
	} {
		s.Get("/api/projects?"+query).Refused(http.StatusBadRequest, `"code":"107"`, word)
	}
}

func TestOverviews(t *testing.T) {
	t.Parallel()
	t.Run("of what there is none, the first is null", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		empty := s.Make("projects", `{"name":"Empty"}`)
		got := s.Get("/api/projects/" + empty + "?include=overview").Want(http.StatusOK)
		got.Wants("data.relationships.overview.data.type", "overviews", "included.0.type", "overviews", "included.0.id",
			empty,
			"included.0.attributes", `{"firstAgentName":null,"totalAgentCount":0,"firstIntegrationServiceType":null,`+
				`"totalIntegrationCount":0,"firstKnowledgeBaseName":null,"totalKnowledgeBaseCount":0}`)
	})
	t.Run("a project counts what is in it and names what was made first", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t, "core: {databases: [{name: shop}]}")
		other := s.Make("projects", `{"name":"Other"}`)
		s.Make("agents", `{"name":"Foreign","projectId":"`+other+`","modelType":"gpt-5"}`)
		s.Make("agents", `{"name":"A second","projectId":"PROJECT","modelType":"gpt-5"}`)
		s.Make("integrations", `{"projectId":"PROJECT","serviceType":"WEBHOOK","actions":[]}`)
		s.Make("integrations", `{"projectId":"PROJECT","serviceType":"CHATAPP","actions":[]}`)
		s.Make("integrations", `{"projectId":"`+other+`","serviceType":"CHATAPP","actions":[]}`)
		s.Make("knowledge_bases", `{"name":"Known","projectId":"PROJECT","svcDatabaseName":"shop"}`)
		s.Get("/api/projects/"+s.Project+"?include=overview").Want(http.StatusOK).Wants("included.0.attributes",
			`{"firstAgentName":"Helper","totalAgentCount":2,"firstIntegrationServiceType":"WEBHOOK",`+
				`"totalIntegrationCount":2,"firstKnowledgeBaseName":"Known","totalKnowledgeBaseCount":1}`)
		s.Get("/api/projects?include=overview").Want(http.StatusOK).Wants("included.#", "2",
			"included.1.attributes.firstIntegrationServiceType", "CHATAPP", "included.1.attributes.totalAgentCount", "1")
	})
	t.Run("an agent counts whom it refers to and what refers to it", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		caller := func(name string, targets ...string) string {
			var tools []string
			for i, target := range targets {
				tools = append(tools, toolFor("agent", target, fmt.Sprint("ask", i)))
			}
			return s.Make("agents",
				`{"name":"`+name+`","projectId":"PROJECT","modelType":"gpt-5","tools":[`+strings.Join(tools, ",")+`]}`)
		}
		first := caller("First", s.Agent, s.Agent)
		caller("Second", first, s.Agent)
		s.Make("prompts", `{"name":"More","projectId":"PROJECT","agentId":"AGENT","template":"x"}`)
		list := s.Get("/api/agents?include=overview").Want(http.StatusOK)
		list.Wants("included.#", "3", "included.0.id", s.Agent,
			"included.0.attributes", `{"firstReferencingAgentName":null,"totalReferencingAgentCount":0,`+
				`"firstReferencedByAgentName":"First","totalReferencedByAgentCount":2,`+
				`"firstReferencedByPromptName":"Ask","totalReferencedByPromptCount":2}`,
			"included.1.attributes", `{"firstReferencingAgentName":"Helper","totalReferencingAgentCount":1,`+
				`"firstReferencedByAgentName":"Second","totalReferencedByAgentCount":1,`+
				`"firstReferencedByPromptName":null,"totalReferencedByPromptCount":0}`,
			"included.2.attributes.firstReferencingAgentName", "Helper", "included.2.attributes.totalReferencingAgentCount", "2")
	})
}

// The contents of a project are deleted with it, and resources in other projects lose their references.
func TestProjectRemoval(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	other := s.Make("projects", `{"name":"Other"}`)
	gone := []string{
		"/api/agents/" + s.Agent, "/api/prompts/" + s.Prompt,
		"/api/form_interfaces/" + s.Make("form_interfaces", llmtest.FormAttributes),
		"/api/form_interfaces/" + s.Make("form_interfaces", strings.Replace(llmtest.FormAttributes, "PROJECT", other, 1)),
		"/api/chat_interfaces/" + s.Make("chat_interfaces", `{"name":"C","projectId":"PROJECT","textInputEnabled":false}`),
		"/api/integrations/" + s.Make("integrations",
			`{"projectId":"PROJECT","serviceType":"WEBHOOK","actions":[{"promptId":"PROMPT"}]}`),
		"/api/text_knowledge_bases/" + s.Make("text_knowledge_bases",
			`{"name":"K","projectId":"PROJECT","text":"All is well."}`),
		"/api/presentation_artifact_tools/" + s.Make("presentation_artifact_tools", `{"name":"P","projectId":"PROJECT"}`),
		"/api/projects/" + s.Project,
	}
	hook := s.Make("integrations", `{"projectId":"`+other+`","serviceType":"WEBHOOK","actions":[{"promptId":"PROMPT"}]}`)
	buttons := s.Make("chat_interfaces",
		`{"name":"C","projectId":"`+other+`","textInputEnabled":true,"textInputAgentId":"AGENT",
		"chatInterfaceButtons":[{"agentId":"AGENT","label":"Go","prompt":"go"}]}`)
	text := s.Make("text_resources", `{"name":"T","description":null,"text":"x"}`)

	s.Remove("projects", s.Project)
	for _, path := range gone {
		s.Get(path).Want(http.StatusNotFound)
	}
	s.Get("/api/actions").Wants("meta.total", "0")
	s.Get("/api/integrations/"+hook).Want(http.StatusOK).Wants("data.attributes.actions.#", "0")
	s.Get("/api/chat_interfaces/"+buttons).Want(http.StatusOK).Wants("data.attributes.chatInterfaceButtons.#", "0",
		"data.attributes.textInputAgentId", "", "data.attributes.textInputEnabled", "false")
	s.Get("/api/text_resources/" + text).Want(http.StatusOK)
	if got := stateOf(s).Find("llm.Agents").Raw(); got != "{}" {
		t.Errorf("agents are left in the dump: %s", got)
	}
}

// first returns the first part of a value.
func first(of jsontree.Value) jsontree.Value {
	for part := range of.Each {
		return part
	}
	return jsontree.Value{}
}

// stateOf returns the state of the world of a client.
func stateOf(c *llmtest.Client) jsontree.Value {
	c.Helper()
	dump, err := c.World().State()
	if err != nil {
		c.Fatal(err)
	}
	return jsontree.Find(dump, "state")
}
