// Package dwh is the data warehouse integration interface: integrations that load tables of a warehouse into those of
// the core data interface, by a workflow that is made for each.
package dwh

import (
	"net/http"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
)

// statuses replaces the statuses that the document does not have.
var statuses = op.BadRequest(
	op.CodeUnprocessable, op.CodeTooLarge, op.CodeMediaType, op.CodeRange, op.CodeNotAcceptable, op.CodeConflict,
)

func errorReply(_ op.Asked, list op.Errors) op.Reply {
	e := list.One()
	status := statuses.Of(e.Code)
	return op.Reply{Status: status, Body: map[string]any{"error": map[string]any{
		"code": status, "title": http.StatusText(status), "message": e.Error(), "detail": struct{}{},
	}}}
}

// paging is that of the two lists that have pages, whose parameters are assumed.
var paging = resource.ByPage{Page: "page", Size: "size", Default: 20}

// dialect answers success with 200 always (public), and lists with their page number.
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
	size := list.Page.Limit
	pages := list.Total / size
	if list.Total%size > 0 {
		pages++
	}
	return pageForm{list.Items, paginationForm{number, size, pages}}
}

// authentication is the member of basic_configs that names the credentials.
const authentication = "svc_authentication_id"
