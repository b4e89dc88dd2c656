package specs_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/specs"
)

func TestPointersLeadToValues(t *testing.T) {
	t.Parallel()
	const text = `{"a":{"b.c":[{"d":1},{"d":"x"},{},7]},"l":[[1],[2,3]],"n":null,"*":{"d":4}}`
	var decoded any
	if err := json.Unmarshal([]byte(text), &decoded); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		at   specs.Pointer
		want []string
	}{
		{nil, nil},
		{specs.Pointer{"a", "b.c", "*", "d"}, []string{`1`, `"x"`}},
		{specs.Pointer{"l", "*", "*"}, []string{`1`, `2`, `3`}},
		{specs.Pointer{"l", "*"}, []string{`[1]`, `[2,3]`}},
		{specs.Pointer{"n"}, []string{`null`}},
		{specs.Pointer{"n", "d"}, nil},
		{specs.Pointer{"a", "*"}, nil},
		{specs.Pointer{"*", "d"}, []string{`4`}},
		{specs.Pointer{"missing"}, nil},
	} {
		var got []string
		for _, value := range tt.at.In(decoded) {
			encoded, _ := json.Marshal(value)
			got = append(got, string(encoded))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.at, diff)
		}
	}
}
