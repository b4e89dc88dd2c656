package world_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/world"
)

// fillCore adds a row of each kind to the core data and ingestion interfaces, and more than one chunk of records.
func fillCore(w *world.World) {
	c, now := &w.Core, w.Now()
	c.Databases.Put(1, world.Database{ID: 1, Name: "shop", Owner: 1, CreatedAt: now, UpdatedAt: now})
	c.DatabaseNames.Put("shop", 1)
	c.Databases.Put(2, world.Database{ID: 2, Name: "shop", Owner: 1, CreatedAt: now, UpdatedAt: now, DeletedAt: now})
	days, words := 30, "What was bought."
	c.Tables.Put(1, world.Table{
		ID: 1, Database: 1, Name: "orders", Schema: []world.Column{{Name: "id", Type: "string", Alias: "order"}},
		ExpireDays: &days, Description: &words, IdempotentKey: "once", CreatedAt: now, UpdatedAt: now,
		Distribution: &world.Distribution{
			Buckets: 4, Function: "hash", Columns: []world.DistributionColumn{{Key: "id", Type: "string", Name: "id"}},
		},
	})
	c.TableNames.Put(world.TableName{Database: 1, Name: "orders"}, 1)
	c.Tables.Put(2, world.Table{ID: 2, Database: 2, Name: "orders", CreatedAt: now, UpdatedAt: now, DeletedAt: now})
	c.Tables.Put(3, world.Table{ID: 3, Database: 1, Name: "orders", CreatedAt: now, UpdatedAt: now, DeletedAt: now})
	for _, table := range []int64{1, 2} {
		t, _ := c.Tables.Get(table)
		for i := range 300 {
			t = c.Store(t, world.Record{Time: now.Unix() + int64(i), Values: fmt.Sprintf(`{"id":"%d"}`, i)})
		}
	}
	for _, key := range []string{"b", "a"} {
		c.Transfers.Put(world.TransferKey{Database: 1, Table: "sold", Key: key}, world.Transfer{Database: "theirs", Table: key})
	}
	fillJobs(w)
	fillBulk(w)
	c.Connections.Put(1, world.Connection{ID: 1, Name: "warehouse", URL: "https://me:secret@warehouse.example/"})
	c.ConnectionNames.Put("warehouse", 1)
	c.Restrictions = map[string]map[string]bool{"s3": {"import": true, "export": false}}
	for i := range 1001 {
		w.Ingestion.Fail(world.IngestionFailure{At: now.Add(time.Duration(i)), Database: "shop", Table: "none", Reason: "?"})
	}
	w.Reserve("core.database", 2)
	w.Reserve("core.table", 3)
	w.Reserve("core.job", 6)
	w.Reserve("core.schedule", 2)
	w.Reserve("core.connection", 1)
}

var output = &world.Output{Columns: [][2]string{{"n", "bigint"}}, Rows: []byte{0x91, 1, 0x91, 0xc0}, Count: 2, Size: 24}

