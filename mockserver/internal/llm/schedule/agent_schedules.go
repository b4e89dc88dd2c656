// Package schedule holds agent schedules, and the workflows that run them.
package schedule

import (
	"errors"
	"slices"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/llm/kinds"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// AgentSchedules is the kind of agent schedules.
var AgentSchedules = jsonapi.NewKind(jsonapi.KindOf[world.AgentSchedule]{
	Type: "agentSchedules", Noun: "agent schedule",
	New: func(_ *op.Call, a *world.AgentSchedule) {
		a.Status, a.RepeatSubFrequency = scheduleActive, []int{}
	},
	Set:    setAgentSchedule,
	Remove: removeAgentSchedule,
	Filters: map[string]jsonapi.Filter[world.AgentSchedule]{ // camelCase, unlike those of other kinds (public)
		"agentId":         jsonapi.Equal(func(a world.AgentSchedule) string { return a.AgentID }),
		"projectId":       jsonapi.Equal(func(a world.AgentSchedule) string { return a.ProjectID }),
		"formInterfaceId": jsonapi.Equal(func(a world.AgentSchedule) string { return jsonapi.OrEmpty(a.FormInterfaceID) }),
		"chatInterfaceId": jsonapi.Equal(func(a world.AgentSchedule) string { return jsonapi.OrEmpty(a.ChatInterfaceID) }),
		"interfaceType":   jsonapi.Equal(func(a world.AgentSchedule) string { return a.InterfaceType }),
	},
	Related: relatedToSchedule,
})

// The statuses that the server sets.
const (
	scheduleActive   = "active"
	scheduleDisabled = "disabled" // past its end
)

func relatedToSchedule(_ *world.State, r world.Resource[world.AgentSchedule], relation string) []jsonapi.Identifier {
	a := r.Attributes
	one := jsonapi.Identifier{}
	switch relation {
	case "project":
		one = jsonapi.Identifier{Type: kinds.Projects.Type, ID: a.ProjectID}
	case "agent":
		one = jsonapi.Identifier{Type: kinds.Agents.Type, ID: a.AgentID}
	case "formInterface":
		one = jsonapi.Identifier{Type: kinds.FormInterfaceType, ID: jsonapi.OrEmpty(a.FormInterfaceID)}
	case "chatInterface":
		one = jsonapi.Identifier{Type: kinds.ChatInterfaceType, ID: jsonapi.OrEmpty(a.ChatInterfaceID)}
	}
	if one.ID == "" {
		return nil
	}
	return []jsonapi.Identifier{one}
}

// setAgentSchedule also updates the generated workflow. A change that postpones the end makes a disabled schedule
// active again (assumed).
func setAgentSchedule(c *op.Call, before, after *world.Resource[world.AgentSchedule]) error {
	if before != nil {
		if err := creatorOnly(c, *before); err != nil {
			return err
		}
	}
	a := &after.Attributes
	normalizeTimes(a)
	t, err := timesOf(*a)
	if err := errors.Join(err, checkScheduleReferences(c, *a), checkInterface(c, a)); err != nil {
		return err
	}
	if a.Status == scheduleDisabled && !t.isOver(c.Now) {
		a.Status = scheduleActive
	}
	a.EmailRecipients = recipients(c.World, *after)
	return generateWorkflow(c, after, t)
}

// creatorOnly refuses all callers except the creator, administrators too: with 401, not 403 (public).
func creatorOnly(c *op.Call, r world.Resource[world.AgentSchedule]) error {
	if c.Caller.User.ID == r.CreatedBy {
		return nil
	}
	return &op.Error{
		Code:    op.CodeUnauthorized,
		Message: "agent schedule " + r.UUID + " belongs to another user: only its creator may change or delete it",
	}
}

// recipients returns the recipients of e-mails: the creator alone (assumed).
func recipients(w *world.State, r world.Resource[world.AgentSchedule]) []string {
	if user, _ := w.Account.Users.Get(r.CreatedBy); r.Attributes.SendEmailNotification && user.Email != "" {
		return []string{user.Email}
	}
	return []string{}
}

func checkScheduleReferences(c *op.Call, a world.AgentSchedule) error {
	errs := []error{
		kinds.RequireProjectAndName(c, a.ProjectID, a.Name),
		jsonapi.RequireRef(c, "agentId", a.AgentID, &c.World.LLM.Agents),
		jsonapi.OptionalRef(c, "textResourceId", a.TextResourceID, &c.World.LLM.TextResources),
	}
	if agent, ok := jsonapi.Find(c.World, a.AgentID, &c.World.LLM.Agents); ok {
		errs = append(errs, sameProject("agentId", agent.Attributes.ProjectID, a))
	}
	return errors.Join(errs...)
}

// sameProject refuses a reference to a resource of another project than the schedule's (assumed).
func sameProject(attribute, project string, a world.AgentSchedule) error {
	if project == a.ProjectID {
		return nil
	}
	return jsonapi.Unprocessable(attribute, jsonapi.InvalidFormat,
		"the %s belongs to project %s, and the schedule to %s",
		jsonapi.RefNoun(attribute), project, a.ProjectID)
}

// checkInterface requires exactly one interface (public), through which the values reach the agent (assumed).
func checkInterface(c *op.Call, a *world.AgentSchedule) error {
	form, chat := a.FormInterfaceID != nil, a.ChatInterfaceID != nil
	if form == chat {
		return jsonapi.UnprocessableResource(jsonapi.OneInterface,
			"want exactly one of formInterfaceId and chatInterfaceId")
	}
	l := &c.World.LLM
	if form {
		a.InterfaceType = "form"
		f, ok := jsonapi.Find(c.World, *a.FormInterfaceID, &l.FormInterfaces)
		if !ok {
			return jsonapi.NoSuchRef("formInterfaceId", *a.FormInterfaceID)
		}
		return errors.Join(
			sameProject("formInterfaceId", f.Attributes.ProjectID, *a), requireReachable(*a, f.Attributes.AgentID),
			checkFormValues(f.Attributes, a.ParameterValues),
		)
	}
	a.InterfaceType = "chat"
	i, ok := jsonapi.Find(c.World, jsonapi.OrEmpty(a.ChatInterfaceID), &l.ChatInterfaces)
	if !ok {
		return jsonapi.NoSuchRef("chatInterfaceId", jsonapi.OrEmpty(a.ChatInterfaceID))
	}
	_, err := scheduledInput(i.Attributes, a.ParameterValues)
	return errors.Join(
		sameProject("chatInterfaceId", i.Attributes.ProjectID, *a),
		requireReachable(*a, kinds.AgentsOf(i.Attributes)...), err,
	)
}

// requireReachable refuses an agent that does not answer in the interface of the schedule, if other agents do.
func requireReachable(a world.AgentSchedule, agents ...string) error {
	if len(agents) == 0 || slices.Contains(agents, a.AgentID) {
		return nil
	}
	return jsonapi.Unprocessable("agentId", jsonapi.InvalidFormat, "agent %s is not used in the %s interface",
		a.AgentID, a.InterfaceType)
}
