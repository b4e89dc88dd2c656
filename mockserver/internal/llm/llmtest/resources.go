package llmtest

import (
	"fmt"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// NewProject returns a mock with a project.
func NewProject(t *testing.T, opts ...mockserver.Option) (c *mocktest.Client, project string) {
	t.Helper()
	c = mocktest.New(t, "llm", opts...)
	return c, MakeProject(c, "Shop")
}

// MakeProject creates a project and returns its id.
func MakeProject(c *mocktest.Client, name string) string {
	c.Helper()
	return Make(c, "projects", fmt.Sprintf(`{"name":%q}`, name))
}

// Make creates a resource and returns its id. The kind is spelled as in paths.
func Make(c *mocktest.Client, kind, attributes string) string {
	c.Helper()
	return Post(c, kind, attributes).Want(201).Value("data.id").Text()
}

// Post requests the creation of a resource of a kind, which is spelled as in paths.
func Post(c *mocktest.Client, kind, attributes string) mocktest.Answer {
	c.Helper()
	return c.Post("/api/"+kind, fmt.Sprintf(`{"data":{"type":%q,"attributes":%s}}`, kind, attributes))
}

// Patch requests a change of a resource.
func Patch(c *mocktest.Client, kind, id, attributes string) mocktest.Answer {
	c.Helper()
	return c.Patch("/api/"+kind+"/"+id,
		fmt.Sprintf(`{"data":{"type":%q,"id":%q,"attributes":%s}}`, kind, id, attributes))
}

// RefusesText fails the test unless an operation refuses a body of plain text.
func RefusesText(c *mocktest.Client, method, path string) {
	c.Helper()
	c.Call(method, path, "{}", "Content-Type", "text/plain").Refused(415, "text/plain")
}

// WebhookAttributes are the attributes of a webhook with one action.
const WebhookAttributes = `{"projectId":"PROJECT","serviceType":"WEBHOOK","actions":[{"promptId":"PROMPT","uiTags":["team:sales"]}]}`
