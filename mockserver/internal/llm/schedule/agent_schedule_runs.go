package schedule

import (
	"time"

	"go.yaml.in/yaml/v4"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/world"
)

// CallbackAgentSchedule stores the result of a run. It does not count as a change of the schedule by a user (assumed).
func CallbackAgentSchedule(c *op.Call) (op.Reply, error) {
	id, r, err := resource.Find[world.Resource[world.AgentSchedule]](AgentSchedules.Resource, c)
	if err != nil {
		return op.Reply{}, err
	}
	var body struct {
		Session    string  `json:"session_id"`
		Attempt    string  `json:"attempt_id"`
		Status     string  `json:"status"`
		ExecutedAt string  `json:"executed_at"`
		Message    *string `json:"error_message"`
	}
	if err := c.Decode(&body); err != nil {
		return op.Reply{}, err
	}
	executed := c.Now
	if body.ExecutedAt != "" {
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
	c.World.LLM.AgentSchedules.Put(id, r)
	return op.Reply{}, nil
}

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
func ExecuteAgentSchedule(c *op.Call) (op.Reply, error) {
	id, r, err := resource.Find[world.Resource[world.AgentSchedule]](AgentSchedules.Resource, c)
	if err != nil {
		return op.Reply{}, err
	}
	over, err := disableIfOver(c, &r)
	if err != nil {
		return op.Reply{}, err
	}
	definition := newRun(c, r)
	if over {
		c.World.LLM.AgentSchedules.Put(id, r)
		definition = logOnly(r.Attributes)
	}
	text, err := yaml.Dump(definition)
	return op.Reply{Type: "application/x-yaml", Bytes: text}, err
}
