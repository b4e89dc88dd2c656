package access_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"
	"time"
)

// shopTokens are the tokens of an account: 51 and 52 are Ana's for one client, 53 hers for another, 54 Dora's, 55 is
// over and 56 is revoked, and 57 is the till's.
const shopTokens = shopAccess + `
  oauthClients:
  - {clientId: shop-dashboard, name: Shop dashboard}
  - {clientId: stock-app, name: Stock app}
  oauthTokens:
  - {id: 51, client: shop-dashboard, user: analyst@shop.example, scopes: [openid, email], createdAt: now-1h, expiresAt: now+1h, lastUsedAt: now-1m}
  - {id: 52, client: shop-dashboard, user: analyst@shop.example, createdAt: now-2h, expiresAt: now-1h, refreshable: true}
  - {id: 53, client: stock-app, user: analyst@shop.example}
  - {id: 54, client: shop-dashboard, user: delegate@shop.example}
  - {id: 55, client: shop-dashboard, user: analyst@shop.example, createdAt: now-2h, expiresAt: now}
  - {id: 56, client: shop-dashboard, user: analyst@shop.example, createdAt: now-2h, revokedAt: now-1h}
  - {id: 57, client: stock-app, user: kiosk, expiresAt: now+1h}
  oauthCodes:
  - {client: shop-dashboard, user: analyst@shop.example}
  - {client: shop-dashboard, user: analyst@shop.example, createdAt: now-2h, exchangedAt: now-1h}
  - {client: stock-app, user: analyst@shop.example}
  - {client: shop-dashboard, user: delegate@shop.example}
  - {client: stock-app, user: kiosk}
`

func newTokens(t *testing.T) client {
	t.Helper()
	return newClient(t).replace(shopTokens)
}

// tokenIDs returns the ids of the tokens that the caller sees.
func (c client) tokenIDs() []int64 {
	c.Helper()
	var list struct {
		Tokens []struct{ ID int64 } `json:"oauth_tokens"`
	}
	c.Get("/oauth_token/list").Want(http.StatusOK).Into(&list)
	ids := []int64{}
	for _, token := range list.Tokens {
		ids = append(ids, token.ID)
	}
	return ids
}

// revoked returns the ids of the tokens, or codes, that are revoked in the world.
func (c client) revoked(what string) []int64 {
	c.Helper()
	var whole struct {
		State struct {
			Account map[string]json.RawMessage
		}
	}
	var rows map[string]struct {
		ID        int64
		RevokedAt time.Time
	}
	if err := json.Unmarshal([]byte(c.Dump()), &whole); err != nil {
		c.Fatal(err)
	}
	if err := json.Unmarshal(whole.State.Account[what], &rows); err != nil {
		c.Fatal(err)
	}
	ids := []int64{}
	for _, row := range rows {
		if !row.RevokedAt.IsZero() {
			ids = append(ids, row.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

func sameIDs(t *testing.T, what string, want, got []int64) {
	t.Helper()
	if !slices.Equal(want, got) {
		t.Errorf("%s %v, want %v", what, got, want)
	}
}

func TestOAuthTokens(t *testing.T) {
	t.Parallel()
	t.Run("live tokens are listed without the tokens themselves", func(t *testing.T) {
		t.Parallel()
		const want = `{"oauth_tokens":[{"id":51,"oauth_client_id":"shop-dashboard","oauth_client_name":"Shop dashboard",` +
			`"user_id":3,"user_email":"analyst@shop.example","scopes":["openid","email"],` +
			`"created_at":"2026-01-15T08:30:00Z","expires_at":"2026-01-15T10:30:00Z","expired":false,"refreshable":false,` +
			`"last_used_at":"2026-01-15T09:29:00Z"},` +
			`{"id":52,"oauth_client_id":"shop-dashboard","oauth_client_name":"Shop dashboard","user_id":3,` +
			`"user_email":"analyst@shop.example","scopes":[],"created_at":"2026-01-15T07:30:00Z",` +
			`"expires_at":"2026-01-15T08:30:00Z","expired":true,"refreshable":true,"last_used_at":null},` +
			`{"id":53,"oauth_client_id":"stock-app","oauth_client_name":"Stock app","user_id":3,` +
			`"user_email":"analyst@shop.example","scopes":[],"created_at":"2026-01-15T09:30:00Z","expires_at":null,` +
			`"expired":false,"refreshable":false,"last_used_at":null}]}`
		newTokens(t).as("1/analyst").Get("/oauth_token/list").Exactly(want)
	})
	t.Run("administrators see the tokens of all, others their own", func(t *testing.T) {
		t.Parallel()
		c := newTokens(t)
		sameIDs(t, "an administrator's", []int64{51, 52, 53, 54, 57}, c.tokenIDs())
		sameIDs(t, "the owner's", []int64{51, 52, 53, 54, 57}, c.as("1/owner").tokenIDs())
		sameIDs(t, "the delegated admin's", []int64{54}, c.as("1/delegate").tokenIDs())
		sameIDs(t, "the sub user's", []int64{57}, c.as("1/kiosk").tokenIDs())
		sameIDs(t, "the till's", []int64{}, c.as("1/till").tokenIDs())
	})
	t.Run("a token lives as long as its access half, or for ever while it can be refreshed", func(t *testing.T) {
		t.Parallel()
		c := newTokens(t)
		c.Advance(time.Hour)
		sameIDs(t, "live tokens", []int64{52, 53, 54}, c.tokenIDs())
	})
	t.Run("removal revokes the token, the other live ones of user and client, and their unexchanged codes",
		func(t *testing.T) {
			t.Parallel()
			for _, key := range []string{"1/admin", "1/analyst"} {
				for _, id := range []string{"51", "52"} {
					c := newTokens(t)
					c.as(key).Post("/oauth_token/remove/"+id, "").Exactly(`{"oauth_token_id":` + id + `}`)
					sameIDs(t, "live tokens", []int64{53, 54, 57}, c.tokenIDs())
					sameIDs(t, "revoked codes", []int64{1}, c.revoked("OAuthCodes"))
					for _, gone := range []string{"51", "52"} {
						c.as(key).Post("/oauth_token/remove/"+gone, "").Refused(http.StatusNotFound, gone)
					}
				}
			}
		})
	t.Run("a token of another client leaves its siblings alone", func(t *testing.T) {
		t.Parallel()
		c := newTokens(t)
		c.Post("/oauth_token/remove/53", "").Want(http.StatusOK)
		sameIDs(t, "live tokens", []int64{51, 52, 54, 57}, c.tokenIDs())
		sameIDs(t, "revoked codes", []int64{3}, c.revoked("OAuthCodes"))
	})
	for name, test := range map[string]accessRefusal{
		"another user's token":           {"analyst", "", "/oauth_token/remove/54", "", 403, "another user"},
		"another user's, by a delegate":  {"delegate", "", "/oauth_token/remove/51", "", 403, "another user"},
		"an unknown token":               {"admin", "", "/oauth_token/remove/9", "", 404, "9"},
		"a token's id that is no number": {"admin", "", "/oauth_token/remove/x", "", 404, "x"},
		"a token that was revoked":       {"admin", "", "/oauth_token/remove/56", "", 404, "56"},
		"a token that is over":           {"admin", "", "/oauth_token/remove/55", "", 404, "55"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			newTokens(t).as("1/"+test.key).Post(test.path, "").Refused(test.status, test.word)
		})
	}
}
