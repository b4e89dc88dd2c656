package kinds_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver/internal/llm/llmtest"
)

// targets returns the ids of one tool target of each kind, oldest first, and the project of the last two.
func targets(t *testing.T) (c *mocktest.Client, ids []string, other string) {
	t.Helper()
	c, other = llmtest.NewShop(t)
	project := llmtest.Make(c, "projects", `{"name":"Targets","useWorkflowExecutor":true}`)
	ids = []string{listTargets(c, "").Value("data.0.id").Text()}
	c.Advance(time.Second)
	for _, tool := range toolKinds {
		ids = append(ids, llmtest.Make(c, tool.Kind, fmt.Sprintf(`{"projectId":%q,%s}`, project, tool.Needs)))
	}
	ids = append(ids, llmtest.Make(c, "knowledge_bases", llmtest.KnowledgeBase(other, "")))
	return c, append(ids, llmtest.Make(c, "agents", fmt.Sprintf(
		`{"projectId":%q,"name":"Helper","systemPrompt":"Help.","modelType":"gpt-5"}`, other))), other
}

func listTargets(c *mocktest.Client, query string) mocktest.Answer {
	c.Helper()
	return c.Get("/api/tool_targets?" + query).Want(200)
}

func TestToolTargets(t *testing.T) {
	t.Parallel()
	t.Run("they are what tools can point at, of all kinds, oldest first", func(t *testing.T) {
		t.Parallel()
		c, ids, _ := targets(t)
		listTargets(
			c,
			"",
		).Wants("meta.total", fmt.Sprint(len(ids)), "data.#.id", `["`+strings.Join(ids, `","`)+`"]`, "data.#.type",
			`["workflowExecutorToolTargets","textKnowledgeBaseToolTargets","datastoreQueryToolTargets","imageGeneratorToolTargets",`+
				`"presentationArtifactToolTargets","webSearchToolTargets","knowledgeBaseToolTargets","agentToolTargets"]`)
	})
	t.Run("they come in pages", func(t *testing.T) {
		t.Parallel()
		c, ids, _ := targets(t)
		page := listTargets(
			c,
			"page[limit]=2&page[offset]=1",
		).Wants("data.#", "2", "data.0.id", ids[1], "data.1.id", ids[2], "meta.total", "8")
		if next := page.Value("links.next").Text(); !strings.Contains(next, "offset%5D=3") {
			t.Errorf("links.next is %q, want the page from 3", next)
		}
		c.Get("/api/tool_targets?page[limit]=0").Refused(400)
	})
	t.Run("filters", func(t *testing.T) {
		t.Parallel()
		c, ids, other := targets(t)
		for _, test := range []struct {
			query string
			want  []string
		}{
			{"filter[project_id]=" + other, ids[6:]},
			{"filter[name]=Helper", ids[7:]},
			{"filter[name]=Help", nil},
			{"filter[target_type]=knowledge_base", ids[6:7]},
			{"filter[target_type]=textKnowledgeBase", ids[1:2]},
			{"targetType=image_generator", ids[3:4]},
			{"targetType=datastoreQueryToolTargets", ids[2:3]},
			{"targetType=agent&filter[target_type]=knowledge_base", nil},
			{"filter[target_type]=nonsense", nil},
		} {
			got := slices.Collect(listTargets(c, test.query).Value("data.#.id").List)
			if len(got) != len(test.want) || len(got) > 0 && got[0].Text() != test.want[0] {
				t.Errorf("%s gives %v, want %v", test.query, got, test.want)
			}
		}
	})
	t.Run("they have the attributes of what is behind them, and no link", func(t *testing.T) {
		t.Parallel()
		c, ids, _ := targets(t)
		c.Get("/api/tool_targets/"+ids[6]).
			Want(200).
			Wants("data.attributes.svcDatabaseName", "shop", "data.attributes.maxRows", "50",
				"data.attributes.lastJob.status", "IN_PROGRESS", "data.attributes.createdAt", "2026-01-15T09:30:01.000Z",
				"data.links", "")
		c.Get("/api/tool_targets/"+ids[1]).
			Want(200).
			Wants("data.attributes.text", "Goods can be sent back.", "data.attributes.isManaged", "false")
		c.Get("/api/tool_targets/"+ids[2]).Want(200).Wants("data.attributes.timeoutSeconds", "60")
		c.Get("/api/tool_targets/"+ids[0]).Want(200).Wants("data.attributes.svcAccountId", "1")
		c.Get("/api/tool_targets/"+ids[7]).
			Want(200).
			Wants("data.attributes.name", "Helper", "data.attributes.systemPrompt", "")
		listTargets(
			c,
			"include="+url.QueryEscape("createdBy,updatedBy"),
		).Wants("included.#", "1", "included.0.attributes.name", "Ada Admin")
	})
	t.Run("they go with what is behind them", func(t *testing.T) {
		t.Parallel()
		c, ids, _ := targets(t)
		c.Delete("/api/image_generators/" + ids[3]).Want(204)
		c.Get("/api/tool_targets/"+ids[3]).Refused(404, ids[3])
		listTargets(c, "").Wants("meta.total", "7")
	})
	t.Run("what is no target is not found", func(t *testing.T) {
		t.Parallel()
		c, _, other := targets(t)
		c.Get("/api/tool_targets/"+other).Refused(404, other) // a project
		c.Get("/api/tool_targets/nonsense").Refused(404, "nonsense")
	})
}

func TestWorkflowExecutors(t *testing.T) {
	t.Parallel()
	c, _ := llmtest.NewProject(t)
	llmtest.Make(c, "projects", `{"name":"Runs","useWorkflowExecutor":true}`)
	id := c.Get("/api/tool_targets?targetType=workflow_executor").Value("data.0.id").Text()
	got := c.Get("/api/workflow_executors/"+id+"?include=createdBy").Want(200).Wants("data.type", "workflowExecutors",
		"data.attributes.svcAccountId", "1", "included.0.attributes.email", "admin@shop.example")
	got.Wants("included.0.id", got.Value("data.attributes.createdByUserId").Text())
	c.Get("/api/workflow_executors/"+llmtest.NoID).Refused(404, llmtest.NoID)
}
