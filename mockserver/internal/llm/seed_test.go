package llm_test

import (
	"fmt"
	"strings"
	"testing"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/llm"
	"svc.example/understudy/mockserver/internal/llm/llmtest"
	"svc.example/understudy/mockserver/internal/world"
)

func TestSeed(t *testing.T) {
	t.Parallel()
	t.Run("makes resources with their ids, makers and times", func(t *testing.T) {
		t.Parallel()
		c := llmtest.NewChats(t).Load(`
llm:
  projects:
  - {id: ` + llmtest.ChatProject + `, user: analyst@shop.example, createdAt: now-2d, attributes: {name: Shop}}
  - attributes: {name: Second}
  agents:
  - {attributes: {projectId: Second, name: Twin, modelType: gpt-5}}
  - {id: ` + llmtest.ChatAgent + `, attributes: {projectId: Shop, name: Twin, modelType: gpt-5}}
  chats:
  - {user: kiosk, attributes: {agentId: ` + llmtest.ChatAgent + `, userProperties: [{name: a, value: b}]}}
  - {attributes: {agentId: Twin}}
`)
		c.Get("/api/projects/"+llmtest.ChatProject+"?include=createdBy").Want(200).Wants(
			"data.attributes.createdAt", "2026-01-13T09:30:00.000Z", "included.0.attributes.name", "Ana Analyst")
		chats := c.Get("/api/chats").Want(200).Wants("data.0.attributes.agentId", llmtest.ChatAgent,
			"data.0.attributes.projectId", llmtest.ChatProject)
		if first := chats.Value("data.1.attributes.agentId").Text(); first == llmtest.ChatAgent {
			t.Error("a name that two have stands for the second")
		}
		c.Get("/api/projects?sort=name").Want(200).Wants("meta.total", "2", "data.0.attributes.name", "Second")
	})
	t.Run("makes chats with their files", func(t *testing.T) {
		t.Parallel()
		const chat = "10000000-0000-4000-8000-000000000009"
		c := llmtest.NewChats(t).Load(llmtest.ChatResources + `
  chats: [{id: ` + chat + `, attributes: {formInterfaceId: Form, textResourceId: Style}}]
  chatAttachments: [{attributes: {chatId: ` + chat + `, contentType: text/plain, binaryBase64: aGk=}}]
  turns: [{agent: Helper, input: mug, events: [{content: Fine mug.}]}]
`)
		c.Get("/api/chat_attachments?filter[chat_id]="+chat).Want(200).Wants("data.0.attributes.attachmentIndex", "1")
		a := c.Post("/api/chats/"+chat+"/continue", `{"inputParams":{"product":"the mug"}}`).Want(200)
		if !strings.Contains(a.Body, "Fine mug.") {
			t.Errorf("%s", a.Body)
		}
	})
	t.Run("refuses a model that there is not, in its line, and nothing for that", func(t *testing.T) {
		t.Parallel()
		err := llmtest.NewChats(t).World().Load([]byte(`
llm:
  projects: [{attributes: {name: Shop}}]
  agents:
  - attributes:
      projectId: Shop
      name: Clerk
      modelType: gpt-5.1
  chats: [{attributes: {agentId: Clerk}}]
  imageGenerators: [{attributes: {projectId: Shop, name: Painter, imageModelType: nova-canvass, imageReturnMode: ID}}]
`))
		lines := strings.Split(fmt.Sprint(err), "\n")
		for i, want := range []string{
			`:8: llm.agents[0].attributes.modelType: agent Clerk: data.attributes.modelType: unknown model "gpt-5.1"; want gpt-4.1, or one of nova-pro-v1, `,
			`:10: llm.imageGenerators[0].attributes.imageModelType: image generator Painter: ` +
				`data.attributes.imageModelType: unknown model "nova-canvass"; want nova-canvas`,
		} {
			if len(lines) != 2 || !strings.Contains(lines[i], want) {
				t.Errorf("got %v, want %s", err, want)
			}
		}
	})
	t.Run("refuses what a client could not make, by name", func(t *testing.T) {
		t.Parallel()
		c := llmtest.NewChats(t)
		err := c.World().Load([]byte(`
llm:
  projects: [{attributes: {name: Shop}}]
  knowledgeBases: [{attributes: {projectId: Shop, name: Data, svcDatabaseName: nowhere, formatType: LEGACY_JSON}}]
  agents: [{createdAt: now+1d, attributes: {projectId: Shop, name: Late, modelType: gpt-5}}]
  chats: [{attributes: {inputParameters: '[]'}}]
  turns: [{events: [{tool: {name: query}}]}]
`))
		for _, want := range []string{
			"knowledge base Data: ", "nowhere", "agent Late: ", "is in the future", "chat 1: ", "agentId: can't be blank",
			"turn 1: events.0: ",
		} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
		}
	})
}

// Seed creates every collection that the schema allows in a fixture, and its error names one that it does not know.
func TestSeedMakesEveryCollection(t *testing.T) {
	t.Parallel()
	w := world.State{Clock: clock.New(clock.Frozen, mocktest.Now)}
	const nobody = "ponds"
	all := map[string][]fixtures.LLMResource{nobody: {{}}}
	for rules := range jsontree.Find(fixtures.SchemaText(), "$defs.llm.properties").Each {
		if items := rules.Find("items.$ref").Text(); strings.HasPrefix(items, "#/$defs/llm") {
			all[rules.Name()] = []fixtures.LLMResource{{}}
		}
	}
	err := llm.Seed(&w, fixtures.LLM{Resources: all})
	if err == nil || len(all) < 2 {
		t.Fatalf("no error with %d collections", len(all))
	}
	for name := range all {
		if refused := strings.Contains(err.Error(),
			name+" of the section llm cannot be created"); refused != (name == nobody) {
			t.Errorf("%s is made: %t", name, !refused)
		}
	}
}
