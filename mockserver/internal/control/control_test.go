package control_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/specs"
)

// controlProbes are calls that each operation of the control interface grants or refuses: "path status body".
var controlProbes = map[string][]string{
	"getHealth":   {"/health 200"},
	"getLiveness": {"/livez 200"}, "getReadiness": {"/readyz 200"},
	"getMetrics": {"/metrics 200"}, "getVersion": {"/version 200"}, "listScenarios": {"/scenarios 200"},
	"getWorld": {"/worlds/own 200", "/worlds/default 200", "/worlds/none 404"},
	"listEvents": {
		"/worlds/own/events 200", "/worlds/none/events 404", "/events?limit=1 200", "/events?limit=0 400",
		"/events?limit=x 400",
	},
	"listWorlds": {"/worlds 200"},
	"createWorld": {
		"/worlds 201", `/worlds 201 {"id":"a","seed":7,"clock":"auto"}`,
		`/worlds 201 {"fork":"default","mintKeys":true}`, `/worlds 409 {"id":"default"}`, `/worlds 400 {"scenario":"none"}`,
		`/worlds 400 {"fork":"none"}`, `/worlds 400 {"scenario":"empty","fork":"default"}`, `/worlds 400 {"clock":"fast"}`,
		`/worlds 400 {"id":"a/b"}`, `/worlds 400 {"seed":-1}`,
	},
	"deleteWorld":       {"/worlds/own 204", "/worlds/own 404", "/worlds/default 409"},
	"resetWorld":        {"/worlds/own/reset 200", "/worlds/none/reset 404", "/reset 200"},
	"listCheckpoints":   {"/worlds/own/checkpoints 200", "/worlds/none/checkpoints 404"},
	"putCheckpoint":     {"/worlds/own/checkpoints/a 200", "/worlds/none/checkpoints/a 404"},
	"deleteCheckpoint":  {"/worlds/own/checkpoints/seeded 204", "/worlds/own/checkpoints/none 404"},
	"restoreCheckpoint": {"/worlds/own/checkpoints/seeded/restore 200", "/worlds/own/checkpoints/none/restore 404"},
	"getState":          {"/worlds/own/state 200", "/worlds/none/state 404"},
	"putState": {
		`/worlds/own/state 200 {"workflow":{}}`, `/worlds/own/state 400 {"nothing":1}`,
		"/worlds/own/state 400", `/worlds/none/state 404 {}`,
	},
	"getClock": {"/worlds/own/clock 200", "/worlds/none/clock 404", "/clock 200"},
	"moveClock": {
		`/worlds/own/clock 200 {"advance":"90s"}`, `/worlds/own/clock 200 {"untilIdle":true}`,
		`/worlds/own/clock 200 {"mode":"auto"}`, `/worlds/own/clock 200 {"mode":"frozen","now":"2027-01-01T00:00:00Z"}`,
		`/worlds/own/clock 400 {"mode":"frozen","now":"2000-01-01T00:00:00Z"}`, `/worlds/own/clock 400 {"advance":"-1s"}`,
		`/worlds/own/clock 400 {"advance":"soon"}`, `/worlds/own/clock 400 {"untilIdle":false}`, `/worlds/own/clock 400 {}`,
		`/worlds/own/clock 400 {"advance":"1s","untilIdle":true}`, `/worlds/own/clock 400 {"now":"2027-01-01T00:00:00Z"}`,
		`/worlds/none/clock 404 {"advance":"1s"}`,
	},
	"getJournal":   {"/worlds/own/journal 200", "/worlds/none/journal 404", "/journal 200"},
	"clearJournal": {"/worlds/own/journal 204", "/worlds/none/journal 404", "/journal 204"},
	"getJournalHAR": {
		"/worlds/own/journal.har?operation=workflow.listPools 200", "/worlds/none/journal.har 404",
		"/journal.har 200",
	},
	"getJournalNDJSON": {
		"/worlds/own/journal.ndjson 200", "/worlds/none/journal.ndjson 404",
		"/journal.ndjson?operation=workflow.listPools 200",
	},
	"getJournalCounts": {
		"/worlds/own/journal/counts 200", "/worlds/none/journal/counts 404",
		"/journal/counts?operation=workflow.listPools 200",
	},
	"countCalls": {
		"/worlds/own/journal/counts 200", "/journal/counts 200 {}", "/worlds/none/journal/counts 404 {}",
		`/worlds/own/journal/counts 200 {"operation":"core.issueJob","method":"POST","path":"/job/issue/*/*","caller":"1/admin","request":{"query":{"a":"b"},"headers":{"a":"b"},"body":{"query":"x"}}}`, `/worlds/own/journal/counts 400 {"operation":"core.isueJob"}`, `/worlds/own/journal/counts 400 {"operations":"core.issueJob"}`, `/worlds/own/journal/counts 400 {"request":{"bodi":1}}`, `/worlds/own/journal/counts 400 {"interface":"cor"}`, `/worlds/own/journal/counts 400 {"count":1}`,
	},
	"waitForCalls": {
		`/worlds/own/journal/wait 408 {"operation":"core.issueJob","timeout":"0s"}`,
		`/journal/wait 408 {"timeout":"1ms","count":3,"after":7}`, `/worlds/none/journal/wait 404 {}`,
		`/worlds/own/journal/wait 400 {"operation":"core.isueJob"}`, `/worlds/own/journal/wait 400 {"count":0}`,
		`/worlds/own/journal/wait 400 {"timeout":"soon"}`, `/worlds/own/journal/wait 400 {"timeout":"11m"}`,
		`/worlds/own/journal/wait 400 {"after":-1}`, `/worlds/own/journal/wait 400`,
	},
	"streamJournal": { // what it grants does not end; see TestStream
		"/worlds/none/journal/stream 404", "/worlds/own/journal/stream?after=-1 400",
		"/worlds/own/journal/stream?operation=core.none 400", "/journal/stream?after=x 400",
	},
	"getJournalRows": {
		"/worlds/own/journal/rows 200", "/worlds/none/journal/rows 404", "/journal/rows?limit=1&from=-1&order=desc 200",
		"/journal/rows?operation=core.*&operation=unknown&interface=core&status=404&status=4xx&status=none 200",
		"/journal/rows?text=a&fault=true&resource=workflow.pool/1 200", "/journal/rows?operation=core.isueJob 400",
		"/journal/rows?status=x 400", "/journal/rows?limit=0 400", "/journal/rows?from=x 400",
		"/journal/rows?resource=pool 400", "/journal/rows?text= 400",
	},
	"getExchange": { // what it grants needs an exchange; see TestExchange
		"/worlds/own/journal/1 404", "/worlds/none/journal/1 404", "/journal/1 404", "/journal/x 400", "/journal/0 400",
	},
	"tickJournal":    {"/worlds/none/journal/ticks 404"}, // what it grants does not end; see TestTicks
	"listJobResults": {"/worlds/own/jobs/results 200", "/worlds/none/jobs/results 404", "/jobs/results 200"},
	"queueJobResult": {
		`/worlds/own/jobs/results 201 {"query":"a"}`,
		`/worlds/own/jobs/results 201 {"pattern":"a|b","columns":[["a","bigint"],["b","varchar"]],"rows":[[1,null],[2,"b"]],"queued":"1s","running":"1m30s","times":2}`, `/worlds/own/jobs/results 201 {"domainKey":"a","error":"no"}`, `/worlds/own/jobs/results 400 {}`, `/worlds/own/jobs/results 400 {"query":"a","pattern":"b"}`, `/worlds/own/jobs/results 400 {"pattern":"("}`, `/worlds/own/jobs/results 400 {"query":"a","rows":[[1]]}`, `/worlds/own/jobs/results 400 {"query":"a","columns":[["a"]]}`, `/worlds/own/jobs/results 400 {"query":"a","rows":[],"error":"no"}`, `/worlds/own/jobs/results 400 {"query":"a","running":"soon"}`, `/worlds/own/jobs/results 400 {"query":"a","queued":"99999999999h"}`, `/worlds/own/jobs/results 400 {"query":"a","times":0}`, `/worlds/own/jobs/results 400 {"query":"a","row":[]}`, "/worlds/own/jobs/results 400", `/worlds/none/jobs/results 404 {"query":"a"}`, `/jobs/results 201 {"query":"a"}`, `/jobs/results 400 {}`,
	},
	"clearJobResults": {"/worlds/own/jobs/results 204", "/worlds/none/jobs/results 404", "/jobs/results 204"},
	"listTurns":       {"/worlds/own/chats/turns 200", "/worlds/none/chats/turns 404", "/chats/turns 200"},
	"queueTurn": {
		`/worlds/own/chats/turns 201 {"events":[{"content":"Good morning!"}]}`,
		`/worlds/own/chats/turns 201 {"agent":"Shop helper","input":"(?i)hello","events":[{"reasoning":"A greeting."},{"tool":{"functionName":"query"}},{"output":{"name":"report","content":"# Hi"}},{"artifact":{"artifactType":"REACT_OUTPUT","textContent":"<p/>"}},{"error":{"message":"no"}}],"times":2}`, `/worlds/own/chats/turns 201 {"status":429,"message":"wait"}`, `/worlds/own/chats/turns 400 {}`, `/worlds/own/chats/turns 400 {"status":500}`, `/worlds/own/chats/turns 400 {"status":429,"events":[{"content":"a"}]}`, `/worlds/own/chats/turns 400 {"input":"(","status":429}`, `/worlds/own/chats/turns 400 {"events":[{"content":"a","reasoning":"b"}]}`, `/worlds/own/chats/turns 400 {"events":[{"said":"a"}]}`, `/worlds/own/chats/turns 400 {"events":[{"error":{"message":"no"}},{"content":"a"}]}`, `/worlds/own/chats/turns 400 {"events":[{"content":"a"}],"message":"wait"}`, `/worlds/own/chats/turns 400 {"events":[{"content":"a"}],"times":0}`, "/worlds/own/chats/turns 400", `/worlds/none/chats/turns 404 {"status":429}`, `/chats/turns 201 {"status":404}`, `/chats/turns 400 {}`,
	},
	"clearTurns":   {"/worlds/own/chats/turns 204", "/worlds/none/chats/turns 404", "/chats/turns 204"},
	"listOutcomes": {"/worlds/own/attempts/outcomes 200", "/worlds/none/attempts/outcomes 404", "/attempts/outcomes 200"},
	"queueOutcome": {
		`/worlds/own/attempts/outcomes 201 {"error":"no"}`, `/worlds/own/attempts/outcomes 201 {"task":"+load","takes":"30s","error":"no","times":1,"nth":2}`, `/worlds/own/attempts/outcomes 201 {"project":"to come","later":true}`, `/worlds/own/attempts/outcomes 400 {"project":"none"}`, `/worlds/own/attempts/outcomes 400 {"workflow":"none"}`, `/worlds/own/attempts/outcomes 400 {"takes":"soon"}`, `/worlds/own/attempts/outcomes 400 {"times":0}`, `/worlds/own/attempts/outcomes 400 {"tasks":"a"}`, "/worlds/own/attempts/outcomes 400", `/worlds/none/attempts/outcomes 404 {}`, `/attempts/outcomes 201 {}`,
	},
	"clearOutcomes": {"/worlds/own/attempts/outcomes 204", "/worlds/none/attempts/outcomes 404", "/attempts/outcomes 204"},
	"listFaults":    {"/worlds/own/faults 200", "/worlds/none/faults 404", "/faults 200"},
	"planFault": {
		`/worlds/own/faults 201 {"status":503}`,
		`/worlds/own/faults 201 {"id":"a","operation":"core.issueJob","request":{"body":{"query":"q"}},"first":1,"status":503,"retryAfter":"1s","effect":"once"}`, `/worlds/own/faults 409 {"id":"a","status":503}`, `/worlds/own/faults 201 {"interface":"llm","delay":{"median":"90ms","sigma":0.4,"max":"2s"},"probability":0.5}`, `/worlds/own/faults 201 {"delay":"1ms","network":"truncated","at":3,"bytesPerSecond":7,"after":"10m","every":2}`, `/worlds/own/faults 201 {"status":418,"headers":{"X-A":"b"},"body":{"a":[1]},"network":"wrongLength","bytes":2}`, `/worlds/own/faults 400 {}`, `/worlds/own/faults 400 {"status":99}`, `/worlds/own/faults 400 {"stats":503}`, `/worlds/own/faults 400 {"status":503,"nth":1,"first":2}`, `/worlds/own/faults 400 {"status":503,"operation":"core.isueJob"}`, `/worlds/own/faults 400 {"status":503,"after":"soon"}`, `/worlds/own/faults 400 {"delay":"soon"}`, `/worlds/own/faults 400 {"delay":{"mean":"1s"}}`, `/worlds/own/faults 400 {"network":"gone"}`, `/worlds/own/faults 400 {"effect":"none"}`, `/worlds/own/faults 400 {"status":503,"calls":1}`, "/worlds/own/faults 400", `/worlds/none/faults 404 {"status":503}`, `/faults 201 {"status":503}`,
	},
	"clearFaults": {"/worlds/own/faults 204", "/worlds/none/faults 404", "/faults 204"},
	"removeFault": {"/worlds/own/faults/none 404", "/worlds/none/faults/a 404", "/faults/none 404"},
	"listStubs":   {"/worlds/own/stubs 200", "/worlds/none/stubs 404", "/stubs 200"},
	"planStub": {
		`/worlds/own/stubs 201 {}`, `/worlds/own/stubs 201 {"operation":"workflow.getPool","path":"/api/pools/7","times":1,"status":404,"headers":{"X-A":"b"},"body":"gone"}`,
		`/worlds/own/stubs 400 {"operation":"core.isueJob"}`, `/worlds/own/stubs 400 {"times":0}`, `/worlds/own/stubs 400 {"nth":1}`, `/worlds/own/stubs 400 {"status":204,"body":"a"}`, `/worlds/own/stubs 400 {"headers":{"Content-Length":"1"}}`, "/worlds/own/stubs 400", `/worlds/none/stubs 404 {}`, `/stubs 201 {}`,
	},
	"clearStubs": {"/worlds/own/stubs 204", "/worlds/none/stubs 404", "/stubs 204"},
	"removeStub": {"/worlds/own/stubs/none 404", "/worlds/none/stubs/a 404", "/stubs/none 404"},
	"listIngestionFailures": {
		"/worlds/own/ingestion/failures 200", "/worlds/none/ingestion/failures 404",
		"/ingestion/failures 200",
	},
	"getSpec":     {"/specs/workflow.yaml 200", "/specs/control.yaml 200", "/specs/none.yaml 404"},
	"getCoverage": {"/coverage 200"},
}

