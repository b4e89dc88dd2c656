package judge_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/specs/recording"
)

func TestForms(t *testing.T) {
	t.Parallel()
	j := probe(t)
	form := func(text string) func(*record.Item) {
		return func(i *record.Item) {
			requestHeader("Content-Type", "application/x-www-form-urlencoded")(i)
			i.Request.Body = &recording.Body{Bytes: []byte(text)}
		}
	}
	for text, want := range map[string][]string{
		"name=a&weight=1.5":               nil,
		"name=a&tags=x&tags=y&kind=small": nil,
		"name=toolong":                    {"notice schema /request/body/name: maximum string length is 5"},
		"weight=1":                        {`error schema /request/body/name: property "name" is missing`},
	} {
		got := findingLines(j.Exchange(talk{"POST /things", "", 201, `{"name":"a"}`, form(text)}.item()))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}
