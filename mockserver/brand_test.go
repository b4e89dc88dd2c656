package mockserver_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// Exact identifiers in bodies follow the brand, both ways. The neutral ones are then names like any other, without a
// meaning.
func TestBrandedBodies(t *testing.T) {
	t.Parallel()
	branded := func(t *testing.T, scenario string) func(method, path, body string) mocktest.Answer {
		t.Helper()
		s := mocktest.NewServer(t, mockserver.WithBrand("acme"), mockserver.WithScenario(scenario))
		return func(method, path, body string) mocktest.Answer {
			t.Helper()
			return mocktest.Call(t, s, method, path, body, "Authorization", "ACME1 1/admin")
		}
	}
	says := func(t *testing.T, a mocktest.Answer, want ...string) {
		t.Helper()
		for _, text := range want {
			if !strings.Contains(a.Body, text) {
				t.Errorf("%s is not in %s", text, a.Body)
			}
		}
		if strings.Contains(a.Body, `"svc`) {
			t.Errorf("neutral identifiers are in %s", a.Body)
		}
	}
	t.Run("a knowledge base", func(t *testing.T) {
		t.Parallel()
		do := branded(t, "quickstart")
		project := mocktest.Decode[one](do("POST", llmBase+"projects", resource("projects", `"name":"Branded"`)).Want(201)).Data.ID
		base := func(database, query string) string {
			return resource("knowledge_bases", fmt.Sprintf(
				`"name":"B","projectId":%q,%q:"shop","tables":[{"name":"t",%q:"select 'svcQuery, as text'"}]`, project, database,
				query))
		}
		made := do("POST", llmBase+"knowledge_bases", base("acmeDatabaseName", "acmeQuery")).Want(201)
		says(t, made, `"acmeDatabaseName":"shop"`, `"acmeQuery":"select 'svcQuery, as text'"`)
		says(t, do("GET", llmBase+"knowledge_bases/"+mocktest.Decode[one](made).Data.ID, "").Want(200), `"acmeDatabaseName"`)
		says(t, do("GET", llmBase+"tool_targets", "").Want(200), `"acmeDatabaseName"`)

		says(t, do("POST", llmBase+"knowledge_bases", base("acmeDatabaseNames", "acmeQuery")).Want(422),
			"acmeDatabaseName")
		both := strings.Replace(base("acmeDatabaseName", "acmeQuery"), `"name":"B"`, `"name":"B","svcDatabaseName":"x"`, 1)
		refused := do("POST", llmBase+"knowledge_bases", both).Want(http.StatusBadRequest)
		if !strings.Contains(refused.Body, "svcDatabaseName is not allowed") || strings.Contains(refused.Body, "acme") {
			t.Errorf("the neutral name is not refused as it was sent: %s", refused.Body)
		}
		says(t, do("POST", llmBase+"knowledge_bases",
			strings.Replace(base("acmeDatabaseName", "acmeQuery"), `"shop"`, `"none"`, 1)).
			Want(422), "/data/attributes/acmeDatabaseName")
	})
	t.Run("who put a revision", func(t *testing.T) {
		t.Parallel()
		do := branded(t, "quickstart")
		says(t, do("GET", "/workflow/api/projects/1/revisions", "").Want(200), `"userInfo":{"acme":{"user":{"id":`)
	})
	t.Run("the order of a list", func(t *testing.T) {
		t.Parallel()
		do := branded(t, "full-account")
		for _, field := range []string{"acmeDatabaseName", "acme_database_name"} {
			says(t, do("GET", llmBase+"knowledge_bases?sort=-"+field, "").Want(200), "sort=-"+field)
		}
		refused := do("GET", llmBase+"knowledge_bases?sort=svcDatabaseName", "").Want(http.StatusBadRequest)
		if want := `sort - \"svcDatabaseName\" is not a field`; !strings.Contains(refused.Body, want) {
			t.Errorf("the neutral name is not refused as it was sent: %s", refused.Body)
		}
	})
	t.Run("the definition of a run", func(t *testing.T) {
		t.Parallel()
		do := branded(t, "full-account")
		const schedule = llmBase + "agent_schedules/a7794402-91f5-4e08-9319-51e92ae58956/execute"
		says(t, do("POST", schedule, "").Want(200), "authorization: ACME1 ${secret:")
	})
	t.Run("an integration of a data warehouse", func(t *testing.T) {
		t.Parallel()
		do := branded(t, "dwh-sync")
		says(t, do("GET", dwhBase+"81/configs", "").Want(200), `"acme_authentication_id":42`)
		basic := `"basic_configs":{"type":"snowflake",%q:7,"warehouse":"W","db":"D","schema":"S"}`
		body := fmt.Sprintf(`{"name":"again","output_config":{"database":"sales"},`+basic+
			`,"advanced_configs":[{"target_table":"orders","config":{"table":"ORDERS"}}]}`, "acme_authentication_id")
		do("POST", dwhBase, body).Want(200)
		says(t, do("POST", "/dwh/v1/guess", fmt.Sprintf("{"+basic+"}", "acme_authentication_id")).Want(200),
			`"acme_authentication_id":7`)
		says(t, do("POST", dwhBase, strings.Replace(body, "acme_", "svc_", 1)).Want(400), "acme_authentication_id")
	})
	t.Run("an event keeps the names that it has", func(t *testing.T) {
		t.Parallel()
		do := branded(t, "quickstart")
		do("POST", "/ingestion/postback/v3/event/shop/orders", `{"svc_ua":"a","acme_ua":"b"}`).Want(200)
		tail := do("GET", coreBase+"/table/tail/shop/orders.json?count=1", "").Want(200).Body
		if !strings.Contains(tail, `"svc_ua":"a"`) || !strings.Contains(tail, `"acme_ua":"b"`) {
			t.Errorf("the record is %s", tail)
		}
	})
}

// one is the answer to a request for one resource.
type one struct{ Data struct{ ID string } }

// resource is the body that makes a resource with these attributes.
func resource(kind, attributes string) string {
	return fmt.Sprintf(`{"data":{"type":%q,"attributes":{%s}}}`, kind, attributes)
}
