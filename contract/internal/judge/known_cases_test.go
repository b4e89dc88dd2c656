package judge_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each known false verdict of the second engine: it still errs, and it is settled.
func TestKnownCases(t *testing.T) {
	t.Parallel()
	j := probe(t)
	for name, tt := range map[string]struct {
		talk
		want []string
	}{
		"null-body": {
			talk{"GET /things/7", "", 200, `null`, nil}, []string{"error schema /response/body: Value is not nullable"},
		},
		"nullable-combination": {talk{"GET /things/7", "", 200, `{"name":"a","owner":null}`, nil}, nil},
		"discriminator, false alarm": {
			talk{"POST /pets", `{"kind":"cat","meow":1}`, 200, `{"kind":"cat","meow":2}`, nil},
			nil,
		},
		"discriminator, wrong branch": {
			talk{"POST /pets", `{"kind":"cat","meow":1}`, 200, `{"kind":"cat","meow":"x"}`, nil},
			[]string{`error schema /response/body: value doesn't match any schema from "oneOf"`},
		},
		"direction, request": {
			talk{"POST /things", `{"name":"a","id":1}`, 201, `{"name":"a"}`, nil},
			[]string{`error schema /request/body/id: readOnly property "id" in request`},
		},
		"direction, response": {
			talk{"GET /things/7", "", 200, `{"name":"a","secret":"x"}`, nil},
			[]string{`error schema /response/body/secret: writeOnly property "secret" in response`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, findingLines(j.Exchange(tt.item()))); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}
