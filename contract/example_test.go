package contract_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"testing"

	"svc.example/understudy/contract"
)

// Check a recording: read it, look at the outcome, and cut the first violation to the exchanges that prove it.
func ExampleChecker() {
	checker, err := contract.NewChecker(contract.WithBaseURL("workflow", "http://127.0.0.1:4010/workflow"))
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := checker.Check(context.Background(), contract.Files("testdata/pools-broken.ndjson"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Outcome())
	for _, f := range report.Findings {
		fmt.Println(f.Rule, f.Severity, f.Evidence, f.Message)
	}
	// Output:
	// the recording violates the contract: 1 violation of pool-deletion
	// pool-deletion error [2 3 4] pool 7 was deleted although pool rule 3 references it
}

// Record what a client under test does, and check it when the test is over.
func ExampleAssertConforms() {
	test := func(t *testing.T) {
		t.Helper()
		recorder := contract.NewRecorder(http.DefaultTransport)
		client := &http.Client{Transport: recorder}
		t.Cleanup(func() {
			contract.AssertConforms(t, recorder, contract.WithBaseURL("workflow", os.Getenv("WORKFLOW_URL")))
		})
		_ = client // the code under test uses it
	}
	_ = test // go test runs it
	// Output:
}

// Keep the shape of a response as a snapshot beside the test.
func ExampleMatchShape() {
	test := func(t *testing.T, client *http.Client) {
		t.Helper()
		response, err := client.Get("https://workflow.svc.example/api/pools") //nolint:noctx // short
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		contract.MatchShape(t, response)
	}
	_ = test // go test runs it
	// Output:
}
