// Package workflow is the workflow interface: projects with their revisions and schedules, sessions with their attempts
// and tasks, pools and the rules that choose between them.
//
// Everything that starts an attempt goes through start.run, and everything that happens to an attempt afterwards
// through engine.go, on the times of the world's events.
package workflow

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/workflow/engine"
	"svc.example/understudy/mockserver/internal/world"
)

// dialect describes the answers of this interface for resources in general. Its lists are cut differently, each on its
// own.
var dialect = resource.Dialect{Created: http.StatusCreated, Deleted: http.StatusOK}

type errorForm struct {
	Message string `json:"message"`
	Status  int    `json:"status"`
}

// statuses replaces the statuses that the document does not have; clients know neither 413 nor 415 (client).
var statuses = op.BadRequest(op.CodeUnprocessable, op.CodeTooLarge, op.CodeMediaType, op.CodeRange,
	op.CodeNotAcceptable)

func errorReply(_ op.Asked, list op.Errors) op.Reply {
	e := list.One()
	status := statuses.Of(e.Code)
	return op.Reply{Status: status, Body: errorForm{Message: e.Error(), Status: status}}
}

// idAndName identifies a project or a workflow.
type idAndName struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func idName(id int64, name string) idAndName { return idAndName{ID: op.IDText(id), Name: name} }

// zonedTime returns a session time with its zone's offset: +00:00, not Z, for UTC.
func zonedTime(t time.Time, zone *time.Location) string {
	return t.In(zone).Format("2006-01-02T15:04:05-07:00")
}

// nullIfEmpty returns a pointer to a text, or nil, which is null in JSON, for the empty text.
func nullIfEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// objectOrEmpty returns a JSON object, an empty one when there is none.
func objectOrEmpty(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	return raw
}

// flexibleID is an id in a body of a request, as text or as a number. Its zero value stands for an absent member or
// null.
type flexibleID struct {
	text string
}

// UnmarshalJSON implements json.Unmarshaler.
func (a *flexibleID) UnmarshalJSON(data []byte) error {
	switch {
	case bytes.Equal(data, []byte("null")):
		a.text = ""
	case data[0] == '"':
		text, err := jsontext.AppendUnquote(nil, data)
		a.text = string(text)
		return err
	case data[0] == '-' || data[0] >= '0' && data[0] <= '9':
		a.text = string(data)
	default:
		return fmt.Errorf("want an id, as a string or a number")
	}
	return nil
}

// id returns the id, or 0 if the text cannot be one.
func (a flexibleID) id() int64 {
	id, err := strconv.ParseInt(a.text, 10, 64)
	if err != nil || id < 0 {
		return 0
	}
	return id
}

// attemptForm is an attempt on the wire.
type attemptForm struct {
	ID          string    `json:"id"`
	Index       int       `json:"index"`
	Project     idAndName `json:"project"`
	Workflow    idAndName `json:"workflow"`
	SessionID   string    `json:"sessionId"`
	SessionUUID string    `json:"sessionUuid"`
	SessionTime string    `json:"sessionTime"`
	attemptCourse
}

// attemptCourse holds the part of an attempt that lists of sessions show, too.
type attemptCourse struct {
	RetryAttemptName *string         `json:"retryAttemptName"`
	Params           json.RawMessage `json:"params,omitzero"`
	PoolID           *string         `json:"poolId,omitzero"`
	Status           engine.Status   `json:"status"`
	Done             bool            `json:"done"`
	Success          bool            `json:"success"`
	CancelRequested  bool            `json:"cancelRequested"`
	CreatedAt        string          `json:"createdAt"`
	FinishedAt       *string         `json:"finishedAt"`
}

// AttemptView returns an attempt as other interfaces show it: without its params and its pool.
func AttemptView(w *world.State, a world.Attempt) any {
	form := attemptView(w, a)
	form.Params, form.PoolID = nil, nil
	return form
}

// SessionTime returns an attempt's session time as on the wire, with the offset of its workflow's zone.
func SessionTime(w *world.State, a world.Attempt) string { return attemptView(w, a).SessionTime }

func attemptView(w *world.State, a world.Attempt) attemptForm {
	session, _ := w.Workflow.Sessions.Get(a.Session)
	project, _ := w.Workflow.Projects.Get(session.Project)
	definition, _ := w.Workflow.Definitions.Get(a.Definition)
	return attemptForm{
		ID: op.IDText(a.ID), Index: a.Index,
		Project: idName(project.ID, project.Name), Workflow: idName(a.Definition, session.Workflow),
		SessionID: op.IDText(session.ID), SessionUUID: session.UUID, SessionTime: zonedTime(session.Time, zoneOf(definition)),
		attemptCourse: attemptCourse{
			RetryAttemptName: nullIfEmpty(a.RetryName), Params: objectOrEmpty(a.Params),
			PoolID: nullIfEmpty(op.IDText(a.Pool)), Status: engine.StatusOf(a), Done: a.State == world.Done,
			Success: a.Success, CancelRequested: a.CancelRequested, CreatedAt: op.Instant(a.CreatedAt),
			FinishedAt: op.OptionalInstant(a.FinishedAt),
		},
	}
}
