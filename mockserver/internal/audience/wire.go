// Package audience is the audience interface: segments of audiences, queries for how many profiles they have, and
// activations, which deliver them.
package audience

import (
	"net/http"
	"strconv"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
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

// statuses replaces the statuses that the document does not have.
var statuses = op.BadRequest(
	op.CodeUnprocessable, op.CodeTooLarge, op.CodeMediaType, op.CodeRange, op.CodeNotAcceptable, op.CodeConflict,
)

func errorReply(_ op.Asked, list op.Errors) op.Reply {
	e := list.One()
	status := statuses.Of(e.Code)
	if status >= http.StatusInternalServerError {
		return op.Reply{Status: status, Body: serverErrorForm{status, http.StatusText(status), e.Error()}}
	}
	return op.Reply{Status: status, Body: errorForm{strconv.Itoa(status), e.Error()}}
}

// statusForm is the part of an answer with which a creation reports success (documented). What was made stands beside
// it, since one client reads that there (client).
type statusForm struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func okStatus() statusForm {
	return statusForm{strconv.Itoa(http.StatusOK), http.StatusText(http.StatusOK)}
}

// userForm is a user. Its id is text, unlike all others (documented).
type userForm struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func userView(w *world.State, id int64) userForm {
	user, _ := w.Account.Users.Get(id)
	return userForm{strconv.FormatInt(id, 10), user.Name}
}
