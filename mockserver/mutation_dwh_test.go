package mockserver_test

import (
	"fmt"
	"net/http"
	"testing"
)

// The mutations of data warehouse integrations.
var dwhMutants = []mutant{
	{"dwh-deletion/integration", "dwh-deletion", "dwh-sync", deleteIntegration},
	{"dwh-deletion/project", "dwh-deletion", "dwh-sync", deleteIntegration},
	{"dwh-deletion/sessions", "dwh-deletion", "dwh-sync", deleteIntegration},

	{"dwh-target/missing", "dwh-target", "dwh-sync", integrateMissing},
	{"dwh-target/creates", "dwh-target", "dwh-sync", integrateMissing},
}

const dwhBase = "/dwh/v1/dwh/"

// deleteIntegration deletes an integration and looks for what is left of it.
func deleteIntegration(t *testing.T, s http.Handler) {
	t.Helper()
	list := decode[struct {
		Items []struct {
			ID      int64 `json:"id"`
			Project int64 `json:"workflow_project_id"`
		} `json:"items"`
	}](t, call(t, s, "GET", dwhBase, "").want(t, 200)).Items
	one := fmt.Sprint(dwhBase, list[0].ID)
	call(t, s, "GET", one+"/bulkload_sessions", "").want(t, 200)
	call(t, s, "DELETE", one, "").want(t, 200)
	for _, path := range []string{one, one + "/bulkload_sessions", one + "/configs", dwhBase} {
		call(t, s, "GET", path, "")
	}
	call(t, s, "GET", fmt.Sprint("/workflow/api/projects/", list[0].Project), "")
	call(t, s, "GET", "/workflow/api/schedules", "").want(t, 200)
}

// integrateMissing makes an integration for a table that there is not, and looks whether there is one then.
func integrateMissing(t *testing.T, s http.Handler) {
	t.Helper()
	const table = coreBase + "/table/show/stock/shelves"
	call(t, s, "GET", table, "").want(t, 404)
	call(t, s, "POST", dwhBase, `{"name":"shelves","output_config":{"database":"stock"},
		"basic_configs":{"type":"snowflake","svc_authentication_id":42,"warehouse":"W","db":"D","schema":"S"},
		"advanced_configs":[{"target_table":"shelves","config":{"table":"SHELVES"}}]}`)
	call(t, s, "GET", table, "")
	call(t, s, "GET", coreBase+"/table/list/stock", "").want(t, 200)
}
