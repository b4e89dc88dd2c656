package chat_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/internal/llm/llmtest"
)

func TestContinue(t *testing.T) {
	t.Parallel()
	t.Run("repeats the input, and keeps it", func(t *testing.T) {
		t.Parallel()
		c := llmtest.NewChats(t)
		chat := chatWithAgent(c)
		c.Get("/api/chats/"+chat+"/history").Want(200).Wants("data", "[]")
		c.Advance(90 * time.Second)
		a := c.Post("/api/chats/"+chat+"/continue", `{"input":"Good <morning>!"}`).Want(200)
		want := "data: {\"user_content\":\"Good <morning>!\",\"at\":\"2026-01-15T09:31:30Z\"}\n\n" +
			"data: {\"content\":\"You said: Good <morning>!\",\"at\":\"2026-01-15T09:31:30Z\"}\n\n"
		if a.Body != want || a.Header.Get("Content-Type") != "text/event-stream" ||
			a.Header.Get("Content-Length") != "" {
			t.Errorf("%v %s", a.Header, a.Body)
		}
		c.Advance(time.Minute)
		say(c, chat, "Again")
		c.Get("/api/chats/"+chat).Want(200).Wants(
			"data.attributes.firstInputContent", "Good <morning>!",
			"data.attributes.lastConversationAt", "2026-01-15T09:32:30.000Z", "data.attributes.updatedAt",
			"2026-01-15T09:32:30.000Z")
		c.Get("/api/chats/"+chat+"/history").Want(200).Wants(
			"data.#", "4", "data.0.input", "Good <morning>!", "data.0.at", "2026-01-15T09:31:30Z",
			"data.1.content", "You said: Good <morning>!", "data.2.input", "Again", "data.2.at", "2026-01-15T09:32:30Z")
	})
	t.Run("wants one input, as text or for a template", func(t *testing.T) {
		t.Parallel()
		c := llmtest.NewChats(t)
		chat, form := chatWithAgent(c), chatFrom(c, `"formInterfaceId":"`+llmtest.ChatForm+`"`)
		for body, words := range map[string][]string{
			`{"input":"a","inputParams":{}}`:  {"cannot be combined", "details"},
			`{}`:                              {"the input is missing", "details"},
			`{"input":" "}`:                   {"the input is missing"},
			`{"inputParams":{"product":"a"}}`: {"no template"},
			`{"input":"a","attachments":[{"binaryBase64":"abc","contentType":"text/plain"}]}`: {"attachments.0.binaryBase64"},
			`{"input":"a","attachments":[` + strings.TrimSuffix(strings.Repeat(
				`{"binaryBase64":"aGk=","contentType":"text/plain"},`, 11), ",") + `]}`: {
				"too many attachments",
				"want at most 10, not 11",
			},
		} {
			c.Post("/api/chats/"+chat+"/continue", body).Refused(422, append(words, `"status":"422"`)...)
		}
		c.Post("/api/chats/"+form+"/continue", `{"inputParams":{"other":"a"}}`).Refused(422,
			"inputParams.product: is missing")
		c.Post("/api/chats/"+form+"/continue", `{}`).Refused(422, "inputParams.product")
		c.Post("/api/chats/"+chat+"/continue", `{"input":3}`).Refused(400, "input")
		c.Call("POST", "/api/chats/"+chat+"/continue", "input=a").Refused(415)
		c.Post("/api/chats/"+llmtest.NoID+"/continue", `{"input":"a"}`).Refused(404, `"status":404`)
		c.Get("/api/chats/"+chat+"/history").Want(200).Wants("data", "[]")
	})
	t.Run("counts drafts among the attachments", func(t *testing.T) {
		t.Parallel()
		c := llmtest.NewChats(t)
		chat := chatWithAgent(c)
		for range 11 {
			llmtest.Make(c, "chat_attachments", chatFile(chat, "aGk=", "text/plain"))
		}
		c.Post("/api/chats/"+chat+"/continue", `{"input":"a"}`).Refused(422, "of which 11")
	})
	t.Run("fills templates", func(t *testing.T) {
		t.Parallel()
		c := llmtest.NewChats(t)
		form := chatFrom(c, `"formInterfaceId":"`+llmtest.ChatForm+`"`)
		prompt := chatFrom(c, `"promptId":"`+llmtest.ChatPrompt+`","integrationId":"`+llmtest.ChatHook+
			`","inputParameters":"{\"topic\":[1,2],\"question\":null}"`)
		first := func(chat, body string) string {
			return chatEvents(c.Post("/api/chats/"+chat+"/continue", body).Want(200))[0]
		}
		for _, test := range []struct{ chat, body, want string }{
			{form, `{"inputParams":{"product":"the mug"}}`, "Praise the mug."},
			{form, `{"input":"More"}`, "More"},
			{prompt, `{}`, "About [1,2]: "},
			{prompt, `{"inputParams":{"question":"Why?"}}`, "About [1,2]: Why?"},
		} {
			if got, want := first(test.chat, test.body), fmt.Sprintf(`{"user_content":%q}`, test.want); got != want {
				t.Errorf("%s: %s, want %s", test.body, got, want)
			}
		}
		c.Post("/api/chats/"+prompt+"/continue", `{}`).Refused(422, "the input is missing")
	})
}

