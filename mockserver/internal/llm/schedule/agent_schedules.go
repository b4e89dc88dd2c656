// Package schedule holds agent schedules, and the workflows that run them.
package schedule

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

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

const valuesAttribute = "parameterValues"

// parameters returns the values of a schedule, by name.
func parameters(raw []byte) (map[string]jsontext.Value, error) {
	values := map[string]jsontext.Value{}
	if err := json.Unmarshal(raw, &values); err != nil {
		return nil, jsonapi.Unprocessable(valuesAttribute, jsonapi.InvalidFormat, "%v", err)
	}
	return values, nil
}

// checkFormValues requires a value for each field that the schema of a form requires (assumed).
func checkFormValues(f world.FormInterface, raw []byte) error {
	var schema struct {
		Required []string `json:"required"`
	}
	_ = json.Unmarshal([]byte(f.FormJSONSchema), &schema) // any other value than a list of names requires nothing
	values, err := parameters(raw)
	if err != nil {
		return err
	}
	var lacking []string
	for _, name := range schema.Required {
		if value, ok := values[name]; !ok || value.Kind() == 'n' {
			lacking = append(lacking, name)
		}
	}
	if len(lacking) > 0 {
		return jsonapi.Unprocessable(valuesAttribute, jsonapi.InvalidFormat, "the form requires %s",
			strings.Join(lacking, ", "))
	}
	return nil
}

// scheduledInput returns the input that a run sends to a chat interface: the text input, or the prompt of the button
// that button_id names, by its label or by its position from 0 (assumed).
func scheduledInput(i world.ChatInterface, raw []byte) (string, error) {
	var values struct {
		Input  *string `json:"input"`
		Button *string `json:"button_id"`
	}
	if err := json.Unmarshal(raw, &values); err != nil {
		return "", jsonapi.Unprocessable(valuesAttribute, jsonapi.InvalidFormat, "input and button_id must be strings")
	}
	if input := jsonapi.OrEmpty(values.Input); strings.TrimSpace(input) != "" {
		return input, nil
	}
	if values.Button == nil {
		return "", jsonapi.Unprocessable(valuesAttribute, jsonapi.InvalidFormat,
			"want input, or button_id for a button of the chat interface")
	}
	for n, button := range i.ChatInterfaceButtons {
		if *values.Button == button.Label || *values.Button == strconv.Itoa(n) {
			return button.Prompt, nil
		}
	}
	return "", jsonapi.Unprocessable(valuesAttribute, jsonapi.InvalidFormat, "the chat interface has no button %q",
		*values.Button)
}

// scheduleTimes holds the times at which a schedule runs.
type scheduleTimes struct {
	zone  *time.Location
	start time.Time // in the zone
	end   time.Time // its last day, as a midnight in UTC; zero: never ends
	unit  string
	every int   // units
	on    []int // days of the week or of the month
}

// noRepeat is the unit of a schedule that runs once.
const noRepeat = "no_repeat"

const localForm = "2006-01-02T15:04:05" // fractions of seconds are read as well, and dropped

// normalizeTimes rewrites the start of a schedule as a local time without offset, and its end as a date (public). It
// leaves unreadable times for timesOf to refuse.
func normalizeTimes(a *world.AgentSchedule) {
	zone, err := time.LoadLocation(a.Timezone)
	if err != nil { // timesOf refuses it
		zone = time.UTC
	}
	if start, ok := localTime(a.StartAt, zone); ok {
		a.StartAt = start.Format(localForm)
	}
	if a.EndAt == nil {
		return
	}
	if end, ok := localTime(*a.EndAt, zone); ok {
		a.EndAt = new(end.Format(time.DateOnly))
	}
}

// localTime reads a date, or a date and a time. It ignores a Z (public); with another offset the text is an instant,
// which stands for its local time (assumed).
func localTime(text string, zone *time.Location) (time.Time, bool) {
	for _, form := range []string{localForm, time.DateOnly} {
		if t, err := time.Parse(form, strings.TrimSuffix(text, "Z")); err == nil {
			return t, true
		}
	}
	t, err := time.Parse(time.RFC3339, text)
	return t.In(zone), err == nil
}

