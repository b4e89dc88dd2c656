package audience

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	gojson "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/bridge"
	"svc.example/understudy/mockserver/internal/dig"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// activationFields are ActivationFields: what was left out stays out. Connection and settings are read under two
// spellings, of which connectionId and connectorConfig win (assumed).
type activationFields struct {
	activationSchedule
	Name                 string               `json:"name"`
	Description          *string              `json:"description,omitzero"`
	AllColumns           *bool                `json:"allColumns,omitzero"`
	Columns              []activationColumn   `json:"columns,omitzero"`
	ConnectionID         *int64               `json:"connectionId,omitzero"`
	ConnectorConfig      jsontext.Value       `json:"connectorConfig,omitzero"`
	NotifyOn             []string             `json:"notifyOn,omitzero"`
	EmailRecipients      []int64              `json:"emailRecipients,omitzero"`
	NestedProject        *string              `json:"nestedWorkflowProjectName,omitzero"`
	NestedWorkflow       *string              `json:"nestedWorkflowName,omitzero"`
	LockEnabled          *bool                `json:"lockEnabled,omitzero"`
	ActivationTemplateID *string              `json:"activationTemplateId,omitzero"`
	Behavior             *activationBehavior  `json:"syndicationBehavior,omitzero"`
	Behaviors            []activationBehavior `json:"syndicationBehaviors,omitzero"`
}

type activationRequest struct {
	activationFields
	OtherID     *int64         `json:"connection_id"`
	OtherConfig jsontext.Value `json:"connector_config"`
}

// activationCreated is an ActivationCreated.
type activationCreated struct {
	statusForm
	activationFields
	ID        int64    `json:"id"`
	Audience  int64    `json:"audienceId"`
	Segment   int64    `json:"segmentId"`
	CreatedAt string   `json:"createdAt"`
	UpdatedAt string   `json:"updatedAt"`
	CreatedBy userForm `json:"createdBy"`
	UpdatedBy userForm `json:"updatedBy"`
}

const maxBehaviors = 4 // (public)

// createActivation plans a delivery. Nothing is delivered: no operation of this interface would show it.
var createActivation = op.On(queriedAudience, func(c *op.Call, audience world.ParentSegment) (op.Reply, error) {
	id, err := c.ID("segment", "segmentId")
	if err != nil {
		return op.Reply{}, err
	}
	segment, ok := c.World.Audience.Segments.Get(id)
	if !ok || segment.Audience != audience.ID {
		return op.Reply{}, op.NotFound("segment", "id", id)
	}
	fields, a, err := newActivation(c, audience, segment)
	if err != nil {
		return op.Reply{}, err
	}
	a.ID = c.World.NewID("audience.activation")
	c.World.Audience.Activations.Put(a.ID, a)
	return op.OK(activationCreated{
		statusForm: okStatus(), activationFields: fields, ID: a.ID, Audience: a.Audience, Segment: a.Segment,
		CreatedAt: op.Instant(a.CreatedAt), UpdatedAt: op.Instant(a.UpdatedAt),
		CreatedBy: userView(c.World, a.CreatedBy), UpdatedBy: userView(c.World, a.CreatedBy),
	})
})

// newActivation returns the activation that the body asks for, without an id.
func newActivation(c *op.Call, a world.ParentSegment, s world.Segment) (activationFields, world.Activation, error) {
	var body activationRequest
	if err := c.Decode(&body); err != nil {
		return activationFields{}, world.Activation{}, err
	}
	fields := body.activationFields
	fields.ConnectionID = cmp.Or(fields.ConnectionID, body.OtherID)
	if isAbsent(fields.ConnectorConfig) {
		fields.ConnectorConfig = body.OtherConfig
	}
	err := errors.Join(
		fields.check(c.World), fields.activationSchedule.check(), fields.checkColumns(columnsOf(c.World, a)),
	)
	if err != nil {
		return fields, world.Activation{}, err
	}
	text, err := gojson.Marshal(fields)
	if err != nil {
		return fields, world.Activation{}, err
	}
	return fields, world.Activation{
		Audience: a.ID, Segment: s.ID, Name: fields.Name, Connection: *fields.ConnectionID,
		Request: json.RawMessage(text), CreatedAt: c.Now, UpdatedAt: c.Now, CreatedBy: c.Caller.User.ID,
	}, nil
}

func isAbsent(value jsontext.Value) bool { return len(value) == 0 || value.Kind() == 'n' }

