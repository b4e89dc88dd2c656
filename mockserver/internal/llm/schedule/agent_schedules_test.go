package schedule_test

import (
	"fmt"
	"testing"

	"svc.example/understudy/mockserver/internal/llm/llmtest"
)

func TestAgentSchedules(t *testing.T) {
	t.Parallel()
	// one returns a stage with a schedule of the chat interface and one of the form.
	one := func(t *testing.T) (s stage, id, form string) {
		t.Helper()
		s = newStage(t)
		id = s.Schedule("sendEmailNotification", "true", "endAt", `"2026-12-31"`)
		form = s.Schedule(
			"chatInterfaceId",
			"null",
			"formInterfaceId",
			quote(s.Form),
			"parameterValues",
			`{"topic":"sales"}`,
			"name",
			`"Form"`,
		)
		return s, id, form
	}
	t.Run("a new one is active and has done nothing", func(t *testing.T) {
		t.Parallel()
		s := newStage(t)
		s.PostSchedule("sendEmailNotification", "true", "endAt", `"2026-12-31"`).Want(201).Wants(
			"data.type", "agentSchedules", "data.attributes.status", "active", "data.attributes.executionCount", "0",
			"data.attributes.interfaceType", "chat", "data.attributes.formInterfaceId", "", "data.attributes.emailRecipients.0",
			"admin@shop.example",
			"data.attributes.repeatSubFrequency.#", "0", "data.attributes.lastRunStatus", "")
		s.PostSchedule("chatInterfaceId", "null", "formInterfaceId", quote(s.Form), "parameterValues",
			`{"topic":"sales"}`).
			Want(201).
			Wants(
				"data.attributes.interfaceType", "form", "data.attributes.chatInterfaceId", "", "data.attributes.emailRecipients.#",
				"0")
	})
	t.Run("they are listed by filters in camelCase", func(t *testing.T) {
		t.Parallel()
		s, id, form := one(t)
		for query, want := range map[string]string{
			"": "2", "filter[agentId]=" + s.Agent: "2", "filter[projectId]=" + s.Project: "2",
			"filter[projectId]=" + llmtest.NoID: "0",
			"filter[formInterfaceId]=" + s.Form: "1", "filter[chatInterfaceId]=" + s.Chat: "1",
			"filter[interfaceType]=form": "1", "filter[interfaceType]=fax": "0",
		} {
			s.Get("/api/agent_schedules?"+query).Want(200).Wants("meta.total", want)
		}
		s.Get("/api/agent_schedules?sort=-name").Want(200).Wants("data.0.id", id, "data.1.id", form)
		s.Get("/api/agent_schedules?include=nonsense").Refused(400, `"112"`)
		s.Get("/api/agent_schedules/"+id+"?include=nonsense").Refused(400, `"112"`)
	})
	t.Run("they include what they lead to", func(t *testing.T) {
		t.Parallel()
		s, id, form := one(t)
		s.Get("/api/agent_schedules/"+id+"?include=project,createdBy,agent,formInterface,chatInterface").
			Want(200).
			Wants("included.#.type",
				`["projects","users","agents","chatInterfaces"]`, "data.relationships.chatInterface.data.id", s.Chat)
		s.Get("/api/agent_schedules/"+form+"?include=formInterface,updatedBy").
			Want(200).
			Wants("included.#.type", `["formInterfaces","users"]`)
	})
	t.Run("a change keeps the rest", func(t *testing.T) {
		t.Parallel()
		s, id, _ := one(t)
		llmtest.Patch(
			s.Client,
			"agent_schedules",
			id,
			`{"name":"Evening","sendEmailNotification":false,"endAt":null}`,
		).Want(200).
			Wants(
				"data.attributes.name", "Evening", "data.attributes.emailRecipients.#", "0", "data.attributes.endAt", "",
				"data.attributes.startAt", "2026-01-16T07:30:00")
		llmtest.Patch(
			s.Client,
			"agent_schedules",
			id,
			fmt.Sprintf(`{"formInterfaceId":%q,"chatInterfaceId":null,"parameterValues":{"topic":"x"}}`, s.Form),
		).
			Want(200).
			Wants("data.attributes.interfaceType", "form")
		llmtest.Patch(s.Client, "agent_schedules", llmtest.NoID, `{}`).Refused(404, llmtest.NoID)
		llmtest.RefusesText(s.Client, "POST", "/api/agent_schedules")
		llmtest.RefusesText(s.Client, "PATCH", "/api/agent_schedules/"+id)
	})
	t.Run("only the creator changes and deletes one", func(t *testing.T) {
		t.Parallel()
		s, id, _ := one(t)
		owner := s.As("1/owner")
		llmtest.Patch(owner, "agent_schedules", id, `{"name":"Mine"}`).Refused(401, "creator")
		owner.Delete("/api/agent_schedules/"+id).Refused(401, "creator")
		s.GetSchedule(id).Wants("data.attributes.name", "Morning")
		owner.Get("/api/agent_schedules/" + id).Want(200)
	})
	t.Run("what the server owns is not sent", func(t *testing.T) {
		t.Parallel()
		s, id, _ := one(t)
		for _, name := range []string{"emailRecipients", "status", "executionCount", "workflowProjectId", "interfaceType"} {
			s.PostSchedule(name, "null").Refused(400, `"105"`, name)
			llmtest.Patch(s.Client, "agent_schedules", id, `{"`+name+`":null}`).Refused(400, `"105"`, name)
		}
	})
	t.Run("it can be deleted", func(t *testing.T) {
		t.Parallel()
		s, id, _ := one(t)
		path := "/api/agent_schedules/" + id
		s.Delete(path).Want(204)
		s.Get(path).Refused(404, id)
		s.Delete(path).Refused(404, id)
	})
}

