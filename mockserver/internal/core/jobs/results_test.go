package jobs_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// queue queues results for jobs.
func (c client) queue(results ...mockserver.JobResult) {
	c.Helper()
	for _, r := range results {
		if err := c.World().QueueResult(r); err != nil {
			c.Fatal(err)
		}
	}
}

// row returns a result with one row of one text.
func row(text string, r mockserver.JobResult) mockserver.JobResult {
	r.Columns, r.Rows = [][2]string{{"said", "varchar"}}, [][]any{{text}}
	return r
}

// run issues a job, lets it end, and returns it.
func (c client) run(path, body string) mocktest.Answer {
	c.Helper()
	id := c.issue(path, body)
	c.World().AdvanceUntilIdle()
	return c.Get("/job/show/" + id).Want(200)
}

// said returns the text of a job's result, or else its status and its error.
func (c client) said(path, body string) string {
	c.Helper()
	job := c.run(path, body)
	if rows := c.Get("/job/result/" + job.Value("job_id").Text()); rows.Status == 200 {
		return strings.TrimSpace(rows.Body)
	}
	return job.Value("status").Text() + ": " + strings.TrimSpace(job.Value("debug.stderr").Text())
}

func TestConnectionsAsTargets(t *testing.T) {
	t.Parallel()
	c := newClient(t).load(
		"core: {databases: [{name: shop}], connections: [{name: warehouse, url: 'mysql://user:pass@host/db'}]}\n")
	for body, want := range map[string]string{
		`{"query":"q","result_connection_id":1,"result_connection_settings":"{\"table\":\"t\"}"}`: "mysql://user:pass@host/db",
		`{"query":"q","result":"warehouse:t"}`:                                                    "warehouse:t",
	} {
		c.run("/job/issue/trino/shop", body).Wants("result", want)
	}
}

