package judge_test

import (
	"testing"

	"svc.example/understudy/specs/recording"
)

func TestProbe(t *testing.T) {
	t.Parallel()
	tries := func(lines ...string) recording.Headers {
		headers := recording.Headers{{recording.ProbeHeader, lines[0]}}
		for _, line := range lines[1:] {
			headers = append(headers, [2]string{recording.ExpectHeader, line})
		}
		return headers
	}
	const valid, fault = recording.ProbeValid, `required query parameter a is missing`
	asksFor := asks(`{name: a, in: query, required: true, schema: {type: integer}}`)
	open := `{/x: {get: {responses: {'200': {description: a}, '503': {description: b}, default: {description: c}}}}}`
	list := answers(`{type: array, items: {type: object, properties: {id: {type: integer}}}}`)
	object := answers(`{type: object, properties: {n: {type: integer}}}`)
	testExamples(t, map[string]exampleOf{
		"a fault that is refused": {paths: asksFor, headers: tries(fault), status: 400},
		"a fault that is accepted": {
			paths: asksFor, headers: tries(fault),
			want: []string{"warning probe /response: a request with a fault: " + fault + " was accepted with 200"},
		},
		"a fault that leads elsewhere": {paths: asks(""), headers: tries(fault), status: 404},
		"a fault with 500": {
			paths: open, headers: tries(fault), status: 500,
			want: []string{"error probe /response: a request with a fault: " + fault + " was answered with 500"},
		},
		"a valid request":      {paths: open, headers: tries(valid)},
		"a refused one":        {paths: open, headers: tries(valid), status: 409},
		"a documented failure": {paths: open, headers: tries(valid), status: 503},
		"a valid one with 502": {
			paths: open, headers: tries(valid), status: 502,
			want: []string{"error probe /response: a valid request was answered with 502"},
		},
		"an undocumented refusal of a valid one": {
			paths: asks(""), headers: tries(valid), status: 418,
			want: []string{"warning undocumented-status /response/status: status 418 is not documented"},
		},
		"500 without a probe":          {paths: open, status: 500},
		"a list with what is expected": {paths: list, headers: tries(valid, "/*/id 2"), answer: `[{"id":1},{"id":2}]`},
		"a list without it": {
			paths: list, headers: tries(valid, "/*/id 3"), answer: `[{"id":1},{"id":2}]`,
			want: []string{"warning probe /response: the list lacks the one with id 3, which was made before"},
		},
		"a list that may be a page": {
			paths: list, headers: tries(valid, "/*/id 30"),
			answer: `[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5},{"id":6},{"id":7},{"id":8},{"id":9},{"id":10}]`,
		},
		"a value as it was set": {paths: object, headers: tries(valid, "/n 2"), answer: `{"n":2}`},
		"a value that is not": {
			paths: object, headers: tries(valid, "/n 2"), answer: `{"n":1}`,
			want: []string{"warning probe /response: /n is not what it was set to before"},
		},
		"a value that is not shown": {paths: object, headers: tries(valid, "/n 2"), answer: `{}`},
	})
}
