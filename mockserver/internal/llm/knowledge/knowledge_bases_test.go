package knowledge_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/internal/llm/llmtest"
)

func TestKnowledgeBases(t *testing.T) {
	t.Parallel()
	// one returns a mock with a knowledge base.
	one := func(t *testing.T) (c *mocktest.Client, project, id, path string) {
		t.Helper()
		c, project = llmtest.NewShop(t)
		id = llmtest.Make(c, "knowledge_bases", llmtest.KnowledgeBase(project, ""))
		return c, project, id, "/api/knowledge_bases/" + id
	}
	t.Run("a new one has what the client leaves out, and is indexed", func(t *testing.T) {
		t.Parallel()
		c, project := llmtest.NewShop(t)
		llmtest.Post(c, "knowledge_bases", llmtest.KnowledgeBase(project, "")).Want(201).Wants(
			"data.type", "knowledgeBases", "data.attributes.formatType", "LEGACY_JSON", "data.attributes.maxRows", "50",
			"data.attributes.timeoutSeconds", "60", "data.attributes.tables.#", "0", "data.attributes.isManaged", "false",
			"data.attributes.lastJob.status", "IN_PROGRESS", "data.attributes.lastJob.finishedAt", "")
	})
	t.Run("the list has it", func(t *testing.T) {
		t.Parallel()
		c, _, id, path := one(t)
		c.Get("/api/knowledge_bases?include=createdBy").Want(200).Wants("meta.total", "1", "data.0.id", id,
			"included.0.attributes.email", "admin@shop.example")
		c.Get("/api/knowledge_bases?sort=nonsense").Refused(400, `"114"`)
		c.Get(path).Want(200)
		c.Get("/api/knowledge_bases/"+llmtest.NoID).Refused(404, llmtest.NoID)
	})
	t.Run("the attributes are checked", func(t *testing.T) {
		t.Parallel()
		c, project, id, path := one(t)
		for _, test := range []struct{ more, attribute, code string }{
			{`,"maxRows":0`, "maxRows", "INVALID_FORMAT_OR_ASSOCIATION"},
			{`,"maxRows":101`, "maxRows", "INVALID_FORMAT_OR_ASSOCIATION"},
			{`,"maxRows":"50"`, "maxRows", "NOT_AN_INTEGER"},
			{`,"timeoutSeconds":9`, "timeoutSeconds", "INVALID_FORMAT_OR_ASSOCIATION"},
			{`,"timeoutSeconds":301`, "timeoutSeconds", "INVALID_FORMAT_OR_ASSOCIATION"},
			{`,"formatType":"XML"`, "formatType", "INVALID_FORMAT_OR_ASSOCIATION"},
			{
				`,"formatType":"MARKDOWN_KV","tables":[{"name":"t","svcQuery":"SELECT 1"}]`, "tables",
				"LLM_KNOWLEDGE_BASE_TABLES_AVAILABLE_ONLY_WITH_LEGACY_JSON",
			},
			{
				`,"tables":[{"name":"t","svcQuery":"SELECT 1"},{"name":"T","svcQuery":"SELECT 2"}]`, "tables/1/name",
				"VIOLATES_UNIQUENESS_CONSTRAINT",
			},
			{`,"tables":[{"name":" ","svcQuery":"SELECT 1"}]`, "tables/0/name", "CANNOT_BE_BLANK"},
			{`,"tables":[{"name":"t","svcQuery":""}]`, "tables/0/svcQuery", "CANNOT_BE_BLANK"},
		} {
			want := []string{test.code, `"/data/attributes/` + test.attribute + `"`}
			llmtest.Post(c, "knowledge_bases", llmtest.KnowledgeBase(project, test.more)).Refused(422, want...)
			llmtest.Patch(c, "knowledge_bases", id, "{"+test.more[1:]+"}").Refused(422, want...)
		}
		llmtest.Post(c, "knowledge_bases", llmtest.KnowledgeBase(project, `,"lastJob":null`)).Refused(400, `"105"`, "lastJob")
		llmtest.Patch(c, "knowledge_bases", id, `{"isManaged":true}`).Refused(400, `"105"`)
		llmtest.Patch(c, "knowledge_bases", llmtest.NoID, `{}`).Refused(404, llmtest.NoID)
		llmtest.RefusesText(c, "POST", "/api/knowledge_bases")
		llmtest.RefusesText(c, "PATCH", path)
	})
	t.Run("the database is one that the caller may query", func(t *testing.T) {
		t.Parallel()
		c, project, id, _ := one(t)
		llmtest.Patch(c, "knowledge_bases", id, `{"svcDatabaseName":"nowhere"}`).
			Refused(422, "INVALID_FORMAT_OR_ASSOCIATION", "/data/attributes/svcDatabaseName", "nowhere")
		llmtest.Post(c.As("1/analyst"), "knowledge_bases", llmtest.KnowledgeBase(project, "")).
			Refused(422, "/data/attributes/svcDatabaseName", "permissions")
	})
	t.Run("it can be deleted", func(t *testing.T) {
		t.Parallel()
		c, _, id, path := one(t)
		c.Delete(path).Want(204)
		c.Delete(path).Refused(404, id)
		c.Get("/api/knowledge_bases").Wants("meta.total", "0")
		c.Advance(time.Minute)
		c.Get(path).Refused(404, id)
	})
}

