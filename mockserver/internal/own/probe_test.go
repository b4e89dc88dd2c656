package own_test

import (
	"bytes"
	"net/http"
	"path/filepath"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/replay/probe"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/checktest"
	"svc.example/understudy/specs"
)

// A probe of the mock finds nothing by the documents in testdata, of which some objects keep fields that they do not
// name.
func TestProbeOfOwnDocuments(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../testdata/own/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents in testdata: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			w := newOwnWalk(t, file)
			o := probe.Options{
				Client: w.client, Targets: map[specs.Interface]string{"shop": w.target}, Unsafe: true, Key: "user:pass",
			}
			wantNothing(t, []*specs.Document{w.doc}, o, contract.WithSpec("shop", file))
		})
	}
}

func wantNothing(t *testing.T, documents []*specs.Document, o probe.Options, opts ...contract.Option) {
	t.Helper()
	recorder := contract.NewRecorder(o.Client.Transport, opts...)
	o.Client = &http.Client{Transport: recorder}
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
	var names []specs.Interface
	for _, d := range documents {
		names = append(names, d.Interface)
	}
	opts = append(opts, contract.WithInterfaces(names...))
	found := checktest.Check(t, checktest.New(t, opts...), contract.Read("probe.ndjson", &recorded))
	for _, f := range found.Findings {
		isKept := f.Severity == report.Notice && (f.Rule == "undeclared-field" || f.Rule == "schema") // as documents permit
		if f.Verdict == report.Fail && !isKept {
			t.Errorf("%s %s %s: %s", f.Severity, f.Rule, f.Operation, f.Message)
		}
	}
}
