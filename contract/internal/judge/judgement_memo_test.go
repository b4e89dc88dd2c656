package judge_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/internal/jsontree"
)

// What a judge remembers changes no verdict. The exchanges differ in one thing each, from one that has another verdict.
func TestWhatIsRememberedChangesNoVerdict(t *testing.T) {
	t.Parallel()
	const thing, numbered = `{"name":"a"}`, `{"name":"a","id":1}`
	json := []string{"Content-Type", "application/json"}
	zipped := compressed(t, "gzip", thing)
	headless := func(i *record.Item) { i.Response.Headers = nil }
	doubted := func(i *record.Item) { i.ResponseDoubt = "the recording has only the beginning of the body" }
	list := []talk{
		{"GET /things/7", "", 200, thing, nil},
		{"GET /things/x", "", 200, thing, nil},
		{"GET /things/7", "", 200, `{"name":1}`, nil},
		{"GET /things/7", "", 404, thing, nil},
		{"GET /things/7", "", 200, thing, headless},
		{"GET /things/7", "", 200, "", answer([]byte(thing), "Server", "s")},
		{"GET /things/7", "", 200, thing, doubted},
		{"GET /things/7", "", 200, "", answer([]byte(thing), "Content-Type", "text/html")},
		{"GET /things/7", "", 200, "", answer(zipped, append(json, "Content-Encoding", "gzip")...)},
		{"GET /things/7", "", 200, "", answer(zipped, json...)},
		{"GET /things/7", "", 200, "", answer([]byte("nul"), json...)},
		{"GET /things/7", "", 200, "", answer([]byte("nul"), append(json, "Content-Length", "3")...)},
		{"GET /things?limit=3", "", 200, `[]`, header(total, "1")},
		{"GET /things?limit=99", "", 200, `[]`, header(total, "1")},
		{"GET /things?limit=99", "", 400, `{"message":"no"}`, nil},
		{"GET /things?limit=3", "", 200, `[]`, func(i *record.Item) {
			header(total, "1")(i)
			requestHeader("X-Trace", "x")(i)
		}},
		{"POST /things", numbered, 201, numbered, nil},
		{"POST /things", `{}`, 400, `{"message":"no"}`, nil},
		{"POST /things", `{}`, 201, numbered, nil},
		{"POST /jobs/hive?query=q", "", 200, "", nil},
		{"POST /jobs/hive?query=q", `{}`, 200, "", nil},
		{"POST /jobs/hive", `{"query":"q"}`, 200, "", nil},
		{"POST /jobs/hive", "", 200, "", formBody("query=q")},
		{"POST /jobs/hive?priority=x", `{}`, 200, "", nil},
		{"POST /jobs/hive?priority=x", "", 200, "", nil},
		{"POST /jobs/hive", "", 200, "", formBody("priority=x")},
	}
	among := probe(t)
	for round := range 2 {
		for i, tk := range list {
			alone, again := probe(t).Exchange(tk.item()), among.Exchange(tk.item())
			want, got := append(findingLines(alone), fmt.Sprint(alone.Checks)),
				append(findingLines(again), fmt.Sprint(again.Checks))
			if diff := cmp.Diff(append(want, seenIn(alone)...), append(got, seenIn(again)...)); diff != "" {
				t.Errorf("round %d, %d: %s (-alone +among others):\n%s", round, i, tk.line, diff)
			}
			wantJSON := alone.JSONResponse(&jsontree.Tree{}).Raw()
			if gotJSON := again.JSONResponse(&jsontree.Tree{}).Raw(); gotJSON != wantJSON {
				t.Errorf("round %d, %d: %s is answered with %q among others, alone with %q", round, i, tk.line, gotJSON, wantJSON)
			}
		}
	}
}