// timesOf returns the times of a schedule, and refuses invalid ones.
func timesOf(a world.AgentSchedule) (scheduleTimes, error) {
	t := scheduleTimes{unit: a.RepeatUnit, every: a.RepeatFrequency, on: a.RepeatSubFrequency}
	var errs []error
	var err error
	if t.zone, err = time.LoadLocation(a.Timezone); err != nil || a.Timezone == "" || a.Timezone == "Local" {
		errs = append(errs, jsonapi.Unprocessable("timezone", jsonapi.InvalidFormat,
			"want the IANA name of a time zone, such as Asia/Tokyo, not %q", a.Timezone))
		t.zone = time.UTC
	}
	if t.start, err = time.ParseInLocation(localForm, a.StartAt, t.zone); err != nil {
		errs = append(errs, jsonapi.Unprocessable("startAt", jsonapi.InvalidFormat,
			"want a local time, such as 2026-01-16T07:00:00, not %q", a.StartAt))
	}
	if a.EndAt != nil {
		t.end, err = time.Parse(time.DateOnly, *a.EndAt)
		switch {
		case err != nil:
			errs = append(errs, jsonapi.Unprocessable("endAt", jsonapi.InvalidFormat,
				"want a date, such as 2026-12-31, not %q", *a.EndAt))
		case *a.EndAt < t.start.Format(time.DateOnly):
			errs = append(errs, jsonapi.Unprocessable("endAt", jsonapi.InvalidFormat, "%s comes before the start, %s",
				*a.EndAt, a.StartAt))
		}
	}
	return t, errors.Join(append(errs, t.checkRepetition())...)
}

// checkRepetition refuses an invalid frequency and invalid days. Days are those of the week, from 0 or 7 for Sunday, or
// of the month; with other units they are ignored (assumed).
func (t scheduleTimes) checkRepetition() error {
	var errs []error
	if t.every < 1 && t.unit != noRepeat {
		errs = append(errs, jsonapi.Unprocessable("repeatFrequency", jsonapi.InvalidFormat, "want at least 1, not %d",
			t.every))
	}
	least, most := 0, 7
	switch t.unit {
	case "monthly":
		least, most = 1, 31
	case "weekly":
	default:
		return errors.Join(errs...)
	}
	for _, day := range t.on {
		if day < least || day > most {
			errs = append(errs, jsonapi.Unprocessable("repeatSubFrequency", jsonapi.InvalidFormat,
				"%s needs days from %d to %d, not %d", t.unit, least, most, day))
		}
	}
	return errors.Join(errs...)
}

// lastDay returns the date of the last day, or the empty text if there is none. Without repetition it is the day of the
// start (assumed).
func (t scheduleTimes) lastDay() string {
	switch {
	case t.unit == noRepeat:
		return t.start.Format(time.DateOnly)
	case t.end.IsZero():
		return ""
	}
	return t.end.Format(time.DateOnly)
}

// isOver reports whether the last day is over.
func (t scheduleTimes) isOver(now time.Time) bool {
	last := t.lastDay()
	return last != "" && now.In(t.zone).Format(time.DateOnly) > last
}

// cron returns the cron text for the times at which runs may start. Cron has no seconds, so those of the start are left
// out (assumed).
func (t scheduleTimes) cron() string {
	day, weekday := "*", "*"
	switch t.unit {
	case "weekly":
		weekday = days(t.on, int(t.start.Weekday()))
	case "monthly":
		day = days(t.on, t.start.Day())
	}
	return fmt.Sprintf("%d %d %s * %s", t.start.Minute(), t.start.Hour(), day, weekday)
}

// days returns a list of days for cron: the given ones, else that of the start (assumed).
func days(given []int, fallback int) string {
	if len(given) == 0 {
		given = []int{fallback}
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(given)))
	texts := make([]string, len(sorted))
	for i, day := range sorted {
		texts[i] = strconv.Itoa(day)
	}
	return strings.Join(texts, ",")
}

// condition returns the condition for a run in a slot, as an expression of workflows, or the empty text if every slot
// has a run. Cron cannot count units from the start.
func (t scheduleTimes) condition() string {
	unit, known := map[string]string{"daily": "day", "weekly": "week", "monthly": "month"}[t.unit]
	if !known || t.every < 2 {
		return ""
	}
	const since = `${moment(session_time).startOf("%[1]s").diff(moment("%[2]s").startOf("%[1]s"), "%[1]ss") %% %[3]d == 0}`
	return fmt.Sprintf(since, unit, t.start.Format(time.DateOnly), t.every)
}
