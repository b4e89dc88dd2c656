// Package dwh is the data warehouse integration interface: integrations that load tables of a warehouse into those of
// the core data interface, by a workflow that is made for each.
package dwh

import (
	"net/http"
	"time"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/specs"
)

func errorReply(_ *specs.Operation, list op.Errors) op.Reply {
	e := list.One()
	status := statusOf(e.Code)
	return op.Reply{Status: status, Body: map[string]any{"error": map[string]any{
		"code": status, "title": http.StatusText(status), "message": e.Error(), "detail": struct{}{},
	}}}
}

// paging is that of the two lists that have pages, whose parameters are assumed.
var paging = resource.ByPage{Page: "page", Size: "size", Default: 20}

// dialect: success is always 200 here (public), and a list tells which page it is.
var dialect = resource.Dialect{Created: http.StatusOK, List: pageView}

type pageForm struct {
	Items      []any          `json:"items"`
	Pagination paginationForm `json:"pagination"`
}

type paginationForm struct {
	Page       int64 `json:"page"`
	Size       int   `json:"size"`
	TotalPages int   `json:"total_pages"` // 0 of nothing (assumed)
}

func pageView(c *op.Call, list resource.List) any {
	number, _ := c.Int(paging.Page, 1) // which has been read before
	size := list.Window.Size
	pages := list.Total / size
	if list.Total%size > 0 {
		pages++
	}
	return pageForm{list.Items, paginationForm{number, size, pages}}
}

// instant is a time in UTC and whole seconds.
func instant(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// authentication is the member of basic_configs that names the credentials.
const authentication = "svc_authentication_id"

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
