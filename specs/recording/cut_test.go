package recording_test

import (
	"testing"

	"svc.example/understudy/specs/recording"
)

// What is left of a body that was cut is a beginning of it, without what may be a part of a secret.
func TestCutBodies(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ mediaType, body, want string }{
		"plain text stays":             {"text/plain", "one two thr", "one two thr"},
		"a half character goes":        {"text/plain", "caf\xc3", "caf"},
		"an address that has no end":   {"text/plain", "see https://me:hunt", "see "},
		"a key that has no end":        {"text/plain", "SVC1 1/0123", "SVC1 "},
		"JSON ends with a whole value": {"application/json", `{"a":[1,2],"b":"x y`, `{"a":[1,2],"b"`},
		"so does a line of it":         {"application/x-ndjson", "{\"a\":1}\n{\"a\":\"hun", "{\"a\":1}\n{\"a\""},
		"a form ends with a field":     {"application/x-www-form-urlencoded", "a=1&b=2&c=hun", "a=1&b=2&"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := &recording.Exchange{Request: recording.Request{
				Method: "POST", URL: "http://localhost/", Headers: recording.Headers{{"Content-Type", tt.mediaType}},
				Body: &recording.Body{Bytes: []byte(tt.body), Truncated: true},
			}}
			clean := (&recording.Redactor{}).Redact(e, nil)
			if got := string(clean.Request.Body.Bytes); got != tt.want || !clean.Request.Body.Truncated {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
