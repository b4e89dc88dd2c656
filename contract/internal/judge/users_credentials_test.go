package judge_test

import (
	"fmt"
	"testing"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/specs/recording"
)

// Security Scheme and Security Requirement Object.
func TestCredentialsAreThoseOfTheDocument(t *testing.T) {
	t.Parallel()
	secured := func(security string) string {
		return `{/x: {get: {security: ` + security + `, responses: {'200': {description: a}}}}}`
	}
	const schemes = `, components: {securitySchemes: {bearer: {type: http, scheme: Bearer}, basic: {type: http, scheme: basic},
		oauth: {type: oauth2, flows: {}}, id: {type: openIdConnect, openIdConnectUrl: 'https://a.example'}, tls: {type: mutualTLS},
		header: {type: apiKey, in: header, name: X-Key}, query: {type: apiKey, in: query, name: key},
		cookie: {type: apiKey, in: cookie, name: sid}, token: {type: apiKey, in: header, name: Authorization}}}`
	wrong := func(word, documented string) []string {
		return []string{fmt.Sprintf("error auth-scheme /request/headers/Authorization: credentials of scheme %q were accepted; "+
			"documented: %s", word, documented)}
	}
	cases := map[string]exampleOf{
		"a bearer in lower case":      {paths: secured(`[{bearer: []}]`), headers: bearerOf("bearer abc")},
		"an access token":             {paths: secured(`[{oauth: [a]}]`), headers: bearerOf("Bearer abc")},
		"an access token in a query":  {paths: secured(`[{oauth: []}]`), line: "GET /x?access_token=a", want: undeclaredQuery("access_token")},
		"an identity":                 {paths: secured(`[{id: []}]`), headers: bearerOf("Bearer abc")},
		"a key in a query":            {paths: secured(`[{query: []}]`), line: "GET /x?key=a"},
		"a key in a cookie":           {paths: secured(`[{cookie: []}]`), headers: recording.Headers{{"Cookie", "a=b; sid=c"}}},
		"a bare key":                  {paths: secured(`[{token: []}]`), headers: bearerOf("abc")},
		"a key and a bearer":          {paths: secured(`[{header: [], bearer: []}]`), headers: append(bearerOf("Bearer a"), [2]string{"X-Key", "b"})},
		"the second alternative":      {paths: secured(`[{header: []}, {basic: []}]`), headers: bearerOf("Basic YTpi")},
		"none where it is optional":   {paths: secured(`[{}, {bearer: []}]`)},
		"any where none is asked for": {paths: secured(`[]`), headers: bearerOf("Other abc")},
		"a cookie that was taken out": {paths: secured(`[{cookie: []}]`), headers: recording.Headers{{"Cookie", recording.Mark + ":1a2b]"}}},
		"a certificate":               {paths: secured(`[{tls: []}]`)},
		"basic for bearer":            {paths: secured(`[{bearer: []}]`), headers: bearerOf("Basic YTpi"), want: wrong("Basic", "Bearer")},
		"another for two": {
			paths: secured(`[{bearer: []}, {basic: []}]`), headers: bearerOf("Digest a"), want: wrong("Digest", "Bearer or basic"),
		},
	}
	for name, u := range cases {
		u.parts = schemes
		cases[name] = u
	}
	testExamples(t, cases)
}

// All schemes of an alternative are wanted. Whether missing ones are a fault depends on the whole recording.
func TestAllSchemesOfAnAlternativeAreWanted(t *testing.T) {
	t.Parallel()
	const schemes = `, components: {securitySchemes: {bearer: {type: http, scheme: bearer},
		header: {type: apiKey, in: header, name: X-Key}, query: {type: apiKey, in: query, name: key}}}`
	paths := `{/x: {get: {security: [{bearer: [], header: []}, {query: []}], responses: {'200': {description: a}}}}}`
	for name, tt := range map[string]struct {
		line    string
		headers recording.Headers
		want    judge.Credentials
	}{
		"none":                {"GET /x", nil, judge.Absent},
		"the first of two":    {"GET /x", bearerOf("Bearer a"), judge.Absent},
		"the second of two":   {"GET /x", recording.Headers{{"X-Key", "a"}}, judge.Absent},
		"both":                {"GET /x", append(bearerOf("Bearer a"), [2]string{"x-key", "b"}), judge.Present},
		"another alternative": {"GET /x?key=a", nil, judge.Present},
		"an empty key":        {"GET /x?key=", nil, judge.Absent},
	} {
		u := exampleOf{paths: paths, parts: schemes, line: tt.line, headers: tt.headers}
		if got := u.judge(t, false).Credentials; got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}
