package specs

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// errorsExtension holds, at the top of a document, how errors are answered that are the resources' own.
const errorsExtension = "x-errors"

// Behaviour says how a mock keeps the objects of a resource, beyond what schemas say. Members are those of an object.
type Behaviour struct {
	Make   Make     `json:"make"`
	Touch  Touch    `json:"touch"`
	Once   []string `json:"once"`   // members that only a creation sets
	Strict string   `json:"strict"` // reject: setting what one may not is refused; otherwise it is ignored
	Update string   `json:"update"` // merge, replace or json-patch; empty: by the method
	Unique []Unique `json:"unique"`
	List   Listing  `json:"list"`
}

// Make says what a new object has that its request does not give it.
type Make struct {
	ID    string         `json:"id"`    // sequence, uuid, digits, path or client; empty: by the schema
	Now   []string       `json:"now"`   // members with the time
	Begin map[string]any `json:"begin"` // members that begin with a value
}

// Touch says what a change sets in an object.
type Touch struct {
	Now []string `json:"now"` // members with the time
}

// Unique is a member that no two objects have alike.
type Unique struct {
	At     string   `json:"at"`
	Within []string `json:"within"` // members that both have alike, or parent
	Fold   bool     `json:"fold"`   // upper and lower case are alike
	Error  string   `json:"error"`  // code of the refusal; empty: conflict
}

// Listing says how the objects are listed.
type Listing struct {
	Order  string            `json:"order"` // a member, after a - from the greatest on
	Page   Page              `json:"page"`
	Filter map[string]string `json:"filter"` // members by query parameter
	Sort   []string          `json:"sort"`   // the members by which a query may sort; empty: all
}

// Page says how lists are divided into pages.
type Page struct {
	Style string `json:"style"` // offset, page, lastId or cursor; empty: by the names of parameters
	At    string `json:"at"`    // the query parameter that says where a page begins
	Limit string `json:"limit"` // the one that says how long it is
	Size  int    `json:"size"`  // its length without that
}

// What becomes of an object when one is deleted that it refers to.
const (
	Refuse  = "refuse"
	Cascade = "cascade"
	Clear   = "clear"
	Keep    = "keep"
)

// ErrorForm says how an error of a code is answered.
type ErrorForm struct {
	Status int `json:"status"`
	Form   any `json:"form"` // with the message put in its place; nil: as the document shows for the status
}

// Errors returns how the document says that errors are answered, by their codes.
func (d *Document) Errors() map[string]ErrorForm {
	forms := map[string]ErrorForm{}
	if stated, found := d.T.Extensions[errorsExtension]; found && read(stated, &forms) != nil {
		return nil
	}
	return forms
}

// usualErrors lists codes of errors that need no x-errors.
var usualErrors = []string{"conflict", "invalid", "unprocessable"}

// checkBehaviour checks what a resource says of how it is kept: members that no schema has, parameters, and codes.
func (c *resourceChecker) checkBehaviour(r *Resource, pointer string, check func(member string, at Pointer)) {
	b := r.Behaviour
	members := func(at string, list []string) {
		for i, member := range list {
			check(at+"/"+strconv.Itoa(i), PointerOf(member))
		}
	}
	members("make/now", b.Make.Now)
	members("touch/now", b.Touch.Now)
	members("once", b.Once)
	members("list/sort", b.List.Sort)
	for _, member := range slices.Sorted(maps.Keys(b.Make.Begin)) {
		check("make/begin/"+EscapePointer(member), PointerOf(member))
	}
	if b.List.Order != "" {
		check("list/order", PointerOf(strings.TrimPrefix(b.List.Order, "-")))
	}
	codes := slices.Concat(usualErrors, slices.Collect(maps.Keys(c.document.Errors())))
	slices.Sort(codes)
	for i, unique := range b.Unique {
		at := "unique/" + strconv.Itoa(i)
		check(at+"/at", PointerOf(unique.At))
		for _, member := range unique.Within {
			if member == "parent" && r.Parent() == "" {
				c.add(pointer+"/"+at+"/within", "a %s has no parent that the path names: want a member", r.Title)
			} else if member != "parent" {
				check(at+"/within", PointerOf(member))
			}
		}
		if unique.Error != "" && !slices.Contains(codes, unique.Error) {
			c.add(pointer+"/"+at+"/error", "unknown code %s: want one of %s, or one that %s has", unique.Error,
				strings.Join(slices.Compact(codes), ", "), errorsExtension)
		}
	}
	for i, link := range r.Refers {
		if link.At == nil && (link.OnDelete != "" || link.MustExist) {
			c.add(pointer+"/refers/"+strconv.Itoa(i), "want at: where the id of the other stands")
		}
	}
	c.checkListing(r, pointer, check)
}

// checkListing checks that operations which list a resource, or delete several, have the parameters that it speaks of.
func (c *resourceChecker) checkListing(r *Resource, pointer string, check func(member string, at Pointer)) {
	has := func(parameter string) bool {
		return slices.ContainsFunc(c.document.Operations, func(o *Operation) bool {
			list, err := actionsIn(o.Spec.Extensions[resourceExtension])
			isThere := o.Parameters.GetByInAndName("query", parameter) != nil || o.requestHas(strings.Split(parameter, "."))
			return err == nil && isThere && slices.ContainsFunc(list, func(a writtenAction) bool {
				isSearch := a.Verb == List || a.Verb == Delete && a.Path != nil && len(*a.Path) == 0
				return isSearch && c.document.fullName(a.Resource) == r.Name
			})
		})
	}
	names := map[string]string{}
	for name, member := range r.Behaviour.List.Filter {
		check("list/filter/"+EscapePointer(name), PointerOf(member))
		names["filter/"+EscapePointer(name)] = name
	}
	page := r.Behaviour.List.Page
	names["page/at"], names["page/limit"] = page.At, page.Limit
	for _, at := range slices.Sorted(maps.Keys(names)) {
		if name := names[at]; name != "" && !has(name) {
			c.add(pointer+"/list/"+at, "no list of %s has the query parameter %s, nor such a member in its body", r.Name, name)
		}
	}
}

// Change describes what a request does to an object of a resource of your own.
type Change[T any] struct {
	Verb   string   // create, update, delete, or the word of an action, such as cancel
	Keys   []string // what names the object in a path, its parents first
	Before *T       // nil of a new one
	After  *T       // nil of one that is deleted
}
