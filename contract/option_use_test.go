package contract_test

import (
	"bytes"
	"strings"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/specs"
)

// An option that has no effect where it is given is an error, and not silently ignored.
func TestOptionsWithoutEffect(t *testing.T) {
	t.Parallel()
	const want = "an option has no effect here: "
	t.Run("NewChecker refuses options of shapes", func(t *testing.T) {
		t.Parallel()
		for _, o := range []contract.Option{contract.WithShapeDir("shapes"), contract.WithShapeLabel("busy")} {
			if _, err := contract.NewChecker(o); err == nil || !strings.Contains(err.Error(), want+"a check takes") {
				t.Errorf("error %v", err)
			}
		}
	})
	t.Run("Shapes refuses options of checks", func(t *testing.T) {
		t.Parallel()
		_, err := contract.Shapes([]string{"testdata/shapes"}, contract.WithTrust(specs.Assumed))
		if err == nil || !strings.Contains(err.Error(), want+"Shapes takes WithBaseURL, WithBrand") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("a Recorder refuses all but its own", func(t *testing.T) {
		t.Parallel()
		r := contract.NewRecorder(nil, contract.WithBaseURL(specs.Workflow, "https://workflow.example.com"))
		if _, err := r.WriteTo(&bytes.Buffer{}); err == nil ||
			!strings.Contains(err.Error(), want+"NewRecorder takes WithBrand") {
			t.Errorf("error %v", err)
		}
		if _, err := contract.NewRecorder(nil, contract.WithBrand("ACME")).WriteTo(&bytes.Buffer{}); err != nil {
			t.Errorf("with a brand: %v", err)
		}
		if _, err := contract.NewRecorder(nil, contract.WithBrand("no word")).WriteTo(&bytes.Buffer{}); err == nil ||
			!strings.Contains(err.Error(), `brand "no word"`) {
			t.Errorf("with a wrong brand: %v", err)
		}
	})
}
