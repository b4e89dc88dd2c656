package chat_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/internal/llm/llmtest"
)

// A slash command of a chat app, and the secret that signs it.
const (
	command    = "response_url=https%3A%2F%2Fchatapp.example%2Fanswer&text=How+many+orders%3F&command=%2Fask"
	commandKey = "hush"
)

// newCommands returns a client of a mock with an action of a chat app, whose integration has more attributes.
func newCommands(t *testing.T, more string) (c *llmtest.Client, action string) {
	t.Helper()
	c = llmtest.New(t)
	c.Make("integrations", `{"projectId":"PROJECT","serviceType":"CHATAPP",`+more+`"actions":[{"promptId":"PROMPT"}]}`)
	return c, c.IDs("/api/actions")[0]
}

// send sends a command that was signed at a time with a secret, without a key.
func send(c *llmtest.Client, action, body, secret string, at time.Time) mocktest.Answer {
	c.Helper()
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("v0:" + stamp + ":" + body))
	return c.As("").Call(http.MethodPost, "/api/actions/"+action+"/chatapp", body,
		"X-Chatapp-Request-Timestamp", stamp, "X-Chatapp-Signature", "v0="+hex.EncodeToString(mac.Sum(nil)))
}

func TestChatapp(t *testing.T) {
	t.Parallel()
	const secret = `"chatappSigningSecret":"` + commandKey + `",`
	t.Run("a command is answered in the channel, and begins a chat", func(t *testing.T) {
		t.Parallel()
		s, action := newCommands(t, secret)
		answer := send(s, action, command, commandKey, mocktest.Now).Want(http.StatusOK)
		answer.Wants("response_type", "in_channel", "text", "How many orders?")
		if media := answer.Header.Get("Content-Type"); media != "application/json" {
			t.Errorf("the media type is %s", media)
		}
		chats := s.Get("/api/chats").Want(http.StatusOK).Wants("meta.total", "1", "data.0.attributes.actionId", action,
			"data.0.attributes.agentId", s.Agent, "data.0.attributes.promptId", s.Prompt, "data.0.attributes.projectId",
			s.Project,
			"data.0.attributes.firstInputContent", "How many orders?", "data.0.attributes.lastConversationAt",
			"2026-01-15T09:30:00.000Z")
		s.Get("/api/chats/"+chats.Value("data.0.id").Text()+"/history").Want(http.StatusOK).Wants(
			"data.0.input", "How many orders?", "data.1.content", "You said: How many orders?")
	})
	t.Run("an agent that refuses a command says so in the chat", func(t *testing.T) {
		t.Parallel()
		s, action := newCommands(t, secret)
		llmtest.ScriptChat(s.Client, mockserver.Turn{Status: http.StatusTooManyRequests})
		send(s, action, command, commandKey, mocktest.Now).Want(http.StatusOK)
		chat := s.Get("/api/chats").Want(http.StatusOK).Value("data.0.id").Text()
		s.Get("/api/chats/"+chat+"/history").Want(http.StatusOK).Wants("data.#", "2", "data.1.error.status", "429")
	})
	t.Run("every placeholder of the prompt stands for the text", func(t *testing.T) {
		t.Parallel()
		s, action := newCommands(t, secret)
		s.Change("prompts", s.Prompt, `{"template":"Say {{a}}, {{ b }}."}`).Want(http.StatusOK)
		send(s, action, strings.Replace(command, "How+many+orders%3F", "$1", 1), commandKey,
			mocktest.Now).Want(http.StatusOK)
		s.Get("/api/chats").Wants("data.0.attributes.firstInputContent", "Say $1, $1.")
	})
	t.Run("an answer for the caller alone is empty", func(t *testing.T) {
		t.Parallel()
		s, action := newCommands(t, secret+`"chatappMessageMode":"ephemeral",`)
		answer := send(s, action, command, commandKey, mocktest.Now).Want(http.StatusOK)
		if media := answer.Header.Get("Content-Type"); media != "text/plain" || len(answer.Body) > 0 {
			t.Errorf("%s: %q", media, answer.Body)
		}
		s.Get("/api/chats").Wants("meta.total", "1")
	})
	t.Run("the signature is over the bytes as they were sent, with the secret of the integration", func(t *testing.T) {
		t.Parallel()
		s, action := newCommands(t, secret)
		path := "/api/actions/" + action + "/chatapp"
		send(s, action, command, "other", mocktest.Now).
			Refused(http.StatusUnauthorized, "X-Chatapp-Signature", `"status":"401"`)
		s.Post(path, command).Refused(http.StatusUnauthorized, "X-Chatapp-Request-Timestamp")
		stamp := strconv.FormatInt(mocktest.Now.Unix(), 10)
		s.Call(http.MethodPost, path, command, "X-Chatapp-Request-Timestamp", stamp).
			Refused(http.StatusUnauthorized, "X-Chatapp-Signature")
		s.Call(http.MethodPost, path, command, "X-Chatapp-Request-Timestamp", "now").
			Refused(http.StatusUnauthorized, "unix seconds")
		reordered := strings.Join([]string{"text=x", "command=%2fask", "response_url=https://chatapp.example/answer"}, "&")
		send(s, action, reordered, commandKey, mocktest.Now).Want(http.StatusOK)
		s.Get("/api/chats").Wants("meta.total", "1")
	})
	t.Run("a signature is good for five minutes, either way", func(t *testing.T) {
		t.Parallel()
		s, action := newCommands(t, secret)
		for _, by := range []time.Duration{-5 * time.Minute, 5 * time.Minute} {
			send(s, action, command, commandKey, mocktest.Now.Add(by)).Want(http.StatusOK)
			send(s, action, command, commandKey, mocktest.Now.Add(by+by/300)).Refused(http.StatusUnauthorized,
				"5m1s")
		}
	})
	t.Run("an integration without a secret takes no commands", func(t *testing.T) {
		t.Parallel()
		s, action := newCommands(t, "")
		send(s, action, command, "", mocktest.Now).Refused(http.StatusUnauthorized, "chatappSigningSecret")
	})
	t.Run("an unknown action, and one of another kind of integration, is not found", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		s.Make("integrations", llmtest.WebhookAttributes)
		for _, action := range []string{s.IDs("/api/actions")[0], llmtest.NoID} {
			send(s, action, command, commandKey, mocktest.Now).Refused(http.StatusNotFound, `"status":"404"`,
				action)
		}
	})
	t.Run("a command has a text and an address for the answer", func(t *testing.T) {
		t.Parallel()
		s, action := newCommands(t, secret)
		send(s, action, "text=x&command=%2Fask", commandKey, mocktest.Now).
			Refused(http.StatusBadRequest, "response_url", `"status":"400"`)
		send(s, action, `{"text":"x"}`, commandKey, mocktest.Now).
			Refused(http.StatusUnsupportedMediaType, "x-www-form-urlencoded")
	})
}
