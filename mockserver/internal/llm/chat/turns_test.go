package chat_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/internal/llm/llmtest"
)

func content(text string) []mockserver.TurnEvent { return []mockserver.TurnEvent{{Content: text}} }

// answered returns the answer of an agent to an input, without the echo of the input.
func answered(c *mocktest.Client, chat, input string) []string {
	c.Helper()
	return say(c, chat, input)[1:]
}

func TestTurns(t *testing.T) {
	t.Parallel()
	t.Run("the first that fits counts, until it is used up", func(t *testing.T) {
		t.Parallel()
		c := llmtest.NewChats(t)
		chat, other := chatWithAgent(c), chatFrom(c, `"agentId":"`+llmtest.ChatOther+`"`)
		llmtest.ScriptChat(
			c,
			mockserver.Turn{Agent: "Nobody", Events: content("0")},
			mockserver.Turn{Agent: "Other", Events: content("1")},
			mockserver.Turn{Chat: strings.ToUpper(chat), Input: "(?i)hello", Events: content("2"), Times: 2},
			mockserver.Turn{Agent: llmtest.ChatAgent, Input: "^H", Events: content("3"), Times: 1},
		)
		var got []string
		for _, input := range []string{"Hello", "well, hello", "Hello", "Hello"} {
			got = append(got, answered(c, chat, input)...)
		}
		got = append(got, answered(c, other, "Hello")...)
		want := []string{
			`{"content":"2"}`, `{"content":"2"}`, `{"content":"3"}`, `{"content":"You said: Hello"}`,
			`{"content":"1"}`,
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
	})
	t.Run("refuse an input, which then leaves nothing behind", func(t *testing.T) {
		t.Parallel()
		c := llmtest.NewChats(t)
		chat := chatWithAgent(c)
		path := "/api/chats/" + chat
		draft := llmtest.Make(c, "chat_attachments", chatFile(chat, "aGk=", "text/plain"))
		llmtest.ScriptChat(
			c,
			mockserver.Turn{Status: 429, Message: "too many", Times: 1}, mockserver.Turn{Status: 403, Times: 1},
			mockserver.Turn{Status: 404, Times: 1}, mockserver.Turn{Status: 422, Times: 1},
		)
		wait := c.Post(path+"/continue", `{"input":"a"}`).Want(429).Wants("error", "too many", "status", "429")
		if got := wait.Header.Get("Retry-After"); got != "60" {
			t.Errorf("Retry-After: %q", got)
		}
		c.Post(path+"/continue", `{"input":"a"}`).Refused(403, "Forbidden")
		c.Post(path+"/continue", `{"input":"a"}`).Refused(404, `"status":404`)
		c.Post(path+"/continue", `{"input":"a"}`).Refused(422, "Unprocessable")
		c.Get(path+"/history").Want(200).Wants("data", "[]")
		c.Get("/api/chat_attachments/"+draft).Want(200).Wants("data.attributes.attachmentType", "USER_INPUT_DRAFT")
		c.Post(path+"/continue", `{"input":"a"}`).Want(200)
	})
	t.Run("that cannot be are refused", func(t *testing.T) {
		t.Parallel()
		c := llmtest.NewChats(t)
		empty := ""
		for want, turn := range map[string]mockserver.Turn{
			"input: want a regular expression": {Input: "(", Status: 429},
			"times: want 0":                    {Status: 429, Times: -1},
			"want one of 403 404 422 429":      {Status: 500},
			"want either events or a status":   {},
			"message: only a refused turn":     {Message: "no", Events: content("a")},
			"events.1: want an object with":    {Events: append(content("a"), mockserver.TurnEvent{})},
			"events.0: want an object": {Events: []mockserver.TurnEvent{{
				Content:   "a",
				Reasoning: "b",
			}}},
			"events.0: an error ends the turn": {Events: append(
				[]mockserver.TurnEvent{{Error: &mockserver.TurnError{Message: "a"}}}, content("a")...)},
			"error: want a message":                                 {Events: []mockserver.TurnEvent{{Error: &mockserver.TurnError{}}}},
			"error: want a status from 400":                         {Events: []mockserver.TurnEvent{{Error: &mockserver.TurnError{Message: "a", Status: 200}}}},
			"tool: want the functionName":                           {Events: []mockserver.TurnEvent{{Tool: &mockserver.TurnTool{}}}},
			"tool: want functionArguments":                          {Events: []mockserver.TurnEvent{{Tool: &mockserver.TurnTool{FunctionName: "a", FunctionArguments: "[]"}}}},
			"output: want the name":                                 {Events: []mockserver.TurnEvent{{Output: &mockserver.TurnOutput{}}}},
			"artifact: want an artifactType":                        {Events: []mockserver.TurnEvent{{Artifact: &mockserver.TurnArtifact{}}}},
			"want only the content of REACT_OUTPUT, as textContent": {Events: []mockserver.TurnEvent{{Artifact: &mockserver.TurnArtifact{ArtifactType: "REACT_OUTPUT", BinaryContent: &empty}}}},
			"as binaryContent, in base64":                           {Events: []mockserver.TurnEvent{{Artifact: &mockserver.TurnArtifact{ArtifactType: "PRESENTATION"}}}},
			"want a media type": {Events: []mockserver.TurnEvent{{Artifact: &mockserver.TurnArtifact{
				ArtifactType: "REACT_OUTPUT", TextContent: &empty, ContentType: "a\r\nb",
			}}}},
		} {
			if err := c.World().QueueTurn(turn); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
		}
	})
	t.Run("outlive a dump, and so does what was said", func(t *testing.T) {
		t.Parallel()
		c := llmtest.NewChats(t)
		chat := chatWithAgent(c)
		llmtest.ScriptChat(c, mockserver.Turn{Input: "x", Events: content("y"), Times: 2})
		say(c, chat, "x")
		llmtest.Make(c, "chat_attachments", chatFile(chat, "aGk=", "text/plain"))
		history := c.Get("/api/chats/" + chat + "/history").Want(200)
		dump := chatDump(c)
		if err := c.World().Load([]byte(dump)); err != nil {
			t.Fatal(err)
		}
		if again := chatDump(c); again != dump {
			t.Errorf("(-want +got)\n%s", cmp.Diff(dump, again))
		}
		if again := c.Get("/api/chats/" + chat + "/history").Want(200); again.Body != history.Body {
			t.Errorf("%s, want %s", again.Body, history.Body)
		}
		llmtest.Post(c, "chat_attachments",
			chatFile(chat, "aGk=", "text/plain")).Want(201).Wants("data.attributes.attachmentIndex", "2")
		got := append(answered(c, chat, "x"), answered(c, chat, "x")...)
		if d := cmp.Diff([]string{`{"content":"y"}`, `{"content":"You said: x"}`}, got); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
	})
}

func chatDump(c *mocktest.Client) string {
	c.Helper()
	dump, err := c.World().State()
	if err != nil {
		c.Fatal(err)
	}
	return string(dump)
}

func TestTurnEvents(t *testing.T) {
	t.Parallel()
	called := func(name, arguments string) mockserver.TurnEvent {
		return mockserver.TurnEvent{Tool: &mockserver.TurnTool{FunctionName: name, FunctionArguments: arguments}}
	}
	output := func(name, content string) mockserver.TurnEvent {
		return mockserver.TurnEvent{Output: &mockserver.TurnOutput{Name: name, Content: content}}
	}
	said, picture := "as scripted", "AAEC"
	const data = `"targetKnowledgeBase":{"id":"` + llmtest.ChatBase + `","name":"Data"}`
	for _, test := range []struct {
		name   string
		events []mockserver.TurnEvent
		want   []string // each contained in the event
	}{
		{
			"are content and reasoning",
			[]mockserver.TurnEvent{{Reasoning: "Hm."}, {Content: "Yes."}},
			[]string{`{"reasoning":"Hm."}`, `{"content":"Yes."}`},
		},
		{
			"look into knowledge bases",
			[]mockserver.TurnEvent{called("query", `{"query":"select count(*) as n from orders"}`)},
			[]string{`"content":"[{\"n\":2}]"`},
		},
		{"tell what they call", []mockserver.TurnEvent{called("query", `{"query":"select 1 as n"}`)}, []string{data}},
		{
			"number the calls",
			[]mockserver.TurnEvent{called("rules", ""), called("rules", "")},
			[]string{`"call_1"`, `"call_2"`},
		},
		{"read texts", []mockserver.TurnEvent{called("rules", "")}, []string{`"content":"Goods can be sent back."`}},
		{"call other tools", []mockserver.TurnEvent{called("search", "")}, []string{`"content":"","function`}},
		{
			"say how a call fails",
			[]mockserver.TurnEvent{
				called("query", `{"query":"select nothing from nowhere"}`), called("query", `{"query":1}`),
				called("query", ""),
			},
			[]string{`"status":"ERROR"`, `do not match`, `is missing`},
		},
		{
			"know the functions of the agent",
			[]mockserver.TurnEvent{called("fly", "")},
			[]string{`agent Helper has no function \"fly\": want one of query, rules, search, report, draw, sum`},
		},
		{
			"call functions of outputs",
			[]mockserver.TurnEvent{called("draw", "")},
			[]string{`"output":{"name":"picture"},"status":"OK"`},
		},
		{
			"may say what a call gives",
			[]mockserver.TurnEvent{{Tool: &mockserver.TurnTool{FunctionName: "query", Content: &said, Status: "SLOW"}}},
			[]string{`"content":"as scripted"`},
		},
		{
			"answer by outputs",
			[]mockserver.TurnEvent{output("sum", `{"total":3}`)},
			[]string{`{"output":{"content":"{\"total\":3}","name":"sum"}}`},
		},
		{
			"make artifacts of outputs",
			[]mockserver.TurnEvent{output("report", "# A")},
			[]string{`{"output":`, `"artifactType":"MARKDOWN_TEXT_OUTPUT"`},
		},
		{
			"make artifacts",
			[]mockserver.TurnEvent{{Artifact: &mockserver.TurnArtifact{
				ArtifactType:  "IMAGE_ID_OUTPUT",
				BinaryContent: &picture,
			}}},
			[]string{`"contentType":"image/png"`},
		},
		{
			"end with outputs that there are not",
			[]mockserver.TurnEvent{output("song", "La"), {Content: "a"}},
			[]string{`"status":422`},
		},
		{
			"end with outputs off their schema",
			[]mockserver.TurnEvent{output("sum", `{}`), {Content: "a"}},
			[]string{`missing properties: 'total'`},
		},
		{"end with outputs that are no JSON", []mockserver.TurnEvent{output("sum", `{`)}, []string{`want JSON`}},
		{
			"end with pictures that are none",
			[]mockserver.TurnEvent{output("picture", "?"), {Content: "a"}},
			[]string{`want binaryContent in base64`},
		},
		{
			"end with errors",
			[]mockserver.TurnEvent{{Content: "a"}, {Error: &mockserver.TurnError{Message: "b"}}},
			[]string{`{"content":"a"}`, `{"error":{"message":"b","status":500}}`},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := llmtest.NewChats(t)
			chat := chatWithAgent(c)
			llmtest.ScriptChat(c, mockserver.Turn{Events: test.events})
			got := answered(c, chat, "Go on")
			if len(got) != len(test.want) {
				t.Fatalf("%d events, want %d: %s", len(got), len(test.want), got)
			}
			for i, want := range test.want {
				if !strings.Contains(got[i], want) {
					t.Errorf("event %d is %s, want %s in it", i, got[i], want)
				}
			}
			history := c.Get("/api/chats/" + chat + "/history").Want(200)
			if n := int(history.Value("data.#").Int()); n != len(got)+1 {
				t.Errorf("the history has %d entries, want %d", n, len(got)+1)
			}
		})
	}
}