func TestControl(t *testing.T) {
	t.Parallel()
	doc, err := specs.Load(specs.Control, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, operation := range doc.Operations {
		lines := controlProbes[operation.ID]
		if len(lines) == 0 {
			t.Errorf("no test calls control.%s", operation.ID)
		}
		t.Run(operation.ID, func(t *testing.T) {
			t.Parallel()
			s := mocktest.NewServer(t)
			mocktest.Call(t, s, "POST", "/_understudy/worlds", `{"id":"own","clock":"frozen"}`).Want(201)
			mocktest.Call(t, s, "PUT", "/_understudy/worlds/own/checkpoints/seeded", "").Want(200)
			for _, line := range lines {
				probeControl(t, s, operation.Method, line)
			}
		})
	}
	t.Run("the address of the control interface alone names no world", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t)
		mocktest.Call(t, s, "DELETE", "/_understudy", "").Want(404)
		mocktest.Call(t, s, "DELETE", "/_understudy/", "").Want(404)
	})
	t.Run("an unknown path tells the nearest", func(t *testing.T) {
		t.Parallel()
		a := mocktest.Call(t, mocktest.NewServer(t), "GET", "/_understudy/world", "").Want(404)
		if got := a.Header.Get("X-Understudy-Nearest"); got != "GET /_understudy/worlds" {
			t.Errorf("nearest is %s", got)
		}
	})
	t.Run("coverage adds up what all worlds were asked", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t)
		mocktest.Call(t, s, "GET", "/workflow/api/pools", "")
		fork := s.World("").Fork()
		mocktest.Call(t, s, "GET", "/workflow/api/pools", "", "X-Understudy-World", fork.ID())
		mocktest.Call(t, s, "GET", "/workflow/api/pools/99", "")
		got := mocktest.Decode[struct {
			Operations map[string]struct {
				Calls    int
				Statuses map[string]int
			}
			Covered, Documented int
		}](mocktest.Call(t, s, "GET", "/_understudy/coverage", "").Want(200))
		if got.Covered != 2 || got.Operations["workflow.listPools"].Calls != 2 ||
			got.Operations["workflow.getPool"].Statuses["404"] != 1 {
			t.Errorf("coverage %+v", got)
		}
		if got.Documented != len(got.Operations) || got.Documented != len(specs.Catalogue()) {
			t.Errorf("%d operations are listed, %d documented", len(got.Operations), got.Documented)
		}
	})
}

func probeControl(t *testing.T, s http.Handler, method, line string) {
	t.Helper()
	path, rest, _ := strings.Cut(line, " ")
	status, body, _ := strings.Cut(rest, " ")
	a := mocktest.Call(t, s, method, "/_understudy"+path, body)
	if got := strconv.Itoa(a.Status); got != status {
		t.Errorf("%s %s answers %s, want %s: %s", method, line, got, status, a.Body)
	}
	if a.Status >= 400 && !strings.Contains(a.Body, `{"error":{"message":"`) {
		t.Errorf("%s %s: not the error form: %s", method, line, a.Body)
	}
}
