package core_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/core"
	"svc.example/understudy/mockserver/internal/core/access"
	"svc.example/understudy/mockserver/internal/world"
)

func TestSeedTables(t *testing.T) {
	t.Parallel()
	c := mocktest.New(t, "core").Load(`
core:
  databases:
  - name: shop
    owner: analyst@shop.example
    deleteProtected: true
    createdAt: now-3d
    tables:
    - name: orders
      schema: [[id, long, number, Never changes], [total, double]]
      description: What was bought.
      expireDays: 30
      detectSchema: false
      deleteProtected: true
      distribution: {buckets: 4, function: hash, columns: [{key: id, type: long, name: id}]}
      records:
      - {time: now-2h, id: 1, total: 12.50}
      - {time: now-1h, id: 2, note: none}
    - {name: views, createdAt: now-2d, count: 1000000}
    - {name: views, createdAt: now-3d, deletedAt: now-2d, records: [{time: now-1d, late: yes}, {time: now+1d}]}
  - name: gone
    createdAt: now-3d
    deletedAt: now-1d
    tables:
    - {name: kept, records: [{time: now-2d, id: 1}]}
    - {name: earlier, deletedAt: now-2d}
  - name: gone
    createdAt: now-1h
`)
	t.Run("a database is its owner's, and as old as the fixture says", func(t *testing.T) {
		t.Parallel()
		c.As("1/analyst").Get("/database/show/shop").Want(http.StatusForbidden) // an owner as such has no rights
		got := c.Get("/database/show/shop").Want(http.StatusOK).Object()
		want := map[string]any{"created_at": "2026-01-12 09:30:00 UTC", "delete_protected": true, "count": 1000002.0}
		if d := cmp.Diff(want, pick(got, want)); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
		c.Post("/database/delete/shop", "").Refused(http.StatusForbidden, "protected")
	})
	t.Run("a table has the options of the fixture", func(t *testing.T) {
		t.Parallel()
		got := c.Get("/table/show/shop/orders?include_descriptions=true").Want(http.StatusOK).Object()
		want := map[string]any{
			"schema": `[["id","long","number","Never changes"],["total","double","total",""]]`, "expire_days": 30.0,
			"description": "What was bought.", "delete_protected": true, "count": 2.0,
			"last_log_timestamp": "2026-01-15T08:30:00Z", "counter_updated_at": "2026-01-15T08:30:00Z",
		}
		if d := cmp.Diff(want, pick(got, want)); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
		distribution := c.Get("/table/distribution/shop/orders").Want(http.StatusOK).Object()
		if distribution["bucket_count"] != 4.0 {
			t.Errorf("distribution %v", distribution)
		}
	})
	t.Run("records are texts, and counted", func(t *testing.T) {
		t.Parallel()
		var tail []map[string]any
		c.Get("/table/tail/shop/orders?count=9").Want(http.StatusOK).Into(&tail)
		want := []map[string]any{
			{"id": "1", "total": "12.50", "time": float64(mocktest.Now.Add(-2 * time.Hour).Unix())},
			{"id": "2", "note": "none", "time": float64(mocktest.Now.Add(-time.Hour).Unix())},
		}
		if d := cmp.Diff(want, tail); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
		if got := c.Get("/table/show/shop/views").Object()["count"]; got != 1e6 {
			t.Errorf("count %v, want what the fixture says", got)
		}
	})
	t.Run("what is deleted can be recovered, and leaves its name to others", func(t *testing.T) {
		t.Parallel()
		var page struct {
			Tables []struct {
				Name, DeletedAt string
				Database        string `json:"database_name"`
			}
		}
		c.Get("/table/deleted").Want(http.StatusOK).Into(&page)
		var names []string
		for _, table := range page.Tables {
			names = append(names, table.Database+"."+table.Name)
		}
		if d := cmp.Diff([]string{"shop.views", "gone.kept", "gone.earlier"}, names); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
	})
}

// pick returns the members of an object that another object has, too.
func pick(object, members map[string]any) map[string]any {
	picked := map[string]any{}
	for name := range members {
		picked[name] = object[name]
	}
	return picked
}

const seedShop = `
core:
  databases: [{name: shop, tables: [{name: orders, records: [{id: 1}]}]}]
`

func TestSeedResults(t *testing.T) {
	t.Parallel()
	c := mocktest.New(t, "core").Load(seedShop + `
  results:
  - {query: SELECT 1, columns: [[n, bigint], [x, double], [t, varchar]], rows: [[1, 2.5, null]], running: 1h, times: 1}
  - {pattern: '(?i)^drop', error: not today}
  restrictions: {sftp: {import: false}}
`)
	ask := func(query string) string {
		issued := c.Post("/job/issue/trino/shop", `{"query": "`+query+`"}`).Want(http.StatusOK).Object()
		return issued["job_id"].(string)
	}
	first, again, drop := ask("SELECT 1"), ask("SELECT 1"), ask("DROP TABLE orders")
	c.Advance(time.Minute)
	for id, want := range map[string]string{first: "running", again: "success", drop: "error"} {
		if got := c.Get("/job/status/" + id).Object()["status"]; got != want {
			t.Errorf("job %s is %v, want %s", id, got, want)
		}
	}
	c.Advance(time.Hour)
	if got := c.Get("/job/result/" + first + "?format=json").Want(http.StatusOK).Body; got != "[1,2.5,null]\n" {
		t.Errorf("result %q", got)
	}
	if got := c.Get("/data_connector_restrictions").Want(http.StatusOK).Object(); got["sftp"] == nil {
		t.Errorf("restrictions %v", got)
	}
}