func fillJobs(w *world.World) {
	c, now := &w.Core, w.Now()
	c.JobTime = world.JobTime{Queued: time.Second, Running: time.Minute}
	ago, later := now.Add(-time.Hour), now.Add(time.Hour)
	j := world.Job{Type: "trino", Database: "shop", Query: "SELECT 1", User: 1, CreatedAt: ago, UpdatedAt: now}
	for i, status := range []world.JobStatus{
		world.JobQueued, world.JobRunning, world.JobSuccess, world.JobError, world.JobKilled, world.JobKilled,
	} {
		j := j
		if j.ID, j.Status = int64(i+1), status; status.Finished() {
			j.EndAt = now
		} else {
			j.StepAt = later
			w.Plan(world.Event{At: later, Kind: world.JobEvent, ID: j.ID})
		}
		if i > 0 && i < 5 {
			j.StartAt = ago
		}
		c.Jobs.Put(j.ID, j)
	}
	success, _ := c.Jobs.Get(3)
	success.Output, success.DomainKey, success.LinkedExport = output, "once", 2
	c.Jobs.Put(3, success)
	c.JobKeys.Put("once", 3)
	export, _ := c.Jobs.Get(2)
	export.ExportTarget = 3
	export.Answer = &world.QueuedResult{DomainKey: "later", Error: "not allowed"}
	c.Jobs.Put(2, export)
	span := time.Minute
	c.Results = []world.QueuedResult{
		{Query: "SELECT 1", Output: output, Running: &span, Times: 1}, {Pattern: "(?i)^drop", Error: "not allowed"},
	}
	daily := world.JobSchedule{
		ID: 1, Name: "daily", Cron: "0 7 * * *", Timezone: "Asia/Tokyo", Delay: 60, Database: "shop", Type: "trino",
		Query: "SELECT 1", User: 1, CreatedAt: ago, Slot: later, PlannedAt: later.Add(time.Minute),
	}
	c.Schedules.Put(1, daily)
	w.Plan(world.Event{At: daily.PlannedAt, Kind: world.JobScheduleEvent, ID: 1})
	c.Schedules.Put(2, world.JobSchedule{ID: 2, Name: "never", Timezone: "UTC", Type: "hive", User: 1, CreatedAt: ago})
	c.ScheduleNames.Put("daily", 1)
	c.ScheduleNames.Put("never", 2)
}

func TestDumpOfCore(t *testing.T) {
	t.Parallel()
	w := full(t)
	loaded, err := world.Load([]byte(dumpOf(t, w)), clock.Frozen)
	if err != nil {
		t.Fatal(err)
	}
	got, want := &loaded.Core, &w.Core
	t.Run("every row comes back", func(t *testing.T) {
		t.Parallel()
		for name, pair := range map[string][2]any{
			"databases":    {maps.Collect(want.Databases.All()), maps.Collect(got.Databases.All())},
			"tables":       {maps.Collect(want.Tables.All()), maps.Collect(got.Tables.All())},
			"jobs":         {maps.Collect(want.Jobs.All()), maps.Collect(got.Jobs.All())},
			"job time":     {want.JobTime, got.JobTime},
			"results":      {want.Results, got.Results},
			"schedules":    {maps.Collect(want.Schedules.All()), maps.Collect(got.Schedules.All())},
			"connections":  {maps.Collect(want.Connections.All()), maps.Collect(got.Connections.All())},
			"restrictions": {want.Restrictions, got.Restrictions},
			"failures":     {maps.Collect(w.Ingestion.Failures.All()), maps.Collect(loaded.Ingestion.Failures.All())},
			"failed":       {w.Ingestion.Failed, loaded.Ingestion.Failed},
		} {
			if d := cmp.Diff(pair[0], pair[1], cmpopts.EquateEmpty()); d != "" {
				t.Errorf("%s (-want +got)\n%s", name, d)
			}
		}
	})
	t.Run("indexes are found again", func(t *testing.T) {
		t.Parallel()
		for name, pair := range map[string][2]any{
			"databases":   {maps.Collect(want.DatabaseNames.All()), maps.Collect(got.DatabaseNames.All())},
			"tables":      {maps.Collect(want.TableNames.All()), maps.Collect(got.TableNames.All())},
			"transfers":   {maps.Collect(want.Transfers.All()), maps.Collect(got.Transfers.All())},
			"domain keys": {maps.Collect(want.JobKeys.All()), maps.Collect(got.JobKeys.All())},
			"schedules":   {maps.Collect(want.ScheduleNames.All()), maps.Collect(got.ScheduleNames.All())},
			"connections": {maps.Collect(want.ConnectionNames.All()), maps.Collect(got.ConnectionNames.All())},
		} {
			if d := cmp.Diff(pair[0], pair[1]); d != "" {
				t.Errorf("%s (-want +got)\n%s", name, d)
			}
		}
	})
	t.Run("records come back in order, and are counted", func(t *testing.T) {
		t.Parallel()
		for id, records := range want.Records.All() {
			again, _ := got.Records.Get(id)
			if d := cmp.Diff(slices.Collect(records.All()), slices.Collect(again.All())); d != "" {
				t.Errorf("table %d (-want +got)\n%s", id, d)
			}
		}
		if got.Records.Len() != want.Records.Len() || got.RecordBytes != want.RecordBytes {
			t.Errorf("%d tables with %d bytes, want %d with %d", got.Records.Len(), got.RecordBytes, want.Records.Len(),
				want.RecordBytes)
		}
	})
	t.Run("the limit of records is no part of it", func(t *testing.T) {
		t.Parallel()
		limited := *w
		limited.Core.RecordLimit = 1
		if d := cmp.Diff(dumpOf(t, w), dumpOf(t, &limited)); d != "" {
			t.Errorf("(-without +with)\n%s", d)
		}
	})
}