func TestContinue_sends_every_event_by_itself(t *testing.T) {
	t.Parallel()
	s := mockserver.Start(t, mockserver.WithScenario("agent-chat"), mockserver.WithClock("frozen"))
	post := func(path, body string) *http.Response {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL("llm")+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "SVC1 1/admin")
		r.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	res := post("/api/chats", `{"data":{"type":"chats","attributes":{"agentId":"5dd290e9-2766-453c-8b7f-77e8f8d2b920"}}}`)
	var chat struct{ Data struct{ ID string } }
	if err := json.NewDecoder(res.Body).Decode(&chat); err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	res = post("/api/chats/"+chat.Data.ID+"/continue", `{"input":"Hello"}`)
	defer res.Body.Close()
	if res.ContentLength != -1 || !cmp.Equal(res.TransferEncoding, []string{"chunked"}) {
		t.Errorf("length %d, %v", res.ContentLength, res.TransferEncoding)
	}
	var lines []string
	for scanner := bufio.NewScanner(res.Body); scanner.Scan(); {
		lines = append(lines, scanner.Text())
	}
	if len(lines) != 4 || !strings.HasPrefix(lines[0], `data: {"user_content":"Hello"`) || lines[1]+lines[3] != "" {
		t.Errorf("%q", lines)
	}
}

// gate is a response writer that reports every event, and holds each until the one before was read.
type gate struct {
	header  http.Header
	waiting bytes.Buffer
	events  chan string
	read    chan struct{}
}

func (g *gate) Header() http.Header         { return g.header }
func (g *gate) WriteHeader(int)             {}
func (g *gate) Write(b []byte) (int, error) { return g.waiting.Write(b) }
func (g *gate) Flush() {
	g.events <- g.waiting.String()
	g.waiting.Reset()
	<-g.read
}

func TestContinue_has_done_everything_before_the_first_event(t *testing.T) {
	t.Parallel()
	c := llmtest.NewChats(t)
	chat := chatWithAgent(c)
	g := &gate{header: http.Header{}, events: make(chan string), read: make(chan struct{})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/llm/api/chats/"+chat+"/continue",
			strings.NewReader(`{"input":"Hello"}`))
		if err != nil {
			t.Error(err)
			return
		}
		r.Header = http.Header{"Authorization": {"SVC1 1/admin"}, "Content-Type": {"application/json"}}
		c.Server.ServeHTTP(g, r)
	}()
	if first := <-g.events; !strings.HasPrefix(first, `data: {"user_content":"Hello"`) ||
		strings.Count(first, "data:") != 1 {
		t.Errorf("the first is %q", first)
	}
	c.Get("/api/chats/"+chat+"/history").Want(200).Wants("data.#", "2", "data.1.content", "You said: Hello")
	g.read <- struct{}{}
	if second := <-g.events; !strings.HasPrefix(second, `data: {"content"`) {
		t.Errorf("the second is %q", second)
	}
	g.read <- struct{}{}
	<-done
}

// say sends an input to a chat and returns the events of the answer, each as compact JSON without its time.
func say(c *mocktest.Client, chat, input string) []string {
	c.Helper()
	return chatEvents(c.Post("/api/chats/"+chat+"/continue", fmt.Sprintf(`{"input":%q}`, input)).Want(200))
}

// chatEvents returns the events of an answer, each as compact JSON without its time.
func chatEvents(a mocktest.Answer) []string {
	a.Helper()
	var events []string
	for block := range strings.SplitSeq(strings.TrimSuffix(a.Body, "\n\n"), "\n\n") {
		data, ok := strings.CutPrefix(block, "data: ")
		var event map[string]any
		if err := json.Unmarshal([]byte(data), &event); !ok || err != nil {
			a.Fatalf("no event: %q", block)
		}
		if event["at"] == nil {
			a.Errorf("without a time: %s", block)
		}
		delete(event, "at")
		text, _ := json.Marshal(event)
		events = append(events, string(text))
	}
	return events
}
