package llmtest

import (
	"fmt"
	"strings"
	"testing"

	"svc.example/understudy/mockserver/internal/mocktest"
)

// Stage is a project with an agent, and the two kinds of interfaces to it.
type Stage struct {
	*mocktest.Client
	Project, Agent, Chat, Form string
}

// NewStage returns a mock with a Stage in a project of its own.
func NewStage(t *testing.T) Stage {
	t.Helper()
	c, project := NewProject(t)
	return StageIn(c, project)
}

// StageIn creates a Stage in a project.
func StageIn(c *mocktest.Client, project string) Stage {
	c.Helper()
	s := Stage{Client: c, Project: project}
	s.Agent = Make(
		c,
		"agents",
		fmt.Sprintf(`{"projectId":%q,"name":"Helper","systemPrompt":"Help.","modelType":"gpt-5"}`, project),
	)
	s.Chat = Make(
		c,
		"chat_interfaces",
		fmt.Sprintf(`{"projectId":%q,"name":"Chat","starterMessage":"Hello","textInputEnabled":true,
		"textInputAgentId":%q,"chatInterfaceButtons":[{"agentId":%q,"label":"Sales","prompt":"Sum up the sales."}]}`,
			project, s.Agent, s.Agent),
	)
	s.Form = Make(
		c,
		"form_interfaces",
		fmt.Sprintf(`{"projectId":%q,"agentId":%q,"name":"Form","promptTemplate":"About {{topic}}",
		"formJsonSchema":"{\"type\":\"object\",\"required\":[\"topic\"],\"properties\":{\"topic\":{\"type\":\"string\"}}}"}`, project, s.Agent),
	)
	return s
}

// Attributes returns the attributes of a schedule of the chat interface, some of them replaced: name, JSON, name, JSON.
func (s Stage) Attributes(more ...string) string {
	all := map[string]string{
		"projectId": Quote(s.Project), "agentId": Quote(s.Agent), "chatInterfaceId": Quote(s.Chat), "name": `"Morning"`,
		"repeatUnit": `"daily"`, "repeatFrequency": "1", "timezone": `"Asia/Tokyo"`, "startAt": `"2026-01-16T07:30:00"`,
		"parameterValues": `{"input":"Summarize."}`,
	}
	for i := 0; i < len(more); i += 2 {
		all[more[i]] = more[i+1]
	}
	var members []string
	for name, value := range all {
		members = append(members, Quote(name)+":"+value)
	}
	return "{" + strings.Join(members, ",") + "}"
}

// Quote puts a text between double quotes.
func Quote(text string) string { return `"` + text + `"` }

// PostSchedule requests the creation of a schedule with some of the usual attributes replaced.
func (s Stage) PostSchedule(more ...string) mocktest.Answer {
	s.Helper()
	return Post(s.Client, "agent_schedules", s.Attributes(more...))
}

// Schedule creates a schedule and returns its id.
func (s Stage) Schedule(more ...string) string {
	s.Helper()
	return s.PostSchedule(more...).Want(201).Value("data.id").String()
}

// GetSchedule reads a schedule.
func (s Stage) GetSchedule(id string) mocktest.Answer {
	s.Helper()
	return s.Get("/api/agent_schedules/" + id).Want(200)
}
