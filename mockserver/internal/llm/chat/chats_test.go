package chat_test

import (
	"fmt"
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/internal/llm/llmtest"
)

// chatFrom starts a chat with attributes, JSON without braces, and returns its id.
func chatFrom(c *mocktest.Client, attributes string) string {
	c.Helper()
	return llmtest.Make(c, "chats", "{"+attributes+"}")
}

func chatWithAgent(c *mocktest.Client) string {
	c.Helper()
	return chatFrom(c, `"agentId":"`+llmtest.ChatAgent+`"`)
}

func TestChats(t *testing.T) {
	t.Parallel()
	none := func(path string) string { return "data.attributes." + path }
	t.Run("start from an agent", func(t *testing.T) {
		t.Parallel()
		c := llmtest.NewChats(t)
		llmtest.Post(c, "chats", `{"agentId":"`+llmtest.ChatAgent+`","userProperties":null}`).Want(201).Wants(
			"data.type", "chats", none("projectId"), llmtest.ChatProject, none("agentId"), llmtest.ChatAgent, none("promptId"),
			"",
			none("userProperties"), "[]", none("attachments"), "[]", none("firstInputContent"), "",
			none("lastConversationAt"), "2026-01-15T09:30:00.000Z",
		)
	})
	t.Run("have the project and the agent of what they start from", func(t *testing.T) {
		t.Parallel()
		c := llmtest.NewChats(t)
		action := c.Get("/api/actions").Want(200).Value("data.0.id").Text()
		for source, agent := range map[string]string{
			`"formInterfaceId":"` + llmtest.ChatForm + `"`:                                         llmtest.ChatAgent,
			`"chatInterfaceId":"` + llmtest.ChatWindow + `"`:                                       llmtest.ChatAgent,
			`"chatInterfaceId":"` + llmtest.ChatWindow + `","agentId":"` + llmtest.ChatOther + `"`: llmtest.ChatOther,
			`"promptId":"` + llmtest.ChatPrompt + `","integrationId":"` + llmtest.ChatHook + `"`:   llmtest.ChatAgent,
			`"actionId":"` + action + `"`:                                                          llmtest.ChatAgent,
			`"formInterfaceId":"` + llmtest.ChatForm + `","agentId":"` + llmtest.ChatAgent + `"`:   llmtest.ChatAgent,
			`"chatInterfaceId":"` + llmtest.ChatWindow + `","inputParameters":"{\"input\":\"a\"}"`: llmtest.ChatAgent,
		} {
			a := llmtest.Post(c, "chats", "{"+source+"}").Want(201)
			a.Wants(none("projectId"), llmtest.ChatProject, none("agentId"), agent)
			if strings.Contains(source, "actionId") {
				a.Wants(none("integrationId"), llmtest.ChatHook, none("promptId"), llmtest.ChatPrompt)
			}
		}
	})
	t.Run("start from one place that there is", func(t *testing.T) {
		t.Parallel()
		c := llmtest.NewChats(t)
		action := c.Get("/api/actions").Want(200).Value("data.0.id").Text()
		for attributes, words := range map[string][]string{
			``: {"CANNOT_BE_BLANK", "/data/attributes/agentId"},
			`"formInterfaceId":"` + llmtest.ChatForm + `","chatInterfaceId":"` + llmtest.ChatWindow +
				`"`: {"LLM_EXACTLY_ONE_INTERFACE_REQUIRED"},
			`"promptId":"` + llmtest.ChatPrompt + `","chatInterfaceId":"` + llmtest.ChatWindow +
				`"`: {"LLM_EXACTLY_ONE_INTERFACE_REQUIRED"},
			`"promptId":"` + llmtest.ChatPrompt +
				`"`: {"/data/attributes/integrationId"},
			`"integrationId":"` + llmtest.ChatHook + `"`: {"/data/attributes/promptId"},
			`"agentId":"` + llmtest.NoID +
				`"`: {"INVALID_FORMAT_OR_ASSOCIATION", "/data/attributes/agentId"},
			`"formInterfaceId":"` + llmtest.NoID +
				`"`: {"/data/attributes/formInterfaceId"},
			`"chatInterfaceId":"` + llmtest.NoID +
				`"`: {"/data/attributes/chatInterfaceId"},
			`"actionId":"` + llmtest.NoID + `"`:                                            {"/data/attributes/actionId"},
			`"promptId":"` + llmtest.NoID + `","integrationId":"` + llmtest.ChatHook + `"`: {"/data/attributes/promptId"},
			`"promptId":"` + llmtest.ChatPrompt + `","integrationId":"` + llmtest.NoID +
				`"`: {"/data/attributes/integrationId"},
			`"actionId":"` + action + `","promptId":"` + llmtest.NoID + `"`: {"/data/attributes/promptId"},
			`"actionId":"` + action + `","integrationId":"` + llmtest.NoID +
				`"`: {"/data/attributes/integrationId"},
			`"formInterfaceId":"` + llmtest.ChatForm + `","agentId":"` + llmtest.ChatOther + `"`: {
				"/data/attributes/agentId",
				"is not used there",
			},
			`"agentId":"` + llmtest.ChatAgent + `","textResourceId":"` + llmtest.NoID +
				`"`: {"/data/attributes/textResourceId"},
			`"agentId":"` + llmtest.ChatAgent + `","inputParameters":"[1]"`: {"LLM_INVALID_JSON"},
			`"agentId":"` + llmtest.ChatAgent + `","userProperties":[` + chatProperties(11) + `]`: {
				"IS_TOO_LONG",
				"/data/attributes/userProperties",
			},
			`"agentId":"` + llmtest.ChatAgent + `","attachments":[{"binaryBase64":"abc","contentType":"png"}]`: {
				"/data/attributes/attachments/0/binaryBase64", "/data/attributes/attachments/0/contentType",
			},
		} {
			llmtest.Post(c, "chats", "{"+attributes+"}").Refused(422, words...)
		}
		c.Get("/api/chats").Want(200).Wants("meta.total", "0")
		llmtest.Post(c, "chats", `{"agentId":"`+llmtest.ChatAgent+`","projectId":"`+llmtest.ChatProject+`"}`).Refused(400,
			`"105"`)
		c.Call("POST", "/api/chats", "{}", "Content-Type", "text/csv").Refused(415)
	})
	t.Run("say who answers where a chat interface has no agent", func(t *testing.T) {
		t.Parallel()
		c := llmtest.NewChats(t)
		mute := llmtest.Make(c, "chat_interfaces",
			fmt.Sprintf(`{"projectId":%q,"name":"Mute","starterMessage":"Hi","textInputEnabled":true}`, llmtest.ChatProject))
		llmtest.Post(c, "chats", `{"chatInterfaceId":"`+mute+`"}`).Refused(422, "has no agent")
		llmtest.Post(c, "chats", `{"chatInterfaceId":"`+mute+`","agentId":"`+llmtest.NoID+`"}`).Refused(422,
			"/data/attributes/agentId")
		llmtest.Post(c, "chats", `{"chatInterfaceId":"`+mute+`","agentId":"`+llmtest.ChatAgent+`"}`).Want(201).Wants(
			none("projectId"), llmtest.ChatProject, none("agentId"), llmtest.ChatAgent)
	})
	t.Run("take files from the start", func(t *testing.T) {
		t.Parallel()
		c := llmtest.NewChats(t)
		chat := chatFrom(c, `"agentId":"`+llmtest.ChatAgent+
			`","attachments":[{"binaryBase64":"aGk=","contentType":"text/plain"}]`)
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
	c := llmtest.NewChats(t)
	chatFrom(c, `"formInterfaceId":"`+llmtest.ChatForm+`"`)
	chatFrom(c, `"chatInterfaceId":"`+llmtest.ChatWindow+`"`)
	chatFrom(c, `"promptId":"`+llmtest.ChatPrompt+`","integrationId":"`+llmtest.ChatHook+`"`)
	told := chatWithAgent(c)
	llmtest.ScriptChat(c,
		mockserver.Turn{Events: []mockserver.TurnEvent{{Output: &mockserver.TurnOutput{Name: "report", Content: "# A"}}}})
	c.Post("/api/chats/"+told+"/continue", `{"input":"Tell me"}`).Want(200)
	for query, total := range map[string]string{
		"": "4",
		"filter[form_interface_id]=" + llmtest.ChatForm:   "1",
		"filter[chat_interface_id]=" + llmtest.ChatWindow: "1",
		"filter[has_artifacts]=true":                      "1",
		"filter[has_artifacts]=false":                     "3",
		"filter[parent_segment_id]=61":                    "0",
		"filter[project_id]=" + llmtest.ChatProject:       "4",
		"filter[project_id]=" + llmtest.NoID:              "0",
		"filter[service_type]=WEBHOOK":                    "1",
		"filter[service_type]=CHATAPP":                    "0",
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
	c := llmtest.NewChats(t)
	ana := c.As("1/analyst")
	chat := chatWithAgent(ana)
	path := "/api/chats/" + chat
	file := llmtest.Make(ana, "chat_attachments", chatFile(chat, "aGk=", "text/plain"))
	llmtest.ScriptChat(c,
		mockserver.Turn{Events: []mockserver.TurnEvent{{Output: &mockserver.TurnOutput{Name: "report", Content: "# A"}}}})
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
	llmtest.Post(dora, "chat_attachments", chatFile(chat, "aGk=", "text/plain")).Refused(422, "chat - must exist")
	for _, kind := range []string{"chats", "chat_attachments", "artifacts"} {
		dora.Get("/api/"+kind).Want(200).Wants("meta.total", "0", "data", "[]")
	}
	c.Get("/api/chats/"+llmtest.NoID).Refused(404, `"404"`)
	c.Get("/api/chats/"+llmtest.NoID+"/history").Refused(404, `"status":404`)
}
