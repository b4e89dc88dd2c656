package llmtest

import (
	"fmt"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
)

// The resources of ChatCast.
const (
	ChatProject = "10000000-0000-4000-8000-000000000001"
	ChatAgent   = "10000000-0000-4000-8000-000000000002"
	ChatOther   = "10000000-0000-4000-8000-000000000003"
	ChatPrompt  = "10000000-0000-4000-8000-000000000004"
	ChatHook    = "10000000-0000-4000-8000-000000000005"
	ChatForm    = "10000000-0000-4000-8000-000000000006"
	ChatWindow  = "10000000-0000-4000-8000-000000000007"
	ChatBase    = "10000000-0000-4000-8000-000000000008"
)

// ChatResources is a fixture of a shop with an agent, and everything that can start a chat with it.
const ChatResources = `
core:
  databases:
  - name: shop
    tables:
    - {name: orders, schema: [[id, long]], records: [{time: now, id: '1'}, {time: now, id: '2'}]}
llm:
  projects: [{id: ` + ChatProject + `, attributes: {name: Shop}}]
  textResources: [{attributes: {name: Style, text: Be brief.}}]
  knowledgeBases:
  - id: ` + ChatBase + `
    attributes: {projectId: Shop, name: Data, svcDatabaseName: shop, formatType: LEGACY_JSON}
  textKnowledgeBases: [{attributes: {projectId: Shop, name: Rules, text: Goods can be sent back.}}]
  webSearchTools: [{attributes: {projectId: Shop, name: Web, modelType: gpt-5-mini}}]
  agents:
  - id: ` + ChatAgent + `
    attributes:
      projectId: Shop
      name: Helper
      modelType: gpt-5
      tools:
      - {toolTargetId: Data, toolTargetType: knowledge_base, targetFunction: QUERY_DATA_DIRECT, functionName: query}
      - {toolTargetId: Rules, toolTargetType: text_knowledge_base, targetFunction: READ, functionName: rules}
      - {toolTargetId: Web, toolTargetType: web_search_tool, targetFunction: SEARCH, functionName: search}
      outputs:
      - {name: report, functionName: report, jsonSchema: '{}', artifactType: MARKDOWN_TEXT_OUTPUT}
      - {name: picture, functionName: draw, jsonSchema: '{}', artifactType: IMAGE_ID_OUTPUT}
      - {name: sum, functionName: sum, jsonSchema: '{"type":"object","required":["total"]}'}
  - {id: ` + ChatOther + `, attributes: {projectId: Shop, name: Other, modelType: gpt-5}}
  prompts:
  - id: ` + ChatPrompt + `
    attributes: {projectId: Shop, agentId: Helper, name: Ask, template: 'About {{topic}}: {{question}}'}
  integrations:
  - id: ` + ChatHook + `
    attributes: {projectId: Shop, serviceType: WEBHOOK, actions: [{promptId: Ask}]}
  formInterfaces:
  - id: ` + ChatForm + `
    attributes: {projectId: Shop, agentId: Helper, name: Form, promptTemplate: 'Praise {{ product }}.', formJsonSchema: '{}'}
  chatInterfaces:
  - id: ` + ChatWindow + `
    attributes:
      projectId: Shop
      name: Window
      starterMessage: Hello
      textInputEnabled: true
      textInputAgentId: Helper
      chatInterfaceButtons: [{agentId: Other, label: Other, prompt: Hi}]
`

// NewChats returns a mock with the resources of ChatCast and a SQL engine.
func NewChats(t *testing.T) *mocktest.Client {
	t.Helper()
	return mocktest.New(t, "llm", mockserver.WithQueryEngine(sqlite.New())).Load(ChatResources)
}

// ScriptChat queues the turns that agents take.
func ScriptChat(c *mocktest.Client, turns ...mockserver.Turn) {
	c.Helper()
	for _, turn := range turns {
		if err := c.World().QueueTurn(turn); err != nil {
			c.Fatal(err)
		}
	}
}

// ShopData is a fixture of a database with records.
const ShopData = `
core:
  databases:
  - name: shop
    tables:
    - name: orders
      schema: [[id, long], [status, string, state, Where the order stands], [total, double]]
      records:
      - {id: 1, status: open, total: 12.50}
      - {id: 2, status: paid, total: 3}
      - {id: 3, status: open, total: 7}
    - {name: customers, schema: [[id, long], [email, string]]}
  - {name: empty_one}
`

// NewShop returns a mock with a SQL engine, a database and a project.
func NewShop(t *testing.T, opts ...mockserver.Option) (c *mocktest.Client, project string) {
	t.Helper()
	c, _ = NewProject(t, append([]mockserver.Option{mockserver.WithQueryEngine(sqlite.New())}, opts...)...)
	c.Load(ShopData)
	return c, MakeProject(c, "Shop")
}

// KnowledgeBase returns the attributes of a knowledge base over ShopData.
func KnowledgeBase(project, more string) string {
	return fmt.Sprintf(`{"projectId":%q,"name":"Shop data","svcDatabaseName":"shop"%s}`, project, more)
}
