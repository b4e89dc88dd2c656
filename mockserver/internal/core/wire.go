// Package core is the core data interface: databases and tables, jobs and schedules, connections, and who may do what
// on the account.
package core

import (
	"net/http"
	"time"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/specs"
)

// dialect is how this interface answers for resources: creations and deletions are 200, with the resource, and lists
// are bare arrays unless a rule says otherwise.
var dialect = resource.Dialect{
	Created: http.StatusOK,
	List:    func(_ *op.Call, list resource.List) any { return list.Items },
}

type errorForm struct {
	Error      string         `json:"error"`
	Message    string         `json:"message"`
	Text       string         `json:"text"`
	Severity   string         `json:"severity"`
	StatusCode int            `json:"status_code"`
	Details    map[string]any `json:"details,omitempty"`
}

// statuses replaces the statuses that the document does not have.
var statuses = op.BadRequest(op.CodeTooLarge)

// errorReply says the message three times, since clients look for it under different names (client).
func errorReply(_ *specs.Operation, list op.Errors) op.Reply {
	e := list.One()
	status := statuses.Of(e.Code)
	text := e.Error()
	return op.Reply{Status: status, Body: errorForm{
		Error: text, Message: text, Text: text, Severity: "error", StatusCode: status, Details: e.Details,
	}}
}

// dateTime is a time as most of this interface writes it: 2026-01-15 09:30:00 UTC (public).
func dateTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// offsetDateTime is a time as the list of databases writes it: 2026-01-15 09:30:00 +0000 (documented).
func offsetDateTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 -0700") }

// dateTimeOrEmpty is the empty text for the zero time (client).
func dateTimeOrEmpty(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return dateTime(t)
}

// maxTime is the end of the year 9999 in unix seconds: no time on the wire is later.
const maxTime = 253402300799