func TestAgentScheduleChecks(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	other := stageIn(s.Client, llmtest.MakeProject(s.Client, "Other"))
	id := s.Schedule()
	const format = "INVALID_FORMAT_OR_ASSOCIATION"
	for _, test := range []struct {
		code, attribute string
		more            []string
	}{
		{format, "projectId", []string{"projectId", quote(llmtest.NoID)}},
		{format, "agentId", []string{"agentId", quote(llmtest.NoID)}},
		{format, "chatInterfaceId", []string{"chatInterfaceId", quote(llmtest.NoID)}},
		{format, "formInterfaceId", []string{"chatInterfaceId", "null", "formInterfaceId", quote(llmtest.NoID)}},
		{format, "textResourceId", []string{"textResourceId", quote(llmtest.NoID)}},
		{format, "agentId", []string{"agentId", quote(other.Agent)}},
		{format, "chatInterfaceId", []string{"chatInterfaceId", quote(other.Chat)}},
		{"CANNOT_BE_BLANK", "name", []string{"name", `" "`}},
		{format, "timezone", []string{"timezone", `"Mars/Olympus"`}},
		{format, "timezone", []string{"timezone", `"Local"`}},
		{format, "startAt", []string{"startAt", `"2026-02-30T07:00:00"`}},
		{format, "startAt", []string{"startAt", `"20.02.2026"`}},
		{format, "startAt", []string{"startAt", `"2026-02-20 07:00:00"`}},
		{format, "endAt", []string{"endAt", `"soon"`}},
		{format, "endAt", []string{"endAt", `"2026-01-15T23:59:59Z"`}},
		{format, "endAt", []string{"endAt", `"2026-13-01"`}},
		{format, "endAt", []string{"endAt", `"2026-01-15"`}},
		{format, "repeatFrequency", []string{"repeatFrequency", "0"}},
		{"NOT_AN_INTEGER", "repeatFrequency", []string{"repeatFrequency", "1.5"}},
		{format, "repeatUnit", []string{"repeatUnit", `"hourly"`}},
		{format, "repeatSubFrequency", []string{"repeatUnit", `"weekly"`, "repeatSubFrequency", "[8]"}},
		{format, "repeatSubFrequency", []string{"repeatUnit", `"monthly"`, "repeatSubFrequency", "[0]"}},
		{format, "parameterValues", []string{"parameterValues", `{}`}},
		{format, "parameterValues", []string{"parameterValues", `{"button_id":"Costs"}`}},
		{
			format, "parameterValues",
			[]string{"chatInterfaceId", "null", "formInterfaceId", quote(s.Form), "parameterValues", `{"topic":null}`},
		},
	} {
		s.PostSchedule(test.more...).Refused(422, test.code, "/data/attributes/"+test.attribute)
		llmtest.Patch(
			s.Client,
			"agent_schedules",
			id,
			s.Attributes(test.more...),
		).Refused(422, test.code, "/data/attributes/"+test.attribute)
	}
	s.GetSchedule(id).Wants("data.attributes.name", "Morning", "data.attributes.repeatUnit", "daily")
	s.PostSchedule("endAt", `"2026-01-16"`, "parameterValues", `{"button_id":"Sales"}`).Want(201)
	open := llmtest.Make(s.Client, "chat_interfaces",
		`{"projectId":`+quote(s.Project)+`,"name":"Open","textInputEnabled":true}`)
	s.PostSchedule("chatInterfaceId", quote(open)).Want(201)
}

