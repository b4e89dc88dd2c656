package llm_test

import (
	"fmt"
	"strings"
	"testing"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/internal/mocktest"
	"svc.example/understudy/mockserver/query/sqlite"
)

// The resources of chatCast.
const (
	chatProject = "10000000-0000-4000-8000-000000000001"
	chatAgent   = "10000000-0000-4000-8000-000000000002"
	chatOther   = "10000000-0000-4000-8000-000000000003"
	chatPrompt  = "10000000-0000-4000-8000-000000000004"
	chatHook    = "10000000-0000-4000-8000-000000000005"
	chatForm    = "10000000-0000-4000-8000-000000000006"
	chatWindow  = "10000000-0000-4000-8000-000000000007"
	chatBase    = "10000000-0000-4000-8000-000000000008"
)

// chatCast is a shop with an agent, and everything that starts a chat with it.
const chatCast = `
core:
  databases:
  - name: shop
    tables:
    - {name: orders, schema: [[id, long]], records: [{time: now, id: '1'}, {time: now, id: '2'}]}
llm:
  projects: [{id: ` + chatProject + `, attributes: {name: Shop}}]
  textResources: [{attributes: {name: Style, text: Be brief.}}]
  knowledgeBases:
  - id: ` + chatBase + `
    attributes: {projectId: Shop, name: Data, svcDatabaseName: shop, formatType: LEGACY_JSON}
  textKnowledgeBases: [{attributes: {projectId: Shop, name: Rules, text: Goods can be sent back.}}]
  webSearchTools: [{attributes: {projectId: Shop, name: Web, modelType: gpt-5-mini}}]
  agents:
  - id: ` + chatAgent + `
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
  - {id: ` + chatOther + `, attributes: {projectId: Shop, name: Other, modelType: gpt-5}}
  prompts:
  - id: ` + chatPrompt + `
    attributes: {projectId: Shop, agentId: Helper, name: Ask, template: 'About {{topic}}: {{question}}'}
  integrations:
  - id: ` + chatHook + `
    attributes: {projectId: Shop, serviceType: WEBHOOK, actions: [{promptId: Ask}]}
  formInterfaces:
  - id: ` + chatForm + `
    attributes: {projectId: Shop, agentId: Helper, name: Form, promptTemplate: 'Praise {{ product }}.', formJsonSchema: '{}'}
  chatInterfaces:
  - id: ` + chatWindow + `
    attributes:
      projectId: Shop
      name: Window
      starterMessage: Hello
      textInputEnabled: true
      textInputAgentId: Helper
      chatInterfaceButtons: [{agentId: Other, label: Other, prompt: Hi}]
`

func newChats(t *testing.T) *mocktest.Client {
	t.Helper()
	return mocktest.New(t, "llm", mockserver.WithQueryEngine(sqlite.New())).Load(chatCast)
}

// chatFrom starts a chat with attributes, JSON without braces, and gives its id.
func chatFrom(c *mocktest.Client, attributes string) string {
	c.Helper()
	return toolMake(c, "chats", "{"+attributes+"}")
}

func chatWithAgent(c *mocktest.Client) string {
	c.Helper()
	return chatFrom(c, `"agentId":"`+chatAgent+`"`)
}

