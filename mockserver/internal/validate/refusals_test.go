package validate_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

func TestRefusals(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithScenario("empty"))
	const attempt, clock = `{"workflowId":"1","params":{},"sessionTime":"2026-01-15T00:00:00Z"`,
		"/_understudy/worlds/default/clock"
	for _, test := range []struct{ name, method, path, body, want string }{
		{
			"a resume is judged by its mode", "PUT", "/workflow/api/attempts",
			attempt + `,"resume":{"mode":"from","attemptId":"1"}}`,
			`resume.from: property "from" is missing`,
		},
		{
			"a member of two types tells both", "PUT", "/workflow/api/attempts",
			attempt + `,"resume":{"mode":"failed","attemptId":true}}`,
			"resume.attemptId: value must be a string, or value must be an integer",
		},
		{
			"a text tells its pattern, not that it could be a number", "POST", "/workflow/api/pool_rules",
			`{"priority":1,"poolId":"etl","conditions":[{"type":"invocation_type","values":["scheduled"]}]}`,
			`poolId: want an integer above 0, not "etl"`,
		},
		{
			"what is wrong with all alternatives is told once", "PUT", "/workflow/api/attempts",
			attempt + `,"resume":{"mode":"failed","attemptId":null}}`, "resume.attemptId: Value is not nullable",
		},
		{
			"a time tells no pattern", "PUT", "/workflow/api/attempts", `{"workflowId":"1","params":{},"sessionTime":"today"}`,
			`sessionTime: want a time such as 2026-01-15T09:30:00Z, not "today"`,
		},
		{
			"a name that is too long", "PUT", "/workflow/api/projects?revision=1&project=" + strings.Repeat("a", 256), "x",
			`project: want at most 255 characters, not 256: "` + strings.Repeat("a", 256) + `"`,
		},
		{
			"a secret is not repeated", "PUT", "/workflow/api/projects/1/secrets/key",
			`{"value":"` + strings.Repeat("s", 16385) + `"}`,
			"value: want at most 16384 characters, not 16385",
		},
		{
			"what the clock is to do", "POST", clock, `{"mode":"fast"}`,
			`want one of real, frozen, auto, not "fast"`,
		},
		{
			"two things at once", "POST", clock, `{"advance":"1s","untilIdle":true}`,
			"matches more than one of the allowed forms; want exactly one",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			media := "application/json"
			if test.body == "x" {
				media = "application/gzip"
			}
			a := mocktest.Call(t, s, test.method, test.path, test.body, "Content-Type", media).Want(400)
			got := mocktest.Decode[struct {
				Message string
				Error   any
			}](a)
			if own, ok := got.Error.(map[string]any); ok {
				got.Message, _ = own["message"].(string)
			}
			if diff := cmp.Diff(test.want, got.Message); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}