// check is for all that is neither columns nor schedule. That connection and users must be there is assumed, and so is
// that an activation without them is 400.
func (f activationFields) check(w *world.State) error {
	var errs []error
	wrong := func(field, format string, args ...any) { errs = append(errs, op.Invalid(field, format, args...)) }
	if strings.TrimSpace(f.Name) == "" {
		wrong("name", "is missing: want the name of the activation")
	}
	if f.ConnectionID == nil {
		wrong("connectionId", "is missing: want the id of a connection of the core data interface")
	} else if _, ok := bridge.Connection(w, *f.ConnectionID); !ok {
		wrong("connectionId", "connection %d not found", *f.ConnectionID)
	}
	if isAbsent(f.ConnectorConfig) {
		wrong("connectorConfig", "is missing: want the settings of the connector, a JSON object")
	} else if f.ConnectorConfig.Kind() != '{' {
		wrong("connectorConfig", "want a JSON object")
	}
	for i, id := range f.EmailRecipients {
		if _, ok := w.Account.LiveUser(id); !ok {
			wrong("emailRecipients."+strconv.Itoa(i), "user %d not found", id)
		}
	}
	if f.Behavior != nil && f.Behaviors != nil {
		wrong("syndicationBehavior", "cannot be sent together with syndicationBehaviors: want one of them")
	}
	if len(f.Behaviors) > maxBehaviors {
		wrong("syndicationBehaviors", "want at most %d, not %d", maxBehaviors, len(f.Behaviors))
	}
	return errors.Join(errs...)
}

// activationColumn is an ActivationColumn.
type activationColumn struct {
	ID     *string      `json:"id,omitzero"`
	Column string       `json:"column"`
	Source columnSource `json:"source"`
}

// columnSource is a template with markers, or a column.
type columnSource struct {
	Text          *string             `json:"string,omitzero"`
	Parameters    []templateParameter `json:"parameters,omitzero"`
	Column        *string             `json:"column,omitzero"`
	CustomerGroup *string             `json:"customerGroup,omitzero"`
	Functions     []jsontext.Value    `json:"functions,omitzero"`
}

type templateParameter struct {
	Type   string  `json:"type"`
	Text   *string `json:"string,omitzero"`
	Format *string `json:"format,omitzero"`
}

// activationBehavior is an ActivationBehavior.
type activationBehavior struct {
	Columns      []activationColumn `json:"columns,omitzero"`
	Table        *string            `json:"behaviorTableName,omitzero"`
	JoinRow      *int64             `json:"joinRow,omitzero"`
	JoinStrategy *string            `json:"joinStrategy,omitzero"`
	Formatting   *string            `json:"formatting,omitzero"`
	OrderBy      []behaviorOrder    `json:"orderBy,omitzero"`
}

type behaviorOrder struct {
	Key   *string `json:"key,omitzero"`
	Order *string `json:"order,omitzero"`
}

// checkColumns looks at all columns that go out. Those of behavior tables are not the profiles'.
func (f activationFields) checkColumns(known columns) error {
	errs := []error{checkColumns("columns", f.Columns, known)}
	if f.Behavior != nil {
		errs = append(errs, checkColumns("syndicationBehavior.columns", f.Behavior.Columns, nil))
	}
	for i, behavior := range f.Behaviors {
		errs = append(errs, checkColumns(fmt.Sprintf("syndicationBehaviors.%d.columns", i), behavior.Columns, nil))
	}
	return errors.Join(errs...)
}

func checkColumns(at string, list []activationColumn, known columns) error {
	var errs []error
	for i, column := range list {
		at := at + "." + strconv.Itoa(i)
		if column.Column == "" {
			errs = append(errs, op.Invalid(at+".column", "is missing: want the name of the target column"))
		}
		errs = append(errs, column.Source.check(at+".source", known))
	}
	return errors.Join(errs...)
}

// check requires one of the two forms, not both (assumed).
func (s columnSource) check(at string, known columns) error {
	switch {
	case s.Text != nil && s.Column != nil:
		return op.Invalid(at, "has both string and column; want one of them")
	case s.Text != nil:
		return s.checkTemplate(at)
	case s.Column == nil:
		return op.Invalid(at, "want a string with its parameters, or a column")
	case s.CustomerGroup != nil: // whose columns the mock does not know
		return nil
	}
	return known.check(at+".column", *s.Column)
}

var marker = regexp.MustCompile(`\$([1-9][0-9]*)`)

// checkTemplate requires a parameter for each marker, a marker for each parameter, and of each parameter what its type
// needs.
func (s columnSource) checkTemplate(at string) error {
	var errs []error
	var used []string
	for _, found := range marker.FindAllStringSubmatch(*s.Text, -1) {
		place, err := strconv.Atoi(found[1])
		if (err != nil || place > len(s.Parameters)) && !slices.Contains(used, found[0]) {
			errs = append(errs, op.Invalid(at+".string", "has the marker %s, but parameters has a length of %d",
				found[0], len(s.Parameters)))
		}
		used = append(used, found[0])
	}
	for i, parameter := range s.Parameters {
		at := fmt.Sprintf("%s.parameters.%d", at, i)
		if name := "$" + strconv.Itoa(i+1); !slices.Contains(used, name) {
			errs = append(errs, op.Invalid(at, "is not used: want its marker %s in the string", name))
		}
		errs = append(errs, parameter.check(at))
	}
	return errors.Join(errs...)
}

