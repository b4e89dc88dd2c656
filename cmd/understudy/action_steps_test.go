package main_test

import (
	"strings"
	"testing"
)

// A job has one mock in the background at a time, so that none is left behind with a recording that is not whole.
func TestActionServesOneMockAtATime(t *testing.T) {
	t.Parallel()
	j := newJob(t)
	step := func(want string, with map[string]string) {
		t.Helper()
		code, log, _ := j.use(with)
		if (code == 0) != (want == "") || !strings.Contains(log, want) {
			t.Errorf("exit code %d, want %q in the log\n%s", code, want, log)
		}
	}
	serve, check := map[string]string{"INPUT_RECORD": "a.ndjson"}, map[string]string{"INPUT_CHECK": "true"}
	step("", serve)
	step("an earlier step serves a mock already", serve)
	step("no exchange belongs to an interface", check) // nothing was asked
	step("", map[string]string{})
	step("there is nothing to check", check) // a.ndjson is not of this mock
	step("", serve)
	step("no exchange belongs to an interface", check)
}
