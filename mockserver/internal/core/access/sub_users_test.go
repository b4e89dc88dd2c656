package access_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	kioskView = `{"id":5,"name":"kiosk","email":null,"parent_user_id":3,"account_id":7,"policies":[` + analystsView +
		`],` +
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
			"1/admin": kioskView + "," + tillView, "1/owner": kioskView + "," + tillView, "1/analyst": kioskView,
			"1/delegate": "",
		} {
			c.as(key).Get("/sub_user/list").Exactly(`{"sub_users":[` + want + `]}`)
		}
	})
	t.Run("a removed sub user is gone everywhere, with its keys, tokens and unexchanged codes", func(t *testing.T) {
		t.Parallel()
		for _, key := range []string{"1/admin", "1/analyst"} {
			c := newTokens(t)
			c.Patch("/policy_group_tags/store_team/users", `{"user_ids":["5"]}`).Want(http.StatusNoContent)
			c.as("1/kiosk").Get("/access_control/users/5").Want(http.StatusOK)
			c.as(key).Post("/sub_user/remove/5", "").Exactly(`{"sub_user_id":5}`)

			c.as("1/kiosk").Get("/access_control/users/5").Refused(http.StatusUnauthorized)
			c.as("1/kiosk-writes").Get("/access_control/users/5").Refused(http.StatusUnauthorized)
			c.as("1/till").Get("/access_control/users/6").Want(http.StatusOK)
			sameIDs(t, "live tokens", []int64{51, 52, 53, 54}, c.tokenIDs())
			sameIDs(t, "revoked codes", []int64{5}, c.revoked("OAuthCodes"))
			c.Get("/sub_user/list").Exactly(`{"sub_users":[` + tillView + `]}`)
			c.Get("/access_control/users/5").Refused(http.StatusNotFound, "5")
			c.Get("/access_control/policies/21/users").
				Exactly(`[{"user_id":3,"account_id":7,"email":"analyst@shop.example","name":"Ana Analyst"}]`)
			c.Get("/policy_group_tags/store_team/users").Exactly(`{"user_ids":[]}`)
			c.Patch("/access_control/policies/21/users", `{"user_ids":[5]}`).
				Refused(http.StatusUnprocessableEntity, "user 5 not found")
			c.as(key).Post("/sub_user/remove/5", "").Refused(http.StatusNotFound, "5")
		}
	})
	t.Run("a removed sub user's address is free to be looked for in vain", func(t *testing.T) {
		t.Parallel()
		c := newTokens(t)
		c.as("1/owner").Post("/sub_user/remove/6", "").Want(http.StatusOK)
		c.Post("/user/delegated_admin/remove/till@shop.example", "").Refused(http.StatusNotFound, "till@")
	})
	t.Run("a world with a removed sub user is dumped and loaded", func(t *testing.T) {
		t.Parallel()
		c := newTokens(t)
		c.Post("/sub_user/remove/5", "").Want(http.StatusOK)
		c.Delete("/access_control/policies/21").Want(http.StatusOK)
		dump := c.Dump()
		if d := cmp.Diff(dump, c.replace(dump).Dump()); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
	})
	accessRefuses(t, map[string]accessRefusal{
		"a list for a sub user":        {"kiosk", "GET", "/sub_user/list", "", 403, "sub user"},
		"another user's sub user":      {"analyst", "POST", "/sub_user/remove/6", "", 403, "another user"},
		"a sub user by itself":         {"kiosk", "POST", "/sub_user/remove/5", "", 403, "another user"},
		"an unknown sub user":          {"admin", "POST", "/sub_user/remove/9", "", 404, "9"},
		"a user who is no sub user":    {"admin", "POST", "/sub_user/remove/3", "", 404, "3"},
		"a sub user's id as no number": {"admin", "POST", "/sub_user/remove/x", "", 404, "x"},
	})
}