func TestAgentScheduleTimes(t *testing.T) {
	t.Parallel()
	s := newStage(t) // whose schedules are in Tokyo, at +09:00
	id := s.Schedule()
	for _, test := range []struct{ name, startAt, endAt, start, end string }{
		{"as they are answered", "2026-02-01T09:00:00", "2026-12-31", "2026-02-01T09:00:00", "2026-12-31"},
		{
			"with Z, which does not change the time of day", "2026-02-01T09:00:00Z", "2026-12-31T23:59:59Z",
			"2026-02-01T09:00:00", "2026-12-31",
		},
		{"as times without Z", "2026-02-01T09:00:00", "2026-12-31T00:00:00", "2026-02-01T09:00:00", "2026-12-31"},
		{"as dates", "2026-02-01", "2026-12-31", "2026-02-01T00:00:00", "2026-12-31"},
		{
			"with fractions of seconds", "2026-02-01T09:00:00.000Z", "2026-12-31T00:00:00.5", "2026-02-01T09:00:00",
			"2026-12-31",
		},
		{
			"with an offset, which makes them instants", "2026-02-01T00:00:00+00:00", "2026-12-31T12:00:00-08:00",
			"2026-02-01T09:00:00", "2027-01-01",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := stage{Client: s.In(t), Project: s.Project, Agent: s.Agent, Chat: s.Chat, Form: s.Form}
			times := []string{"startAt", quote(test.startAt), "endAt", quote(test.endAt)}
			want := []string{"data.attributes.startAt", test.start, "data.attributes.endAt", test.end}
			made := s.PostSchedule(times...).Want(201).Wants(want...).Value("data.id").Text()
			s.GetSchedule(made).Wants(want...)
		})
	}
	t.Run("a change takes them in all forms, too", func(t *testing.T) {
		t.Parallel()
		llmtest.Patch(s.In(t), "agent_schedules", id,
			`{"startAt":"2026-03-01T10:00:00Z","endAt":"2026-03-02T10:00:00"}`).Want(200).
			Wants("data.attributes.startAt", "2026-03-01T10:00:00", "data.attributes.endAt", "2026-03-02")
	})
	t.Run("a local time that the clocks leave out stays as it was sent", func(t *testing.T) {
		t.Parallel()
		s := stage{Client: s.In(t), Project: s.Project, Agent: s.Agent, Chat: s.Chat, Form: s.Form}
		s.PostSchedule("timezone", `"Europe/Berlin"`, "startAt", `"2026-03-29T02:30:00Z"`).Want(201).
			Wants("data.attributes.startAt", "2026-03-29T02:30:00")
	})
	t.Run("a fixture may have them in all forms", func(t *testing.T) {
		t.Parallel()
		c, _ := llmtest.NewProject(t)
		c.Load(`
llm:
  projects: [{attributes: {name: Shop}}]
  agents: [{attributes: {projectId: Shop, name: Helper, modelType: gpt-5}}]
  formInterfaces:
  - attributes: {projectId: Shop, agentId: Helper, name: Form, promptTemplate: Go, formJsonSchema: '{}'}
  agentSchedules:
  - attributes:
      {projectId: Shop, agentId: Helper, formInterfaceId: Form, name: Morning, repeatUnit: daily, repeatFrequency: 1,
       timezone: UTC, startAt: '2026-02-01T09:00:00Z', endAt: '2026-12-31T00:00:00Z', parameterValues: {}}
`)
		c.Get("/api/agent_schedules").Want(200).Wants(
			"data.0.attributes.startAt", "2026-02-01T09:00:00", "data.0.attributes.endAt", "2026-12-31")
	})
}
