package access_test

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/specs"
)

// names returns the values of a member, one for each item of a list.
func names(a mocktest.Answer, list, member string) []string {
	a.Helper()
	texts := []string{}
	items, _ := a.Object()[list].([]any)
	for _, item := range items {
		text, _ := item.(map[string]any)[member].(string)
		texts = append(texts, text)
	}
	return texts
}

// apikeys returns the keys of a user.
func (c client) apikeys(user string) []string {
	c.Helper()
	var form struct{ Apikeys []string }
	c.Get("/user/apikey/list/" + url.PathEscape(user)).Want(200).Into(&form)
	return form.Apikeys
}

var platformKey = regexp.MustCompile(`^1/[0-9a-f]{40}$`)

func TestUsersOfAccount(t *testing.T) {
	t.Parallel()
	t.Run("are listed, but for sub users", func(t *testing.T) {
		t.Parallel()
		got := names(newClient(t).as("1/analyst").Get("/user/list").Want(200), "users", "email")
		want := []string{"admin@shop.example", "owner@shop.example", "analyst@shop.example", "delegate@shop.example"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
	t.Run("are known by e-mail address, name and id", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		for _, name := range []string{"analyst@shop.example", "Ana%20Analyst", "3"} {
			got := c.Get("/user/show/" + name).Want(200).Object()
			want := map[string]any{
				"id": 3.0, "name": "Ana Analyst", "first_name": "Ana", "last_name": "Analyst", "email": "analyst@shop.example",
				"phone": nil, "gravatar_url": got["gravatar_url"], "administrator": false, "restricted": true,
				"account_owner": false, "organization": "", "roles": []any{},
				"email_verified": true, "me": false, "created_at": "2026-01-15T09:30:00Z", "updated_at": "2026-01-15T09:30:00Z",
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got)\n%s", name, diff)
			}
		}
		c.Get("/user/show/nobody").Refused(404, "nobody")
	})
	t.Run("can be added, with keys that work, and call at once", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.as("1/analyst").Post("/user/add/nina", `{"email":"nina@shop.example"}`).Refused(403, "administrators")
		added := c.Post("/user/add/nina",
			`{"organization":null,"email":"nina@shop.example","password":"secret"}`).Want(200).Object()
		if added["id"] != 6.0 || added["restricted"] != true {
			t.Errorf("added is %v", added)
		}
		c.Post("/user/add/nina", `{"email":"other@shop.example"}`).Refused(409, "nina")
		c.Post("/user/add/other", `{"email":"nina@shop.example"}`).Refused(409, "nina@shop.example")
		c.Post("/user/add/other", `{"email":"nina"}`).Refused(400, "e-mail")
		c.Post("/user/add/other", `{}`).Refused(400, "email")
		keys := c.apikeys("nina")
		if len(keys) != 2 || !platformKey.MatchString(keys[0]) || !platformKey.MatchString(keys[1]) {
			t.Fatalf("keys are %v", keys)
		}
		if me := c.as(keys[0]).Get("/user/show/nina").Want(200).Object()["me"]; me != true {
			t.Errorf("me is %v", me)
		}
		c.as(keys[1]).Get("/user/list").Refused(403, "write-only")
	})
	t.Run("can be removed, with their keys, tokens and sub users", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load(`  oauthClients: [{clientId: app, name: App}]
  oauthTokens: [{client: app, user: analyst@shop.example, scopes: [public]}]
`)
		c.as("1/analyst").Post("/user/remove/delegate@shop.example", "").Refused(403, "administrators")
		c.Post("/user/remove/owner@shop.example", "").Refused(403, "owns")
		c.Post("/user/remove/admin@shop.example", "").Refused(403, "themselves")
		c.Post("/user/remove/nobody", "").Refused(404, "nobody")
		c.as("1/analyst").Get("/user/list").Want(200)
		c.Post("/user/remove/analyst@shop.example", "").Want(200)
		c.as("1/analyst").Get("/user/list").Refused(401, "not valid")
		c.Get("/user/show/analyst@shop.example").Refused(404)
		if got := c.Get("/oauth_token/list").Object()["oauth_tokens"]; len(got.([]any)) != 0 {
			t.Errorf("tokens are left: %v", got)
		}
		c.Post("/user/remove/analyst@shop.example", "").Refused(404)
		c.Post("/user/add/Ana%20Analyst", `{"email":"analyst@shop.example"}`).Want(200)
	})
}

