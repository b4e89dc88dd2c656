package contract_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

// headed is a document with headers on both sides.
const headed = `openapi: 3.0.3
info: {title: Pools, version: "1"}
servers: [{url: https://flow.acme.io}]
paths:
  /api/pools:
    get:
      parameters:
        - {name: X-Acme-Zone, in: header, required: true, schema: {type: integer}}
        - {name: X-Other, in: header, required: true, schema: {type: integer}}
        - {name: X-Acme-Ticket, in: header, schema: {type: string, x-secret: true}}
      responses:
        "200": {$ref: '#/components/responses/Fine'}
        "201": {$ref: '#/components/responses/Fine'}
components:
  responses:
    Fine:
      description: pools
      headers:
        X-Acme-Count: {required: true, schema: {type: integer}}
        X-Total: {required: true, schema: {type: integer}}
`

// withHeaders returns a request with wrong headers, answered with a status and headers, one "Name: value" a line.
func withHeaders(status int, lines ...string) *recording.Exchange {
	e := &recording.Exchange{
		Request: recording.Request{
			Method: "GET", URL: "https://flow.acme.io/api/pools",
			Headers: recording.Headers{{"X-Acme-Zone", "no number"}, {"X-Other", "no number"}},
		},
		Response: &recording.Response{Status: status},
	}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		e.Response.Headers = append(e.Response.Headers, [2]string{name, value})
	}
	return e
}

// findingLines returns the findings of rules, each group in a line.
func findingLines(r *contract.Report, rules ...string) []string {
	var list []string
	for _, g := range r.Groups {
		for _, rule := range rules {
			if g.Rule == rule {
				list = append(list, fmt.Sprintf("%s %s ×%d %v: %s", g.Severity, g.Pointer, g.Count, g.Disputed, g.Message))
			}
		}
	}
	return list
}

func ownHeaders(t *testing.T) []contract.Option {
	t.Helper()
	return []contract.Option{
		contract.WithSpec("workflow", write(t, "own.yaml", headed)), contract.WithBaseURL("workflow", "https://flow.acme.io"),
	}
}

// An ignored header is judged neither as a parameter nor as a documented header, by neither judge; the others are.
func TestIgnoredHeaders(t *testing.T) {
	t.Parallel()
	source := of(withHeaders(200, "X-Acme-Extra: 1", "X-Total: many", "X-Extra: 1"))
	zone := `error /request/header/X-Acme-Zone ×1 false: header parameter "X-Acme-Zone": value must be an integer`
	other := `error /request/header/X-Other ×1 false: header parameter "X-Other": value must be an integer`
	count := "error /response/headers/X-Acme-Count ×1 false: header X-Acme-Count is missing"
	total := "error /response/headers/X-Total ×1 false: header X-Total: value must be an integer"
	for name, tt := range map[string]struct {
		patterns []string
		want     []string
	}{
		"none":                         {nil, []string{zone, other, count, total}},
		"a pattern, whatever its case": {[]string{"x-ACME-[CEZ]*"}, []string{other, total}},
		"names":                        {[]string{"X-Other", "X-Total"}, []string{zone, count}},
		"all of them":                  {[]string{"X-Acme-[CEZ]*", "X-[OT]*"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := checked(t, source, append(ownHeaders(t), contract.WithIgnoredHeaders(tt.patterns...))...)
			if diff := cmp.Diff(tt.want, findingLines(r, judge.Schema)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// Credentials are always judged: what would leave them out is an error that says why.
func TestCredentialsAreNeverIgnored(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		"authorization":   `ignore header "authorization": it matches Authorization, which carries a credential, and credentials are always judged`,
		"*":               "it matches Authorization",
		"X-SVC-*":         "it matches X-SVC-Write-Key",
		"X-Acme-*":        "it matches X-Acme-Ticket", // the document calls it secret
		"*-Authorization": "it matches Proxy-Authorization",
		"cookie":          "it matches Cookie",
		"":                "not a valid pattern",
		"[":               "not a valid pattern",
	} {
		_, err := contract.NewChecker(append(ownHeaders(t), contract.WithIgnoredHeaders(pattern))...)
		if got := fmt.Sprint(err); !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %q", pattern, got, want)
		}
	}
}

// Of a header that is not declared there is one notice for each operation, status and name, which fails no check.
func TestUndeclaredHeaders(t *testing.T) {
	t.Parallel()
	standard := []string{
		"x-total: 1", "X-Acme-Count: 1", "Content-Type: text/plain", "ETag: x", "WWW-Authenticate: x", "CF-Ray: x",
		"X-Request-Id: x",
		"access-control-allow-origin: *", "X-Frame-Options: DENY", "traceparent: x", "X-Forwarded-For: x", ":status: 200",
	}
	source := of(
		withHeaders(200, append(standard, "X-Extra: token=geheim", "x-extra: 2", "Acme-Page: 3")...),
		withHeaders(200, append(standard, "x-EXTRA: 3")...),
		withHeaders(201, append(standard, "X-Extra: 3")...),
		withHeaders(200, standard...), withHeaders(200),
	)
	quiet := []contract.Option{
		contract.WithSeverity(judge.Schema, "*", "off"),
		contract.WithSeverity(judge.AuthScheme, "*", "off"),
	}
	r := checked(t, source, append(ownHeaders(t), quiet...)...)
	want := []string{
		"notice /response/headers/Acme-Page ×1 false: header Acme-Page is not documented for status 200",
		"notice /response/headers/X-Extra ×2 false: header X-Extra is not documented for status 200",
		"notice /response/headers/X-Extra ×1 false: header X-Extra is not documented for status 201",
	}
	if diff := cmp.Diff(want, findingLines(r, judge.UndeclaredHeader)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if r.Violated() || r.Failed() {
		t.Errorf("the check fails: %s", r.Outcome())
	}
	for _, f := range r.Findings {
		if f.Rule == judge.UndeclaredHeader && f.Found != "" {
			t.Errorf("%s shows the value %s, which may be secret", f.Message, f.Found)
		}
	}
	for _, tally := range r.Rules {
		if got := fmt.Sprint(tally.Pass, tally.Fail, tally.Inconclusive); tally.ID == judge.UndeclaredHeader &&
			got != "1 3 0" {
			t.Errorf("pass, fail, inconclusive %s, want 1 3 0", got)
		}
	}
	ignored := checked(t, source, append(ownHeaders(t), contract.WithIgnoredHeaders("X-Extra", "acme-*"))...)
	if list := findingLines(ignored, judge.UndeclaredHeader); list != nil {
		t.Errorf("ignored headers are told of: %v", list)
	}
}

// However many such headers there are, an answer has twenty findings, the last of which says how many more there are.
func TestUndeclaredHeadersAreBounded(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 500 {
		lines = append(lines, fmt.Sprintf("X-Own-%03d: 1", i))
	}
	r := checked(t, of(withHeaders(200, lines...)), ownHeaders(t)...)
	list := findingLines(r, judge.UndeclaredHeader)
	if len(list) != 20 || !strings.HasSuffix(list[19], "and 480 more of rule undeclared-header in the same message") ||
		r.Omitted != 480 {
		t.Errorf("%d findings, %d omitted, the last: %s", len(list), r.Omitted, list[len(list)-1])
	}
	long := checked(t, of(withHeaders(200, "X-"+strings.Repeat("ä", 5000)+": 1")), ownHeaders(t)...)
	for _, f := range long.Findings {
		if f.Rule == judge.UndeclaredHeader && (len(f.Message) > 200 || f.Severity != report.Notice) {
			t.Errorf("%d bytes: %s", len(f.Message), f.Message)
		}
	}
}
