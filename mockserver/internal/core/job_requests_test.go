package core_test

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
			c.issue("/job/issue/presto/shop", `{"query":"SELECT 1","Priority":-2,"retry_limit":32,"result":"s3://bucket/key","extra":1}`),
		} {
			c.get("/job/show/" + id).has(map[string]any{
				"query": "SELECT 1", "priority": -2.0, "retry_limit": 32.0, "result": "s3://bucket/key", "type": "presto",
			})
		}
	})
	t.Run("what makes no job", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		const path, ok = "/job/issue/trino/shop", `"query":"SELECT 1"`
		c.post("/job/issue/trino/attic", `{`+ok+`}`).refused(404, "database", "attic")
		c.post("/job/issue/cobol/shop", `{`+ok+`}`).refused(400, "job_type", "hive", "cobol")
		c.post(path, `{`+ok+`,"priority":3}`).refused(400, "priority")
		c.post(path, `{`+ok+`,"Priority":-3}`).refused(400, "Priority")
		c.post(path, `{`+ok+`,"retry_limit":33}`).refused(400, "retry_limit")
		c.post(path, `{`+ok+`,"domain_key":true}`).refused(400, "domain_key")
		c.post(path, `{}`).refused(422, "query", "missing")
		c.post(path, `{"query":" "}`).refused(422, "query", "missing")
		c.post(path, `{"query":{"in":1}}`).refused(422, "query")
		c.post(path, `{`+ok+`,"result_connection_id":9}`).refused(422, "result_connection_id", "9")
		c.post(path, `{`+ok+`,"result":"s3://b/k","result_connection_settings":"[]"}`).refused(422, "JSON object")
		c.as("1/analyst").post(path, `{`+ok+`}`).refused(403, "query", "shop")
		c.call("POST", path, ok, "Content-Type", "text/plain").want(415)
		refusal := c.post(path, `{`+ok+`,"result":"user:secret@host"}`)
		refusal.refused(422, "URL", "connection")
		if strings.Contains(string(refusal.body), "secret") {
			t.Errorf("the message repeats the target: %s", refusal.body)
		}
		if page := c.get("/job/list").object(); page["count"] != 0.0 {
			t.Errorf("jobs after refusals: %v", page)
		}
	})
	t.Run("a lenient mock refuses what no job can have", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows, mockserver.WithValidation(mockserver.Off))
		c.post("/job/issue/trino/shop", `{"query":"SELECT 1","priority":3}`).refused(400, "priority", "-2 to 2")
		c.post("/job/issue/trino/shop", `{"query":"SELECT 1","retry_limit":-1}`).refused(400, "retry_limit", "0 to 32")
		c.post("/job/issue/trino/shop", `{"query":"SELECT 1","domain_key":[]}`).refused(400, "text or a number")
	})
	t.Run("a domain key belongs to its first job for ever", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		first := c.issue("/job/issue/trino/shop", `{"query":"SELECT 1","domain_key":20260115}`)
		for _, body := range []string{`{"query":"SELECT 2","domain_key":"20260115"}`, "query=SELECT+2&domain_key=20260115"} {
			again := c.post("/job/issue/hive/shop", body)
			again.refused(409, "domain key 20260115", "job "+first)
			again.has(map[string]any{"details": map[string]any{"conflicts_with": first}})
		}
		c.get("/job/status_by_domain_key/20260115").has(map[string]any{"job_id": first, "status": "queued"})
		c.post("/job/kill/"+first, "").want(200)
		c.advance(24 * time.Hour)
		c.post("/job/issue/trino/shop", `{"query":"SELECT 1","domain_key":20260115}`).refused(409, "20260115")
		c.get("/job/status_by_domain_key/20260115").has(map[string]any{"job_id": first, "status": "killed"})
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
			c.advance(5 * time.Second)
			c.get("/job/show/" + id).has(map[string]any{"query": config, "status": "success", "num_records": nil})
			c.get("/job/result/"+id).refused(404, "bulkload")
		}
		for _, body := range []string{`{"query":"SELECT 1"}`, `{"config":"SELECT 1"}`, "config=5", `{"config":"[]"}`} {
			c.post("/job/issue/bulkload/shop", body).refused(422, "configuration")
		}
		c.post("/job/issue/trino/shop", `{"config":`+config+`}`).refused(422, "query", "missing")
	})
	t.Run("a result may go to a connection whose settings are a JSON object in a text", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		const target = `{"type":"s3","bucket":"reports","more":{"path":"x"}}`
		body := `{"query":"SELECT 1","type":"trino","database":"shop","result":` + strconv.Quote(target) + `}`
		want := map[string]any{"result": target}
		id := c.issue("/job/issue/trino/shop", body)
		c.get("/job/show/" + id).has(want)
		c.get("/job/show/" + c.issue("/job/issue/trino/shop", "query=SELECT+1&result="+url.QueryEscape(target))).has(want)
		c.post("/schedule/create/nightly", body).want(200).has(want)
		c.post("/schedule/update/nightly", `{"result":"{}"}`).want(200).has(map[string]any{"result": "{}"})
		c.post("/job/result_export/"+id, body).want(200).has(want)
		for _, wrong := range []string{`{"type":"s3"`, `[]`, `{"a":1} x`, `null`} {
			c.post("/job/issue/trino/shop", `{"query":"SELECT 1","result":`+strconv.Quote(wrong)+`}`).
				refused(422, "result", "JSON object")
		}
	})
	t.Run("a type that no engine runs has an empty result, and the journal says so", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, threeRows)
		id := c.issue("/job/issue/pig/shop", `{"query":"a = LOAD 'x'"}`)
		c.advance(5 * time.Second)
		c.get("/job/show/" + id).has(map[string]any{"status": "success", "num_records": 0.0, "hive_result_schema": "[]"})
		c.noted("core.issueJob", "no jobs of the type pig")
	})
	t.Run("without an engine a result is empty, and the journal says what to do", func(t *testing.T) {
		t.Parallel()
		c := jobClient(t, nil)
		id := c.query("SELECT 1")
		c.noted("core.issueJob", "WithQueryEngine")
		c.advance(5 * time.Second)
		if rows := c.get("/job/result/" + id).want(200).body; len(rows) != 0 {
			t.Errorf("rows: %s", rows)
		}
		c.noted("core.getJobResult", "WithQueryEngine")
	})
}

// noted fails the test unless the last call of an operation has a note with these words in the journal.
func (c *client) noted(operation, words string) {
	c.Helper()
	calls, err := c.server.World("").Journal(operation)
	if err != nil || len(calls) == 0 {
		c.Fatalf("%d calls of %s: %v", len(calls), operation, err)
	}
	if notes := strings.Join(calls[len(calls)-1].Notes, "; "); !strings.Contains(notes, words) {
		c.Errorf("notes of %s: %q, want %q", operation, notes, words)
	}
}
