package mockserver_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/checktest"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/internal/dig"
)

// mutant is a mutation of the mock, with a story in which the broken rule has its chance, and the rule of the contract
// suite that must notice.
type mutant struct {
	name, rule string
	scenario   string
	story      func(*testing.T, http.Handler)
}

var mutants = []mutant{
	{"pool-deletion/attempts", "pool-deletion", "pool-in-use", deleteBusyPool},
	{"pool-deletion/rules", "pool-deletion", "empty", deleteReferencedPool},
	{"pool-deletion/default", "pool-deletion", "empty", deleteDefaultPool},
	{"default-pool/update", "default-pool", "empty", updateDefaultPool},
	{"default-pool/absorb", "default-pool", "empty", takeFromDefaultPool},
	{"pool-rule-order/order", "pool-rule-order", "quickstart", startUnderTwoRules},
	{"attempt-resume/success", "attempt-resume", "quickstart", resumeSuccess},
	{"attempt-resume/copies", "attempt-resume", "attempt-failed", resumeFailed},
	{"attempt-resume/from", "attempt-resume", "empty", resumeFromMany},
	{"conflict-409", "attempt-resume", "quickstart", startTwice},
}

// A mock with any one rule broken is caught by the contract suite, which names the rule; with the rule whole, the
// same story passes, and the rule has had its chance.
func TestMutations(t *testing.T) {
	t.Parallel()
	mutants := slices.Concat(mutants, coreMutants, dwhMutants, llmMutants)
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			t.Run("whole", func(t *testing.T) {
				t.Parallel()
				found := judge(t, m.scenario, m.story)
				if found.Failed() {
					t.Errorf("the contract suite finds fault with the mock:\n%s", checktest.Text(t, found))
				}
				i := slices.IndexFunc(found.Rules, func(r report.Rule) bool { return r.ID == m.rule })
				if i < 0 || found.Rules[i].Pass == 0 {
					t.Errorf("%s did not pass: it has had no chance:\n%s", m.rule, checktest.Text(t, found))
				}
			})
			t.Run("broken", func(t *testing.T) {
				t.Parallel()
				found := judge(t, m.scenario, m.story, mockserver.WithMutation(m.name))
				named := slices.ContainsFunc(found.Findings, func(f contract.Finding) bool {
					return f.Rule == m.rule && f.Verdict == "fail" && len(f.Evidence) > 0
				})
				if !found.Failed() || !named {
					t.Errorf("the contract suite does not notice, or does not name %s:\n%s", m.rule, checktest.Text(t, found))
				}
			})
		})
	}
	t.Run("every mutation has a story", func(t *testing.T) {
		t.Parallel()
		for _, name := range mockserver.Mutations() {
			if !slices.ContainsFunc(mutants, func(m mutant) bool { return m.name == name }) {
				t.Errorf("%s has none", name)
			}
		}
	})
}

func judge(t *testing.T, scenario string, story func(*testing.T, http.Handler),
	opts ...mockserver.Option,
) *contract.Report {
	t.Helper()
	s := mocktest.NewServer(t, append(opts, mockserver.WithScenario(scenario))...)
	story(t, s)
	return checktest.CheckJournal(t, checktest.Example(t), s.World(""))
}

func deleteBusyPool(t *testing.T, s http.Handler) {
	t.Helper()
	list := mocktest.Decode[mocktest.Pools](mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200))
	mocktest.Call(t, s, "GET", "/workflow/api/pool_rules", "").Want(200)
	mocktest.Call(t, s, "GET", "/workflow/api/attempts", "").Want(200)
	for _, p := range list.Pools {
		if p.Name == "busy" || p.Name == "waiting" {
			mocktest.Call(t, s, "DELETE", "/workflow/api/pools/"+p.ID, "")
		}
	}
	mocktest.Call(t, s, "GET", "/workflow/api/attempts", "").Want(200)
}

func deleteReferencedPool(t *testing.T, s http.Handler) {
	t.Helper()
	mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)
	made := mocktest.Decode[mocktest.Pool](mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"name":"etl","concurrencyLimit":2}`).Want(201))
	mocktest.Call(t, s, "POST", "/workflow/api/pool_rules", fmt.Sprintf(`{"priority":5,"poolId":%q,
		"conditions":[{"type":"invocation_type","values":["scheduled"]}]}`, made.ID)).Want(201)
	mocktest.Call(t, s, "DELETE", "/workflow/api/pools/"+made.ID, "")
}

func deleteDefaultPool(t *testing.T, s http.Handler) {
	t.Helper()
	list := mocktest.Decode[mocktest.Pools](mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200))
	mocktest.Call(t, s, "DELETE", "/workflow/api/pools/"+list.Pools[0].ID, "")
}

func updateDefaultPool(t *testing.T, s http.Handler) {
	t.Helper()
	list := mocktest.Decode[mocktest.Pools](mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200))
	mocktest.Call(t, s, "PATCH", "/workflow/api/pools/"+list.Pools[0].ID, `{"name":"mine"}`)
}

func takeFromDefaultPool(t *testing.T, s http.Handler) {
	t.Helper()
	mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)
	mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"name":"etl","concurrencyLimit":20}`).Want(201)
	mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)
}

