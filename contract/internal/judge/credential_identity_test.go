package judge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

const events = `
openapi: 3.0.3
info: {title: Events, version: '1'}
security: [{SVC1: []}, {WriteKey: []}]
paths:
  /event:
    post: {operationId: ingestEvent, responses: {'200': {description: ok}}}
components:
  securitySchemes:
    SVC1: {type: apiKey, in: header, name: Authorization}
    WriteKey: {type: apiKey, in: header, name: X-SVC-Write-Key}
`

const bareKeys = `
openapi: 3.0.3
info: {title: Bare, version: '1'}
security: [{SVC1: []}]
paths:
  /things:
    get: {operationId: listThings, responses: {'200': {description: ok}}}
  /hook:
    post: {operationId: callHook, security: [], responses: {'200': {description: ok}}}
components:
  securitySchemes:
    SVC1: {type: apiKey, in: header, name: Authorization, x-bare-key: true}
`

// Where a document says so, the bare key is as good as one with its scheme, and is the same caller; another scheme is
// neither. An operation without security asks for none.
func TestBareKeys(t *testing.T) {
	t.Parallel()
	d, err := specs.Parse(specs.DWH, "bare.yaml", []byte(bareKeys), specs.Neutral)
	if err != nil {
		t.Fatal(err)
	}
	j, err := judge.New(judge.Config{Documents: []*specs.Document{d}})
	if err != nil {
		t.Fatal(err)
	}
	for value, tt := range map[string]struct {
		path     string
		verdict  report.Verdict
		identity string
	}{
		"1/a":                  {"GET /things", report.Pass, "1/a"},
		"SVC1 1/a":             {"GET /things", report.Pass, "1/a"},
		"[redacted:01ab]":      {"GET /things", report.Pass, "[redacted:01ab]"},
		"SVC1 [redacted:01ab]": {"GET /things", report.Pass, "[redacted:01ab]"},
		"REDACTED":             {"GET /things", report.Inconclusive, ""},
		"DUMMY":                {"GET /things", report.Inconclusive, ""}, // as the manual of pytest-recording has it
		"[FILTERED]":           {"GET /things", report.Inconclusive, ""},
		"{{apiKey}}":           {"GET /things", report.Inconclusive, ""},
		"__YOUR_API_KEY__":     {"GET /things", report.Inconclusive, ""},
		"SVC1 fake-key":        {"GET /things", report.Pass, ""},
		"1/dummy":              {"GET /things", report.Pass, "1/dummy"},
		"fakes":                {"GET /things", report.Pass, "fakes"},
		"FILTERED_TOKEN":       {"GET /things", report.Inconclusive, ""},
		"FILTERED_TOKEN_2":     {"GET /things", report.Pass, "FILTERED_TOKEN_2"}, // each key has its number
		"(removed by hand)":    {"GET /things", report.Inconclusive, ""},
		"SVC1":                 {"GET /things", report.Fail, "SVC1"},
		"Bearer 1/a":           {"GET /things", report.Fail, "malformed Bearer 1/a"},
		"Bearer 1/b":           {"POST /hook", report.Skipped, "malformed Bearer 1/b"},
	} {
		method, path, _ := strings.Cut(tt.path, " ")
		r := j.Exchange(record.Item{Exchange: &recording.Exchange{
			Request: recording.Request{
				Method: method, URL: "https://dwh.svc.example" + path, Headers: recording.Headers{{"Authorization", value}},
			},
			Response: &recording.Response{Status: 200},
		}})
		i := slices.IndexFunc(r.Checks, func(c judge.Check) bool { return c.Rule == judge.AuthScheme })
		if got := r.Checks[i].Verdict; got != tt.verdict {
			t.Errorf("%q: %s, want %s", value, got, tt.verdict)
		}
		if got := r.Credential().Identity; got != tt.identity {
			t.Errorf("%q is %q, want %q", value, got, tt.identity)
		}
	}
}

// Of a user's own document a key is one in any scheme.
func TestKeysOfAnyScheme(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"Bearer a.b":              "a.b",
		"Basic YTpi":              "YTpi",
		"Token token=\"a\"":       "token=\"a\"",
		"Bearer [redacted:01ab]":  "[redacted:01ab]",
		"[redacted:01ab]":         "[redacted:01ab]",
		"a":                       "a",
		"Bearer [redacted]":       "",
		"[redacted]":              "",
		"Bearer [redacted:01ab] ": "[redacted:01ab]",
	} {
		u := exampleOf{
			paths: `{/x: {get: {responses: {'200': {description: a}}}}}`, headers: recording.Headers{{"Authorization", value}},
		}
		r := u.judge(t, false)
		if got := r.Credential().Identity; got != want {
			t.Errorf("%q is %q, want %q", value, got, want)
		}
	}
}

