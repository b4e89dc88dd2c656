package mockserver_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver"
)

// issueUntilDone sends a job, and again for as long as the platform answers with 503.
func issueUntilDone(client *http.Client, job string) (*http.Response, error) {
	for {
		request, err := http.NewRequest(http.MethodPost, //nolint:noctx // the client has a time limit
			"https://core.svc.example/v3/job/issue/trino/shop", strings.NewReader(job))
		if err != nil {
			return nil, err
		}
		request.Header.Set("Authorization", "SVC1 1/admin")
		request.Header.Set("Content-Type", "application/json")
		response, err := client.Do(request)
		if err != nil || response.StatusCode != http.StatusServiceUnavailable {
			return response, err
		}
		response.Body.Close()
	}
}

func TestAJobIsIssuedOnce(t *testing.T) {
	t.Parallel()
	for job, want := range map[string]int{
		`{"query":"select 1"}`:                            2, // the naive client issues it again
		`{"query":"select 1","domain_key":"report-2026"}`: 1, // the platform has it, and answers 409
	} {
		t.Run(job, func(t *testing.T) {
			t.Parallel()
			transport := mockserver.NewTransport(t)
			before := countJobs(t, transport.Client())
			fault, err := transport.World().Fault(fixtures.Fault{
				Calls: fixtures.Calls{Operation: "core.issueJob"}, First: 1,
				Status: http.StatusServiceUnavailable, Effect: fixtures.EffectOnce, // it took effect all the same
			})
			if err != nil {
				t.Fatal(err)
			}
			response, err := issueUntilDone(transport.Client(), job)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			if hits := fault.Hits(); hits != 1 {
				t.Errorf("the fault was applied to %d calls, want 1", hits)
			}
			if got := countJobs(t, transport.Client()) - before; got != want {
				t.Errorf("%d jobs were issued, want %d", got, want)
			}
		})
	}
}

// countJobs counts the jobs of the account.
func countJobs(t *testing.T, client *http.Client) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://core.svc.example/v3/job/list", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "SVC1 1/admin")
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var list struct{ Jobs []json.RawMessage }
	if err := json.NewDecoder(response.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	return len(list.Jobs)
}