func TestAPIKeys(t *testing.T) {
	t.Parallel()
	t.Run("are the user's own, and those who administer the account see all", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		if diff := cmp.Diff([]string{specs.PlatformKey(1, "1/admin"), specs.PlatformKey(1, "1/write")},
			c.apikeys("admin@shop.example")); diff != "" {
			t.Errorf("the administrator's (-want +got)\n%s", diff)
		}
		if diff := cmp.Diff([]string{specs.PlatformKey(1, "1/analyst")}, c.as("1/analyst").apikeys("3")); diff != "" {
			t.Errorf("the analyst's (-want +got)\n%s", diff)
		}
		c.as("1/analyst").Get("/user/apikey/list/1").Refused(403, "other users")
		c.as("1/analyst").Post("/user/apikey/add/1", "").Refused(403, "other users")
		c.as("1/analyst").Post("/user/apikey/remove/1", `{"apikey":"1/admin"}`).Refused(403, "other users")
		for _, path := range []string{"/user/apikey/list/nobody"} {
			c.Get(path).Refused(404, "nobody")
		}
		c.Post("/user/apikey/add/nobody", "").Refused(404, "nobody")
	})
	t.Run("that are added work on every interface, and those that are removed on none", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		key, _ := c.Post("/user/apikey/add/admin@shop.example", "").Want(200).Object()["apikey"].(string)
		again, _ := c.Post("/user/apikey/add/admin@shop.example", "").Want(200).Object()["apikey"].(string)
		if !platformKey.MatchString(key) || key == again {
			t.Fatalf("keys are %s and %s", key, again)
		}
		if !slices.Contains(c.apikeys("1"), key) {
			t.Error("the key is not listed")
		}
		statuses := func() (list []int) {
			for iface, path := range map[string]string{"core": "/user/list", "workflow": "/api/pools", "llm": "/api/projects"} {
				list = append(list, c.As(key).At(specs.Interface(iface)).Get(path).Status)
			}
			return list
		}
		if diff := cmp.Diff([]int{200, 200, 200}, statuses()); diff != "" {
			t.Errorf("with the new key (-want +got)\n%s", diff)
		}
		c.Post("/user/apikey/remove/1", `{}`).Refused(400, "apikey")
		c.Post("/user/apikey/remove/1", `{"apikey":"1/analyst"}`).Refused(404, "no such key")
		c.Post("/user/apikey/remove/1", "apikey="+url.QueryEscape(key)).Want(200)
		if diff := cmp.Diff([]int{401, 401, 401}, statuses()); diff != "" {
			t.Errorf("with the removed key (-want +got)\n%s", diff)
		}
		c.Post("/user/apikey/remove/1", `{"apikey":"`+key+`"}`).Refused(404, "no such key")
	})
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	login := func(user, password string) mocktest.Answer {
		return c.as("").Post("/user/authenticate", url.Values{"user": {user}, "password": {password}}.Encode())
	}
	t.Log("a user of a scenario has the usual one, and gets the first of its master keys")
	for _, user := range []string{"analyst@shop.example", "Ana Analyst"} {
		got := login(user, "password").Want(200).Object()
		if diff := cmp.Diff(map[string]any{"user": user, "apikey": specs.PlatformKey(1, "1/analyst")}, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	login("analyst@shop.example", "wrong").Refused(400, "authentication failed")
	login("nobody", "password").Refused(400, "authentication failed")
	login("", "").Refused(400)
	c.Call("POST", "/user/authenticate", "nonsense", "Content-Type", "text/plain").Refused(415, "text/plain")

	t.Log("who has no master key gets one")
	c.Post("/user/apikey/remove/3", `{"apikey":"1/analyst"}`).Want(200)
	if got, _ := login("analyst@shop.example", "password").Object()["apikey"].(string); !platformKey.MatchString(got) ||
		len(c.apikeys("3")) != 1 {
		t.Errorf("the key is %q", got)
	}

	t.Log("users change their own, and administrators those of others, also across a dump")
	analyst := c.as(c.apikeys("3")[0])
	analyst.Post("/user/password/change", `{"old_password":"wrong","password":"new"}`).Refused(400, "old_password")
	analyst.Post("/user/password/change", `{"old_password":"password","password":""}`).Refused(400, "password")
	analyst.Post("/user/password/change", `{"old_password":"password","password":"new"}`).Want(200)
	analyst.Post("/user/password/change/delegate@shop.example", `{"password":"new"}`).Refused(403, "administrators")
	c.Post("/user/password/change/delegate@shop.example", `{"password":"other"}`).Want(200)
	c.Post("/user/password/change/delegate@shop.example", `{}`).Refused(400, "password")
	c.Post("/user/password/change/nobody", `{"password":"other"}`).Refused(404, "nobody")
	dump := c.Dump()
	if strings.Contains(dump, `"other"`) {
		t.Error("the dump shows a password")
	}
	c.replace(dump)
	login("analyst@shop.example", "password").Refused(400)
	login("analyst@shop.example", "new").Want(200)
	login("delegate@shop.example", "other").Want(200)
}
