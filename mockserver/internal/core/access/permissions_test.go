package access_test

import (
	"net/http"
	"testing"
)

func TestPolicyPermissions(t *testing.T) {
	t.Parallel()
	const path = "/access_control/policies/21/permissions"
	t.Run("permissions stand by kind of resource", func(t *testing.T) {
		t.Parallel()
		c := newAccess(t).as("1/delegate")
		c.Get(path).Exactly(`{"Databases":[{"ids":"11","operation":"query"}],` +
			`"WorkflowProject":[{"operation":"run"},{"operation":"view"}]}`)
		c.Get("/access_control/policies/22/permissions").Exactly("{}")
	})
	t.Run("a kind is replaced as a whole, the others stay, and an empty list takes one away", func(t *testing.T) {
		t.Parallel()
		c := newAccess(t)
		c.Patch(path, `{"Databases":[{"operation":"import","ids":"11, 12"},{"operation":"manage"}],"Sources":[{"operation":"full"}]}`).
			Exactly(`{"Databases":[{"ids":"11, 12","operation":"import"},{"operation":"manage"}],` +
				`"Sources":[{"operation":"full"}],"WorkflowProject":[{"operation":"run"},{"operation":"view"}]}`)
		c.Patch(path, `{"WorkflowProject":[],"Sources":[]}`).
			Exactly(`{"Databases":[{"ids":"11, 12","operation":"import"},{"operation":"manage"}]}`)
		c.Get(path).Exactly(`{"Databases":[{"ids":"11, 12","operation":"import"},{"operation":"manage"}]}`)
	})
	t.Run("what the document does not know is ignored", func(t *testing.T) {
		t.Parallel()
		newAccess(t).Patch("/access_control/policies/22/permissions",
			`{"Ships":[{"operation":"sail"}],"Sources":[{"operation":"full","colour":"red"}]}`).
			Exactly(`{"Sources":[{"operation":"full"}]}`)
	})
	t.Run("rights to an LLM project name it, all rights to projects name none", func(t *testing.T) {
		t.Parallel()
		const project = "501cce9d-3fdb-4258-9466-616fec7a75ef"
		newAccess(t).Patch("/access_control/policies/22/permissions",
			`{"LlmProject":[{"operation":"full"},{"operation":"chat","project_id":"`+project+`"}]}`).
			Exactly(`{"LlmProject":[{"operation":"full"},{"operation":"chat","project_id":"` + project + `"}]}`)
	})
	t.Run("a form carries them as JSON", func(t *testing.T) {
		t.Parallel()
		newAccess(t).Patch("/access_control/policies/22/permissions", `Sources=[{"operation":"full"}]`).
			Exactly(`{"Sources":[{"operation":"full"}]}`)
	})
	accessRefuses(t, map[string]accessRefusal{
		"permissions for others":      {"analyst", "GET", path, "", 403, "delegated"},
		"permissions of no policy":    {"admin", "GET", "/access_control/policies/9/permissions", "", 404, "9"},
		"a change by others":          {"delegate", "PATCH", path, `{}`, 403, "administrators"},
		"a change of no policy":       {"admin", "PATCH", "/access_control/policies/9/permissions", `{}`, 404, "9"},
		"an operation that is none":   {"admin", "PATCH", path, `{"Databases":[{"operation":"read"}]}`, 422, "Databases"},
		"no operation":                {"admin", "PATCH", path, `{"Databases":[{"ids":"11"}]}`, 422, "operation"},
		"a kind that is no list":      {"admin", "PATCH", path, `{"Databases":{"operation":"query"}}`, 422, "Databases"},
		"an operation that needs ids": {"admin", "PATCH", path, `{"Databases":[{"operation":"query"}]}`, 422, "ids"},
		"authentications that need ids": {
			"admin", "PATCH", path, `{"Authentications":[{"operation":"use_limited"}]}`, 422,
			"ids",
		},
		"chatting that needs a project": {"admin", "PATCH", path, `{"LlmProject":[{"operation":"chat"}]}`, 422, "project_id"},
		"editing that needs a project": {
			"admin", "PATCH", path, `{"LlmProject":[{"operation":"edit","project_id":""}]}`,
			422, "project_id",
		},
		"publishing inside that needs a project": {
			"admin", "PATCH", path, `{"LlmProject":[{"operation":"publish_internal_integration"}]}`, 422, "project_id",
		},
		"publishing outside that needs a project": {
			"admin", "PATCH", path, `{"LlmProject":[{"operation":"publish_external_integration"}]}`, 422, "project_id",
		},
		"ids of databases that are none": {
			"admin", "PATCH", path, `{"Databases":[{"operation":"query","ids":"shop"}]}`, 422,
			"shop",
		},
	})
}

