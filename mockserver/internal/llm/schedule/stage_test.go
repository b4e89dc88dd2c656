package schedule_test

import (
	"fmt"
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver/internal/llm/llmtest"
)

// stage is a project with an agent, and the two kinds of interfaces to it.
type stage struct {
	*mocktest.Client
	Project, Agent, Chat, Form string
}

// newStage returns a mock with a stage in a project of its own.
func newStage(t *testing.T) stage {
	t.Helper()
	c, project := llmtest.NewProject(t)
	return stageIn(c, project)
}

// stageIn creates a stage in a project.
func stageIn(c *mocktest.Client, project string) stage {
	c.Helper()
	s := stage{Client: c, Project: project}
	s.Agent = llmtest.Make(
		c,
		"agents",
		fmt.Sprintf(`{"projectId":%q,"name":"Helper","systemPrompt":"Help.","modelType":"gpt-5"}`, project),
	)
	s.Chat = llmtest.Make(
		c,
		"chat_interfaces",
		fmt.Sprintf(`{"projectId":%q,"name":"Chat","starterMessage":"Hello","textInputEnabled":true,
		"textInputAgentId":%q,"chatInterfaceButtons":[{"agentId":%q,"label":"Sales","prompt":"Sum up the sales."}]}`,
			project, s.Agent, s.Agent),
	)
	s.Form = llmtest.Make(
		c,
		"form_interfaces",
		fmt.Sprintf(`{"projectId":%q,"agentId":%q,"name":"Form","promptTemplate":"About {{topic}}",
		"formJsonSchema":"{\"type\":\"object\",\"required\":[\"topic\"],\"properties\":{\"topic\":{\"type\":\"string\"}}}"}`, project, s.Agent),
	)
	return s
}

// Attributes returns the attributes of a schedule of the chat interface, some of them replaced: name, JSON, name, JSON.
func (s stage) Attributes(more ...string) string {
	all := map[string]string{
		"projectId": quote(s.Project), "agentId": quote(s.Agent), "chatInterfaceId": quote(s.Chat), "name": `"Morning"`,
		"repeatUnit": `"daily"`, "repeatFrequency": "1", "timezone": `"Asia/Tokyo"`, "startAt": `"2026-01-16T07:30:00"`,
		"parameterValues": `{"input":"Summarize."}`,
	}
	for i := 0; i < len(more); i += 2 {
		all[more[i]] = more[i+1]
	}
	var members []string
	for name, value := range all {
		members = append(members, quote(name)+":"+value)
	}
	return "{" + strings.Join(members, ",") + "}"
}

// quote puts a text between double quotes.
func quote(text string) string { return `"` + text + `"` }

// PostSchedule requests the creation of a schedule with some of the usual attributes replaced.
func (s stage) PostSchedule(more ...string) mocktest.Answer {
	s.Helper()
	return llmtest.Post(s.Client, "agent_schedules", s.Attributes(more...))
}

// Schedule creates a schedule and returns its id.
func (s stage) Schedule(more ...string) string {
	s.Helper()
	return s.PostSchedule(more...).Want(201).Value("data.id").Text()
}

// GetSchedule reads a schedule.
func (s stage) GetSchedule(id string) mocktest.Answer {
	s.Helper()
	return s.Get("/api/agent_schedules/" + id).Want(200)
}
