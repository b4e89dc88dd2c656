package probe_test

import (
	"bytes"
	"net/http"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/engine/libopenapi"
	"svc.example/understudy/contract/replay/probe"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
)

// A probe of the mock finds nothing in any of the platform's interfaces, by both engines.
func TestProbeOfTheMock(t *testing.T) {
	t.Parallel()
	recorder := contract.NewRecorder(mockserver.NewTransport(t))
	o := probe.Options{
		Client: &http.Client{Transport: recorder}, Targets: map[specs.Interface]string{}, Unsafe: true, Key: "1/admin",
	}
	var documents []*specs.Document
	for _, name := range specs.Interfaces() {
		d, err := specs.Readable(name, specs.Neutral)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, d)
		o.Targets[name] = mockserver.DefaultBaseURL(name)
	}
	summary, err := probe.Run(t.Context(), documents, o)
	if err != nil {
		t.Fatal(err)
	}
	if summary.Valid == 0 || summary.Faulty == 0 || len(summary.Unmade) > 0 {
		t.Errorf("sent %+v", summary)
	}
	var recorded bytes.Buffer
	if _, err := recorder.WriteTo(&recorded); err != nil {
		t.Fatal(err)
	}
	checker, err := contract.NewChecker(contract.WithTrust(specs.Assumed), contract.WithEngine(libopenapi.New()))
	if err != nil {
		t.Fatal(err)
	}
	found, err := checker.Check(t.Context(), contract.Read("probe.ndjson", &recorded))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found.Findings {
		if f.Verdict == report.Fail {
			t.Errorf("%s %s %s: %s", f.Severity, f.Rule, f.Operation, f.Message)
		}
	}
}
