// Package resource is the generic five: list, get, create, update and delete over a table, for the resources that have
// nothing special, or little. What is special stands in a few hooks; a resource that needs more has handlers
// written by hand, in the same file, around these or instead of them.
package resource

import (
	"cmp"
	"net/http"
	"reflect"
	"strconv"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// Of describes one kind of resource, with rows of type R. Hooks may be nil, except Bind. New makes a Resource of it.
type Of[R any] struct {
	Noun    string                                   // one of them, for errors: pool
	Plural  string                                   // all of them, the member that holds a list: pools
	IDs     string                                   // what World.NewID calls them: workflow.pool
	Key     string                                   // the path parameter that names one: poolId
	Rows    func(*world.State) *table.Table[R]       // where they are
	Dialect Dialect                                  // how the interface speaks
	Page    func(*op.Call) (Page, error)             // which part of a list a call asks for; nil: all, oldest first
	Lookup  func(*world.State, string) (int64, bool) // finds the row that a key names; nil: the key is the row's id
	KeyName string                                   // what a key is, for errors; empty: id

	// Bind reads the call's body into a row, which is new (the zero R) or a copy of the present one. The row gets
	// its id from here. Slices and maps of the row are replaced, never changed.
	Bind func(c *op.Call, id int64, row *R) error
	// Guard may refuse a change. On creation before is nil, and on deletion after is nil.
	Guard func(c *op.Call, before, after *R) error
	// Changed keeps in step what follows from a row that was stored. On creation before is nil, and on deletion after.
	Changed func(w *world.State, before, after *R)
	// Match reads a list's filters once and returns a function that reports whether a row passes them.
	Match func(c *op.Call) (func(R) bool, error)
	// View is the row on the wire; nil: the row as it is.
	View func(c *op.Call, row R) any
}

// Dialect describes the answers of an interface for all of its resources. The zero value answers as most do.
type Dialect struct {
	Created int                             // status of a creation; 0: 201
	Deleted int                             // status of a deletion, with the removed resource unless it is 204; 0: 200
	List    func(*op.Call, List) any        // the body of a list; nil: an object with the items under the plural
	One     func(*op.Call, string, any) any // the body of one resource, given its noun; nil: the view itself
}

// Resource serves one kind of resource. Its hooks are those of Of, but take pointers to rows as any, so that the
// generic five are compiled once, and not for each type of rows.
type Resource struct {
	Noun, Plural, IDs, Key string
	Rows                   func(*world.State) table.Rows
	Dialect                Dialect
	Page                   func(*op.Call) (Page, error)
	Lookup                 func(*world.State, string) (int64, bool)
	KeyName                string

	Bind    func(c *op.Call, id int64, row any) error
	Guard   func(c *op.Call, before, after any) error
	Changed func(w *world.State, before, after any)
	Match   func(c *op.Call) (func(row any) bool, error)
	View    func(c *op.Call, row any) any
	// Sort reads in which order a call wants a list, before it is cut into pages; nil: that of the ids.
	Sort func(c *op.Call) (func(a, b any) int, error)
}

// New returns the resource that a description describes.
func New[R any](of Of[R]) *Resource {
	r := &Resource{
		Noun: of.Noun, Plural: of.Plural, IDs: of.IDs, Key: of.Key, Dialect: of.Dialect, Page: of.Page, Lookup: of.Lookup,
		KeyName: of.KeyName,
		Rows:    func(w *world.State) table.Rows { return of.Rows(w).Rows() },
		Bind:    func(c *op.Call, id int64, row any) error { return of.Bind(c, id, row.(*R)) },
	}
	if of.Changed != nil {
		r.Changed = func(w *world.State, before, after any) {
			b, _ := before.(*R)
			a, _ := after.(*R)
			of.Changed(w, b, a)
		}
	}
	if of.Guard != nil {
		r.Guard = func(c *op.Call, before, after any) error {
			b, _ := before.(*R)
			a, _ := after.(*R)
			return of.Guard(c, b, a)
		}
	}
	if of.Match != nil {
		r.Match = func(c *op.Call) (func(any) bool, error) {
			match, err := of.Match(c)
			return func(row any) bool { return match(*row.(*R)) }, err
		}
	}
	if of.View != nil {
		r.View = func(c *op.Call, row any) any { return of.View(c, *row.(*R)) }
	}
	return r
}

// Copy returns a pointer to a copy of the row that a pointer leads to.
func Copy(row any) any {
	v := reflect.ValueOf(row).Elem()
	other := reflect.New(v.Type())
	other.Elem().Set(v)
	return other.Interface()
}

// Find returns the row that the path names, with its id. R is the type of the resource's rows.
func Find[R any](r *Resource, c *op.Call) (id int64, row R, err error) {
	id, found, err := r.Find(c)
	if err != nil {
		return 0, row, err
	}
	return id, *found.(*R), nil
}

// On returns a handler of the row that the path names. R is the type of the resource's rows.
func On[R any](r *Resource, handle func(c *op.Call, row R) (op.Reply, error)) op.Handler {
	return op.On(Named[R](r), handle)
}

// Named returns a function that returns the row that the path names. R is the type of the resource's rows.
func Named[R any](r *Resource) func(*op.Call) (R, error) {
	return func(c *op.Call) (R, error) {
		_, row, err := Find[R](r, c)
		return row, err
	}
}

// List returns the rows that the call asks for.
func (r *Resource) List(c *op.Call) (op.Reply, error) {
	list, err := r.list(c)
	if err != nil {
		return op.Reply{}, err
	}
	if r.Dialect.List != nil {
		return op.OK(r.Dialect.List(c, list))
	}
	return op.OK(map[string]any{r.Plural: list.Items})
}

// Get returns the row that the path names.
func (r *Resource) Get(c *op.Call) (op.Reply, error) {
	_, row, err := r.Find(c)
	if err != nil {
		return op.Reply{}, err
	}
	return op.OK(r.one(c, row))
}

// Create adds a row.
func (r *Resource) Create(c *op.Call) (op.Reply, error) {
	row := r.Rows(c.World).New()
	id := c.World.NewID(r.IDs)
	if err := r.Bind(c, id, row); err != nil {
		return op.Reply{}, err
	}
	if err := r.guard(c, nil, row); err != nil {
		return op.Reply{}, err
	}
	r.Rows(c.World).Put(id, row)
	r.changed(c, nil, row)
	return op.Reply{Status: cmp.Or(r.Dialect.Created, http.StatusCreated), Body: r.one(c, row)}, nil
}

// Update changes the row that the path names. What the body leaves out stays as it is.
func (r *Resource) Update(c *op.Call) (op.Reply, error) {
	id, before, err := r.Find(c)
	if err != nil {
		return op.Reply{}, err
	}
	after := Copy(before)
	if err := r.Bind(c, id, after); err != nil {
		return op.Reply{}, err
	}
	if err := r.guard(c, before, after); err != nil {
		return op.Reply{}, err
	}
	r.Rows(c.World).Put(id, after)
	r.changed(c, before, after)
	return op.OK(r.one(c, after))
}

func (r *Resource) changed(c *op.Call, before, after any) {
	if r.Changed != nil {
		r.Changed(c.World, before, after)
	}
}

// Delete removes the row that the path names.
func (r *Resource) Delete(c *op.Call) (op.Reply, error) {
	id, row, err := r.Find(c)
	if err != nil {
		return op.Reply{}, err
	}
	if err := r.guard(c, row, nil); err != nil {
		return op.Reply{}, err
	}
	r.Rows(c.World).Delete(id)
	r.changed(c, row, nil)
	if status := cmp.Or(r.Dialect.Deleted, http.StatusOK); status != http.StatusNoContent {
		return op.Reply{Status: status, Body: r.one(c, row)}, nil
	}
	return op.None()
}

// Find returns a pointer to the row that the path names, which must not be changed, with its id.
func (r *Resource) Find(c *op.Call) (id int64, row any, err error) {
	key, ok := c.Param(r.Key), false
	if r.Lookup != nil {
		id, ok = r.Lookup(c.World, key)
	} else {
		id, err = strconv.ParseInt(key, 10, 64)
		ok = err == nil
	}
	if ok {
		row = r.Rows(c.World).Get(id)
	}
	if row == nil {
		return 0, nil, op.NotFound(r.Noun, cmp.Or(r.KeyName, "id"), key)
	}
	return id, row, nil
}

func (r *Resource) guard(c *op.Call, before, after any) error {
	if r.Guard == nil {
		return nil
	}
	return r.Guard(c, before, after)
}

func (r *Resource) view(c *op.Call, row any) any {
	if r.View == nil {
		return reflect.ValueOf(row).Elem().Interface()
	}
	return r.View(c, row)
}

func (r *Resource) one(c *op.Call, row any) any {
	if r.Dialect.One == nil {
		return r.view(c, row)
	}
	return r.Dialect.One(c, r.Noun, r.view(c, row))
}
