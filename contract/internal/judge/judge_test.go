package judge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/engine/libopenapi"
	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// probe returns a judge of a small document that has what the platform's documents may have.
func probe(tb testing.TB) *judge.Judge {
	tb.Helper()
	j, err := judge.New(judge.Config{Documents: []*specs.Document{probeDocument(tb)}, Engine: libopenapi.New()})
	if err != nil {
		tb.Fatal(err)
	}
	return j
}

// an exchange, short: "POST /pets", bodies as text, "" for none.
type talk struct {
	line     string
	request  string
	status   int
	response string
	edit     func(*record.Item)
}

func (t talk) item() record.Item {
	method, path, _ := strings.Cut(t.line, " ")
	json := [2]string{"Content-Type", "application/json"}
	e := &recording.Exchange{Request: recording.Request{
		Method: method, URL: "https://workflow.svc.example/v9" + path,
		Headers: recording.Headers{{"Authorization", "SVC1 1/key"}},
	}}
	if t.request != "" {
		e.Request.Headers = append(e.Request.Headers, json)
		e.Request.Body = &recording.Body{Bytes: []byte(t.request)}
	}
	if t.status != 0 {
		e.Response = &recording.Response{Status: t.status, Headers: recording.Headers{}}
	}
	if t.response != "" {
		e.Response.Headers = append(e.Response.Headers, json)
		e.Response.Body = &recording.Body{Bytes: []byte(t.response)}
	}
	item := record.Item{Exchange: e, Position: record.Position{File: "talk", Number: 1, Line: 1}}
	if t.edit != nil {
		t.edit(&item)
	}
	return item
}

// findingLines returns the findings, one a line.
func findingLines(r *judge.Result) []string {
	var list []string
	for _, f := range r.Findings {
		verdict := string(f.Severity)
		if f.Verdict == report.Inconclusive {
			verdict = "inconclusive"
		}
		if f.Disputed {
			verdict += " disputed"
		}
		list = append(list, fmt.Sprintf("%s %s %s: %s", verdict, f.Rule, f.Pointer, f.Message))
	}
	slices.Sort(list)
	return list
}

const total = "X-Total"

func header(name, value string) func(*record.Item) {
	return func(i *record.Item) { i.Response.Headers = append(i.Response.Headers, [2]string{name, value}) }
}

// requestHeader sets a header of the request, or takes it away.
func requestHeader(name, value string) func(*record.Item) {
	return func(i *record.Item) {
		i.Request.Headers = slices.DeleteFunc(i.Request.Headers, func(h [2]string) bool { return h[0] == name })
		if value != "" {
			i.Request.Headers = append(i.Request.Headers, [2]string{name, value})
		}
	}
}

