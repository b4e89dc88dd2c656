package core_test

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver/internal/core"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

func TestConnectionsAsTargets(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	s.world.Core.Connections.Put(7, world.Connection{ID: 7, Name: "warehouse", URL: "mysql://user:pass@host/db"})
	s.world.Core.ConnectionNames.Put("warehouse", 7)
	for body, want := range map[string]string{
		`{"query":"q","result_connection_id":7,"result_connection_settings":"{\"table\":\"t\"}"}`: "mysql://user:pass@host/db",
		`{"query":"q","result":"warehouse:t"}`:                                                    "warehouse:t",
	} {
		if job := s.run("/job/issue/trino/shop", body); job.ResultURL != want {
			t.Errorf("%s: %s, want %s", body, job.ResultURL, want)
		}
	}
}

func TestQueuedResults(t *testing.T) {
	t.Parallel()
	said := func(job world.Job) string {
		if job.Output == nil {
			return string(job.Status) + ": " + strings.TrimSpace(job.Stderr)
		}
		_, text, _ := strings.Cut(string(job.Output.Rows), "\xa5") // a msgpack text of 5 bytes
		return text
	}
	const path = "/job/issue/trino/shop"
	t.Run("the first that fits the text, the pattern or the domain key answers", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, fakeEngine{err: errors.New("the engine was asked")})
		s.queue([]world.QueuedResult{
			{DomainKey: "mine", Output: rowOf(t, "mine ")},
			{Query: "SELECT 1", Output: rowOf(t, "exact")},
			{Pattern: `(?i)^select \d$`, Output: rowOf(t, "digit")},
			{Pattern: "", Query: "SELECT 2", Output: rowOf(t, "never")},
			{Pattern: `FROM orders`, Error: "no such table"},
		})
		for body, want := range map[string]string{
			`{"query":"SELECT 1"}`:                     "exact",
			`{"query":"select 1"}`:                     "digit",
			`{"query":"SELECT 2"}`:                     "digit",
			`{"query":"SELECT 1","domain_key":"mine"}`: "mine ",
			`{"query":"SELECT * FROM orders LIMIT 1"}`: "error: no such table",
			`{"query":"SELECT 10"}`:                    "error: the engine was asked",
		} {
			if got := said(s.run(path, body)); got != want {
				t.Errorf("%s: %s, want %s", body, got, want)
			}
		}
	})
	t.Run("it answers as often as its times say", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, nil)
		s.queue([]world.QueuedResult{
			{Pattern: ".", Output: rowOf(t, "first"), Times: 2}, {Pattern: ".", Output: rowOf(t, "other")},
		})
		fork := s.world
		for i, want := range []string{"first", "first", "other", "other"} {
			if got := said(s.run(path, `{"query":"SELECT 1"}`)); got != want {
				t.Errorf("job %d: %s, want %s", i+1, got, want)
			}
		}
		if fork.Core.Results[0].Times != 2 {
			t.Error("a fork has its results counted down")
		}
	})
	t.Run("its own times pass", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, nil)
		s.queue([]world.QueuedResult{
			{Query: "slow", Output: rowOf(t, "hello"), Queued: new(time.Minute), Running: new(time.Hour)},
			{Query: "fast", Output: rowOf(t, "hello"), Queued: new(time.Duration(0)), Running: new(time.Duration(0))},
		})
		for query, want := range map[string][2]time.Duration{
			"slow": {time.Minute, time.Hour}, "fast": {}, "usual": {time.Second, 4 * time.Second},
		} {
			job := s.run(path, `{"query":"`+query+`"}`)
			if got := [2]time.Duration{job.StartAt.Sub(job.CreatedAt), job.EndAt.Sub(job.StartAt)}; got != want {
				t.Errorf("%s: %v, want %v", query, got, want)
			}
		}
		s.world.Core.JobTime = world.JobTime{Queued: 2 * time.Second, Running: 3 * time.Second}
		if job := s.run(path, `{"query":"usual"}`); job.EndAt.Sub(job.CreatedAt) != 5*time.Second {
			t.Errorf("by the world's times: %v to %v", job.CreatedAt, job.EndAt)
		}
	})
	t.Run("a further try takes what is queued next", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, nil)
		s.queue([]world.QueuedResult{
			{Pattern: ".", Error: "lost a worker", Times: 1}, {Pattern: ".", Output: rowOf(t, "again")},
		})
		job := s.run(path, `{"query":"SELECT 1","retry_limit":5}`)
		if got := said(job); got != "again" || job.Stderr != "lost a worker\n" || job.Tried != 1 {
			t.Errorf("%s after %d further tries: %s", got, job.Tried, job.Stderr)
		}
	})
	t.Run("the rows of a bulk load count as inserted", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, nil)
		s.queue([]world.QueuedResult{{Pattern: `"type":"s3"`, Output: rowOf(t, "hello")}})
		job := s.run("/job/issue/bulkload/shop", `{"query":{"in":{"type":"s3"}}}`)
		if job.RecordsInserted != 1 || job.Output != nil {
			t.Errorf("inserted %d, result %v", job.RecordsInserted, job.Output)
		}
		statistics := s.call("GET", "/job/statistics/1", "").Body
		if diff := cmp.Diff(map[string]string{"records_inserted": "1"}, statistics); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
	t.Run("an export fails if its domain key is told to, and has no rows", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, nil)
		s.queue([]world.QueuedResult{
			{DomainKey: "bad", Error: "access denied"}, {Pattern: ".*", Output: rowOf(t, "never")},
		})
		if got := said(s.run("/job/issue/export/shop", `{"domain_key":"bad"}`)); got != "error: access denied" {
			t.Error(got)
		}
		if got := said(s.run("/job/issue/export/shop", `{}`)); got != "success: " {
			t.Error(got)
		}
	})
	t.Run("what cannot be queued", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, nil)
		out, less := rowOf(t, "hello"), new(-time.Second)
		for name, r := range map[string]world.QueuedResult{
			"exactly one":          {Output: out},
			"not 2":                {Query: "a", Pattern: "b", Output: out},
			"pattern: ":            {Pattern: "(", Output: out},
			"rows or an error":     {Query: "a"},
			"either":               {Query: "a", Output: out, Error: "no"},
			"times: ":              {Query: "a", Output: out, Times: -1},
			"cannot be negative":   {Query: "a", Output: out, Queued: less},
			"queued and running c": {Query: "a", Output: out, Running: less},
		} {
			err := core.QueueResult(&s.world, r)
			if refusal := (*op.Error)(nil); !errors.As(err, &refusal) || !strings.Contains(err.Error(), name) {
				t.Errorf("%+v: %v, want %q", r, err, name)
			}
		}
		if n := len(s.world.Core.Results); n != 0 {
			t.Errorf("%d results are queued", n)
		}
	})
}