func TestChats(t *testing.T) {
	t.Parallel()
	none := func(path string) string { return "data.attributes." + path }
	t.Run("start from an agent", func(t *testing.T) {
		t.Parallel()
		c := newChats(t)
		toolPost(c, "chats", `{"agentId":"`+chatAgent+`","userProperties":null}`).Want(201).Wants(
			"data.type", "chats", none("projectId"), chatProject, none("agentId"), chatAgent, none("promptId"), "",
			none("userProperties"), "[]", none("attachments"), "[]", none("firstInputContent"), "",
			none("lastConversationAt"), "2026-01-15T09:30:00.000Z",
		)
	})
	t.Run("have the project and the agent of what they start from", func(t *testing.T) {
		t.Parallel()
		c := newChats(t)
		action := c.Get("/api/actions").Want(200).Value("data.0.id").String()
		for source, agent := range map[string]string{
			`"formInterfaceId":"` + chatForm + `"`:                                         chatAgent,
			`"chatInterfaceId":"` + chatWindow + `"`:                                       chatAgent,
			`"chatInterfaceId":"` + chatWindow + `","agentId":"` + chatOther + `"`:         chatOther,
			`"promptId":"` + chatPrompt + `","integrationId":"` + chatHook + `"`:           chatAgent,
			`"actionId":"` + action + `"`:                                                  chatAgent,
			`"formInterfaceId":"` + chatForm + `","agentId":"` + chatAgent + `"`:           chatAgent,
			`"chatInterfaceId":"` + chatWindow + `","inputParameters":"{\"input\":\"a\"}"`: chatAgent,
		} {
			a := toolPost(c, "chats", "{"+source+"}").Want(201)
			a.Wants(none("projectId"), chatProject, none("agentId"), agent)
			if strings.Contains(source, "actionId") {
				a.Wants(none("integrationId"), chatHook, none("promptId"), chatPrompt)
			}
		}
	})
	t.Run("start from one place that there is", func(t *testing.T) {
		t.Parallel()
		c := newChats(t)
		action := c.Get("/api/actions").Want(200).Value("data.0.id").String()
		for attributes, words := range map[string][]string{
			``: {"CANNOT_BE_BLANK", "/data/attributes/agentId"},
			`"formInterfaceId":"` + chatForm + `","chatInterfaceId":"` + chatWindow + `"`: {"LLM_EXACTLY_ONE_INTERFACE_REQUIRED"},
			`"promptId":"` + chatPrompt + `","chatInterfaceId":"` + chatWindow + `"`:      {"LLM_EXACTLY_ONE_INTERFACE_REQUIRED"},
			`"promptId":"` + chatPrompt + `"`:                                             {"/data/attributes/integrationId"},
			`"integrationId":"` + chatHook + `"`:                                          {"/data/attributes/promptId"},
			`"agentId":"` + nobody + `"`:                                                  {"INVALID_FORMAT_OR_ASSOCIATION", "/data/attributes/agentId"},
			`"formInterfaceId":"` + nobody + `"`:                                          {"/data/attributes/formInterfaceId"},
			`"chatInterfaceId":"` + nobody + `"`:                                          {"/data/attributes/chatInterfaceId"},
			`"actionId":"` + nobody + `"`:                                                 {"/data/attributes/actionId"},
			`"promptId":"` + nobody + `","integrationId":"` + chatHook + `"`:              {"/data/attributes/promptId"},
			`"promptId":"` + chatPrompt + `","integrationId":"` + nobody + `"`:            {"/data/attributes/integrationId"},
			`"actionId":"` + action + `","promptId":"` + nobody + `"`:                     {"/data/attributes/promptId"},
			`"actionId":"` + action + `","integrationId":"` + nobody + `"`:                {"/data/attributes/integrationId"},
			`"formInterfaceId":"` + chatForm + `","agentId":"` + chatOther + `"`:          {"/data/attributes/agentId", "does not answer"},
			`"agentId":"` + chatAgent + `","textResourceId":"` + nobody + `"`:             {"/data/attributes/textResourceId"},
			`"agentId":"` + chatAgent + `","inputParameters":"[1]"`:                       {"LLM_INVALID_JSON"},
			`"agentId":"` + chatAgent + `","userProperties":[` + chatProperties(11) + `]`: {"IS_TOO_LONG", "/data/attributes/userProperties"},
			`"agentId":"` + chatAgent + `","attachments":[{"binaryBase64":"abc","contentType":"png"}]`: {
				"/data/attributes/attachments/0/binaryBase64", "/data/attributes/attachments/0/contentType",
			},
		} {
			toolPost(c, "chats", "{"+attributes+"}").Refused(422, words...)
		}
		c.Get("/api/chats").Want(200).Wants("meta.total", "0")
		toolPost(c, "chats", `{"agentId":"`+chatAgent+`","projectId":"`+chatProject+`"}`).Refused(400, `"105"`)
		c.Call("POST", "/api/chats", "{}", "Content-Type", "text/csv").Refused(415)
	})
	t.Run("say who answers where a chat interface has no agent", func(t *testing.T) {
		t.Parallel()
		c := newChats(t)
		mute := toolMake(c, "chat_interfaces", fmt.Sprintf(`{"projectId":%q,"name":"Mute","starterMessage":"Hi","textInputEnabled":true}`, chatProject))
		toolPost(c, "chats", `{"chatInterfaceId":"`+mute+`"}`).Refused(422, "has no agent")
		toolPost(c, "chats", `{"chatInterfaceId":"`+mute+`","agentId":"`+nobody+`"}`).Refused(422, "/data/attributes/agentId")
		toolPost(c, "chats", `{"chatInterfaceId":"`+mute+`","agentId":"`+chatAgent+`"}`).Want(201).Wants(
			none("projectId"), chatProject, none("agentId"), chatAgent)
	})
	t.Run("take files from the start", func(t *testing.T) {
		t.Parallel()
		c := newChats(t)
		chat := chatFrom(c, `"agentId":"`+chatAgent+`","attachments":[{"binaryBase64":"aGk=","contentType":"text/plain"}]`)
		c.Get("/api/chat_attachments?filter[chat_id]="+chat).Want(200).Wants(
			"meta.total", "1", "data.0.attributes.attachmentType", "USER_INPUT_DRAFT", "data.0.attributes.attachmentIndex", "1")
		c.Get("/api/chats/"+chat).Want(200).Wants("data.attributes.attachments.0.contentType", "text/plain")
	})
}

