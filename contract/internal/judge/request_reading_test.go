package judge_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

func formBody(text string) func(*record.Item) {
	return func(i *record.Item) {
		requestHeader("Content-Type", "application/x-www-form-urlencoded")(i)
		i.Request.Body = &recording.Body{Bytes: []byte(text)}
	}
}

// The members of a body may stand in a JSON text, in a form, in the query, and in several of them at once.
func TestMembers(t *testing.T) {
	t.Parallel()
	j := probe(t)
	tooMuch := func(at string) []string {
		return []string{"error schema /request/" + at + "/priority: number must be at most 2"}
	}
	for name, tt := range map[string]struct {
		query, json, form string
		status            int
		edit              func(*record.Item)
		want              []string
	}{
		"in JSON":                  {json: `{"query":"q","priority":2}`},
		"in a form":                {form: "query=q&priority=2&tags[]=a&tags[]=b&settings[a]=1"},
		"in a form, JSON in it":    {form: `query=q&settings={"a":1}&tags=["a"]`},
		"in the query":             {query: "?query=q&priority=2&tags[]=a&dry=true"},
		"in the query, nested":     {query: "?query=q&settings[a]=1"},
		"in the query and in JSON": {query: "?query=q", json: `{"priority":1}`},
		"in the query and a form":  {query: "?query=q", form: "priority=1"},
		"too much in JSON":         {json: `{"query":"q","priority":3}`, want: tooMuch("body")},
		"too much in a form":       {form: "query=q&priority=3", want: tooMuch("body")},
		"too much in the query":    {query: "?query=q&priority=3", want: tooMuch("query")},
		"the body comes before":    {query: "?priority=3", json: `{"query":"q","priority":1}`},
		"the body comes before, and is wrong": {
			query: "?priority=1", json: `{"query":"q","priority":3}`, want: tooMuch("body"),
		},
		"no number in a form": {
			form: "query=q&priority=high", want: []string{"error schema /request/body/priority: value must be an integer"},
		},
		"a part of an object in a form": {
			form: "query=q&settings[a]=x", want: []string{"error schema /request/body/settings/a: value must be an integer"},
		},
		"nothing required anywhere": {
			query: "?priority=1", json: `{}`, want: []string{`error schema /request/body/query: property "query" is missing`},
		},
		"nothing required anywhere, and refused": {
			json: `{"priority":1}`, status: 400,
			want: []string{`notice schema /request/body/query: property "query" is missing`},
		},
		"no body, which the recording may have left out": {
			query: "?priority=1",
			want: []string{
				"inconclusive schema /request/body: the recording does not contain the body, and the query lacks its required " +
					"members",
			},
		},
		"no member of either": {
			query: "?query=q&zzz=1",
			want:  []string{`warning undeclared-field /request/query/zzz: query parameter "zzz" is not documented`},
		},
		"an undeclared field in a form": {
			form: "query=q&zzz=1", want: []string{`notice undeclared-field /request/body/zzz: field "zzz" is not documented`},
		},
		"what was taken out is not judged": {
			query: "?query=q&secret=[redacted:0a1b2c3d]", edit: requestHeader("X-Second-Key", "[redacted:0a1b2c3d]"),
		},
		"what is too long was not taken out": {
			query: "?query=q&secret=geheim", want: []string{"error schema /request/query/secret: maximum string length is 4"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			talk := talk{line: "POST /jobs/hive" + tt.query, request: tt.json, status: 200, edit: tt.edit}
			if tt.form != "" {
				talk.edit = formBody(tt.form)
			}
			if tt.status != 0 {
				talk.status, talk.response = tt.status, `{"message":"no"}`
			}
			if diff := cmp.Diff(tt.want, findingLines(j.Exchange(talk.item()))); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// A value that was taken out must not vouch for one that is wrong.
func TestARedactedValueVouchesForNothing(t *testing.T) {
	t.Parallel()
	j := probe(t)
	hidden := talk{"POST /jobs/hive", `{"query":"q","secret":"[redacted:0a1b2c3d]"}`, 200, "", nil}
	if got := findingLines(j.Exchange(hidden.item())); got != nil {
		t.Errorf("findings %q", got)
	}
	plain := talk{"POST /jobs/hive", `{"query":"q","secret":"zzzzzzzzzzzzzzzzzzz"}`, 200, "", nil}
	want := []string{"error schema /request/body/secret: maximum string length is 4"}
	if diff := cmp.Diff(want, findingLines(j.Exchange(plain.item()))); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// Two parameters in one segment: both engines see each by itself.
func TestGluedParameters(t *testing.T) {
	t.Parallel()
	j := probe(t)
	mismatch := []string{`error schema /request/path/table: path parameter "table": string doesn't match the regular expression "^[a-z]+$"`}
	for path, want := range map[string][]string{
		"orders": nil, "orders.json": nil, "orders.msgpack": nil, "ord%65rs.json": nil,
		"orders.csv": mismatch, "Orders.json": mismatch, "Orders": mismatch,
	} {
		got := findingLines(j.Exchange(talk{"GET /tail/" + path, "", 200, "", nil}.item()))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	j := probe(t)
	json := []string{"Content-Type", "application/json"}
	for name, tt := range map[string]struct {
		status  int
		body    string
		want    []string
		verdict report.Verdict
	}{
		"one value a line": {200, "[1,\"a\"]\n[2,null]\n", nil, report.Pass},
		"one line":         {200, "[1]", nil, report.Pass},
		"none":             {200, "\n", nil, report.Pass},
		"nothing at all":   {200, "", nil, report.Pass},
		"a line that is none": {200, "[1]\n[2\n", []string{"inconclusive schema /response/body: line 2 of the body is not " +
			"JSON: the text ends too early at byte 3"}, report.Inconclusive},
		"a span, cut anywhere": {206, "\"a\"]\n[2", nil, report.Skipped},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := j.Exchange(talk{"GET /result", "", tt.status, "", answer([]byte(tt.body), json...)}.item())
			if diff := cmp.Diff(tt.want, findingLines(r)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			last := report.Verdict("")
			for _, c := range r.Checks {
				if c.Rule == judge.Schema {
					last = c.Verdict
				}
			}
			if last != tt.verdict {
				t.Errorf("the body is judged %s, want %s", last, tt.verdict)
			}
		})
	}
}

// Where any media type will do, a body is what its text looks like, whatever it is called.
func TestAnyMediaType(t *testing.T) {
	t.Parallel()
	j := probe(t)
	for _, tt := range []struct{ kind, body, want string }{
		{"application/json", `{"again":true}`, ""},
		{"text/plain", `{"again":true}`, ""},
		{"text/plain", `{"again":1}`, "error schema /request/body/again: value must be a boolean"},
		{"application/octet-stream", `{"again":true}`, ""},
		{"text/plain", "again", "inconclusive schema /request/body: the body is not JSON: a syntax error at byte 0"},
	} {
		item := talk{"POST /things/7:activate", "", 200, `{"active":true}`, requestHeader("Content-Type", tt.kind)}.item()
		item.Request.Body = &recording.Body{Bytes: []byte(tt.body)}
		if got := strings.Join(findingLines(j.Exchange(item)), "\n"); got != tt.want {
			t.Errorf("%s as %s (-want +got):\n%s", tt.body, tt.kind, cmp.Diff(tt.want, got))
		}
	}
}

// Whatever stands in query and body, judging it ends, and ends alike.
func FuzzMembers(f *testing.F) {
	for _, seed := range [][2]string{
		{"query=q&priority=3", ""},
		{"settings[a]=1&settings[a][b]=2", "query=q&tags[]=a"},
		{"%zz", "a[=1&[b]=2&c]]["},
		{"query=", "priority=NaN&settings=" + `{"a":1e999}`},
	} {
		f.Add(seed[0], seed[1])
	}
	j, again := probe(f), probe(f)
	f.Fuzz(func(t *testing.T, query, form string) {
		if strings.ContainsAny(query, "# \x00\n") {
			return
		}
		talk := talk{"POST /jobs/hive?" + query, "", 200, "", formBody(form)}
		if diff := cmp.Diff(findingLines(j.Exchange(talk.item())), findingLines(again.Exchange(talk.item()))); diff != "" {
			t.Errorf("%q and %q are judged differently (-once +again):\n%s", query, form, diff)
		}
	})
}
