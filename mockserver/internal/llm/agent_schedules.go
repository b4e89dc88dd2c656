package llm

import (
	"errors"
	"slices"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

var agentSchedules = newKind(kindOf[world.AgentSchedule]{
	Type: "agentSchedules", Noun: "agent schedule",
	New: func(_ *op.Call, a *world.AgentSchedule) {
		a.Status, a.RepeatSubFrequency = scheduleActive, []int{}
	},
	Set:    setAgentSchedule,
	Remove: removeAgentSchedule,
	Filters: map[string]filter[world.AgentSchedule]{ // camelCase, unlike those of other kinds (public)
		"agentId":         equal(func(a world.AgentSchedule) string { return a.AgentID }),
		"projectId":       equal(func(a world.AgentSchedule) string { return a.ProjectID }),
		"formInterfaceId": equal(func(a world.AgentSchedule) string { return orEmpty(a.FormInterfaceID) }),
		"chatInterfaceId": equal(func(a world.AgentSchedule) string { return orEmpty(a.ChatInterfaceID) }),
		"interfaceType":   equal(func(a world.AgentSchedule) string { return a.InterfaceType }),
	},
	Related: relatedToSchedule,
})

// The statuses that a schedule comes to by itself.
const (
	scheduleActive   = "active"
	scheduleDisabled = "disabled" // past its end
)

func relatedToSchedule(_ *world.World, r world.Resource[world.AgentSchedule], relation string) []identifier {
	a := r.Attributes
	one := identifier{}
	switch relation {
	case "project":
		one = identifier{projects.Type, a.ProjectID}
	case "agent":
		one = identifier{agents.Type, a.AgentID}
	case "formInterface":
		one = identifier{formInterfaceType, orEmpty(a.FormInterfaceID)}
	case "chatInterface":
		one = identifier{chatInterfaceType, orEmpty(a.ChatInterfaceID)}
	}
	if one.ID == "" {
		return nil
	}
	return []identifier{one}
}

// setAgentSchedule brings the generated workflow up to date as well. A change that puts the end off makes a schedule
// that was disabled active again (assumed).
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
	if a.Status == scheduleDisabled && !t.over(c.Now) {
		a.Status = scheduleActive
	}
	a.EmailRecipients = recipients(c.World, *after)
	return generateWorkflow(c, after, t)
}

// creatorOnly refuses everybody but the creator, administrators too: with 401, not 403 (public).
func creatorOnly(c *op.Call, r world.Resource[world.AgentSchedule]) error {
	if c.Caller.User.ID == r.CreatedBy {
		return nil
	}
	return &op.Error{
		Code:    op.CodeUnauthorized,
		Message: "agent schedule " + r.UUID + " is another user's: only its creator may change or delete it",
	}
}

// recipients of e-mails: the creator alone (assumed).
func recipients(w *world.World, r world.Resource[world.AgentSchedule]) []string {
	if user, _ := w.Account.Users.Get(r.CreatedBy); r.Attributes.SendEmailNotification && user.Email != "" {
		return []string{user.Email}
	}
	return []string{}
}

func checkScheduleReferences(c *op.Call, a world.AgentSchedule) error {
	errs := []error{
		requireProjectAndName(c, a.ProjectID, a.Name),
		requireRef(c, "agentId", a.AgentID, &c.World.LLM.Agents),
		optionalRef(c, "textResourceId", a.TextResourceID, &c.World.LLM.TextResources),
	}
	if agent, ok := find(c.World, a.AgentID, &c.World.LLM.Agents); ok {
		errs = append(errs, sameProject("agentId", agent.Attributes.ProjectID, a))
	}
	return errors.Join(errs...)
}

// sameProject refuses what belongs to another project than the schedule (assumed).
func sameProject(attribute, project string, a world.AgentSchedule) error {
	if project == a.ProjectID {
		return nil
	}
	return unprocessable(attribute, invalidFormat, "the %s belongs to project %s, and the schedule to %s",
		refNoun(attribute), project, a.ProjectID)
}

// checkInterface wants exactly one interface (public), through which the agent can be reached with the values
// (assumed).
func checkInterface(c *op.Call, a *world.AgentSchedule) error {
	form, chat := a.FormInterfaceID != nil, a.ChatInterfaceID != nil
	if form == chat {
		return unprocessableResource(oneInterface, "want exactly one of formInterfaceId and chatInterfaceId")
	}
	l := &c.World.LLM
	if form {
		a.InterfaceType = "form"
		f, ok := find(c.World, *a.FormInterfaceID, &l.FormInterfaces)
		if !ok {
			return noSuchRef("formInterfaceId", *a.FormInterfaceID)
		}
		return errors.Join(
			sameProject("formInterfaceId", f.Attributes.ProjectID, *a), requireReachable(*a, f.Attributes.AgentID),
			checkFormValues(f.Attributes, a.ParameterValues),
		)
	}
	a.InterfaceType = "chat"
	i, ok := find(c.World, orEmpty(a.ChatInterfaceID), &l.ChatInterfaces)
	if !ok {
		return noSuchRef("chatInterfaceId", orEmpty(a.ChatInterfaceID))
	}
	_, err := scheduledInput(i.Attributes, a.ParameterValues)
	return errors.Join(
		sameProject("chatInterfaceId", i.Attributes.ProjectID, *a), requireReachable(*a, agentsOf(i.Attributes)...), err,
	)
}

// requireReachable refuses an agent that does not answer where the chats of the schedule start, while others do.
func requireReachable(a world.AgentSchedule, agents ...string) error {
	if len(agents) == 0 || slices.Contains(agents, a.AgentID) {
		return nil
	}
	return unprocessable("agentId", invalidFormat, "agent %s does not answer in the %s interface", a.AgentID, a.InterfaceType)
}
