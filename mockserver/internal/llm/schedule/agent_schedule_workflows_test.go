package schedule_test

import (
	"testing"
	"time"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver/internal/llm/llmtest"
)

func TestAgentScheduleWorkflows(t *testing.T) {
	t.Parallel()
	// one returns a stage with a schedule, and the workflow interface.
	one := func(t *testing.T) (s stage, workflow *mocktest.Client, id, project string) {
		t.Helper()
		s = newStage(t)
		id = s.Schedule("endAt", `"2026-01-20"`)
		return s, s.At("workflow"), id, s.GetSchedule(id).Value("data.attributes.workflowProjectId").Text()
	}
	wantNext := func(workflow *mocktest.Client, project, want string) {
		workflow.Helper()
		workflow.Get("/api/projects/"+project+"/schedules").Want(200).Wants("schedules.0.nextRunTime", want)
	}
	t.Run("a schedule has a workflow that starts when the schedule says", func(t *testing.T) {
		t.Parallel()
		_, workflow, id, project := one(t)
		wantNext(workflow, project, "2026-01-15T22:30:00Z") // 07:30 in Tokyo
		workflow.Get("/api/projects/"+project+"/workflows").Want(200).
			Wants("workflows.0.timezone", "Asia/Tokyo", "workflows.0.config.+run.http_call>",
				"http://localhost/llm/api/agent_schedules/"+id+"/execute")
	})
	t.Run("a change of the schedule changes it", func(t *testing.T) {
		t.Parallel()
		s, workflow, id, project := one(t)
		llmtest.Patch(
			s.Client,
			"agent_schedules",
			id,
			`{"timezone":"UTC","repeatUnit":"weekly","repeatSubFrequency":[1,1,0],"repeatFrequency":2}`,
		).Want(200).
			Wants("data.attributes.workflowProjectId", project)
		wantNext(workflow, project, "2026-01-18T07:30:00Z") // a Sunday
		workflow.Get("/api/projects/"+project+"/workflows").
			Want(200).
			Wants("workflows.0.config.schedule.cron>", "30 7 * * 0,1",
				"workflows.0.config.+run.if>",
				`${moment(session_time).startOf("week").diff(moment("2026-01-16").startOf("week"), "weeks") % 2 == 0}`)
	})
	t.Run("a schedule that runs once or by the month", func(t *testing.T) {
		t.Parallel()
		s, workflow, id, project := one(t)
		for _, test := range []struct{ unit, days, want string }{
			{"no_repeat", "[]", "2026-01-15T22:30:00Z"},
			{"monthly", "[]", "2026-01-15T22:30:00Z"},
			{"monthly", "[20]", "2026-01-19T22:30:00Z"},
			{"weekly", "[]", "2026-01-15T22:30:00Z"},
		} {
			llmtest.Patch(
				s.Client,
				"agent_schedules",
				id,
				`{"repeatUnit":"`+test.unit+`","repeatSubFrequency":`+test.days+`,"repeatFrequency":1}`,
			).Want(200)
			wantNext(workflow, project, test.want)
		}
	})
	t.Run("one that somebody deleted is made anew by a change", func(t *testing.T) {
		t.Parallel()
		s, workflow, id, project := one(t)
		workflow.Delete("/api/projects/" + project).Want(200)
		again := llmtest.Patch(
			s.Client,
			"agent_schedules",
			id,
			`{"repeatUnit":"daily"}`,
		).Want(200).
			Value("data.attributes.workflowProjectId").
			Text()
		if again == project {
			t.Fatalf("the project is still %s", again)
		}
		workflow.Get("/api/projects/" + again).Want(200)
	})
	t.Run("the schedule cannot be deleted while it runs, and takes it along after", func(t *testing.T) {
		t.Parallel()
		s, workflow, id, project := one(t)
		started := workflow.Get("/api/projects/" + project + "/workflows").Value("workflows.0.id").Text()
		workflow.Put("/api/attempts", `{"workflowId":"`+started+`","sessionTime":"2026-01-15T09:30:00Z","params":{}}`).
			Want(200)
		s.Delete("/api/agent_schedules/"+id).Refused(422, "LLM_SOMETHING_ERROR", project)
		workflow.Get("/api/projects/" + project).Want(200)
		s.Advance(time.Hour)
		s.Delete("/api/agent_schedules/" + id).Want(204)
		workflow.Get("/api/projects/"+project).Refused(404, "deleted")
	})
	t.Run("it goes with the project of the schedule", func(t *testing.T) {
		t.Parallel()
		s, workflow, _, project := one(t)
		s.Delete("/api/projects/" + s.Project).Want(204)
		workflow.Get("/api/projects/"+project).Refused(404, "deleted")
	})
}

func TestSeededSchedules(t *testing.T) {
	t.Parallel()
	c := mocktest.New(t, "llm").Load(llmtest.ShopData + `
llm:
  indexTime: 1h
  projects: [{attributes: {name: Shop}}]
  knowledgeBases:
  - {createdAt: now-2h, attributes: {projectId: Shop, name: Indexed, svcDatabaseName: shop}}
  - {attributes: {projectId: Shop, name: Fresh, svcDatabaseName: shop}}
  agents: [{attributes: {projectId: Shop, name: Helper, modelType: gpt-5}}]
  chatInterfaces:
  - {attributes: {projectId: Shop, name: Chat, starterMessage: Hello, textInputEnabled: true, textInputAgentId: Helper}}
  agentSchedules:
  - createdAt: now-30d
    user: owner@shop.example
    attributes:
      {projectId: Shop, agentId: Helper, chatInterfaceId: Chat, name: Daily, repeatUnit: daily, repeatFrequency: 1,
      timezone: UTC, startAt: '2025-12-20T07:00:00', parameterValues: {input: Hello}}
`)
	c.Get("/api/knowledge_bases").
		Want(200).
		Wants("data.0.attributes.lastJob.status", "SUCCESS", "data.1.attributes.lastJob.status", "IN_PROGRESS")
	project := c.Get("/api/agent_schedules").Want(200).Wants("data.0.attributes.status", "active",
		"data.0.attributes.createdAt", "2025-12-16T09:30:00.000Z").Value("data.0.attributes.workflowProjectId").Text()
	c.At("workflow").
		Get("/api/projects/"+project+"/schedules").
		Want(200).
		Wants("schedules.0.nextRunTime", "2026-01-16T07:00:00Z")
	c.At("workflow").Get("/api/attempts").Want(200).Wants("attempts.#", "0")
	c.Advance(time.Hour)
	c.Get("/api/knowledge_bases").Want(200).Wants("data.1.attributes.lastJob.status", "SUCCESS")
}
