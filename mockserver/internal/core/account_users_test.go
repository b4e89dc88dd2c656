package core_test

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/specs"
)

// names are the values of a member, one for each item of a list.
func names(a answer, list, member string) []string {
	a.Helper()
	texts := []string{}
	items, _ := a.object()[list].([]any)
	for _, item := range items {
		text, _ := item.(map[string]any)[member].(string)
		texts = append(texts, text)
	}
	return texts
}

// apikeys are the keys of a user.
func (c *client) apikeys(user string) []string {
	c.Helper()
	var form struct{ Apikeys []string }
	c.get("/user/apikey/list/" + url.PathEscape(user)).want(200).into(&form)
	return form.Apikeys
}

var platformKey = regexp.MustCompile(`^1/[0-9a-f]{40}$`)

func TestUsersOfAccount(t *testing.T) {
	t.Parallel()
	t.Run("are listed, but for sub users", func(t *testing.T) {
		t.Parallel()
		got := names(newClient(t).load("").as("1/analyst").get("/user/list").want(200), "users", "email")
		want := []string{"admin@shop.example", "owner@shop.example", "analyst@shop.example", "delegate@shop.example"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
	t.Run("are known by e-mail address, name and id", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load("")
		for _, name := range []string{"analyst@shop.example", "Ana%20Analyst", "3"} {
			got := c.get("/user/show/" + name).want(200).object()
			want := map[string]any{
				"id": 3.0, "name": "Ana Analyst", "first_name": "Ana", "last_name": "Analyst", "email": "analyst@shop.example",
				"phone": nil, "gravatar_url": got["gravatar_url"], "administrator": false, "restricted": true,
				"email_verified": true, "me": false, "created_at": "2026-01-15T09:30:00Z", "updated_at": "2026-01-15T09:30:00Z",
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got)\n%s", name, diff)
			}
		}
		c.get("/user/show/nobody").refused(404, "nobody")
	})
	t.Run("can be added, with keys that work, and call at once", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load("")
		c.as("1/analyst").post("/user/add/nina", `{"email":"nina@shop.example"}`).refused(403, "administrators")
		added := c.post("/user/add/nina", `{"organization":null,"email":"nina@shop.example","password":"secret"}`).want(200).object()
		if added["id"] != 5.0 || added["restricted"] != true {
			t.Errorf("added is %v", added)
		}
		c.post("/user/add/nina", `{"email":"other@shop.example"}`).refused(409, "nina")
		c.post("/user/add/other", `{"email":"nina@shop.example"}`).refused(409, "nina@shop.example")
		c.post("/user/add/other", `{"email":"nina"}`).refused(400, "e-mail")
		c.post("/user/add/other", `{}`).refused(400, "email")
		keys := c.apikeys("nina")
		if len(keys) != 2 || !platformKey.MatchString(keys[0]) || !platformKey.MatchString(keys[1]) {
			t.Fatalf("keys are %v", keys)
		}
		if me := c.as(keys[0]).get("/user/show/nina").want(200).object()["me"]; me != true {
			t.Errorf("me is %v", me)
		}
		c.as(keys[1]).get("/user/list").refused(403, "write-only")
	})
	t.Run("can be removed, with their keys, tokens and sub users", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load(`  oauthClients: [{clientId: app, name: App}]
  oauthTokens: [{client: app, user: analyst@shop.example, scopes: [public]}]
`)
		c.as("1/analyst").post("/user/remove/delegate@shop.example", "").refused(403, "administrators")
		c.post("/user/remove/owner@shop.example", "").refused(403, "owns")
		c.post("/user/remove/admin@shop.example", "").refused(403, "itself")
		c.post("/user/remove/nobody", "").refused(404, "nobody")
		c.as("1/analyst").get("/user/list").want(200)
		c.post("/user/remove/analyst@shop.example", "").want(200)
		c.as("1/analyst").get("/user/list").refused(401, "not valid")
		c.get("/user/show/analyst@shop.example").refused(404)
		if got := c.get("/oauth_token/list").object()["oauth_tokens"]; len(got.([]any)) != 0 {
			t.Errorf("tokens are left: %v", got)
		}
		c.post("/user/remove/analyst@shop.example", "").refused(404)
		c.post("/user/add/Ana%20Analyst", `{"email":"analyst@shop.example"}`).want(200)
	})
}

func TestAPIKeys(t *testing.T) {
	t.Parallel()
	t.Run("are the user's own, and those who administer the account see all", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load("")
		if diff := cmp.Diff([]string{specs.PlatformKey(1, "1/admin"), specs.PlatformKey(1, "1/write")}, c.apikeys("admin@shop.example")); diff != "" {
			t.Errorf("the administrator's (-want +got)\n%s", diff)
		}
		if diff := cmp.Diff([]string{specs.PlatformKey(1, "1/analyst")}, c.as("1/analyst").apikeys("3")); diff != "" {
			t.Errorf("the analyst's (-want +got)\n%s", diff)
		}
		c.as("1/analyst").get("/user/apikey/list/1").refused(403, "other users")
		c.as("1/analyst").post("/user/apikey/add/1", "").refused(403, "other users")
		c.as("1/analyst").post("/user/apikey/remove/1", `{"apikey":"1/admin"}`).refused(403, "other users")
		for _, path := range []string{"/user/apikey/list/nobody"} {
			c.get(path).refused(404, "nobody")
		}
		c.post("/user/apikey/add/nobody", "").refused(404, "nobody")
	})
	t.Run("that are added work on every interface, and those that are removed on none", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load("")
		key, _ := c.post("/user/apikey/add/admin@shop.example", "").want(200).object()["apikey"].(string)
		again, _ := c.post("/user/apikey/add/admin@shop.example", "").want(200).object()["apikey"].(string)
		if !platformKey.MatchString(key) || key == again {
			t.Fatalf("keys are %s and %s", key, again)
		}
		if !slices.Contains(c.apikeys("1"), key) {
			t.Error("the key is not listed")
		}
		statuses := func() (list []int) {
			for _, path := range []string{"/core/v3/user/list", "/workflow/api/pools", "/llm/api/projects"} {
				list = append(list, c.fetch(path, key))
			}
			return list
		}
		if diff := cmp.Diff([]int{200, 200, 200}, statuses()); diff != "" {
			t.Errorf("with the new key (-want +got)\n%s", diff)
		}
		c.post("/user/apikey/remove/1", `{}`).refused(400, "apikey")
		c.post("/user/apikey/remove/1", `{"apikey":"1/analyst"}`).refused(404, "no such key")
		c.post("/user/apikey/remove/1", "apikey="+url.QueryEscape(key)).want(200)
		if diff := cmp.Diff([]int{401, 401, 401}, statuses()); diff != "" {
			t.Errorf("with the removed key (-want +got)\n%s", diff)
		}
		c.post("/user/apikey/remove/1", `{"apikey":"`+key+`"}`).refused(404, "no such key")
	})
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	c := newClient(t).load("")
	login := func(user, password string) answer {
		return c.as("").post("/user/authenticate", url.Values{"user": {user}, "password": {password}}.Encode())
	}
	t.Log("a user of a scenario has the usual one, and gets the first of its master keys")
	for _, user := range []string{"analyst@shop.example", "Ana Analyst"} {
		got := login(user, "password").want(200).object()
		if diff := cmp.Diff(map[string]any{"user": user, "apikey": specs.PlatformKey(1, "1/analyst")}, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	login("analyst@shop.example", "wrong").refused(400, "authentication failed")
	login("nobody", "password").refused(400, "authentication failed")
	login("", "").refused(400)
	c.call("POST", "/user/authenticate", "nonsense", "Content-Type", "text/plain").refused(415, "text/plain")

	t.Log("who has no master key gets one")
	c.post("/user/apikey/remove/3", `{"apikey":"1/analyst"}`).want(200)
	if got, _ := login("analyst@shop.example", "password").object()["apikey"].(string); !platformKey.MatchString(got) || len(c.apikeys("3")) != 1 {
		t.Errorf("the key is %q", got)
	}

	t.Log("users change their own, and administrators those of others, also across a dump")
	analyst := c.as(c.apikeys("3")[0])
	analyst.post("/user/password/change", `{"old_password":"wrong","password":"new"}`).refused(400, "old_password")
	analyst.post("/user/password/change", `{"old_password":"password","password":""}`).refused(400, "password")
	analyst.post("/user/password/change", `{"old_password":"password","password":"new"}`).want(200)
	analyst.post("/user/password/change/delegate@shop.example", `{"password":"new"}`).refused(403, "administrators")
	c.post("/user/password/change/delegate@shop.example", `{"password":"other"}`).want(200)
	c.post("/user/password/change/delegate@shop.example", `{}`).refused(400, "password")
	c.post("/user/password/change/nobody", `{"password":"other"}`).refused(404, "nobody")
	dump := c.dump()
	if strings.Contains(string(dump), `"other"`) {
		t.Error("the dump shows a password")
	}
	if err := c.server.World("").Load(dump); err != nil {
		t.Fatal(err)
	}
	login("analyst@shop.example", "password").refused(400)
	login("analyst@shop.example", "new").want(200)
	login("delegate@shop.example", "other").want(200)
}
