// Package core is the core data interface: databases and tables, jobs and schedules, connections, and who may do what
// on the account.
package core

import (
	"net/http"
	"slices"
	"strconv"
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

// textIDs are the ids of a set that a body holds as texts. A missing set, and an id that nothing has, are refused
// (assumed).
func textIDs[R any](field string, set *[]string, noun string, get func(int64) (R, bool)) ([]int64, error) {
	if set == nil {
		return integerIDs(field, nil, noun, get)
	}
	ids := make([]int64, len(*set))
	for i, text := range *set {
		var err error
		if ids[i], err = strconv.ParseInt(text, 10, 64); err != nil {
			return nil, op.Unprocessable(field, "there is no %s %q", noun, text)
		}
	}
	return integerIDs(field, &ids, noun, get)
}

// integerIDs are likewise those that a body holds as integers. What comes twice counts once.
func integerIDs[R any](field string, set *[]int64, noun string, get func(int64) (R, bool)) ([]int64, error) {
	if set == nil {
		return nil, op.Unprocessable(field, "is missing: want the whole set, which may be empty")
	}
	var ids []int64
	for _, id := range *set {
		if _, ok := get(id); !ok {
			return nil, op.Unprocessable(field, "there is no %s %d", noun, id)
		}
		ids = with(ids, id)
	}
	return ids, nil
}

// with is a set of ids and one more.
func with(ids []int64, id int64) []int64 {
	if slices.Contains(ids, id) {
		return ids
	}
	return append(slices.Clip(ids), id)
}

// without is a set of ids without one.
func without(ids []int64, id int64) []int64 { return minus(ids, []int64{id}) }

// minus is a set of ids without those of another.
func minus(ids, others []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return slices.Contains(others, id) })
}