func TestRestrictedJobs(t *testing.T) {
	t.Parallel()
	s := newStage(t, fakeEngine{})
	s.call("POST", "/database/create/attic", "")
	s.world.Account.Users.Put(2, world.User{ID: 2, Name: "Ana", Role: world.Restricted, Permissions: world.Permissions{
		"Databases": {{"operation": "query", "ids": "1"}},
	}})
	s.user = 2
	if _, err := s.try("POST", "/job/issue/trino/attic", `{"query":"SELECT 1"}`); err == nil {
		t.Error("a job in a database that the user may not query")
	}
	job := s.run("/job/issue/trino/shop", `{"query":"SELECT * FROM attic.letters"}`)
	if job.Status != world.JobError || job.User != 2 || !strings.HasSuffix(job.Stderr, "[shop]\n") {
		t.Errorf("%s of user %d: %s", job.Status, job.User, job.Stderr)
	}
	job = s.run("/job/issue/trino/shop", `{"query":"SELECT 1"}`)
	s.call("GET", "/job/result/"+strconv.FormatInt(job.ID, 10), "")
	s.call("POST", "/job/kill/"+strconv.FormatInt(job.ID, 10), "")
	s.call("POST", "/schedule/create/nightly", `{"database":"shop","query":"SELECT 1","type":"hive"}`)
	_, err := s.try("POST", "/schedule/update/nightly", `{"executing_user_id":1}`)
	if refusal := (*op.Error)(nil); !errors.As(err, &refusal) || refusal.Code != op.CodeForbidden {
		t.Errorf("a schedule that runs as an administrator: %v", err)
	}
	s.call("POST", "/schedule/update/nightly", `{"executing_user_id":2}`)
}

func TestSkippedDomainKeys(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	s.skip = op.Skips{core.SkipDomainKey: true}
	for want := range 2 {
		if job := s.run("/job/issue/trino/shop", `{"query":"SELECT 1","domain_key":"mine"}`); job.ID != int64(want)+1 {
			t.Errorf("job %d, want %d", job.ID, want+1)
		}
	}
}

func TestOutputs(t *testing.T) {
	t.Parallel()
	columns := [][2]string{{"n", "bigint"}, {"x", "double"}, {"any", "json"}}
	lines := func(rows [][]any) string {
		t.Helper()
		out, err := core.NewOutput(columns, rows)
		if err != nil {
			t.Fatal(err)
		}
		s := newStage(t, nil)
		s.queue([]world.QueuedResult{{Pattern: ".", Output: out}})
		s.run("/job/issue/hive/shop", `{"query":"SELECT 1"}`)
		return string(s.call("GET", "/job/result/1?format=json", "").Bytes)
	}
	got := lines([][]any{
		{1.0, int64(2), map[string]any{"a": []any{1}}},
		{json.Number("3"), json.Number("4"), json.Number("5.5")},
		{6, 7, []string{"b"}},
		{"x", 1 << 40, uint64(1 << 63)},
		{1.5, true, nil},
	})
	want := `[1,2.0,"{\"a\":[1]}"]` + "\n" + `[3,4.0,5.5]` + "\n" + `[6,7.0,"[\"b\"]"]` + "\n" +
		`["x",1099511627776.0,9223372036854775808]` + "\n" + `[1.5,true,null]` + "\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, row := range [][]any{{1}, {1, 2, 3, 4}, {1, 2, make(chan int)}, {json.Number("x"), 1, 1}} {
		if out, err := core.NewOutput(columns, [][]any{row}); err == nil || !strings.HasPrefix(err.Error(), "row 0") {
			t.Errorf("%v: %v, %v", row, out, err)
		}
	}
}
