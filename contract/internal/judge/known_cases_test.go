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
		"format, number": {
			talk{"PUT /formats/7", `{"n":4294967296}`, 204, "", nil},
			[]string{`error schema /request/body/n: integer doesn't match the format "int32" ` +
				"(value should be between -2147483648 and 2147483647)"},
		},
		"format, text": {
			talk{"PUT /formats/7", `{"bytes":"no base64!"}`, 204, "", nil},
			[]string{"error schema /request/body/bytes: string doesn't match the format \"byte\""},
		},
		"format, parameters": {
			talk{"PUT /formats/4294967296?at=9223372036854775808", `{}`, 204, "", nil},
			[]string{
				`error schema /request/path/n: path parameter "n" does not have the documented type`,
				`error schema /request/query/at: query parameter "at" does not have the documented type`,
			},
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
