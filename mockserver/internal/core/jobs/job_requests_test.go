package jobs_test

import (
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/mockserver"
)

func TestIssuedJobs(t *testing.T) {
	t.Parallel()
	t.Run("forms, query parameters and JSON say the same", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		for _, id := range []string{
			c.issue("/job/issue/presto/shop", "query=SELECT+1&priority=-2&retry_limit=32&result=s3%3A%2F%2Fbucket%2Fkey"),
			c.issue("/job/issue/presto/shop?query=SELECT+1&priority=-2&retry_limit=32&result=s3://bucket/key", ""),
			c.issue("/job/issue/presto/shop",
				`{"query":"SELECT 1","Priority":-2,"retry_limit":32,"result":"s3://bucket/key","extra":1}`),
		} {
			c.Get("/job/show/" + id).Has(map[string]any{
				"query": "SELECT 1", "priority": -2.0, "retry_limit": 32.0, "result": "s3://bucket/key", "type": "presto",
			})
		}
	})
	t.Run("what makes no job", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		const path, ok = "/job/issue/trino/shop", `"query":"SELECT 1"`
		c.Post("/job/issue/trino/attic", `{`+ok+`}`).Refused(404, "database", "attic")
		c.Post("/job/issue/cobol/shop", `{`+ok+`}`).Refused(400, "job_type", "hive", "cobol")
		c.Post(path, `{`+ok+`,"priority":3}`).Refused(400, "priority")
		c.Post(path, `{`+ok+`,"Priority":-3}`).Refused(400, "Priority")
		c.Post(path, `{`+ok+`,"retry_limit":33}`).Refused(400, "retry_limit")
		c.Post(path, `{`+ok+`,"domain_key":true}`).Refused(400, "domain_key")
		c.Post(path, `{}`).Refused(422, "query", "missing")
		c.Post(path, `{"query":" "}`).Refused(422, "query", "missing")
		c.Post(path, `{"query":{"in":1}}`).Refused(422, "query")
		c.Post(path, `{`+ok+`,"result_connection_id":9}`).Refused(422, "result_connection_id", "9")
		c.Post(path, `{`+ok+`,"result":"s3://b/k","result_connection_settings":"[]"}`).Refused(422, "JSON object")
		c.as("1/analyst").Post(path, `{`+ok+`}`).Refused(403, "query", "shop")
		c.Call("POST", path, ok, "Content-Type", "text/plain").Want(415)
		refusal := c.Post(path, `{`+ok+`,"result":"user:secret@host"}`)
		refusal.Refused(422, "URL", "connection")
		if strings.Contains(refusal.Body, "secret") {
			t.Errorf("the message repeats the target: %s", refusal.Body)
		}
		if page := c.Get("/job/list").Object(); page["count"] != 0.0 {
			t.Errorf("jobs after refusals: %v", page)
		}
	})
	t.Run("a lenient mock refuses what no job can have", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows, mockserver.WithValidation(mockserver.Off))
		c.Post("/job/issue/trino/shop", `{"query":"SELECT 1","priority":3}`).Refused(400, "priority", "-2 to 2")
		c.Post("/job/issue/trino/shop", `{"query":"SELECT 1","retry_limit":-1}`).Refused(400, "retry_limit", "0 to 32")
		c.Post("/job/issue/trino/shop", `{"query":"SELECT 1","domain_key":[]}`).Refused(400, "string or a number")
	})
	t.Run("a domain key belongs to its first job for ever", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		first := c.issue("/job/issue/trino/shop", `{"query":"SELECT 1","domain_key":20260115}`)
		for _, body := range []string{`{"query":"SELECT 2","domain_key":"20260115"}`, "query=SELECT+2&domain_key=20260115"} {
			again := c.Post("/job/issue/hive/shop", body)
			again.Refused(409, "domain key 20260115", "job "+first)
			again.Has(map[string]any{"details": map[string]any{"conflicts_with": first}})
		}
		c.Get("/job/status_by_domain_key/20260115").Has(map[string]any{"job_id": first, "status": "queued"})
		c.Post("/job/kill/"+first, "").Want(200)
		c.Advance(24 * time.Hour)
		c.Post("/job/issue/trino/shop", `{"query":"SELECT 1","domain_key":20260115}`).Refused(409, "20260115")
		c.Get("/job/status_by_domain_key/20260115").Has(map[string]any{"job_id": first, "status": "killed"})
		c.query("without a key")
		c.query("without a key")
	})
	t.Run("a bulk load has its configuration in place of a query", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		const config = `{"in":{"type":"s3"},"out":{"mode":"append"}}`
		spaced, form := strings.ReplaceAll(config, ",", " , "), url.QueryEscape(config)
		for _, body := range []string{
			`{"config":` + spaced + `}`, `{"config":` + strconv.Quote(spaced) + `}`, "config=" + form,
			`{"query":` + spaced + `}`, `{"query":` + strconv.Quote(spaced) + `}`, "query=" + form,
			`{"query":"SELECT 1","config":` + config + `}`,
		} {
			id := c.issue("/job/issue/bulkload/shop", body)
			c.Advance(5 * time.Second)
			c.Get("/job/show/" + id).Has(map[string]any{"query": config, "status": "success", "num_records": nil})
			c.Get("/job/result/"+id).Refused(404, "bulkload")
		}
		for _, body := range []string{`{"query":"SELECT 1"}`, `{"config":"SELECT 1"}`, "config=5", `{"config":"[]"}`} {
			c.Post("/job/issue/bulkload/shop", body).Refused(422, "configuration")
		}
		c.Post("/job/issue/trino/shop", `{"config":`+config+`}`).Refused(422, "query", "missing")
	})
	t.Run("a result may go to a connection whose settings are a JSON object in a text", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		const target = `{"type":"s3","bucket":"reports","more":{"path":"x"}}`
		body := `{"query":"SELECT 1","type":"trino","database":"shop","result":` + strconv.Quote(target) + `}`
		want := map[string]any{"result": target}
		id := c.issue("/job/issue/trino/shop", body)
		c.Get("/job/show/" + id).Has(want)
		c.Get("/job/show/" + c.issue("/job/issue/trino/shop", "query=SELECT+1&result="+url.QueryEscape(target))).Has(want)
		c.Post("/schedule/create/nightly", body).Want(200).Has(want)
		c.Post("/schedule/update/nightly", `{"result":"{}"}`).Want(200).Has(map[string]any{"result": "{}"})
		c.Post("/job/result_export/"+id, body).Want(200).Has(want)
		for _, wrong := range []string{`{"type":"s3"`, `[]`, `{"a":1} x`, `null`} {
			c.Post("/job/issue/trino/shop", `{"query":"SELECT 1","result":`+strconv.Quote(wrong)+`}`).
				Refused(422, "result", "JSON object")
		}
	})
	t.Run("a type that no engine runs has an empty result, and the journal says so", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		id := c.issue("/job/issue/pig/shop", `{"query":"a = LOAD 'x'"}`)
		c.Advance(5 * time.Second)
		c.Get("/job/show/" + id).Has(map[string]any{"status": "success", "num_records": 0.0, "hive_result_schema": "[]"})
		c.noted("core.issueJob", "not run jobs of the type pig")
	})
	t.Run("without an engine a result is empty, and the journal says what to do", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, nil)
		id := c.query("SELECT 1")
		c.noted("core.issueJob", "WithQueryEngine")
		c.Advance(5 * time.Second)
		if rows := c.Get("/job/result/" + id).Want(200).Body; len(rows) != 0 {
			t.Errorf("rows: %s", rows)
		}
		c.noted("core.getJobResult", "WithQueryEngine")
	})
}

// noted fails the test unless the last call of an operation has a note with these words in the journal.
func (c client) noted(operation, words string) {
	c.Helper()
	calls, err := c.World().Journal(operation)
	if err != nil || len(calls) == 0 {
		c.Fatalf("%d calls of %s: %v", len(calls), operation, err)
	}
	if notes := strings.Join(calls[len(calls)-1].Notes, "; "); !strings.Contains(notes, words) {
		c.Errorf("notes of %s: %q, want %q", operation, notes, words)
	}
}