func TestExchange(t *testing.T) {
	t.Parallel()
	j := probe(t)
	thing := `{"name":"a"}`
	refused := `{"message":"no"}`
	for name, tt := range map[string]struct {
		talk
		want []string
	}{
		"what is documented passes": {
			talk: talk{"GET /things?limit=5&ids=1,2&f[s]=1", "", 200, `[{"name":"a"}]`, header(total, "3")},
		},
		"a custom verb is an operation of its own": {
			talk: talk{"POST /things/7:activate", "", 200, `{"active":1}`, nil},
			want: []string{`error schema /response/body/active: value must be a boolean`},
		},
		"off-contract parameters that were accepted are as loud as their source is sure": {
			talk: talk{"GET /things?limit=50&zzz=1", "", 200, `[]`, header(total, "3")},
			want: []string{
				`error schema /request/query/limit: query parameter "limit": number must be at most 10`,
				`warning undeclared-field /request/query/zzz: query parameter "zzz" is not documented`,
			},
		},
		"off-contract parameters that were refused are notices": {
			talk: talk{"GET /things?limit=50", "", 400, refused, nil},
			want: []string{`notice schema /request/query/limit: query parameter "limit": number must be at most 10`},
		},
		"off-contract parameters that broke the server are warnings": {
			talk: talk{"GET /things?limit=50", "", 0, "", nil},
			want: []string{
				`inconclusive undocumented-status /response: no response was recorded`,
				`warning schema /request/query/limit: query parameter "limit": number must be at most 10`,
			},
		},
		"a path parameter of another type": {
			talk: talk{"GET /things/x", "", 404, refused, nil},
			want: []string{
				`notice schema /request/path/id: path parameter "id" does not have the documented type`,
			},
		},
		"headers are judged apart from the body": {
			talk: talk{"GET /things", "", 200, `[{"name":1}]`, header(total, "x")},
			want: []string{
				`error schema /response/body/0/name: value must be a string`,
				`error schema /response/headers/X-Total: header X-Total does not have the documented form`,
			},
		},
		"a required header": {
			talk: talk{"GET /things", "", 200, `[]`, nil},
			want: []string{`error schema /response/headers/X-Total: header X-Total is missing`},
		},
		"undeclared fields are found although the schema failed, and a guess is only a notice": {
			talk: talk{"GET /things/7", "", 200, `{"name":"toolong","x":1,"owner":{"y":1,"name":"n"}}`, nil},
			want: []string{
				`error undeclared-field /response/body/owner/y: field "y" is not documented`,
				`error undeclared-field /response/body/x: field "x" is not documented`,
				`notice schema /response/body/name: maximum string length is 5`,
			},
		},
		"undeclared fields of a request are ignored by the platform": {
			talk: talk{"POST /things", `{"name":"a","x":1}`, 201, thing, nil},
			want: []string{`notice undeclared-field /request/body/x: field "x" is not documented`},
		},
		"maps and free objects have no undeclared fields": {
			talk: talk{"GET /things/7", "", 200, `{"name":"a","labels":{"a":"b"},"free":{"c":{"d":1}}}`, nil},
		},
		"a value of a map": {
			talk: talk{"GET /things/7", "", 200, `{"name":"a","labels":{"a":1}}`, nil},
			want: []string{`error schema /response/body/labels/a: value must be a string`},
		},
		"all faults of a body are told": {
			talk: talk{"GET /things/7", "", 200, `{"kind":"huge","tags":["a","b","c"],"uuid":"x"}`, nil},
			want: []string{
				`error schema /response/body/kind: value is not one of the allowed values ["big","small"]`,
				`error schema /response/body/name: property "name" is missing`,
				`error schema /response/body/tags: maximum number of items is 2`,
				`error schema /response/body/uuid: string doesn't match the format "uuid"`,
			},
		},
		"an undocumented error status is a warning where errors rest on clients": {
			talk: talk{"GET /things", "", 418, refused, nil},
			want: []string{`warning undocumented-status /response/status: status 418 is not documented`},
		},
		"an undocumented success is an error": {
			talk: talk{"GET /things/7", "", 202, thing, nil},
			want: []string{`error undocumented-status /response/status: status 202 is not documented`},
		},
		"an unknown path that was refused": {
			talk: talk{"GET /thing", "", 404, refused, nil},
			want: []string{
				`notice undocumented-operation /request/url: GET /thing is not documented; the nearest is GET /things`,
			},
		},
		"an unknown method that was accepted": {
			talk: talk{"PUT /things", "", 200, thing, nil},
			want: []string{
				`error undocumented-operation /request/url: PUT is not documented for /things, only GET, POST`,
			},
		},
		"a body where none is documented": {
			talk: talk{"DELETE /things/7", "", 204, `{}`, nil},
			want: []string{
				`error undocumented-media-type /response/headers/Content-Type: the response has a body, but none is documented`,
			},
		},
		"the judges differ on the second of two equal parameters": {
			talk: talk{"GET /things?limit=1&limit=99", "", 200, `[]`, header(total, "3")},
			want: []string{`error disputed schema /request/query/limit: maximum: got 99, want 10`},
		},
		"the judges differ on a format that one does not know": {
			talk: talk{"GET /things/7", "", 200, `{"name":"a","wait":"long"}`, nil},
			want: []string{`error disputed schema /response/body/wait: the value is not valid relative-json-pointer`},
		},
		"a day that is not in the calendar": {
			talk: talk{"GET /things/7", "", 200, `{"name":"a","at":"2026-02-31T00:00:00Z"}`, nil},
			want: []string{`error schema /response/body/at: string doesn't match the format "date-time" ` +
				`(want the form of RFC 3339, and a day of the calendar)`},
		},
		"a time in small letters, and a leap second": {
			talk: talk{"GET /things", "", 200, `[{"name":"a","at":"2026-02-01t00:00:00z"},` +
				`{"name":"b","at":"2016-12-31T23:59:60Z"}]`, header(total, "3")},
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

func TestFindingsKnowTheirPlace(t *testing.T) {
	t.Parallel()
	r := probe(t).Exchange(talk{"GET /things", "", 200, `[{"name":"a"},{"name":"toolong"}]`, header(total, "3")}.item())
	want := []report.Finding{{
		ID: r.Findings[0].ID, Rule: judge.Schema, Severity: report.Notice, Verdict: report.Fail,
		Interface: "workflow", Operation: "workflow.listThings", Exchange: 1, Evidence: []int{1},
		Message: "maximum string length is 5", Pointer: "/response/body/1/name",
		Spec: report.Spec{
			File: "testdata/probe.yaml", Line: 156,
			Pointer: "/components/schemas/Thing/properties/name/maxLength",
		},
		Provenance: specs.Assumed,
	}}
	if diff := cmp.Diff(want, r.Findings); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// The second engine reads no more of a large body than the beginnings of its lists, and nothing when the first has
// found faults.
func TestLargeBodies(t *testing.T) {
	t.Parallel()
	j := probe(t)
	const good, bad, unclear = `{"name":"a"}`, `{"name":"toolong"}`, `{"name":"a","wait":"long"}`
	rest := strings.Repeat(","+good, 20_000)
	for name, tt := range map[string]struct {
		first, last string
		want        []string
	}{
		"nothing is wrong": {good, good, nil},
		"the judges differ at the beginning": {
			unclear, good,
			[]string{"error disputed schema /response/body/0/wait: the value is not valid relative-json-pointer"},
		},
		"the second does not read the end": {good, unclear, nil},
		"the first judges the beginning alone": {
			bad, good,
			[]string{"notice schema /response/body/0/name: maximum string length is 5"},
		},
		"the first judges the end alone": {
			good, bad,
			[]string{"notice schema /response/body/20001/name: maximum string length is 5"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tk := talk{"GET /things", "", 200, "[" + tt.first + rest + "," + tt.last + "]", header(total, "3")}
			if diff := cmp.Diff(tt.want, findingLines(j.Exchange(tk.item()))); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestADisputeCarriesBothVerdicts(t *testing.T) {
	t.Parallel()
	r := probe(t).Exchange(talk{"GET /things/7", "", 200, `{"name":"a","wait":"long"}`, nil}.item())
	want := []report.EngineVerdict{
		{Engine: "kin-openapi", Verdict: report.Pass},
		{Engine: "libopenapi-validator", Verdict: report.Fail, Message: "the value is not valid relative-json-pointer"},
	}
	if diff := cmp.Diff(want, r.Findings[0].Engines); diff != "" {
		t.Errorf("engines (-want +got):\n%s", diff)
	}
}

// The document that the judge is tested with is valid.
func TestProbeIsSound(t *testing.T) {
	t.Parallel()
	doc, err := openapi3.NewLoader().LoadFromFile("testdata/probe.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Error(err)
	}
}
