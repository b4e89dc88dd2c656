package access

import (
	"time"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

type oauthTokenForm struct {
	ID              int64    `json:"id"`
	OauthClientID   string   `json:"oauth_client_id"`
	OauthClientName string   `json:"oauth_client_name"`
	UserID          int64    `json:"user_id"`
	UserEmail       string   `json:"user_email,omitempty"`
	Scopes          []string `json:"scopes"`
	CreatedAt       string   `json:"created_at"`
	ExpiresAt       *string  `json:"expires_at"`
	Expired         bool     `json:"expired"`
	Refreshable     bool     `json:"refreshable"`
	LastUsedAt      *string  `json:"last_used_at"`
}

func oauthTokenView(c *op.Call, t world.OAuthToken) oauthTokenForm {
	client, _ := c.World.Account.OAuthClients.Get(t.Client)
	u, _ := c.World.Account.Users.Get(t.User)
	return oauthTokenForm{
		ID: t.ID, OauthClientID: client.ClientID, OauthClientName: client.Name, UserID: t.User, UserEmail: u.Email,
		Scopes: t.Scopes, CreatedAt: op.Instant(t.CreatedAt), ExpiresAt: op.OptionalInstant(t.ExpiresAt),
		Expired: isExpired(t, c.Now), Refreshable: t.Refreshable, LastUsedAt: op.OptionalInstant(t.LastUsedAt),
	}
}

func isExpired(t world.OAuthToken, now time.Time) bool {
	return !t.ExpiresAt.IsZero() && !t.ExpiresAt.After(now)
}

// liveToken reports whether a token is live: it is not revoked, and its access half is valid or can be refreshed
// (documented).
func liveToken(t world.OAuthToken, now time.Time) bool {
	return t.RevokedAt.IsZero() && (!isExpired(t, now) || t.Refreshable)
}

// ListOauthTokens lists the live tokens of the account for administrators, and the caller's own for others (assumed).
func ListOauthTokens(c *op.Call) (op.Reply, error) {
	tokens := []oauthTokenForm{}
	for _, t := range table.All(&c.World.Account.OAuthTokens) {
		if liveToken(t, c.Now) && (c.Caller.Administers() || t.User == c.Caller.User.ID) {
			tokens = append(tokens, oauthTokenView(c, t))
		}
	}
	return op.OK(map[string]any{"oauth_tokens": tokens})
}

// RemoveOauthToken revokes the token, every other live token that its user holds for the same client, and the codes
// of both that were not exchanged yet (documented).
func RemoveOauthToken(c *op.Call) (op.Reply, error) {
	id, err := c.ID("OAuth token", "oauth_token_id")
	if err != nil {
		return op.Reply{}, err
	}
	named, ok := c.World.Account.OAuthTokens.Get(id)
	switch {
	case !ok || !liveToken(named, c.Now):
		return op.Reply{}, op.NotFound("OAuth token", "id", id)
	case !c.Caller.Administers() && named.User != c.Caller.User.ID:
		return op.Reply{}, op.Forbidden("OAuth token %d belongs to another user: only administrators may remove it", id)
	}
	revokeTokens(c, func(t world.OAuthToken) bool {
		return t.ID == named.ID || t.User == named.User && t.Client == named.Client
	})
	revokeCodes(c, func(code world.OAuthCode) bool {
		return code.User == named.User && code.Client == named.Client
	})
	return op.OK(map[string]int64{"oauth_token_id": id})
}

// revokeTokens revokes the tokens that fit and are not revoked yet, expired ones included.
func revokeTokens(c *op.Call, fits func(world.OAuthToken) bool) {
	for id, t := range table.All(&c.World.Account.OAuthTokens) {
		if t.RevokedAt.IsZero() && fits(t) {
			t.RevokedAt = c.Now
			c.World.Account.OAuthTokens.Put(id, t)
		}
	}
}

// revokeCodes revokes the authorization codes that fit and were not exchanged yet.
func revokeCodes(c *op.Call, fits func(world.OAuthCode) bool) {
	for id, code := range table.All(&c.World.Account.OAuthCodes) {
		if code.RevokedAt.IsZero() && code.ExchangedAt.IsZero() && fits(code) {
			code.RevokedAt = c.Now
			c.World.Account.OAuthCodes.Put(id, code)
		}
	}
}
