package mockserver_test

import (
	"fmt"
	"net/http"
	"testing"

	"svc.example/understudy/internal/mocktest"
)

// The mutations of the LLM interface.
var llmMutants = []mutant{
	{"use-after-delete/llm", "use-after-delete", "empty", deleteResources},
	{"use-after-delete/project", "use-after-delete", "empty", deleteFullProject},
	{"use-after-delete/integration", "use-after-delete", "empty", deleteWebhook},
	{"schema/links", "schema", "empty", turnPages},
}

const llmBase = "/llm/api/"

// makeResource gives the id of a new resource.
func makeResource(t *testing.T, s http.Handler, kind, attributes string) string {
	t.Helper()
	return mocktest.Decode[one](mocktest.Call(t, s, "POST", llmBase+kind, resource(kind, attributes)).Want(201)).Data.ID
}

// deleteResources deletes one resource of a kind that has a list, and one of a kind that has none.
func deleteResources(t *testing.T, s http.Handler) {
	t.Helper()
	project := makeResource(t, s, "projects", `"name":"Store"`)
	for _, path := range []string{
		"text_resources/" + makeResource(t, s, "text_resources",
			`"name":"Returns","description":"","text":"Within 30 days."`),
		"web_search_tools/" + makeResource(t, s, "web_search_tools",
			fmt.Sprintf(`"name":"web","modelType":"gpt-5","projectId":%q`, project)),
	} {
		mocktest.Call(t, s, "DELETE", llmBase+path, "").Want(204)
		mocktest.Call(t, s, "GET", llmBase+path, "")
	}
	mocktest.Call(t, s, "GET", llmBase+"text_resources", "").Want(200)
}

func makeAgent(t *testing.T, s http.Handler) (project, agent string) {
	t.Helper()
	project = makeResource(t, s, "projects", `"name":"Store"`)
	return project, makeResource(t, s, "agents",
		fmt.Sprintf(`"name":"Helper","projectId":%q,"modelType":"gpt-5"`, project))
}

func deleteFullProject(t *testing.T, s http.Handler) {
	t.Helper()
	project, agent := makeAgent(t, s)
	mocktest.Call(t, s, "DELETE", llmBase+"projects/"+project, "").Want(204)
	mocktest.Call(t, s, "GET", llmBase+"agents/"+agent, "")
	mocktest.Call(t, s, "GET", llmBase+"agents", "").Want(200)
}

func deleteWebhook(t *testing.T, s http.Handler) {
	t.Helper()
	project, agent := makeAgent(t, s)
	prompt := makeResource(t, s, "prompts",
		fmt.Sprintf(`"name":"Ask","projectId":%q,"agentId":%q,"template":"{{text}}"`, project, agent))
	hook := makeResource(t, s, "integrations",
		fmt.Sprintf(`"projectId":%q,"serviceType":"WEBHOOK","actions":[{"promptId":%q}]`, project, prompt))
	mocktest.Call(t, s, "GET", llmBase+"actions", "").Want(200)
	mocktest.Call(t, s, "DELETE", llmBase+"integrations/"+hook, "").Want(204)
	mocktest.Call(t, s, "GET", llmBase+"integrations/"+hook, "")
	mocktest.Call(t, s, "GET", llmBase+"actions", "").Want(200)
}

// turnPages reads a list page after page, and with what is included.
func turnPages(t *testing.T, s http.Handler) {
	t.Helper()
	for i := range 3 {
		makeResource(t, s, "text_resources", fmt.Sprintf(`"name":"Text %d","description":"","text":"x"`, i))
	}
	for _, query := range []string{
		"", "?page[limit]=2", "?page%5Blimit%5D=2&page%5Boffset%5D=2", "?page[offset]=9", "?include=createdBy,updatedBy",
		"?filter[name]=Text%201&sort=-created_at", "?page[limit]=2&page[offset]=1&filter[fulltext]=ext",
	} {
		mocktest.Call(t, s, "GET", llmBase+"text_resources"+query, "").Want(200)
	}
}
