package audience_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

const asking = `{"columns":["name"],"rule":{"type":"And","conditions":[` + lima + `]}}`

func TestQueries(t *testing.T) {
	t.Parallel()
	t.Run("answer at once by default", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		a := c.Post(queries, asking).Want(200).Wants("status", "success", "count", "2", "maxPage", "1", "error", "",
			"customerGroupCount", "", "jobid", "1", "countJobid", "1")
		id := a.Value("id").Text()
		if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4`).MatchString(id) || a.Value("queryId").Text() != id {
			t.Errorf("id %q, queryId %q: want the same UUID", id, a.Value("queryId").Text())
		}
		if again := c.Post(queries, asking).Want(200).Value("id").Text(); again == id {
			t.Error("asked again, it is the same query")
		}
	})
	t.Run("need no body", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.Post(queries, "").Want(200).Wants("status", "success", "count", "6")
		c.At("core").Get("/job/result/1?format=json").Want(200).Wants("0", "6")
	})
	t.Run("change no segment", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		before := c.Get(segments).Body
		c.Post(queries, asking).Want(200)
		if after := c.Get(segments).Body; after != before {
			t.Errorf("the segments were\n%s\nand are\n%s", before, after)
		}
	})
	t.Run("are jobs of the core data interface", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.As("1/analyst").Post(queries, strings.Replace(asking, `"Lima"`, `"L'im"`, 1)).Want(200)
		job := c.At("core").Get("/job/show/1").Want(200)
		job.Wants("type", "presto", "database", "crm", "status", "success", "user_name", "Ana Analyst", "duration", "0",
			"num_records", "0", "hive_result_schema", `[["name","varchar"]]`)
		text := job.Value("query").Text()
		if !strings.HasPrefix(text, "SELECT name FROM people WHERE fits('{") || !strings.Contains(text, "L''im") {
			t.Errorf("the job's query is %s", text)
		}
		c.At("core").Get("/job/list").Wants("count", "1")
	})
	t.Run("preview columns in their types", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.Post(queries, `{"columns":["id","age","score","city","time","tags"],"rule":`+one("name",
			`{"type":"In","rightValues":["Ada","Di"]}`)+`}`).Want(200)
		job := c.At("core").Get("/job/show/1")
		job.Wants("hive_result_schema",
			`[["id","bigint"],["age","integer"],["score","double"],["city","varchar"],["time","bigint"],["tags","varchar"]]`)
		got := c.At("core").Get("/job/result/1?format=json").Body
		want := `[1,31,7.5,"Oslo",1768465800,"[\"red\",\"blue\"]"]` + "\n" +
			`[4,42,null,null,1768123800,"[\"green\",null]"]` + "\n"
		if got != want {
			t.Errorf("the rows are\n%s, want\n%s", got, want)
		}
	})
	t.Run("show nothing for a value that its column cannot have", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.At("ingestion").Post("/postback/v3/event/crm/people", `{"name":"Gus","age":"old","score":"low"}`).Want(200)
		c.Post(queries, `{"columns":["name","age","score"],"rule":`+one("name", `{"type":"Equal","rightValue":"Gus"}`)+
			`}`).Wants("count", "1")
		c.At("core").Get("/job/result/1?format=json").Want(200).Wants("0", "Gus", "1", "", "2", "")
	})
	t.Run("have as many pages as the preview fills, and no more than are wanted", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		for body, want := range map[string]string{
			`{}`: "1", `{"pageSize":6}`: "1", `{"pageSize":4}`: "2", `{"pageSize":1}`: "6", `{"pageSize":1,"maxPage":4}`: "4",
			`{"pageSize":5,"maxPage":4}`: "2", `{"rule":` + one("age", `{"type":"Less","rightValue":0}`) + `}`: "0",
			`{"columns":["name","city"],"filterString":"OSLO","pageSize":1}`: "2",
		} {
			c.Post(queries, body).Want(200).Wants("maxPage", want)
		}
	})
	t.Run("see what has come in since", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.Post(queries, asking).Wants("count", "2")
		c.At("ingestion").Post("/postback/v3/event/crm/people", `{"name":"Gus","city":"Lima"}`).Want(200)
		c.Post(queries, asking).Wants("count", "3")
	})
	t.Run("say when the world has let records go", func(t *testing.T) {
		t.Parallel()
		c := newClient(t, mockserver.WithRecordLimit(600))
		event := `{"name":"` + strings.Repeat("x", 400) + `"}`
		c.At("ingestion").Post("/postback/v3/event/crm/people", event).Want(200)
		c.At("ingestion").Post("/postback/v3/event/crm/people", event).Want(200)
		c.Post(queries, "").Want(200)
		if got := notes(c); !strings.Contains(got, "of crm.people that the world keeps were counted, of 8") {
			t.Errorf("the journal says %q", got)
		}
	})
	t.Run("read the columns of records where a table has no schema", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.Post("/audiences/62/segments/queries", `{"columns":["size"]}`).Refused(400, "unknown column", "want one of time")
		c.At("core").Post("/table/update/crm/nobody", `{"detect_schema":false}`)
		c.At("ingestion").Post("/postback/v3/event/crm/nobody", `{"size":"9"}`).Want(200)
		c.Post("/audiences/62/segments/queries", `{"columns":["size"]}`).Want(200).Wants("count", "1")
	})
}

func TestQueriesThatTakeTime(t *testing.T) {
	t.Parallel()
	t.Run("run until their end, which is told once", func(t *testing.T) {
		t.Parallel()
		c := newSlowClient(t)
		first := c.Post(queries, asking).Want(200).Wants("status", "running", "count", "", "maxPage", "", "error", "",
			"countJobid", "", "jobid", "1")
		c.At("core").Get("/job/status/1").Wants("status", "running")
		c.Advance(19 * time.Second)
		c.At("ingestion").Post("/postback/v3/event/crm/people", `{"name":"Gus","city":"Lima"}`).Want(200)
		id := first.Value("id").Text()
		c.Post(queries, `{ "rule": {"conditions":[`+lima+`], "type":"And"}, "columns":["name"] }`).Wants("status", "running",
			"id", id)
		c.Advance(time.Second)
		c.At("core").Get("/job/status/1").Wants("status", "success", "duration", "20", "num_records", "3")
		c.Advance(time.Hour)
		c.Post(queries, asking).Wants("status", "success", "id", id, "count", "3", "maxPage", "1", "countJobid", "1")
		c.Post(queries, asking).Wants("status", "running", "jobid", "2")
		c.At("core").Get("/job/list").Wants("count", "2")
	})
	t.Run("are another's when the caller, the audience or the body is another", func(t *testing.T) {
		t.Parallel()
		c := newSlowClient(t)
		c.Post(queries, asking).Wants("jobid", "1")
		c.As("1/analyst").Post(queries, asking).Wants("jobid", "2")
		c.Post(queries, strings.Replace(asking, `"name"]`, `"name","id"]`, 1)).Wants("jobid", "3")
		c.Post(queries, "").Wants("jobid", "4")
		c.Post("/audiences/62/segments/queries", "").Wants("jobid", "5")
		c.Post(queries, "{}").Wants("jobid", "4")
	})
	t.Run("are over at the second call by an auto clock", func(t *testing.T) {
		t.Parallel()
		c := newSlowClient(t, mockserver.WithClock("auto"))
		c.Post(queries, asking).Wants("status", "running")
		c.Post(queries, asking).Wants("status", "success", "count", "2", "jobid", "1")
		if now := c.World().Now(); !now.Equal(mocktest.Now.Add(20 * time.Second)) {
			t.Errorf("it is %s", now)
		}
		c.Post(queries, asking).Wants("status", "running", "jobid", "2")
		c.Post("/audiences/9/segments/queries", asking).Refused(404, "audience")
	})
	t.Run("are killed with their job", func(t *testing.T) {
		t.Parallel()
		c := newSlowClient(t)
		id := c.Post(queries, asking).Value("id").Text()
		c.At("core").Post("/job/kill/1", "").Want(200)
		c.Advance(time.Minute)
		c.Post(queries, asking).Want(200).Wants("status", "killed", "id", id, "count", "", "maxPage", "", "error", "",
			"countJobid", "")
		c.Post(queries, asking).Wants("status", "running", "jobid", "2")
	})
	t.Run("survive a dump on their way", func(t *testing.T) {
		t.Parallel()
		c := newSlowClient(t)
		id := c.Post(queries, asking).Value("id").Text()
		state, err := c.World().State()
		if err != nil {
			t.Fatal(err)
		}
		c.Advance(time.Hour)
		if err := c.World().Load(state); err != nil {
			t.Fatal(err)
		}
		c.Post(queries, asking).Wants("status", "running", "id", id)
		c.Advance(20 * time.Second)
		told, err := c.World().State()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.World().Load(told); err != nil {
			t.Fatal(err)
		}
		c.Post(queries, asking).Wants("status", "success", "id", id, "count", "2")
	})
	t.Run("leave a world idle when they are over", func(t *testing.T) {
		t.Parallel()
		c := newSlowClient(t)
		c.Post(queries, asking).Wants("status", "running")
		c.World().AdvanceUntilIdle()
		c.Post(queries, asking).Wants("status", "success")
	})
}

func TestQueriesThatFail(t *testing.T) {
	t.Parallel()
	t.Run("say that the table is gone", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.At("core").Post("/table/delete/crm/people", "").Want(200)
		c.Post(queries, asking).Want(200).Wants("status", "error", "error", "table with name people not found", "count", "",
			"countJobid", "")
		c.At("core").Get("/job/status/1").Wants("status", "error")
	})
	t.Run("say that the database is gone", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		c.At("core").Post("/database/delete/crm", "").Want(200)
		c.Post(queries, asking).Want(200).Wants("status", "error", "error", "database with name crm not found")
		c.As("1/analyst").Post(queries, asking).Refused(403, "crm")
	})
	t.Run("say that a column went while they ran", func(t *testing.T) {
		t.Parallel()
		c := newSlowClient(t)
		c.Post(queries, asking).Wants("status", "running")
		c.At("core").Post("/table/update-schema/crm/people", `{"schema":"[[\"name\",\"string\"]]"}`).Want(200)
		c.Advance(20 * time.Second)
		answer := c.Post(queries, asking).Want(200).Wants("status", "error")
		answer.Refused(200, "unknown column", "city")
	})
	t.Run("say that the right to ask was lost", func(t *testing.T) {
		t.Parallel()
		c := newSlowClient(t)
		c.As("1/analyst").Post(queries, asking).Wants("status", "running")
		c.At("core").Patch("/access_control/users/3/policies", `{"policy_ids":[]}`).Want(200)
		c.Advance(20 * time.Second)
		c.At("core").Get("/job/status/1").Wants("status", "error")
	})
}

// What is queued for jobs of the core data interface answers queries as well.
func TestQueuedAnswers(t *testing.T) {
	t.Parallel()
	queued := func(t *testing.T, result string) *mocktest.Client {
		t.Helper()
		return load(mocktest.New(t, "audience"),
			strings.Replace(sixPeople, "core:\n", "core:\n  results:\n  - "+result+"\n", 1))
	}
	t.Run("a lone integer is the count", func(t *testing.T) {
		t.Parallel()
		c := queued(t, `{pattern: 'FROM people WHERE fits', columns: [[n, bigint]], rows: [[1840]]}`)
		c.Post(queries, asking).Wants("status", "success", "count", "1840", "maxPage", "19")
		c.Post(queries, "").Wants("count", "6")
	})
	t.Run("other rows are the profiles", func(t *testing.T) {
		t.Parallel()
		c := queued(t, `{pattern: people, columns: [[name, varchar]], rows: [[Zoe], [Yan], [Xia]]}`)
		c.Post(queries, asking).Wants("count", "3", "maxPage", "1")
		one := queued(t, `{pattern: people, columns: [[name, varchar]], rows: [[Zoe]]}`)
		one.Post(queries, asking).Wants("count", "1")
		none := queued(t, `{pattern: people, columns: [[name, varchar]]}`)
		none.Post(queries, asking).Wants("count", "0", "maxPage", "0")
	})
	t.Run("an error is the query's", func(t *testing.T) {
		t.Parallel()
		c := queued(t, `{pattern: people, error: out of memory, times: 1}`)
		c.Post(queries, asking).Want(200).Wants("status", "error", "error", "out of memory")
		c.Post(queries, asking).Want(200).Wants("status", "success", "count", "2")
	})
	t.Run("their times count as well", func(t *testing.T) {
		t.Parallel()
		c := queued(t, `{pattern: people, columns: [[n, bigint]], rows: [[5]], queued: 10s, running: 1m}`)
		c.Post(queries, asking).Wants("status", "running", "jobid", "1")
		c.At("core").Get("/job/status/1").Wants("status", "queued")
		c.Advance(10 * time.Second)
		c.At("core").Get("/job/status/1").Wants("status", "running")
		c.Post(queries, asking).Wants("status", "running", "jobid", "1")
		c.Advance(time.Minute)
		c.Post(queries, asking).Wants("status", "success", "count", "5", "jobid", "1")
	})
}

func TestQueryRefusals(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	c.Post("/audiences/9/segments/queries", "").Refused(404, "audience with id 9")
	c.Post("/audiences/all/segments/queries", "").Refused(404, "audience with id all")
	c.Post(queries, `{"columns":["name","shoe"]}`).Refused(400, `columns.1: unknown column \"shoe\" of the profiles`)
	c.Post(queries, `{"columns":[""]}`).Refused(400, "columns.0: want the name of a column")
	c.Post(queries, `{"pageSize":0}`).Refused(400, "pageSize: want 1 or more, not 0")
	c.Post(queries, `{"maxPage":-1}`).Refused(400, "maxPage: want 1 or more")
	c.Post(queries, `{"kind":2}`).Refused(400, "funnel_stage")
	c.Post(queries, `{"kind":"0"}`).Refused(400, "kind")
	c.As("1/delegate").Post(queries, "").Refused(403, "database crm, which you may not query")
	c.As("1/kiosk").Post(queries, "").Refused(403, "crm")
	c.At("core").Get("/job/list").Wants("count", "0")
}
