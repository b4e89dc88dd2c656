package contract_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

// multiplied returns schemas S0 to S9, each of which has six alternatives, each of which has the next one.
func multiplied(next string) string {
	var b strings.Builder
	for level := range 9 {
		one := strings.ReplaceAll(next, "NEXT", fmt.Sprintf(`{"$ref":"#/components/schemas/S%d"}`, level+1))
		fmt.Fprintf(&b, `"S%d":{"oneOf":[%s%s]},`, level, strings.Repeat(one+",", 5), one)
	}
	return "{" + b.String() + `"S9":{"type":"integer"}}`
}

// doubled returns 100 schemas, each of which is the next one or a text. An engine looks at what fits twice.
func doubled() string {
	var b strings.Builder
	for level := range 100 {
		fmt.Fprintf(&b, `"S%d":{"oneOf":[{"$ref":"#/components/schemas/S%d"},{"type":"string"}]},`, level, level+1)
	}
	return "{" + b.String() + `"S100":{"type":"object","properties":{"name":{"type":"string"}}}}`
}

// A check holds a body against schemas that multiply in a bounded number of steps. If it cannot find out whether the
// body is right, it says so.
func TestSchemasMayMultiply(t *testing.T) {
	t.Parallel()
	nested := strings.Repeat(`{"a":`, 9) + "true" + strings.Repeat("}", 9)
	for name, test := range map[string]struct {
		schemas, body string
		verdict       report.Verdict
		message       string
	}{
		"alternatives of the value": {multiplied(`{"allOf":[NEXT]}`), `{"name":"a"}`, report.Fail, "combines too many others"},
		"alternatives of members":   {multiplied(`{"type":"object","properties":{"a":NEXT}}`), nested, report.Fail, "combines too many"},
		"levels that double":        {doubled(), `{"name":1}`, report.Fail, "combines too many others"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "own.json")
			document := `{"openapi":"3.0.3","info":{"title":"own","version":"1"},"paths":{"/api/pools":{"get":{"responses":{"200":{` +
				`"description":"all","content":{"application/json":{"schema":{"$ref":"#/components/schemas/S0"}}}}}}}},` +
				`"components":{"schemas":` + test.schemas + `}}`
			if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
				t.Fatal(err)
			}
			c := checker(t, contract.WithSpec("workflow", file),
				contract.WithBaseURL("workflow", "https://workflow.svc.example"))
			e := &recording.Exchange{
				Request:  recording.Request{Method: "GET", URL: "https://workflow.svc.example/api/pools"},
				Response: &recording.Response{Status: 200, Headers: jsonHeaders(), Body: &recording.Body{Bytes: []byte(test.body)}},
			}
			r, err := c.Check(t.Context(), contract.Exchanges(slices.Values([]*recording.Exchange{e})))
			if known := test.verdict != report.Inconclusive; known != (err == nil) { // where nothing can be judged, it says so
				t.Fatal(err)
			}
			if !slices.ContainsFunc(r.Findings, func(f report.Finding) bool {
				return f.Rule == "schema" && f.Verdict == test.verdict && strings.Contains(f.Message, test.message)
			}) {
				t.Errorf("findings %+v, want a %v: %s", r.Findings, test.verdict, test.message)
			}
		})
	}
}