func parameterTypes() []string {
	return []string{"String", "Timestamp", "SegmentName", "SegmentId", "AudienceId", "FunnelName", "StageName"}
}

func (p templateParameter) check(at string) error {
	switch {
	case !slices.Contains(parameterTypes(), p.Type):
		return op.Invalid(at+".type", "want one of %s, not %q", strings.Join(parameterTypes(), ", "), p.Type)
	case p.Type == "String" && p.Text == nil:
		return op.Invalid(at+".string", "is missing: want the text of a parameter of type String")
	case p.Type == "Timestamp" && (p.Format == nil || *p.Format == ""):
		return op.Invalid(at+".format", "is missing: want the time format of a parameter of type Timestamp")
	}
	return nil
}

// activationSchedule describes when an activation runs: by a type and its settings, or by a unit and a frequency,
// which is the newer form (public). Both are taken at once (assumed).
type activationSchedule struct {
	Type         *string `json:"scheduleType,omitzero"`
	Option       *string `json:"scheduleOption,omitzero"`
	RunAt        *string `json:"runAt,omitzero"`
	Cron         *string `json:"cron,omitzero"`
	Timezone     *string `json:"timezone,omitzero"`
	Unit         *string `json:"repeatUnit,omitzero"`
	Frequency    *int64  `json:"repeatFrequency,omitzero"`
	SubFrequency []int64 `json:"repeatSubFrequency,omitzero"`
	StartAt      *string `json:"startAt,omitzero"`
}

// check refuses what no schedule can be made of. What texts look like is assumed, as far as the document leaves it
// open; an empty one is none.
func (s activationSchedule) check() error {
	return errors.Join(s.checkZone(), s.checkType(), s.checkRunAt(), s.checkRepetition(), s.checkStart())
}

func (s activationSchedule) checkZone() error {
	name := trimmedText(s.Timezone)
	if name == "" {
		return nil
	}
	if _, err := time.LoadLocation(name); err != nil || name == "Local" {
		return op.Invalid("timezone", "want the name of an IANA time zone, such as Asia/Tokyo, not %q", name)
	}
	return nil
}

// checkType requires what the type leaves open.
func (s activationSchedule) checkType() error {
	switch expression := trimmedText(s.Cron); {
	case trimmedText(s.Type) == "cron" && expression == "":
		return op.Invalid("cron", "is missing: want a cron expression for the schedule type cron")
	case expression != "":
		if _, err := dig.NewSchedule("cron", expression, nil); err != nil {
			return op.Invalid("cron", "%s", strings.TrimPrefix(err.Error(), "cron> "))
		}
	}
	if n, err := strconv.Atoi(trimmedText(s.Option)); trimmedText(s.Type) == "minutes_interval" && (err != nil || n < 1) {
		return op.Invalid("scheduleOption", "want a number of minutes, 1 or more, for the schedule type minutes_interval, "+
			"not %q", trimmedText(s.Option))
	}
	return nil
}

// checkRunAt requires a time of day; an hourly schedule runs at minutes and seconds of the hour.
func (s activationSchedule) checkRunAt() error {
	at := trimmedText(s.RunAt)
	forms, want := []string{time.TimeOnly, "15:04"}, "a time of day, such as 07:30 or 07:30:00"
	if trimmedText(s.Type) == "hourly" {
		forms, want = append(forms, "04:05"), "minutes and seconds, such as 30:00, or a time of day"
	}
	for _, form := range forms {
		if _, err := time.Parse(form, at); err == nil || at == "" {
			return nil
		}
	}
	return op.Invalid("runAt", "want %s, not %q", want, at)
}

func (s activationSchedule) checkRepetition() error {
	if s.Frequency != nil && *s.Frequency < 1 {
		return op.Invalid("repeatFrequency", "want 1 or more units between runs, not %d", *s.Frequency)
	}
	for i, day := range s.SubFrequency {
		if day < 1 || day > 7 {
			return op.Invalid("repeatSubFrequency."+strconv.Itoa(i), "want a day from 1 to 7, not %d", day)
		}
	}
	return nil
}

// checkStart requires local time: that it has no offset is public.
func (s activationSchedule) checkStart() error {
	at := trimmedText(s.StartAt)
	if _, err := time.Parse("2006-01-02T15:04:05", at); err != nil && at != "" {
		return op.Invalid("startAt", "want local time without an offset, such as 2026-01-16T06:00:00, not %q", at)
	}
	return nil
}

// trimmedText returns a text that was sent, without the white space around it.
func trimmedText(text *string) string {
	if text == nil {
		return ""
	}
	return strings.TrimSpace(*text)
}
