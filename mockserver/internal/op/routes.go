package op

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// Route binds an operation to its handler.
type Route struct {
	Path    string // "METHOD /path", as in the document
	Handle  Handler
	For     Access
	MaxBody int64 // bytes; 0: what the server takes otherwise
	// ManyValues says that a body of many bytes may have many values.
	ManyValues bool
	Lasts      bool // it takes as long as its client waits, and its context ends as soon as the server is to stop
	// Pure says that the handler of a safe method changes nothing of its call's world, and so needs no copy of it.
	Pure bool

	// Pending, if there is one, reports to an auto clock whether what the call asks for is still under way: the state that
	// the client watches, and when the next event is due that may change it. The server moves the clock from one such time
	// to the next until the state is another one, or nothing is pending any more.
	Pending Pending
}

// Pending reports the state of what a call asks for, and the time of the next event that may change it, if it is still
// under way.
type Pending func(*Call) (state string, at time.Time, pending bool)

// Access is the class of callers who may call an operation. More rights, such as those on one database, are for its
// handler to ask for.
type Access int

// The kinds of access.
const (
	Users          Access = iota // every user, with a master key
	Delegates                    // administrators, the owner, and delegated admins
	Administrators               // administrators and the owner
	Anyone                       // the handler looks at the key itself: it may be write-only, wrong, or missing
	Importers                    // every user, also with a write-only key
)

// Reads reports whether the route's method is a safe one, so that it takes no lock.
func (r *Route) Reads() bool { return strings.HasPrefix(r.Path, http.MethodGet+" ") }

// Interface is one interface of the platform: its table of routes, its error form, and what happens when its events
// are due.
type Interface struct {
	Name   specs.Interface
	Routes []Route
	Extras []Route                                       // those of the extras, in the order of their document
	Media  string                                        // type of JSON answers; empty: application/json
	Error  func(Asked, Errors) Reply                     // status and envelope
	Settle map[string]func(*world.State, world.DueEvent) // by kind of event

	// Browsers reports whether pages of other origins may send requests: preflights are answered, and answers name the
	// origin that may read them.
	Browsers bool

	// Authenticate, if there is one, refuses callers by the document alone: the interface is not the platform's, and the
	// world knows none of its keys.
	Authenticate func(*specs.Operation, *http.Request) error

	// Outside, if there is one, says what is right in place of an address that clients of the platform use but that is
	// not part of the interface; the empty string for any other address.
	Outside func(method, path string) string

	// Branded handlers read and write exact identifiers as they are on the wire. All others know the neutral ones only.
	Branded bool
}

// Asked holds what a request asked for that is refused.
type Asked struct {
	Operation *specs.Operation // nil where none was found
	Path      string           // below the base path of the document
	Now       time.Time        // by the clock of the world; zero where none was found
}

// ReasonOutside is the reason of an error about an address that Interface.Outside knows.
const ReasonOutside = "outside"

// Table returns the routes by operation id. The tables and the documents are compared, and every operation that only
// one of them has is named in one error. Where a document has an operation with the id of an extra, the id is the
// document's.
func (i *Interface) Table(doc *specs.Document) (map[string]*Route, error) {
	wanted := [][]Route{i.Routes}
	if doc.Extras != nil {
		wanted = append(wanted, i.Extras)
	}
	byPath, errs := i.byPath()
	table, bound := map[string]*Route{}, map[string]bool{}
	for _, operation := range doc.All() {
		path := operation.Method + " " + operation.Path
		bound[path] = true
		switch route := byPath[path]; {
		case route == nil:
			errs = append(errs, fmt.Errorf("%s: %s is in %s but has no handler", i.Name, path, operation.Document.File))
		case table[operation.ID] == nil:
			table[operation.ID] = route
		}
	}
	for _, route := range slices.Concat(wanted...) {
		if !bound[route.Path] {
			errs = append(errs, fmt.Errorf("%s: %s has a handler but is not in %s", i.Name, route.Path, doc.File))
		}
	}
	return table, errors.Join(errs...)
}

func (i *Interface) byPath() (map[string]*Route, []error) {
	routes := map[string]*Route{}
	var errs []error
	for _, list := range [][]Route{i.Routes, i.Extras} {
		for n := range list {
			route := &list[n]
			if routes[route.Path] != nil {
				errs = append(errs, fmt.Errorf("%s: %s has two routes", i.Name, route.Path))
			}
			routes[route.Path] = route
		}
	}
	return routes, errs
}

// On returns a handler of what a call names, which find returns: handle is only called with something that is there.
func On[T any](find func(*Call) (T, error), handle func(*Call, T) (Reply, error)) Handler {
	return func(c *Call) (Reply, error) {
		named, err := find(c)
		if err != nil {
			return Reply{}, err
		}
		return handle(c, named)
	}
}

// Sent returns a handler of what a call sends, read from its body.
func Sent[B any](handle func(*Call, B) (Reply, error)) Handler {
	return On(bodyOf[B], handle)
}

// OnSent returns a handler of what a call names, which find returns, and of what the call sends.
func OnSent[T, B any](find func(*Call) (T, error), handle func(*Call, T, B) (Reply, error)) Handler {
	return OnTwo(func(c *Call) (named T, body B, err error) {
		if named, err = find(c); err == nil {
			body, err = bodyOf[B](c)
		}
		return named, body, err
	}, handle)
}

func bodyOf[B any](c *Call) (body B, err error) { return body, c.Decode(&body) }

// ByID returns the row of one kind whose id is a path parameter. Get looks it up.
func ByID[T any](c *Call, kind, param string, get func(id int64) (T, bool)) (row T, err error) {
	id, err := c.ID(kind, param)
	if err != nil {
		return row, err
	}
	row, ok := get(id)
	if !ok {
		err = NotFound(kind, "id", id)
	}
	return row, err
}

// ByName returns the row of one kind that has a name, which idOf finds in an index and get in its table.
func ByName[T any](
	kind, name string, idOf func(string) (int64, bool), get func(id int64) (T, bool),
) (row T, err error) {
	id, ok := idOf(name)
	if !ok {
		return row, NotFound(kind, "name", name)
	}
	row, _ = get(id)
	return row, nil
}

// OnTwo does the same for calls that name two things, such as a database and one of its tables.
func OnTwo[T, U any](find func(*Call) (T, U, error), handle func(*Call, T, U) (Reply, error)) Handler {
	return func(c *Call) (Reply, error) {
		one, other, err := find(c)
		if err != nil {
			return Reply{}, err
		}
		return handle(c, one, other)
	}
}

// PendingOn returns a report on what a call names, which find returns. Nothing is under way that is not there.
func PendingOn[T any](find func(*Call) (T, error), watch func(*Call, T) (string, time.Time, bool)) Pending {
	return func(c *Call) (string, time.Time, bool) {
		named, err := find(c)
		if err != nil {
			return "", time.Time{}, false
		}
		return watch(c, named)
	}
}