func TestColumnPermissions(t *testing.T) {
	t.Parallel()
	const path = "/access_control/policies/21/column_permissions"
	t.Run("they are sent wrapped, and answered bare and whole", func(t *testing.T) {
		t.Parallel()
		c := newAccess(t)
		c.as("1/delegate").Get(path).Exactly(`[{"tags":["pii"],"except":null,"masking":"hash"}]`)
		c.Patch(path, `{"column_permissions":[{"tags":["a","b"],"except":true},{"tags":["c"],"masking":null}]}`).
			Exactly(`[{"tags":["a","b"],"except":true,"masking":null},{"tags":["c"],"except":null,"masking":null}]`)
		c.Patch(path, `{"column_permissions":[]}`).Exactly("[]")
		c.Get(path).Exactly("[]")
	})
	accessRefuses(t, map[string]accessRefusal{
		"column permissions for others":   {"analyst", "GET", path, "", 403, "delegated"},
		"column permissions of no policy": {"admin", "GET", "/access_control/policies/9/column_permissions", "", 404, "9"},
		"a change by others":              {"delegate", "PATCH", path, `{"column_permissions":[]}`, 403, "administrators"},
		"a change of no policy": {
			"admin", "PATCH", "/access_control/policies/9/column_permissions",
			`{"column_permissions":[]}`, 404, "9",
		},
		"no list":               {"admin", "PATCH", path, `{}`, 422, "column_permissions"},
		"a bare list":           {"admin", "PATCH", path, `[]`, 422, ""},
		"an entry without tags": {"admin", "PATCH", path, `{"column_permissions":[{"masking":"hash"}]}`, 422, "tags"},
		"an unknown masking": {
			"admin", "PATCH", path, `{"column_permissions":[{"tags":[],"masking":"md5"}]}`, 422,
			"masking",
		},
	})
}

// The handlers themselves refuse requests that passed without validation, or leave only state that can be answered.
func TestPermissionsUnvalidated(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ path, body, word string }{
		"an operation": {"/access_control/policies/21/permissions", `{"Sources":[{"operation":"look"}]}`, "Sources"},
		"no text":      {"/access_control/policies/21/permissions", `{"Sources":[{"operation":1}]}`, "Sources"},
		"no list":      {"/access_control/policies/21/permissions", `{"Sources":1}`, "Sources"},
		"no set":       {"/access_control/policies/21/column_permissions", `{}`, "column_permissions"},
		"no tags":      {"/access_control/policies/21/column_permissions", `{"column_permissions":[{}]}`, "tags"},
		"a masking": {
			"/access_control/policies/21/column_permissions", `{"column_permissions":[{"tags":[],"masking":"md5"}]}`, "md5",
		},
		"no policies":       {"/access_control/users/3/policies", `{}`, "policy_ids"},
		"no policy":         {"/access_control/policies/21", `{"policy":{"name":""}}`, "name"},
		"no users":          {"/access_control/policies/21/users", `{}`, "user_ids"},
		"no group's name":   {"/access_control/policy_groups/31", `{}`, "name"},
		"no description":    {"/access_control/policy_groups/31", `{"name":"x","description":1}`, "description"},
		"no tagged users":   {"/policy_group_tags/store_team/users", `{}`, "user_ids"},
		"a body of another": {"/access_control/policies/21/permissions", `[]`, "body"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			newAccessUnvalidated(t).Patch(test.path, test.body).Refused(http.StatusUnprocessableEntity, test.word)
		})
	}
	t.Run("an option's value", func(t *testing.T) {
		t.Parallel()
		newAccessUnvalidated(t).Call("PUT", "/access_control/users/3/profile_options/time_zone", `{}`).
			Refused(http.StatusUnprocessableEntity, "value")
	})
	t.Run("a connection", func(t *testing.T) {
		t.Parallel()
		c := newAccessUnvalidated(t)
		c.Post("/result/create/ab", `{"url":"s3://x"}`).Refused(http.StatusUnprocessableEntity, "3 or more")
		c.Post("/result/create/abc", `{}`).Refused(http.StatusUnprocessableEntity, "url")
	})
}