// Placeholders that a tool numbers are callers of their own; one that stands for all keys identifies no caller.
func TestPseudonyms(t *testing.T) {
	t.Parallel()
	d, err := specs.Parse(specs.Ingestion, "events.yaml", []byte(events), specs.Neutral)
	if err != nil {
		t.Fatal(err)
	}
	j, err := judge.New(judge.Config{Documents: []*specs.Document{d}})
	if err != nil {
		t.Fatal(err)
	}
	for placeholder, isCaller := range map[string]bool{
		"<TOKEN-1>": true, "<TOKEN_2>": true, "<TOKEN 3>": true, "{{token1}}": true, "${KEY_12}": true, "[REDACTED-3]": true,
		"REDACTED#4": true, "***:1a2b": true, "***:1a2b3c4d…": true, "xxx-7": false, "FILTERED_KEY_2": true,
		"YOUR_API_KEY_2": true,
		"<TOKEN>":        false, "***": false, "********": false, "***1234": false, "xxxx1234": false, "xxxxxxxx-1234": false,
		"(removed 2026-01-15)": false, "{{oauth2_token}}": false, "[REDACTED]": false, "***:face": false,
		"<TOKEN-123456>": true,
	} {
		r := j.Exchange(record.Item{Exchange: &recording.Exchange{
			Request: recording.Request{
				Method: "POST", URL: "https://ingestion.svc.example/event",
				Headers: recording.Headers{{"x-svc-write-key", placeholder}},
			},
			Response: &recording.Response{Status: 200},
		}})
		want := ""
		if isCaller {
			want = placeholder
		}
		if diff := cmp.Diff(want, r.Credential().Identity); diff != "" {
			t.Errorf("%s: the caller (-want +got):\n%s", placeholder, diff)
		}
		if got := judge.IsDistinct(placeholder); got != isCaller && strings.ContainsAny(placeholder, "<*[{") {
			t.Errorf("%s is distinct: %t, want %t", placeholder, got, isCaller)
		}
	}
}

// The same key is the same caller wherever it is shown; a mark that hides several keys alike identifies no caller.
func TestCredential(t *testing.T) {
	t.Parallel()
	d, err := specs.Parse(specs.Ingestion, "events.yaml", []byte(events), specs.Neutral)
	if err != nil {
		t.Fatal(err)
	}
	j, err := judge.New(judge.Config{Documents: []*specs.Document{d}})
	if err != nil {
		t.Fatal(err)
	}
	const auth, write = "Authorization", "x-svc-write-key"
	for name, tt := range map[string]struct {
		headers  recording.Headers
		redacted []string
		want     judge.Credential
		told     string
	}{
		"with its scheme": {
			recording.Headers{{auth, "svc1  1/a "}},
			nil,
			judge.Credential{Identity: "1/a", Shown: true},
			"",
		},
		"in a header of its own": {
			recording.Headers{{write, "1/a"}},
			nil,
			judge.Credential{Identity: "1/a", Shown: true},
			"",
		},
		"Authorization decides": {
			recording.Headers{{write, "1/a"}, {auth, "SVC1 1/b"}},
			nil,
			judge.Credential{Identity: "1/b", Shown: true},
			"",
		},
		"without a scheme": {
			recording.Headers{{auth, "1/a"}},
			nil,
			judge.Credential{Identity: "malformed 1/a", Shown: true},
			"credentials without the scheme SVC1 were accepted",
		},
		"with another scheme": {
			recording.Headers{{auth, "Bearer 1/a"}},
			nil,
			judge.Credential{Identity: "malformed Bearer 1/a", Shown: true},
			`credentials of scheme "Bearer" were accepted`,
		},
		"hashed": {
			recording.Headers{{auth, "SVC1 [redacted:01ab]"}},
			nil,
			judge.Credential{Identity: "[redacted:01ab]", Shown: true},
			"",
		},
		"hashed, in its own": {
			recording.Headers{{write, "[redacted:01ab]"}},
			nil,
			judge.Credential{Identity: "[redacted:01ab]", Shown: true},
			"",
		},
		"hidden": {recording.Headers{{auth, "SVC1 REDACTED"}}, nil, judge.Credential{Shown: true}, ""},
		"hidden whole": {
			recording.Headers{{auth, "***"}},
			nil,
			judge.Credential{Shown: true},
			"redacts the credentials in full",
		},
		"taken out": {nil, []string{"authorization"}, judge.Credential{Withheld: true}, ""},
		"none":      {nil, nil, judge.Credential{}, ""},
		"empty, and one of its own": {
			recording.Headers{{auth, " "}, {write, "1/a"}},
			nil,
			judge.Credential{Identity: "1/a", Shown: true},
			"",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := j.Exchange(record.Item{Exchange: &recording.Exchange{
				Request:  recording.Request{Method: "POST", URL: "https://ingestion.svc.example/event", Headers: tt.headers},
				Response: &recording.Response{Status: 200}, Redacted: tt.redacted,
			}})
			if diff := cmp.Diff(tt.want, r.Credential()); diff != "" {
				t.Errorf("credential (-want +got):\n%s", diff)
			}
			if got := strings.Join(findingLines(r), "; "); !strings.Contains(got, tt.told) || tt.told == "" && got != "" {
				t.Errorf("findings %q, want %q", got, tt.told)
			}
		})
	}
}
