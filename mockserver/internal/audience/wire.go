// Package audience is the audience interface: segments of audiences, queries for how many profiles they have, and
// activations, which deliver them.
package audience

import (
	"net/http"
	"strconv"
	"time"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

type errorForm struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type serverErrorForm struct {
	Status  int    `json:"status"`
	Error   string `json:"error"`
	Details string `json:"details"`
}

func errorReply(_ *specs.Operation, list op.Errors) op.Reply {
	e := list.One()
	status := statusOf(e.Code)
	if status >= http.StatusInternalServerError {
		return op.Reply{Status: status, Body: serverErrorForm{status, http.StatusText(status), e.Error()}}
	}
	return op.Reply{Status: status, Body: errorForm{strconv.Itoa(status), e.Error()}}
}

func statusOf(code op.Code) int {
	switch code {
	case op.CodeInvalid, op.CodeUnprocessable, op.CodeTooLarge, op.CodeMediaType, op.CodeRange, op.CodeNotAcceptable,
		op.CodeConflict: // the document knows no other status for these
		return http.StatusBadRequest
	case op.CodeUnauthorized:
		return http.StatusUnauthorized
	case op.CodeForbidden:
		return http.StatusForbidden
	case op.CodeNotFound:
		return http.StatusNotFound
	case op.CodeMethod:
		return http.StatusMethodNotAllowed
	case op.CodeNoRule:
		return http.StatusNotImplemented
	case op.CodeInternal:
	}
	return http.StatusInternalServerError
}

// outcome is how a creation says that all went well (documented). What was made stands beside it, since one client
// reads that there (client).
type outcome struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func wellDone() outcome { return outcome{strconv.Itoa(http.StatusOK), http.StatusText(http.StatusOK)} }

// userForm is a user. Its id is text, unlike all others (documented).
type userForm struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func userView(w *world.World, id int64) userForm {
	user, _ := w.Account.Users.Get(id)
	return userForm{strconv.FormatInt(id, 10), user.Name}
}

func instant(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }
