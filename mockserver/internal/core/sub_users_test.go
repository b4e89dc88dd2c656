package core_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	kioskView = `{"id":5,"name":"kiosk","email":null,"parent_user_id":3,"account_id":7,"policies":[` + analystsView + `],` +
		`"created_at":"2026-01-14T09:30:00Z","updated_at":"2026-01-14T09:30:00Z"}`
	tillView = `{"id":6,"name":"till","email":"till@shop.example","parent_user_id":2,"account_id":7,"policies":[],` +
		`"created_at":"2026-01-14T09:30:00Z","updated_at":"2026-01-14T09:30:00Z"}`
)

func TestSubUsers(t *testing.T) {
	t.Parallel()
	t.Run("administrators see all sub users, others their own", func(t *testing.T) {
		t.Parallel()
		c := newTokens(t)
		for key, want := range map[string]string{
			"1/admin": kioskView + "," + tillView, "1/owner": kioskView + "," + tillView, "1/analyst": kioskView, "1/delegate": "",
		} {
			c.as(key).get("/sub_user/list").exactly(`{"sub_users":[` + want + `]}`)
		}
	})
	t.Run("a removed sub user is gone everywhere, with its keys, tokens and unexchanged codes", func(t *testing.T) {
		t.Parallel()
		for _, key := range []string{"1/admin", "1/analyst"} {
			c := newTokens(t)
			c.patch("/policy_group_tags/store_team/users", `{"user_ids":["5"]}`).want(http.StatusNoContent)
			c.as("1/kiosk").get("/access_control/users/5").want(http.StatusOK)
			c.as(key).post("/sub_user/remove/5", "").exactly(`{"sub_user_id":5}`)

			c.as("1/kiosk").get("/access_control/users/5").refused(http.StatusUnauthorized)
			c.as("1/kiosk-writes").get("/access_control/users/5").refused(http.StatusUnauthorized)
			c.as("1/till").get("/access_control/users/6").want(http.StatusOK)
			sameIDs(t, "live tokens", []int64{51, 52, 53, 54}, c.tokenIDs())
			sameIDs(t, "revoked codes", []int64{5}, c.revoked("oauthCodes"))
			c.get("/sub_user/list").exactly(`{"sub_users":[` + tillView + `]}`)
			c.get("/access_control/users/5").refused(http.StatusNotFound, "5")
			c.get("/access_control/policies/21/users").
				exactly(`[{"user_id":3,"account_id":7,"email":"analyst@shop.example","name":"Ana Analyst"}]`)
			c.get("/policy_group_tags/store_team/users").exactly(`{"user_ids":[]}`)
			c.patch("/access_control/policies/21/users", `{"user_ids":[5]}`).
				refused(http.StatusUnprocessableEntity, "no user 5")
			c.as(key).post("/sub_user/remove/5", "").refused(http.StatusNotFound, "5")
		}
	})
	t.Run("a removed sub user's address is free to be looked for in vain", func(t *testing.T) {
		t.Parallel()
		c := newTokens(t)
		c.as("1/owner").post("/sub_user/remove/6", "").want(http.StatusOK)
		c.post("/user/delegated_admin/remove/till@shop.example", "").refused(http.StatusNotFound, "till@")
	})
	t.Run("a world with a removed sub user is dumped and loaded", func(t *testing.T) {
		t.Parallel()
		c := newTokens(t)
		c.post("/sub_user/remove/5", "").want(http.StatusOK)
		c.delete("/access_control/policies/21").want(http.StatusOK)
		dump, err := c.server.World("").State()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.server.World("").Load(dump); err != nil {
			t.Fatal(err)
		}
		again, err := c.server.World("").State()
		if d := cmp.Diff(string(dump), string(again)); err != nil || d != "" {
			t.Errorf("%v (-want +got)\n%s", err, d)
		}
	})
	accessRefuses(t, map[string]accessRefusal{
		"a list for a sub user":        {"kiosk", "GET", "/sub_user/list", "", 403, "sub user"},
		"another user's sub user":      {"analyst", "POST", "/sub_user/remove/6", "", 403, "another user's"},
		"a sub user by itself":         {"kiosk", "POST", "/sub_user/remove/5", "", 403, "another user's"},
		"an unknown sub user":          {"admin", "POST", "/sub_user/remove/9", "", 404, "9"},
		"a user who is no sub user":    {"admin", "POST", "/sub_user/remove/3", "", 404, "3"},
		"a sub user's id as no number": {"admin", "POST", "/sub_user/remove/x", "", 404, "x"},
	})
}
