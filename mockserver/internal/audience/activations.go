package audience

import (
	"cmp"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	gojson "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/bridge"
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
	outcome
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
func createActivation(c *op.Call) (op.Reply, error) {
	audience, err := queriedAudience(c)
	if err != nil {
		return op.Reply{}, err
	}
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
		outcome: okOutcome(), activationFields: fields, ID: a.ID, Audience: a.Audience, Segment: a.Segment,
		CreatedAt: op.Instant(a.CreatedAt), UpdatedAt: op.Instant(a.UpdatedAt),
		CreatedBy: userView(c.World, a.CreatedBy), UpdatedBy: userView(c.World, a.CreatedBy),
	})
}

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
		if _, ok := bridge.User(w, id); !ok {
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