func TestSeedRefuses(t *testing.T) {
	t.Parallel()
	database := func(more string) string { return "core: {databases: [{name: shop, " + more + "}]}" }
	table := func(more string) string { return database("createdAt: now-1d, tables: [{name: one, " + more + "}]") }
	job := func(more string) string {
		return seedShop + "\n  jobs: [{type: trino, database: shop, query: SELECT 1, " + more + "}]"
	}
	schedule := func(more string) string {
		return seedShop + "\n  schedules: [{name: daily, database: shop, type: trino, query: SELECT 1, " + more + "}]"
	}
	const (
		inShop = "job 1 (trino, shop): "
		inOne  = "table one of database shop: "
		noShop = "database with name shop not found"
	)
	for name, test := range map[string]struct{ fixture, want string }{
		"a database to come":        {database("createdAt: now+1s"), "database shop: 2026-01-15T09:30:01Z is in the future"},
		"a deletion of what is not": {database("createdAt: now-1d, deletedAt: now-2d"), "database shop: " + noShop},
		"a table before its time":   {table("createdAt: now-2d"), inOne + noShop},
		"a column without a type": {
			table("schema: [[id, money]]"),
			inOne + `schema: column id has the unknown type "money"`,
		},
		"a protected table's end":   {table("deleteProtected: true, deletedAt: now"), "is protected from deletion"},
		"a job before its database": {job("status: success, createdAt: now-40d"), inShop + noShop},
		"a job's order of times": {
			job("status: success, createdAt: now-1h, startAt: now-2h"),
			inShop + "want createdAt,",
		},
		"a success to come": {
			job("status: success, endAt: now+1s"),
			inShop + "a finished job must have ended by now",
		},
		"a running job of the past": {job("status: running, createdAt: now-1h, endAt: now-1s"), "end later"},
		"a running job to come": {
			job("status: running, startAt: now+1s"),
			inShop + "a running job must have started by now",
		},
		"a queued job of the past": {job("status: queued, startAt: now-1s"), inShop + "a queued job must start later"},
		"a queued job to come":     {job("status: queued, createdAt: now+1s"), inShop + "createdAt is in the future"},
		"a target that is none":    {job("status: success, target: nowhere"), inShop + "result: want a URL"},
		"a schedule's cron text":   {schedule("cron: often"), "schedule daily: cron"},
		"a schedule's timezone":    {schedule("timezone: Mars"), "schedule daily: timezone: want the name of an IANA"},
		"a schedule after its jobs": {
			schedule("cron: '@daily', createdAt: now-1h, history: [{status: success}]"),
			"begins at",
		},
		"a schedule too old":         {schedule("cron: '0 0 1 1 *', createdAt: now-60d"), "schedule daily: " + noShop},
		"more slots than there were": {schedule("cron: '0 0 30 2 *', history: [{status: success}]"), "schedule daily: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := mocktest.New(t, "core").World().Load([]byte(mocktest.People + test.fixture))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestSeed_says_all_that_is_wrong_but_not_what_follows_from_it(t *testing.T) {
	t.Parallel()
	err := mocktest.New(t, "core").World().Load([]byte(mocktest.People + `
core:
  databases:
  - {name: shop, createdAt: now+1s, tables: [{name: orders, records: [{id: 1}]}]}
  - {name: lake, tables: [{name: views, schema: [[id, money]], records: [{id: 1}]}, {name: visits, schema: [[id, cash]]}]}
  schedules: [{name: daily, database: shop, type: trino, query: SELECT 1}]
  jobs:
  - {type: trino, database: shop, query: SELECT 1, status: success}
  - {type: trino, database: lake, query: SELECT 1, status: success, endAt: now+1s}
`))
	want := []string{
		"databases[0].createdAt: ", "databases[1].tables[0].schema: ", "databases[1].tables[1].schema: ", "jobs[1]: ",
	}
	lines := strings.Split(fmt.Sprint(err), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d mistakes, want %d:\n%v", len(lines), len(want), err)
	}
	for i, line := range lines {
		if !strings.Contains(line, ": core."+want[i]) {
			t.Errorf("got %s, want it to be about %s", line, want[i])
		}
	}
}

func TestSeed_without_anybody_is_refused(t *testing.T) {
	t.Parallel()
	w := &world.State{Clock: clock.New(clock.Frozen, mocktest.Now)}
	err := core.Seed(w, fixtures.Core{Databases: []fixtures.Database{{Name: "shop"}}})
	if want := `database shop: user "" not found`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// BenchmarkSeed measures the cast of the scenario quickstart: a few hundred records, in less than five milliseconds.
func BenchmarkSeed(b *testing.B) {
	cast, err := fixtures.Load("shop")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		w := &world.State{Clock: clock.New(clock.Frozen, mocktest.Now)}
		if err := access.SeedAccount(w, cast.Account); err != nil {
			b.Fatal(err)
		}
		if err := core.Seed(w, cast.Core); err != nil {
			b.Fatal(err)
		}
	}
}
