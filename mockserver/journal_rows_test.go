package mockserver_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

type journalRows struct {
	World           string
	Total, Matching int
	First, Last     int64
	From            int
	Dropped         struct{ Entries, Bytes int }
	Rows            []journalRow
}

type journalRow struct {
	Seq                         int64
	Start                       time.Time
	DurationMs                  float64
	Received                    time.Time
	TookMs                      float64
	Method, URL, Operation      string
	Status                      int
	Fault                       string
	Notes                       []string
	RequestBytes, ResponseBytes int
}

// rowsOf asks for rows.
func rowsOf(t *testing.T, s http.Handler, query string) journalRows {
	t.Helper()
	return mocktest.Decode[journalRows](mocktest.Call(t, s, "GET", "/_understudy/journal/rows?"+query, "").Want(200))
}

// numbers returns the numbers of the rows as one text.
func (r journalRows) numbers() string {
	var numbers []int64
	for _, row := range r.Rows {
		numbers = append(numbers, row.Seq)
	}
	return strings.Trim(fmt.Sprint(numbers), "[]")
}

// visited makes a server whose journal has nine exchanges.
func visited(t *testing.T) *mockserver.Server {
	t.Helper()
	s := mocktest.NewServer(t, mockserver.WithValidation(mockserver.Report))
	mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)
	mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"name":"Straße","concurrencyLimit":3}`).Want(201)
	mocktest.Call(t, s, "GET", "/workflow/api/pools/99", "").Want(404)
	mocktest.Call(t, s, "GET", "/workflow/api/nothing", "").Want(404) // 4
	mocktest.Call(t, s, "GET", "/workflow/api/pools", "", "X-Understudy-Inject", "status=503").Want(503)
	mocktest.Call(t, s, "GET", "/core/v3/database/list?token=planted-secret", "").Want(200)
	mocktest.Call(t, s, "GET", "/workflow/api/pools/2", "").Want(200)
	mocktest.Call(t, s, "POST", "/core/v3/database/create/etl_x", `{}`).Want(200) // 8
	mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"name":"nightly","concurrencyLimit":1}`, "Content-Type",
		"text/plain").Want(201)
	return s
}

