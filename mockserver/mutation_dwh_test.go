package mockserver_test

import (
	"fmt"
	"net/http"
	"testing"

	"svc.example/understudy/internal/mocktest"
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
	list := mocktest.Decode[struct {
		Items []struct {
			ID      int64 `json:"id"`
			Project int64 `json:"workflow_project_id"`
		} `json:"items"`
	}](mocktest.Call(t, s, "GET", dwhBase, "").Want(200)).Items
	one := fmt.Sprint(dwhBase, list[0].ID)
	mocktest.Call(t, s, "GET", one+"/bulkload_sessions", "").Want(200)
	mocktest.Call(t, s, "DELETE", one, "").Want(200)
	for _, path := range []string{one, one + "/bulkload_sessions", one + "/configs", dwhBase} {
		mocktest.Call(t, s, "GET", path, "")
	}
	mocktest.Call(t, s, "GET", fmt.Sprint("/workflow/api/projects/", list[0].Project), "")
	mocktest.Call(t, s, "GET", "/workflow/api/schedules", "").Want(200)
}

// integrateMissing makes an integration for a table that there is not, and looks whether there is one then.
func integrateMissing(t *testing.T, s http.Handler) {
	t.Helper()
	const table = coreBase + "/table/show/stock/shelves"
	mocktest.Call(t, s, "GET", table, "").Want(404)
	mocktest.Call(t, s, "POST", dwhBase, `{"name":"shelves","output_config":{"database":"stock"},
		"basic_configs":{"type":"snowflake","svc_authentication_id":42,"warehouse":"W","db":"D","schema":"S"},
		"advanced_configs":[{"target_table":"shelves","config":{"table":"SHELVES"}}]}`)
	mocktest.Call(t, s, "GET", table, "")
	mocktest.Call(t, s, "GET", coreBase+"/table/list/stock", "").Want(200)
}
