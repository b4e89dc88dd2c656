package world_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// fillAccount gives a world with the user 1 a row of each kind that an account has.
func fillAccount(w *world.World) {
	a, now, text := &w.Account, w.Now(), "UTC"
	a.ID, a.Features = 7, []string{"eng-lc-sub-users", "table-transfer"}
	a.ProfileOptions = []world.ProfileOption{{Key: "time_zone", Default: &text}, {Key: "start_page"}}
	a.Policies.Put(21, world.Policy{
		ID: 21, Name: "analysts", Description: "Query the shop",
		Permissions:       world.Permissions{"Databases": {{"operation": "query", "ids": "11"}}},
		ColumnPermissions: []world.ColumnPermission{{Tags: []string{"pii"}, Masking: &text}},
	})
	a.Policies.Put(22, world.Policy{ID: 22, Name: "marketing"})
	a.PolicyGroups.Put(31, world.PolicyGroup{
		ID: 31, Name: "Store team", TaggableName: "store_team", Policies: []int64{22, 21}, CreatedAt: now, UpdatedAt: now,
	})
	a.Users.Put(2, world.User{
		ID: 2, Name: "Dora", Email: "dora@svc.example", Role: world.Restricted, Delegated: true, Manages: []int64{31},
		Groups: []int64{31}, Policies: []int64{22}, Options: map[string]string{"time_zone": "Asia/Tokyo"},
		Permissions: world.Permissions{"WorkflowProject": {{"operation": "run"}}}, CreatedAt: now, UpdatedAt: now,
	})
	a.Users.Put(3, world.User{ID: 3, Name: "kiosk", Role: world.SubUser, Parent: 2, DeletedAt: now})
	a.OAuthClients.Put(1, world.OAuthClient{ID: 1, ClientID: "app", Name: "App"})
	a.OAuthTokens.Put(51, world.OAuthToken{
		ID: 51, Client: 1, User: 2, Scopes: []string{"openid"}, CreatedAt: now, ExpiresAt: now.Add(time.Hour),
		Refreshable: true, LastUsedAt: now, RevokedAt: now,
	})
	a.OAuthCodes.Put(61, world.OAuthCode{ID: 61, Client: 1, User: 2, CreatedAt: now, ExchangedAt: now, RevokedAt: now})
	a.Partners = []world.Partner{{Account: 9, Key: "9/partner", Databases: []string{"theirs"}}}
	for kind, id := range map[string]int64{
		"user": 3, "core.policy": 22, "core.policy_group": 31, "core.oauth_client": 1, "core.oauth_token": 51,
		"core.oauth_code": 61,
	} {
		w.Reserve(kind, id)
	}
}

func TestLoadRefusesAccountsThatCannotBe(t *testing.T) {
	t.Parallel()
	dump := dumpOf(t, full(t))
	for name, test := range map[string]struct {
		value any
		path  []any
		words []string
	}{
		"an account's id":              {-1, []any{"id"}, []string{"account -1"}},
		"an email twice":               {"aiko@svc.example", []any{"users", 1, "email"}, []string{"email", "twice"}},
		"a sub user of nobody":         {9, []any{"users", 2, "parent"}, []string{"user 3", "parent is 9"}},
		"a sub user of itself":         {3, []any{"users", 2, "parent"}, []string{"user 3", "parent is 3"}},
		"a parent of a plain user":     {1, []any{"users", 1, "parent"}, []string{"user 2", "parent is 1"}},
		"an owner as delegated admin":  {true, []any{"users", 0, "delegatedAdmin"}, []string{"user 1", "delegatedAdmin"}},
		"who manages without right":    {false, []any{"users", 1, "delegatedAdmin"}, []string{"user 2", "manages"}},
		"a user's unknown policy":      {[]int{9}, []any{"users", 1, "policies"}, []string{"user 2", "policy 9"}},
		"a user's policy twice":        {[]int{21, 21}, []any{"users", 1, "policies"}, []string{"user 2", "policy 21"}},
		"a user's unknown group":       {[]int{9}, []any{"users", 1, "groups"}, []string{"user 2", "group 9"}},
		"an unknown group managed":     {[]int{9}, []any{"users", 1, "manages"}, []string{"user 2", "group 9"}},
		"a user's unknown option":      {object{"x": "y"}, []any{"users", 1, "options"}, []string{"user 2", "option x"}},
		"a key of a removed user":      {3, []any{"keys", 0, "user"}, []string{"key of user 3"}},
		"a key in both its forms":      {specs.PlatformKey(7, "1/b"), []any{"keys", 0, "key"}, []string{"key", "twice"}},
		"a policy's name twice":        {"analysts", []any{"policies", 1, "name"}, []string{"policy 2", "twice"}},
		"a policy without a name":      {"", []any{"policies", 0, "name"}, []string{"policy 1", "empty"}},
		"a policy's id":                {0, []any{"policies", 0, "id"}, []string{"core.policy 0"}},
		"a group without a tag":        {"", []any{"policyGroups", 0, "taggableName"}, []string{"policy group 1"}},
		"a group's unknown policy":     {[]int{9}, []any{"policyGroups", 0, "policies"}, []string{"group 31", "policy 9"}},
		"a profile option twice":       {"start_page", []any{"profileOptions", 0, "key"}, []string{"option 2", "twice"}},
		"a client without its id":      {"", []any{"oauthClients", 0, "clientId"}, []string{"OAuth client 1"}},
		"a token of no client":         {9, []any{"oauthTokens", 0, "client"}, []string{"token 51", "client 9"}},
		"a token of nobody":            {9, []any{"oauthTokens", 0, "user"}, []string{"token 51", "user 9"}},
		"a code of no client":          {9, []any{"oauthCodes", 0, "client"}, []string{"code 61", "client 9"}},
		"a code of nobody":             {9, []any{"oauthCodes", 0, "user"}, []string{"code 61", "user 9"}},
		"a partner without a key":      {"", []any{"partners", 0, "key"}, []string{"partner 1"}},
		"something that nobody knows":  {"red", []any{"policies", 0, "colour"}, []string{"colour"}},
		"permissions that are no list": {"all", []any{"policies", 0, "permissions"}, []string{"permissions"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := world.Load([]byte(edit(t, dump, test.value, slices.Concat([]any{"account"}, test.path)...)), clock.Frozen)
			if err == nil {
				t.Fatal("no error")
			}
			for _, word := range test.words {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("error %q, want %q in it", err, word)
				}
			}
		})
	}
}