func TestKnowledgeBasesInUse(t *testing.T) {
	t.Parallel()
	c, project := llmtest.NewShop(t)
	id := llmtest.Make(c, "knowledge_bases", llmtest.KnowledgeBase(project, ""))
	agent := func(more string) string {
		return llmtest.Make(c, "agents", fmt.Sprintf(
			`{"projectId":%q,"name":"Helper","systemPrompt":"Help.","modelType":"gpt-5"%s}`, project, more))
	}
	points := fmt.Sprintf(`"toolTargetId":%q,"toolTargetType":"knowledge_base","targetFunction":"LIST_COLUMNS"`, id)
	tool := agent(`,"tools":[{"functionName":"look",` + points + `}]`)
	variable := agent(`,"variables":[{"name":"columns",` + points + `}]`)
	c.Delete("/api/knowledge_bases/"+id).
		Want(422).
		Wants("errors.0.meta.validationCode", "DEPENDENT_DESTROY_RESTRICTED_HAS_MANY",
			"errors.0.meta.referencedByTools.0.id", tool, "errors.0.meta.referencedByVariables.0.id", variable)
	c.Delete("/api/agents/" + tool).Want(204)
	c.Delete("/api/knowledge_bases/"+id).Refused(422, variable)
	c.Delete("/api/agents/" + variable).Want(204)
	c.Delete("/api/knowledge_bases/" + id).Want(204)
}

func TestIndexing(t *testing.T) {
	t.Parallel()
	const good = `,"tables":[{"name":"open_orders","svcQuery":"SELECT id, total FROM orders WHERE status = 'open'"}]`
	const bad = `,"tables":[{"name":"fine","svcQuery":"SELECT 1 AS one"},{"name":"broken","svcQuery":"SELECT nothing FROM orders"}]`
	state := func(c *mocktest.Client, id string) mocktest.Answer {
		return c.Get("/api/knowledge_bases/" + id).Want(200)
	}
	const job = "data.attributes.lastJob."

	t.Run("it takes its time and ends in success", func(t *testing.T) {
		t.Parallel()
		c, project := llmtest.NewShop(t)
		id := llmtest.Make(c, "knowledge_bases", llmtest.KnowledgeBase(project, good))
		c.Advance(4 * time.Second)
		state(c, id).Wants(job+"status", "IN_PROGRESS")
		c.Advance(time.Second)
		state(c, id).Wants(job+"status", "SUCCESS", job+"finishedAt", "2026-01-15T09:30:05.000Z", job+"message", "",
			job+"logs", "table open_orders: 2 columns\n", "data.attributes.updatedAt", "2026-01-15T09:30:00.000Z")
	})
	t.Run("a change starts it anew", func(t *testing.T) {
		t.Parallel()
		c, project := llmtest.NewShop(t)
		id := llmtest.Make(c, "knowledge_bases", llmtest.KnowledgeBase(project, good))
		c.Advance(3 * time.Second)
		llmtest.Patch(c, "knowledge_bases", id, `{"maxRows":10}`).Want(200).Wants(job+"status", "IN_PROGRESS")
		c.Advance(3 * time.Second)
		state(c, id).Wants(job+"status", "IN_PROGRESS")
		c.Advance(3 * time.Second)
		state(c, id).Wants(job+"status", "SUCCESS", job+"finishedAt", "2026-01-15T09:30:08.000Z")
		llmtest.Patch(c, "knowledge_bases", id, `{"maxRows":20}`).Want(200).Wants(job+"status", "IN_PROGRESS", job+"logs", "")
	})
	t.Run("a table whose query fails fails it", func(t *testing.T) {
		t.Parallel()
		c, project := llmtest.NewShop(t)
		id := llmtest.Make(c, "knowledge_bases", llmtest.KnowledgeBase(project, bad))
		c.Advance(time.Minute)
		got := state(c, id).Wants(job+"status", "ERROR", job+"finishedAt", "2026-01-15T09:30:05.000Z",
			job+"logs", "table fine: 1 columns\n")
		if message := got.Value(job + "message").Text(); !strings.Contains(message, "broken") ||
			!strings.Contains(message, "nothing") {
			t.Errorf("message is %q, want it to name the table and its mistake", message)
		}
	})
	t.Run("a database that is gone fails it", func(t *testing.T) {
		t.Parallel()
		c, project := llmtest.NewShop(t)
		id := llmtest.Make(c, "knowledge_bases", llmtest.KnowledgeBase(project, ""))
		c.At("core").Post("/database/delete/shop", "").Want(200)
		c.Advance(time.Minute)
		state(c, id).Wants(job+"status", "ERROR", job+"message", "database with name shop not found")
	})
	t.Run("a client that polls sees it end", func(t *testing.T) {
		t.Parallel()
		c, project := llmtest.NewShop(t, mockserver.WithClock("auto"))
		id := llmtest.Make(c, "knowledge_bases", llmtest.KnowledgeBase(project, ""))
		state(c, id).Wants(job+"status", "SUCCESS", job+"logs", "table orders: 3 columns\ntable customers: 2 columns\n")
	})
	t.Run("it goes on after a dump", func(t *testing.T) {
		t.Parallel()
		c, project := llmtest.NewShop(t)
		id := llmtest.Make(c, "knowledge_bases", llmtest.KnowledgeBase(project, good))
		dump, err := c.World().State()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.World().Load(dump); err != nil {
			t.Fatal(err)
		}
		state(c, id).Wants(job+"status", "IN_PROGRESS")
		c.Advance(5 * time.Second)
		state(c, id).Wants(job+"status", "SUCCESS")
	})
}
