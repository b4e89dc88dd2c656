package mockserver_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// A state has the names that are on the wire, and is the same world again when it is loaded.
func TestBrandedStates(t *testing.T) {
	t.Parallel()
	t.Run("are dumped in the brand's words and load again", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t, mockserver.WithScenario("full-account"), mockserver.WithBrand("Acme"))
		mocktest.Call(t, s, "POST", "/ingestion/postback/v3/event/shop/orders", `{"svc_ua":"a","svcQuery":"b","acmeQuery":"c"}`,
			"Authorization", "ACME1 1/admin").Want(200)
		state, err := s.World("").State()
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]int{
			`"acmeDatabaseName"`: 1, `"acme_authentication_id"`: 1, `"svcDatabaseName"`: 0, `"svc_authentication_id"`: 0,
		} {
			if got := strings.Count(string(state), name); got < want || want == 0 && got > 0 {
				t.Errorf("the state has %s %d times", name, got)
			}
		}
		if err := s.World("").Load(state); err != nil {
			t.Fatal(err)
		}
		again, err := s.World("").State()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(state), string(again)); diff != "" {
			t.Errorf("it is another world (-want +got):\n%s", diff)
		}
		tail := mocktest.Call(t, s, "GET", "/core/v3/table/tail/shop/orders?count=1", "", "Authorization",
			"ACME1 1/admin").Want(200).Body
		for _, member := range []string{`"svc_ua":"a"`, `"svcQuery":"b"`, `"acmeQuery":"c"`} {
			if !strings.Contains(tail, member) {
				t.Errorf("what the user wrote is now %s", tail)
			}
		}
		run := mocktest.Call(t, s, "POST", llmBase+"agent_schedules/a7794402-91f5-4e08-9319-51e92ae58956/execute", "",
			"Authorization", "ACME1 1/admin").Want(200).Body
		if !strings.Contains(run, "ACME1 ${secret:acme.apikey}") {
			t.Errorf("the definition of a run is %s", run)
		}
	})
	t.Run("what is wrong with one is said in the brand's words", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t, mockserver.WithBrand("Acme"))
		const fixture = `{"llm":{"projects":[{"attributes":{"name":"P"}}],"knowledgeBases":[{"attributes":
			{"projectId":"P","name":"K","acmeDatabaseName":%s,"tables":[{"name":"t","acmeQuery":"select 1"}]}}]}}`
		for _, database := range []string{`"none"`, `5`} { // refused by a handler, and by the schema
			body := strings.Replace(fixture, "%s", database, 1)
			a := mocktest.Call(t, s, "PUT", "/_understudy/worlds/default/state", body).Want(400)
			if !strings.Contains(a.Body, "acmeDatabaseName") || strings.Contains(a.Body, "svc") {
				t.Errorf("the refusal is %s", a.Body)
			}
		}
	})
}