func TestQueuedResults(t *testing.T) {
	t.Parallel()
	const path = "/job/issue/trino/shop"
	t.Run("the first that fits the text, the pattern or the domain key answers", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, fakeEngine{err: errors.New("the engine was asked")})
		c.queue(
			row("mine", mockserver.JobResult{DomainKey: "mine"}),
			row("exact", mockserver.JobResult{Query: "SELECT 1"}),
			row("digit", mockserver.JobResult{Pattern: `(?i)^select \d$`}),
			row("never", mockserver.JobResult{Query: "SELECT 2"}),
			mockserver.JobResult{Pattern: `FROM orders`, Error: "no such table"},
		)
		for body, want := range map[string]string{
			`{"query":"SELECT 1"}`:                     "exact",
			`{"query":"select 1"}`:                     "digit",
			`{"query":"SELECT 2"}`:                     "digit",
			`{"query":"SELECT 1","domain_key":"mine"}`: "mine",
			`{"query":"SELECT * FROM orders LIMIT 1"}`: "error: no such table",
			`{"query":"SELECT 10"}`:                    "error: the engine was asked",
		} {
			if got := c.said(path, body); got != want {
				t.Errorf("%s: %s, want %s", body, got, want)
			}
		}
	})
	t.Run("it answers as often as its times say", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, nil)
		c.queue(row("first", mockserver.JobResult{Pattern: ".", Times: 2}), row("other", mockserver.JobResult{Pattern: "."}))
		fork := c.World().Fork()
		for i, want := range []string{"first", "first", "other", "other"} {
			if got := c.said(path, `{"query":"SELECT 1"}`); got != want {
				t.Errorf("job %d: %s, want %s", i+1, got, want)
			}
		}
		c = c.as(fork.Key())
		id := c.query("SELECT 1")
		fork.AdvanceUntilIdle()
		if got := c.Get("/job/result/" + id).Body; got != "first\n" {
			t.Errorf("a fork has its results counted down: %s", got)
		}
	})
	t.Run("its own times pass", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, nil)
		c.queue(
			row("hello", mockserver.JobResult{Query: "slow", Queued: new(time.Minute), Running: new(time.Hour)}),
			row("hello", mockserver.JobResult{Query: "fast", Queued: new(time.Duration(0)), Running: new(time.Duration(0))}),
		)
		times := func(c client, query string) [2]time.Duration {
			job := c.run(path, `{"query":"`+query+`"}`)
			at := func(member string) time.Time {
				at, err := time.Parse("2006-01-02 15:04:05 UTC", job.Value(member).Text())
				if err != nil {
					t.Error(err)
				}
				return at
			}
			return [2]time.Duration{at("start_at").Sub(at("created_at")), at("end_at").Sub(at("start_at"))}
		}
		for query, want := range map[string][2]time.Duration{
			"slow": {time.Minute, time.Hour}, "fast": {}, "usual": {time.Second, 4 * time.Second},
		} {
			if got := times(c, query); got != want {
				t.Errorf("%s: %v, want %v", query, got, want)
			}
		}
		c.load("core: {databases: [{name: shop}], jobTime: {queued: 2s, running: 3s}}\n")
		if got, want := times(c, "usual"), [2]time.Duration{2 * time.Second, 3 * time.Second}; got != want {
			t.Errorf("by the world's times: %v, want %v", got, want)
		}
	})
	t.Run("a further try takes what is queued next", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, nil)
		c.queue(mockserver.JobResult{Pattern: ".", Error: "lost a worker", Times: 1},
			row("again", mockserver.JobResult{Pattern: "."}))
		if got := c.said(path, `{"query":"SELECT 1","retry_limit":5}`); got != "again" {
			t.Error(got)
		}
		c.Get("/job/show/1").Wants("debug.stderr", "lost a worker\n", "debug.cmdout",
			"started\nfailed, retry 1 of 5 follows\nrows: 1\nfinished\n")
	})
	t.Run("the rows of a bulk load count as inserted", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, nil)
		c.queue(row("hello", mockserver.JobResult{Pattern: `"type":"s3"`}))
		c.run("/job/issue/bulkload/shop", `{"query":{"in":{"type":"s3"}}}`)
		c.Get("/job/result/1").Want(404)
		c.Get("/job/statistics/1").Want(200).Same(`{"records_inserted":"1"}`)
	})
	t.Run("an export fails if its domain key is told to, and has no rows", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, nil)
		c.queue(mockserver.JobResult{DomainKey: "bad", Error: "access denied"},
			row("never", mockserver.JobResult{Pattern: ".*"}))
		if got := c.said("/job/issue/export/shop", `{"domain_key":"bad"}`); got != "error: access denied" {
			t.Error(got)
		}
		if got := c.said("/job/issue/export/shop", `{}`); got != "success: " {
			t.Error(got)
		}
	})
}

func TestRestrictedJobs(t *testing.T) {
	t.Parallel()
	c := jobClient(t, fakeEngine{})
	c.Post("/database/create/attic", "").Want(200)
	c = c.grant("query", "1")
	c.Post("/job/issue/trino/attic", `{"query":"SELECT 1"}`).Refused(403)
	job := c.run("/job/issue/trino/shop", `{"query":"SELECT * FROM attic.letters"}`).Wants("status", "error", "user_name",
		"Ana Analyst")
	if stderr := job.Value("debug.stderr").Text(); !strings.HasSuffix(stderr, "[shop]\n") {
		t.Error(stderr)
	}
	id := c.run("/job/issue/trino/shop", `{"query":"SELECT 1"}`).Value("job_id").Text()
	c.Get("/job/result/" + id).Want(200)
	c.Post("/job/kill/"+id, "").Want(200)
	c.Post("/schedule/create/nightly", `{"database":"shop","query":"SELECT 1","type":"hive"}`).Want(200)
	c.Post("/schedule/update/nightly", `{"executing_user_id":1}`).Refused(403)
	c.Post("/schedule/update/nightly", `{"executing_user_id":3}`).Want(200)
}

func TestOutputs(t *testing.T) {
	t.Parallel()
	columns := [][2]string{{"n", "bigint"}, {"x", "double"}, {"any", "json"}}
	lines := func(rows [][]any) string {
		t.Helper()
		c := jobClient(t, nil)
		c.queue(mockserver.JobResult{Pattern: ".", Columns: columns, Rows: rows})
		c.run("/job/issue/hive/shop", `{"query":"SELECT 1"}`)
		return c.Get("/job/result/1?format=json").Want(200).Body
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
}
