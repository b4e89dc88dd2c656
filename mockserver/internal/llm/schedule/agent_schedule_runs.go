package schedule

import (
	"fmt"
	"strconv"
	"time"

	"go.yaml.in/yaml/v4"

	"svc.example/understudy/mockserver/internal/bridge"
	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/llm/kinds"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

var scheduleFromPath = resource.Named[world.Resource[world.AgentSchedule]](AgentSchedules.Resource)

// CallbackAgentSchedule stores the result of a run. It does not count as a change of the schedule by a user (assumed).
var CallbackAgentSchedule = op.OnSent(scheduleFromPath, func(
	c *op.Call, r world.Resource[world.AgentSchedule], body struct {
		Session    string  `json:"session_id"`
		Attempt    string  `json:"attempt_id"`
		Status     string  `json:"status"`
		ExecutedAt string  `json:"executed_at"`
		Message    *string `json:"error_message"`
	},
) (op.Reply, error) {
	executed := c.Now
	if body.ExecutedAt != "" {
		var err error
		if executed, err = time.Parse(time.RFC3339, body.ExecutedAt); err != nil {
			return op.Reply{}, op.Invalid("executed_at", "want a time, such as 2026-01-16T07:00:12Z, not %q",
				body.ExecutedAt)
		}
	}
	a := &r.Attributes
	a.WorkflowSessionID, a.WorkflowAttemptID = &body.Session, &body.Attempt
	a.LastRunStatus, a.LastRunErrorMessage, a.LastExecutedAt = &body.Status, body.Message, new(jsonapi.Millis(executed))
	if body.Status == "unknown" {
		a.LastRunStatus = nil
	}
	a.ExecutionCount++
	if _, err := disableIfOver(c, &r); err != nil {
		return op.Reply{}, err
	}
	c.World.LLM.AgentSchedules.Put(r.ID, r)
	return op.Reply{}, nil
})

// disableIfOver disables a schedule that is past its end, and removes the times from its workflow. It reports whether
// the schedule is past its end.
func disableIfOver(c *op.Call, r *world.Resource[world.AgentSchedule]) (bool, error) {
	t, err := timesOf(r.Attributes)
	over := err == nil && t.isOver(c.Now)
	if !over || r.Attributes.Status == scheduleDisabled {
		return over, err
	}
	r.Attributes.Status = scheduleDisabled
	return true, generateWorkflow(c, r, t)
}

// ExecuteAgentSchedule answers with the definition of a run, and runs nothing. Past the end of a schedule the
// definition only logs this (public).
var ExecuteAgentSchedule = op.On(scheduleFromPath, func(
	c *op.Call, r world.Resource[world.AgentSchedule],
) (op.Reply, error) {
	over, err := disableIfOver(c, &r)
	if err != nil {
		return op.Reply{}, err
	}
	definition := newRun(c, r)
	if over {
		c.World.LLM.AgentSchedules.Put(r.ID, r)
		message := fmt.Sprintf("agent schedule %q has ended and does not run any more", r.Attributes.Name)
		definition = loggingRun{r.Attributes.Timezone, map[string]string{"echo>": message}}
	}
	text, err := yaml.Dump(definition)
	return op.Reply{Type: "application/x-yaml", Bytes: text}, err
})

// Each schedule has a workflow project of its own, whose workflow fetches the definition of a run at the time of the
// run, and runs it. Its contents are assumed.

// generated is this workflow.
type generated struct {
	Timezone string `yaml:"timezone"`
	Schedule *cron  `yaml:"schedule,omitempty"` // absent past the end
	Run      any    `yaml:"+run"`               // a fetched, or a conditional
}

type cron struct {
	Cron  string `yaml:"cron>"`
	Start string `yaml:"start"`
	End   string `yaml:"end,omitempty"`
}

// conditional runs when a condition holds.
type conditional struct {
	If string  `yaml:"if>"`
	Do fetched `yaml:"_do"`
}

// fetched runs the definition that an address answers with.
type fetched struct {
	Address string              `yaml:"http_call>"`
	Method  string              `yaml:"method"`
	Headers []map[string]string `yaml:"headers"`
}

// generateWorkflow uploads the current workflow of a schedule. A project that a user has deleted is created again.
func generateWorkflow(c *op.Call, r *world.Resource[world.AgentSchedule], t scheduleTimes) error {
	if p, ok := bridge.ProjectNamed(c.World, projectName(*r)); ok && r.Attributes.WorkflowProjectID == nil {
		r.Attributes.WorkflowProjectID = new(strconv.FormatInt(p.ID, 10)) // a fixture has it
		return nil
	}
	workflow := generated{Timezone: r.Attributes.Timezone}
	if r.Attributes.Status == scheduleActive {
		workflow.Schedule = &cron{Cron: t.cron(), Start: t.start.Format(time.DateOnly), End: t.lastDay()}
	}
	call := fetched{Address: scheduleURL(c, r.UUID) + "/execute", Method: "POST", Headers: authorization(c)}
	workflow.Run = call
	if turn := t.condition(); turn != "" {
		workflow.Run = conditional{If: turn, Do: call}
	}
	text, err := yaml.Dump(workflow)
	if err != nil {
		return err
	}
	project, err := bridge.Upload(c.World, bridge.Files{
		Project: projectName(*r), Revision: strconv.FormatInt(c.World.NewID("llm.workflow_revision"), 10),
		Files: map[string]string{"agent_schedule.dig": string(text)}, User: c.Caller.User.ID,
	}, c.World.Now()) // of a fixture, too, no runs of the past are made up for
	r.Attributes.WorkflowProjectID = new(strconv.FormatInt(project.ID, 10))
	return err
}

func projectName(r world.Resource[world.AgentSchedule]) string { return "agent_schedule_" + r.UUID }

func scheduleURL(c *op.Call, uuid string) string { return c.Base + "/api/agent_schedules/" + uuid }

// authorization returns the headers of a workflow's requests: its key is a secret of the project.
func authorization(c *op.Call) []map[string]string {
	return []map[string]string{{"authorization": specs.Brand(c.World.Brand).Text("SVC1 ${secret:svc.apikey}")}}
}

// removeAgentSchedule deletes the workflow with the schedule, and refuses while it is running (public; that this is the
// reason is assumed).
func removeAgentSchedule(c *op.Call, r world.Resource[world.AgentSchedule]) error {
	if err := creatorOnly(c, r); err != nil {
		return err
	}
	project := kinds.WorkflowProject(r.Attributes)
	if bridge.Running(c.World, project) {
		return jsonapi.UnprocessableResource(jsonapi.SomethingWrong,
			"the workflow of the schedule, project %s, cannot be deleted while it runs",
			jsonapi.OrEmpty(r.Attributes.WorkflowProjectID))
	}
	bridge.RemoveProject(c.World, project, c.Now)
	return nil
}
