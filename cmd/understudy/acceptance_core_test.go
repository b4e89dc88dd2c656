package main_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestTokenSession revokes one of the tokens that a user holds for a client, and checks the recording of it, as it was
// and with the platform's answers changed.
func TestTokenSession(t *testing.T) {
	t.Parallel()
	mock := serve(t, "--scenario", "token-revoked")
	core := mock.ready.Interfaces["core"]
	for _, step := range []struct{ method, path string }{
		{http.MethodGet, "/oauth_token/list"},
		{http.MethodPost, "/oauth_token/remove/52"},
		{http.MethodGet, "/oauth_token/list"},
	} {
		if status, answer := call(t, step.method, core+step.path, ""); status != http.StatusOK {
			t.Fatalf("%s %s: %d %s", step.method, step.path, status, answer)
		}
	}
	_, archive := call(t, http.MethodGet, mock.ready.Control+"/journal.har", "")
	mock.stop(t)
	base := "core=" + core

	t.Run("the recording of the mock conforms", func(t *testing.T) {
		t.Parallel()
		code, stdout, stderr := checkArchive(t, archive, base, "--format", "json")
		if code != 0 {
			t.Errorf("exit code %d, want 0\n%s%s", code, stdout, stderr)
		}
		if got := tally(t, stdout, "token-revocation"); got.Pass != 1 {
			t.Errorf("token-revocation: %+v, want a pass", got)
		}
	})
	t.Run("a sibling that is still listed is a violation with its evidence", func(t *testing.T) {
		t.Parallel()
		broken := edit(t, archive, listTheSibling)
		code, stdout, stderr := checkArchive(t, broken, base)
		if code != 1 {
			t.Errorf("exit code %d, want 1", code)
		}
		for _, want := range []string{
			"token-revocation", "#1 GET /oauth_token/list", "#2 POST /oauth_token/remove/52", "#3 GET /oauth_token/list",
		} {
			if !strings.Contains(stdout, want) {
				t.Errorf("the report does not show %q\n%s", want, stdout)
			}
		}
		if !strings.Contains(stderr, "token-revocation") {
			t.Errorf("the error does not name the rule: %s", stderr)
		}
	})
	t.Run("when its client is not known it is inconclusive", func(t *testing.T) {
		t.Parallel()
		unknown := edit(t, archive, listTheSibling, hideItsClient)
		code, stdout, stderr := checkArchive(t, unknown, base, "--format", "json")
		if code != 0 {
			t.Errorf("exit code %d, want 0: %s", code, stderr)
		}
		got := tally(t, stdout, "token-revocation")
		if got.Fail != 0 || got.Inconclusive != 1 {
			t.Errorf("token-revocation: %+v, want one inconclusive and no fail", got)
		}
	})
}

// The sibling of the token that is removed, as the first list shows it.
const sibling = 51

// listTheSibling puts the sibling back into the last list.
func listTheSibling(list entries) entries {
	lists := tokenLists(list)
	first, last := lists[0], lists[len(lists)-1]
	i := slices.IndexFunc(first.tokens(), isSibling)
	last.write(append(last.tokens(), first.tokens()[i]))
	return list
}

// hideItsClient puts in the place of the sibling's client what recorders put there.
func hideItsClient(list entries) entries {
	for _, l := range tokenLists(list) {
		tokens := l.tokens()
		for _, token := range tokens {
			if isSibling(token) {
				token["oauth_client_id"] = "REDACTED"
			}
		}
		l.write(tokens)
	}
	return list
}

func isSibling(token map[string]any) bool { return token["id"] == float64(sibling) }

// tokenList is the content of an answer that lists tokens.
type tokenList map[string]any

func tokenLists(list entries) []tokenList {
	var lists []tokenList
	for _, entry := range list {
		if entry["_operation"] == "core.listOauthTokens" {
			lists = append(lists, entry["response"].(map[string]any)["content"].(map[string]any))
		}
	}
	return lists
}

func (l tokenList) tokens() []map[string]any {
	var body struct {
		Tokens []map[string]any `json:"oauth_tokens"`
	}
	if err := json.Unmarshal([]byte(l["text"].(string)), &body); err != nil {
		panic(err)
	}
	return body.Tokens
}

func (l tokenList) write(tokens []map[string]any) {
	text, err := json.Marshal(map[string]any{"oauth_tokens": tokens})
	if err != nil {
		panic(err)
	}
	l["text"] = string(text)
}