func startUnderTwoRules(t *testing.T, s http.Handler) {
	t.Helper()
	mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)
	for _, priority := range []int{500, 600} {
		name := fmt.Sprintf("p%d", priority)
		made := mocktest.Decode[mocktest.Pool](mocktest.Call(t, s, "POST", "/workflow/api/pools",
			fmt.Sprintf(`{"name":%q,"concurrencyLimit":1}`, name)).Want(201))
		mocktest.Call(t, s, "POST", "/workflow/api/pool_rules", fmt.Sprintf(`{"priority":%d,"poolId":%q,
			"conditions":[{"type":"project_name","operator":"starts_with","values":["rep"]}]}`, priority, made.ID)).Want(201)
	}
	mocktest.Call(t, s, "GET", "/workflow/api/pool_rules", "").Want(200)
	mocktest.Call(t, s, "PUT", "/workflow/api/attempts", `{"projectName":"reporting","workflowName":"weekly_summary",
		"sessionTime":"2025-06-01T00:00:00+00:00","params":{}}`).Want(200)
}

func startTwice(t *testing.T, s http.Handler) {
	t.Helper()
	for range 2 {
		mocktest.Call(t, s, "PUT", "/workflow/api/attempts", `{"projectName":"reporting","workflowName":"weekly_summary",
			"sessionTime":"2025-06-01T00:00:00+00:00","params":{}}`)
	}
}

type attempt struct {
	ID          string `json:"id"`
	Status      string `json:"status"`
	SessionTime string `json:"sessionTime"`
	Workflow    struct{ ID, Name string }
}

type attempts struct {
	Attempts []attempt `json:"attempts"`
}

// find reads the attempts and picks the first with a status.
func find(t *testing.T, s http.Handler, status string) attempt {
	t.Helper()
	shown := mocktest.Call(t, s, "GET", "/workflow/api/attempts?include_retried=true", "").Want(200)
	list := mocktest.Decode[attempts](shown)
	i := slices.IndexFunc(list.Attempts, func(a attempt) bool { return a.Status == status })
	if i < 0 {
		t.Fatalf("no attempt is %s", status)
	}
	return list.Attempts[i]
}

func resume(t *testing.T, s http.Handler, of attempt, mode string) mocktest.Answer {
	t.Helper()
	return mocktest.Call(t, s, "PUT", "/workflow/api/attempts", fmt.Sprintf(`{"workflowId":%q,"sessionTime":%q,"params":{},
		"retryAttemptName":"again","resume":{"attemptId":%q,%s}}`, of.Workflow.ID, of.SessionTime, of.ID, mode))
}

func resumeSuccess(t *testing.T, s http.Handler) {
	t.Helper()
	resume(t, s, find(t, s, "success"), `"mode":"failed"`)
}

func resumeFailed(t *testing.T, s http.Handler) {
	t.Helper()
	old := find(t, s, "error")
	mocktest.Call(t, s, "GET", "/workflow/api/attempts/"+old.ID+"/tasks", "").Want(200)
	resumed := mocktest.Decode[attempt](resume(t, s, old, `"mode":"failed"`).Want(200))
	mocktest.Call(t, s, "GET", "/workflow/api/attempts/"+resumed.ID+"/tasks", "").Want(200)
}

// resumeFromMany names the end of two tasks.
func resumeFromMany(t *testing.T, s http.Handler) {
	t.Helper()
	archive, err := dig.WriteArchive(map[string]string{
		"twice.dig": "+one:\n  +same: {echo>: hello}\n+two:\n  +same: {fail>: on purpose}\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	mocktest.Call(t, s, "PUT", "/workflow/api/projects?project=twice&revision=1", string(archive),
		"Content-Type", "application/gzip").Want(200)
	mocktest.Call(t, s, "PUT", "/workflow/api/attempts", `{"projectName":"twice","workflowName":"twice",
		"sessionTime":"2025-06-01T00:00:00+00:00","params":{}}`).Want(200)
	mocktest.Call(t, s, "POST", "/_understudy/worlds/default/clock", `{"untilIdle":true}`).Want(200)
	failed := find(t, s, "error")
	mocktest.Call(t, s, "GET", "/workflow/api/attempts/"+failed.ID+"/tasks", "").Want(200)
	resume(t, s, failed, `"mode":"from","from":"+same"`)
}
