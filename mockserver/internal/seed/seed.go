// Package seed holds what every interface needs to make the resources of a fixture through the handlers that serve
// requests.
package seed

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// Context makes the resources of one part of a fixture, and gathers the errors.
type Context struct {
	World *world.State
	Part  string // of the fixture: core

	users map[string]world.User // by what references call them; nil until one is looked for
	errs  []error
}

// Check notes an error, if there is one, about a resource: how messages call it, and where it stands in the part.
func (c *Context) Check(err error, what string, path ...any) {
	c.Add(fixtures.At(err, what, append([]any{c.Part}, path...)...))
}

// Add notes an error, if there is one, that says itself what it is about.
func (c *Context) Add(err error) { c.errs = append(c.errs, err) }

// Err returns all that was noted.
func (c *Context) Err() error { return errors.Join(c.errs...) }

// ID returns the id that the fixture gives a resource, or the next one if it gives none.
func (c *Context) ID(kind string, given fixtures.ID) int64 {
	if given != 0 {
		return int64(given)
	}
	return c.World.NewID(kind)
}

// Moment returns a moment in UTC, or fallback if the fixture leaves it open.
func (c *Context) Moment(i fixtures.Instant, fallback time.Time) (time.Time, error) {
	if i == "" {
		return fallback.UTC(), nil
	}
	at, err := i.At(c.World.Now())
	return at.UTC(), err
}

// Past returns a moment as Moment does, and refuses one that is still to come.
func (c *Context) Past(i fixtures.Instant, fallback time.Time) (time.Time, error) {
	at, err := c.Moment(i, fallback)
	if err == nil && at.After(c.World.Now()) {
		return c.World.Now(), fmt.Errorf("%s is in the future", at.Format(time.RFC3339))
	}
	return at, err
}

// User returns the user whom an email, or the name of one without an email, stands for; the first who administers if it
// is empty. The users of the account are there before all that refers to them.
func (c *Context) User(ref string) (world.User, error) {
	if c.users == nil {
		c.users = map[string]world.User{}
		for _, u := range table.All(&c.World.Account.Users) {
			c.name(cmp.Or(u.Email, u.Name), u)
			if u.Role.Administers() {
				c.name("", u)
			}
		}
	}
	u, ok := c.users[ref]
	if !ok {
		return u, fmt.Errorf("user %q not found", ref)
	}
	return u, nil
}

// name notes what references call a user, unless another one has the name.
func (c *Context) name(ref string, u world.User) {
	if _, taken := c.users[ref]; !taken {
		c.users[ref] = u
	}
}

// Call returns a request of a user at a time. The user may do everything, since what a fixture says was allowed when it
// happened. The path's parameters come in pairs.
func (c *Context) Call(at time.Time, user int64, body any, path ...string) *op.Call {
	text, err := json.Marshal(body)
	if err != nil { // bodies here are texts, numbers and what was read as JSON
		panic(err)
	}
	return &op.Call{
		World: c.World, Now: at, Body: text, Match: specs.Matched(path...),
		Caller: world.Caller{User: world.User{ID: user, Role: world.Owner}},
		Header: func(string) string { return "" },
	}
}