func TestArtifacts(t *testing.T) {
	t.Parallel()
	c := llmtest.NewChats(t)
	chat := chatFrom(c, `"formInterfaceId":"`+llmtest.ChatForm+`"`)
	chatWithAgent(c)
	llmtest.ScriptChat(c, mockserver.Turn{Events: []mockserver.TurnEvent{
		{Output: &mockserver.TurnOutput{Name: "report", Content: "# A"}},
		{Output: &mockserver.TurnOutput{Name: "picture", Content: "AAEC"}},
	}})
	say(c, chat, "Both")
	all := c.Get("/api/artifacts").Want(200).Wants(
		"meta.total", "2", "data.0.type", "artifacts", "data.0.attributes.chatId", chat, "data.0.attributes.projectId",
		llmtest.ChatProject,
		"data.0.attributes.formInterfaceId", llmtest.ChatForm, "data.0.attributes.chatInterfaceId", "",
		"data.0.attributes.textContent", "# A",
		"data.0.attributes.binaryContent", "", "data.1.attributes.textContent", "", "data.1.attributes.binaryContent", "AAEC",
	)
	if all.Value("data.0.attributes.updatedAt").Exists() {
		t.Error("artifacts never change, so they have no time of it")
	}
	for query, total := range map[string]string{
		"filter[chat_id]=" + chat: "2", "filter[chat_id]=" + llmtest.NoID: "0",
		"filter[form_interface_id]=" + llmtest.ChatForm:   "2",
		"filter[chat_interface_id]=" + llmtest.ChatWindow: "0",
	} {
		c.Get("/api/artifacts?"+query).Want(200).Wants("meta.total", total)
	}
	c.Get("/api/artifacts?page[limit]=101").Refused(400)
	c.Get("/api/chats/"+chat+"/history").Want(200).Wants("data.2.artifact.id", all.Value("data.0.id").Text())
}