func TestLoadRefusesRowsOfCoreThatCannotBe(t *testing.T) {
	t.Parallel()
	dump := dumpOf(t, full(t))
	at := func(steps ...any) []any { return append([]any{"core"}, steps...) }
	const never = "0001-01-01T00:00:00Z"
	packed := func(b ...byte) string { return base64.StdEncoding.EncodeToString(b) }
	for name, test := range map[string]struct {
		value any
		path  []any
		words []string
	}{
		"a database that comes twice":   {2, at("databases", 0, "id"), []string{"core.database 2", "twice"}},
		"a database's name":             {"A", at("databases", 0, "name"), []string{"database 1", `"A"`}},
		"a database of nobody":          {9, at("databases", 0, "owner"), []string{"database 1", "user 9"}},
		"a database's name in use":      {never, at("databases", 1, "deletedAt"), []string{"database 2", "database 1", "shop"}},
		"a table's name that is taken":  {never, at("tables", 2, "deletedAt"), []string{"table 3", "table 1", "orders"}},
		"a table of no database":        {9, at("tables", 0, "database"), []string{"table 1", "database 9"}},
		"a table in a deleted database": {2, at("tables", 0, "database"), []string{"table 1", "deletedAt"}},
		"a table's name":                {"a b", at("tables", 0, "name"), []string{"table 1", `"a b"`}},
		"a table's count":               {299, at("tables", 0, "count"), []string{"table 1", "300"}},
		"a table's negative count":      {-1, at("tables", 0, "count"), []string{"table 1", "count"}},
		"a table's expiry":              {-1, at("tables", 0, "expireDays"), []string{"table 1", "expireDays"}},
		"a column without a type":       {"", at("tables", 0, "schema", 0, "type"), []string{"table 1", "columns"}},
		"records of no table":           {9, at("records", 0, "table"), []string{"records of table 9"}},
		"records that come twice":       {2, at("records", 0, "table"), []string{"records of table 2"}},
		"a record that is no object":    {[]any{}, at("records", 0, "records", 7, "values"), []string{"record 8"}},
		"a record with a number":        {1, at("records", 0, "records", 0, "values", "id"), []string{"record 1", "texts"}},
		"a record without values":       {nil, at("records", 0, "records", 0, "values"), []string{"record 1", "texts"}},
		"a transfer that comes twice":   {"b", at("transfers", 0, "key"), []string{"transfer", "sold"}},
		"a job's answer":                {"", at("jobs", 1, "answer", "error"), []string{"job 2", "answer"}},
		"a schedule's cron text":        {"0 7 * *", at("schedules", 0, "cron"), []string{"job schedule 1", "cron"}},
		"a negative time of jobs":       {-1, at("jobTime", "running"), []string{"jobTime", "running"}},
		"a job without a type":          {"", at("jobs", 0, "type"), []string{"job 1", "type"}},
		"a job of nobody":               {9, at("jobs", 0, "user"), []string{"job 1", "user 9"}},
		"a job's status":                {"lost", at("jobs", 0, "status"), []string{"job 1", "lost", "queued"}},
		"a job that never goes on":      {never, at("jobs", 0, "stepAt"), []string{"job 1", "stepAt"}},
		"a job that is over but not":    {never, at("jobs", 2, "endAt"), []string{"job 3", "endAt"}},
		"a job that did not start":      {never, at("jobs", 3, "startAt"), []string{"job 4", "startAt"}},
		"an output of an error":         {"error", at("jobs", 2, "status"), []string{"job 3", "output"}},
		"an output that lacks a row":    {3, at("jobs", 2, "output", "count"), []string{"job 3", "rows"}},
		"an output with more rows":      {1, at("jobs", 2, "output", "count"), []string{"job 3", "rows"}},
		"an output of other columns": {
			packed(0x92, 1, 1, 0x91, 1), at("jobs", 2, "output", "rows"), []string{"job 3", "rows"},
		},
		"an output with a broken list": {
			packed(0x91, 0x92, 1, 0x91), at("jobs", 2, "output", "rows"), []string{"job 3", "rows"},
		},
		"an output with a broken object": {
			packed(0x91, 0x81, 1, 1, 0x91, 1), at("jobs", 2, "output", "rows"), []string{"job 3", "rows"},
		},
		"an output that is too deep": {
			packed(append(slices.Repeat([]byte{0x91}, 102), 1, 0x91, 1)...), at("jobs", 2, "output", "rows"),
			[]string{"job 3", "rows"},
		},
		"a domain key that comes twice": {"once", at("jobs", 4, "domainKey"), []string{"job 5", "job 3", "once"}},
		"an export of itself":           {2, at("jobs", 1, "exportTarget"), []string{"job 2", "exportTarget"}},
		"an export of no job":           {9, at("jobs", 1, "exportTarget"), []string{"job 2", "exportTarget"}},
		"a link to no export":           {1, at("jobs", 2, "linkedExport"), []string{"job 3", "linkedExport"}},
		"a result for no query":         {"", at("results", 0, "query"), []string{"result 1", "query"}},
		"a result's pattern":            {"(", at("results", 1, "pattern"), []string{"result 2", "RE2"}},
		"a result that is none":         {"", at("results", 1, "error"), []string{"result 2", "error"}},
		"a result's output":             {7, at("results", 0, "output", "count"), []string{"result 1", "rows"}},
		"a result's times":              {-1, at("results", 0, "times"), []string{"result 1", "times"}},
		"a result's length of time":     {-1, at("results", 0, "running"), []string{"result 1", "running"}},
		"a schedule without a name":     {"", at("schedules", 0, "name"), []string{"job schedule 1", "name"}},
		"a schedule's name":             {"never", at("schedules", 0, "name"), []string{"job schedule 2", "never"}},
		"a schedule of nobody":          {9, at("schedules", 0, "executingUser"), []string{"job schedule 1", "user"}},
		"a schedule's timezone":         {"Mars", at("schedules", 0, "timezone"), []string{"job schedule 1", "Mars"}},
		"a schedule without a plan":     {never, at("schedules", 0, "plannedAt"), []string{"job schedule 1", "plannedAt"}},
		"a schedule without cron":       {"", at("schedules", 0, "cron"), []string{"job schedule 1", "cron"}},
		"a connection without a url":    {"", at("connections", 0, "url"), []string{"connection 1", "url"}},
		"too few failures":              {1, []any{"ingestion", "failed"}, []string{"ingestion", "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := world.Load([]byte(edit(t, dump, test.value, test.path...)), clock.Frozen)
			if err == nil {
				t.Fatal("no error")
			}
			for _, word := range test.words {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("error %q, want %q in it", err, word)
				}
			}
		})
	}
}
