package access_test

import (
	"net/http"
	"testing"
)

func TestProfileOptions(t *testing.T) {
	t.Parallel()
	const path = "/access_control/users/3/profile_options"
	t.Run("an option is the user's value, else the account's default, else null", func(t *testing.T) {
		t.Parallel()
		c := newAccess(t)
		for _, key := range []string{"1/admin", "1/delegate", "1/analyst"} {
			c.as(key).Get(path).Exactly(`{"date_format":null,"start_page":"queries","time_zone":"UTC"}`)
			c.as(key).Get(path + "/time_zone").Exactly(`{"time_zone":"UTC"}`)
			c.as(key).Get(path + "/date_format").Exactly(`{"date_format":null}`)
		}
	})
	t.Run("a set value holds for its user until it is deleted", func(t *testing.T) {
		t.Parallel()
		c := newAccess(t)
		c.Call(http.MethodPut, path+"/time_zone", `{"value":"Asia/Tokyo"}`).Exactly(`{"time_zone":"Asia/Tokyo"}`)
		c.Call(http.MethodPut, path+"/date_format", "value=").Exactly(`{"date_format":""}`)
		c.Get(path).Exactly(`{"date_format":"","start_page":"queries","time_zone":"Asia/Tokyo"}`)
		c.Get("/access_control/users/4/profile_options/time_zone").Exactly(`{"time_zone":"UTC"}`)
		for range 2 {
			c.Delete(path + "/time_zone").Want(http.StatusNoContent)
		}
		c.Get(path).Exactly(`{"date_format":"","start_page":"queries","time_zone":"UTC"}`)
	})
	t.Run("an account without options has none to list", func(t *testing.T) {
		t.Parallel()
		newClient(t).Get("/access_control/users/1/profile_options").Exactly("{}")
	})
	accessRefuses(t, map[string]accessRefusal{
		"options of another user": {"analyst", "GET", "/access_control/users/4/profile_options", "", 403, "other users"},
		"options of nobody":       {"admin", "GET", "/access_control/users/9/profile_options", "", 404, "user"},
		"an option of another user": {
			"analyst", "GET", "/access_control/users/4/profile_options/time_zone", "", 403,
			"other users",
		},
		"an option of nobody":     {"admin", "GET", "/access_control/users/9/profile_options/time_zone", "", 404, "user"},
		"an unknown option":       {"admin", "GET", path + "/zone", "", 404, "zone"},
		"a value that others set": {"analyst", "PUT", path + "/time_zone", `{"value":"UTC"}`, 403, "administrators"},
		"a value by a delegate":   {"delegate", "PUT", path + "/time_zone", `{"value":"UTC"}`, 403, "administrators"},
		"a value for nobody": {
			"admin", "PUT", "/access_control/users/9/profile_options/time_zone", `{"value":"UTC"}`,
			404, "user",
		},
		"a value of no option":    {"admin", "PUT", path + "/zone", `{"value":"UTC"}`, 404, "zone"},
		"no value":                {"admin", "PUT", path + "/time_zone", `{}`, 422, "value"},
		"a value that is no text": {"admin", "PUT", path + "/time_zone", `{"value":1}`, 422, "value"},
		"a deletion by others":    {"delegate", "DELETE", path + "/time_zone", "", 403, "administrators"},
		"a deletion for nobody":   {"admin", "DELETE", "/access_control/users/9/profile_options/time_zone", "", 404, "user"},
		"a deletion of no option": {"admin", "DELETE", path + "/zone", "", 404, "zone"},
	})
}