func chatProperties(n int) string {
	return strings.TrimSuffix(strings.Repeat(`{"name":"a","value":"b"},`, n), ",")
}

func TestChatLists(t *testing.T) {
	t.Parallel()
	c := newChats(t)
	chatFrom(c, `"formInterfaceId":"`+chatForm+`"`)
	chatFrom(c, `"chatInterfaceId":"`+chatWindow+`"`)
	chatFrom(c, `"promptId":"`+chatPrompt+`","integrationId":"`+chatHook+`"`)
	told := chatWithAgent(c)
	scriptChat(c, mockserver.Turn{Events: []mockserver.TurnEvent{{Output: &mockserver.TurnOutput{Name: "report", Content: "# A"}}}})
	c.Post("/api/chats/"+told+"/continue", `{"input":"Tell me"}`).Want(200)
	for query, total := range map[string]string{
		"":                                      "4",
		"filter[form_interface_id]=" + chatForm: "1",
		"filter[chat_interface_id]=" + chatWindow: "1",
		"filter[has_artifacts]=true":              "1",
		"filter[has_artifacts]=false":             "3",
		"filter[parent_segment_id]=61":            "0",
		"filter[project_id]=" + chatProject:       "4",
		"filter[project_id]=" + nobody:            "0",
		"filter[service_type]=WEBHOOK":            "1",
		"filter[service_type]=CHATAPP":            "0",
	} {
		c.Get("/api/chats?"+query).Want(200).Wants("meta.total", total)
	}
	c.Get("/api/chats?sort=-created_at,id").Want(200)
	c.Get("/api/chats?sort=first_input_content&page[offset]=3").Want(200).Wants("data.0.id", told)
	c.Get("/api/chats?filter[parent_segment_id]=all").Refused(400, `"107"`)
	c.Get("/api/chats?filter[has_artifacts]=yes").Refused(400, `"107"`)
	c.Get("/api/chats?sort=mood").Refused(400, `"114"`)
}

func TestChats_are_seen_by_those_who_started_them_and_by_administrators(t *testing.T) {
	t.Parallel()
	c := newChats(t)
	ana := c.As("1/analyst")
	chat := chatWithAgent(ana)
	path := "/api/chats/" + chat
	file := toolMake(ana, "chat_attachments", chatFile(chat, "aGk=", "text/plain"))
	scriptChat(c, mockserver.Turn{Events: []mockserver.TurnEvent{{Output: &mockserver.TurnOutput{Name: "report", Content: "# A"}}}})
	ana.Post(path+"/continue", `{"input":"Tell me"}`).Want(200)
	for _, one := range []*mocktest.Client{c, ana} {
		one.Get(path).Want(200).Wants("data.id", chat)
		one.Get(path + "/history").Want(200)
		one.Get("/api/chats").Want(200).Wants("meta.total", "1")
		one.Get("/api/chat_attachments").Want(200).Wants("meta.total", "1")
		one.Get("/api/artifacts").Want(200).Wants("meta.total", "1")
	}
	dora := c.As("1/delegate")
	dora.Get(path).Refused(404, chat)
	dora.Get(path + "/history").Refused(404)
	dora.Post(path+"/continue", `{"input":"Tell me"}`).Refused(403, "another user")
	dora.Post(path+"/download_files", `{"method":"multipart"}`).Refused(404, `"status":404`)
	dora.Get("/api/chat_attachments/" + file).Refused(404)
	dora.Delete("/api/chat_attachments/"+file).Refused(403, "another user")
	toolPost(dora, "chat_attachments", chatFile(chat, "aGk=", "text/plain")).Refused(422, "chat - must exist")
	for _, kind := range []string{"chats", "chat_attachments", "artifacts"} {
		dora.Get("/api/"+kind).Want(200).Wants("meta.total", "0", "data", "[]")
	}
	c.Get("/api/chats/"+nobody).Refused(404, `"404"`)
	c.Get("/api/chats/"+nobody+"/history").Refused(404, `"status":404`)
}