func TestJournalRows(t *testing.T) {
	t.Parallel()
	s := visited(t)
	for _, test := range []struct {
		query, want string
		matching    int
	}{
		{"", "1 2 3 4 5 6 7 8 9", 9},
		{"limit=2", "1 2", 9},
		{"from=7", "8 9", 9},
		{"from=-2", "8 9", 9},
		{"from=-99&limit=1", "1", 9},
		{"from=99", "", 9},
		{"order=desc&limit=3", "9 8 7", 9},
		{"order=desc&from=-2", "2 1", 9},
		{"order=desc&from=1&limit=2&status=4xx", "3", 2},
		{"operation=workflow.getPool", "3 7", 2},
		{"operation=workflow.*Pool*&operation=unknown", "1 2 3 4 5 7 9", 7},
		{"operation=core.*", "6 8", 2},
		{"operation=unknown", "4", 1},
		{"interface=core", "6 8", 2},
		{"status=404", "3 4", 2},
		{"status=404&status=5xx", "3 4 5", 3},
		{"status=none", "", 0},
		{"fault=true", "5", 1},
		{"fault=false&status=5xx", "", 0},
		{"text=STRASSE", "", 0},
		{"text=stra%C3%9Fe", "2", 1},
		{"text=nothing", "4", 1},
		{"text=DOES+not+match", "9", 1},
		{"text=inject", "5", 1},
		{"text=ETL_X", "8", 1},
		{"interface=workflow&status=2xx&text=STRA", "2", 1},
	} {
		t.Run(test.query, func(t *testing.T) {
			t.Parallel()
			for range 2 { // once as found, and once as remembered
				got := rowsOf(t, s, test.query)
				if got.numbers() != test.want || got.Matching != test.matching || got.Total != 9 || got.Last != 9 {
					t.Errorf("rows %s, %d of %d match, want %s, %d", got.numbers(), got.Matching, got.Total, test.want, test.matching)
				}
			}
		})
	}
	t.Run("the time that an answer took includes a planned delay", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t)
		mocktest.Call(t, s, "GET", "/workflow/api/pools", "", "X-Understudy-Inject", "delay=30ms").Want(200)
		if took := rowsOf(t, s, "").Rows[0].TookMs; took < 30 {
			t.Errorf("the delayed answer took %v ms, want 30 and more", took)
		}
	})
	t.Run("a row has what a table shows", func(t *testing.T) {
		t.Parallel()
		rows := rowsOf(t, s, "").Rows
		start := rows[0].Start
		for i := range rows { // the clock of the world stands
			if row := &rows[i]; !row.Received.After(start.AddDate(0, 1, 0)) || row.TookMs <= 0 {
				t.Errorf("row %d was received at %s and took %v ms, want what the wall clock shows", row.Seq, row.Received,
					row.TookMs)
			}
			rows[i].Received, rows[i].TookMs = time.Time{}, 0
		}
		want := []journalRow{
			{
				Seq: 5, Start: start, Method: "GET", URL: "http://example.com/workflow/api/pools", Status: 503,
				Operation: "workflow.listPools", Fault: "inject; answer=injected; effect=none",
				ResponseBytes: rows[4].ResponseBytes,
			},
			{
				Seq: 6, Start: start, Method: "GET", URL: rows[5].URL, Operation: "core.listDatabases", Status: 200,
				ResponseBytes: rows[5].ResponseBytes,
			},
		}
		if diff := cmp.Diff(want, []journalRow{rows[4], rows[5]}); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		if !strings.Contains(rows[5].URL, "redacted") || strings.Contains(rows[5].URL, "planted") {
			t.Errorf("a secret is in %s", rows[5].URL)
		}
		if rows[1].RequestBytes == 0 || rows[1].ResponseBytes == 0 || len(rows[8].Notes) != 1 {
			t.Errorf("rows %+v, %+v", rows[1], rows[8])
		}
	})
	t.Run("a filter that fits nothing is explained", func(t *testing.T) {
		t.Parallel()
		for query, want := range map[string]string{
			"operation=core.isueJob":   "understudy operations lists all",
			"operation=nonsense":       `unknown operation \"nonsense\"`,
			"interface=cor":            `unknown interface \"cor\"`,
			"status=6xx":               "status",
			"resource=workflow.pond/1": "want workflow.pool",
			"resource=pool/1":          "resource",
			"resource=flow.pool/1":     `unknown interface \"flow\"`,
			"order=newest":             "order",
			"limit=1001":               "limit",
		} {
			if a := mocktest.Call(t, s, "GET", "/_understudy/journal/rows?"+query, "").Want(400); !strings.Contains(a.Body, want) {
				t.Errorf("%s: %s, want %s", query, a.Body, want)
			}
		}
	})
}

// What is remembered of a search follows the journal: what comes, what is dropped, and what is cleared.
func TestJournalRowsFollowTheJournal(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithJournalLimit(16<<10))
	want := func(numbers string, first, last int64) {
		t.Helper()
		got := rowsOf(t, s, "status=404&limit=3&order=desc")
		if got.numbers() != numbers || got.First != first || got.Last != last {
			t.Errorf("rows %s of %d to %d, want %s of %d to %d", got.numbers(), got.First, got.Last, numbers, first, last)
		}
	}
	want("", 1, 0)
	mocktest.Call(t, s, "GET", "/workflow/api/pools/99", "").Want(404)
	want("1", 1, 1)
	for range 40 {
		mocktest.Call(t, s, "GET", "/workflow/api/pools/99", "").Want(404)
	}
	extent := rowsOf(t, s, "")
	if extent.First == 1 || extent.Dropped.Entries != int(extent.First)-1 || extent.Total != 42-int(extent.First) {
		t.Errorf("the journal has %+v", extent)
	}
	want("41 40 39", extent.First, 41)
	if all := rowsOf(t, s, "status=404"); all.Matching != all.Total || all.Rows[0].Seq != all.First {
		t.Errorf("%d of %d match, from %d", all.Matching, all.Total, all.Rows[0].Seq)
	}
	mocktest.Call(t, s, "DELETE", "/_understudy/journal", "").Want(204)
	want("", 42, 41)
	mocktest.Call(t, s, "GET", "/workflow/api/pools/99", "").Want(404)
	want("42", 42, 42)
	for n := range 20 { // more searches than are remembered
		rowsOf(t, s, fmt.Sprintf("text=%d", n))
	}
	want("42", 42, 42)
}

