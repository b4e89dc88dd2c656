package llmtest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"testing"
	"time"

	"svc.example/understudy/mockserver/internal/mocktest"
)

// A slash command of a chat app, and the secret that signs it.
const (
	Command    = "response_url=https%3A%2F%2Fchatapp.example%2Fanswer&text=How+many+orders%3F&command=%2Fask"
	CommandKey = "hush"
)

// NewCommands returns a client of a mock with an action of a chat app, whose integration has more attributes.
func NewCommands(t *testing.T, more string) (c *Client, action string) {
	t.Helper()
	c = New(t)
	c.Make("integrations", `{"projectId":"PROJECT","serviceType":"CHATAPP",`+more+`"actions":[{"promptId":"PROMPT"}]}`)
	return c, c.IDs("/api/actions")[0]
}

// Send sends a command that was signed at a time with a secret, without a key.
func (c *Client) Send(action, body, secret string, at time.Time) mocktest.Answer {
	c.Helper()
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("v0:" + stamp + ":" + body))
	return c.As("").Call(http.MethodPost, "/api/actions/"+action+"/chatapp", body,
		"X-Chatapp-Request-Timestamp", stamp, "X-Chatapp-Signature", "v0="+hex.EncodeToString(mac.Sum(nil)))
}