// The exchanges about one thing are those that name it, refer to it, or show it.
func TestJournalRowsOfAResource(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t)
	mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200) // which lists 1 and 2
	mocktest.Call(t, s, "GET", "/workflow/api/pools/2", "").Want(200)
	mocktest.Call(t, s, "GET", "/workflow/api/pools/22", "").Want(404)
	mocktest.Call(t, s, "POST", "/workflow/api/pool_rules", // 4
		`{"poolId":"2","priority":7,"conditions":[{"type":"project_name","operator":"starts_with","values":["shop"]}]}`).
		Want(201)
	mocktest.Call(t, s, "POST", "/core/v3/database/create/mine", `{}`).Want(200)
	mocktest.Call(t, s, "POST", "/core/v3/table/create/mine/visits/log", `{}`).Want(200)
	mocktest.Call(t, s, "GET", "/core/v3/table/list/mine", "").Want(200)
	mocktest.Call(t, s, "GET", "/core/v3/table/show/mine/visits", "").Want(200) // 8
	mocktest.Call(t, s, "GET", "/core/v3/database/list", "").Want(200)
	project := mocktest.Decode[struct{ Data struct{ ID string } }](mocktest.Call(t, s, "POST", "/llm/api/projects",
		`{"data":{"type":"projects","attributes":{"name":"Own"}}}`, "Content-Type", "application/vnd.api+json")).Data.ID
	mocktest.Call(t, s, "GET", "/llm/api/projects/"+project, "").Want(200)
	mocktest.Call(t, s, "GET", "/llm/api/projects", "").Want(200) // 12
	for resource, want := range map[string]string{
		"workflow.pool/2":         "1 2 4",
		"workflow.pool/22":        "3",
		"workflow.pool/7":         "",
		"core.database/mine":      "5 6 7 8 9",
		"core.table/mine/visits":  "6 7 8",
		"core.table/other/visits": "",
		"llm.project/" + project:  "10 11 12",
	} {
		if got := rowsOf(t, s, "resource="+resource).numbers(); got != want {
			t.Errorf("%s: rows %s, want %s", resource, got, want)
		}
	}
	if got := rowsOf(t, s, "resource=workflow.pool/22&resource=core.table/mine/visits").numbers(); got != "3 6 7 8" {
		t.Errorf("rows %s of two things", got)
	}
}

// wallTimes matches what an exchange alone says of the wall clock.
var wallTimes = regexp.MustCompile(`"received":"[^"]+","tookMs":[0-9.e-]+,`)

func TestExchange(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithJournalLimit(16<<10))
	for range 3 {
		mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)
	}
	journal := mocktest.Call(t, s, "GET", "/_understudy/journal", "").Want(200).Body
	for number, neighbours := range map[int]string{
		1: `"before":null,"after":2}`, 2: `"before":1,"after":3}`, 3: `"before":2,"after":null}`,
	} {
		got := mocktest.Call(t, s, "GET", fmt.Sprint("/_understudy/journal/", number), "").Want(200).Body
		entry := jsontree.Find(journal, fmt.Sprint("entries.", number-1)).Raw()
		got = wallTimes.ReplaceAllString(got, "")
		if want := strings.TrimSuffix(entry, "}") + "," + neighbours; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	want := func(number, status int, message string) {
		t.Helper()
		a := mocktest.Call(t, s, "GET", fmt.Sprint("/_understudy/worlds/default/journal/", number), "").Want(status)
		if !strings.Contains(a.Body, message) {
			t.Errorf("exchange %d: %s, want %s", number, a.Body, message)
		}
	}
	want(4, 404, "exchange 4 has not been served in world default; the last one is 3")
	for range 40 {
		mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)
	}
	want(2, 404, "exchange 2 was dropped from the journal of world default, which has ")
	mocktest.Call(t, s, "DELETE", "/_understudy/journal", "").Want(204)
	want(43, 404, "exchange 43 is not in the journal of world default any more, which is empty; the last one was 43")
	want(0, 400, "seq")
}
