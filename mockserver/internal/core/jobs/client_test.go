package jobs_test

import (
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// client calls the core data interface for the tests of jobs.
type client struct{ *mocktest.Client }

func newClient(tb testing.TB, opts ...mockserver.Option) client {
	tb.Helper()
	return client{mocktest.New(tb, "core", opts...)}
}

// load replaces the world's state by people and more of a fixture, in YAML.
func (c client) load(more string) client {
	c.Helper()
	return client{c.Load(more)}
}

// as returns the same mock with another key.
func (c client) as(key string) client { return client{c.As(key)} }

// grant gives the analyst one right on databases, replacing others, and returns the same mock with the analyst's key.
func (c client) grant(operation, ids string) client {
	c.Helper()
	policy := c.Post("/access_control/policies", `{"policy":{"name":"`+operation+ids+`"}}`).Want(200).Value("id").Text()
	c.Patch("/access_control/policies/"+policy+"/permissions",
		`{"Databases":[{"operation":"`+operation+`","ids":"`+ids+`"}]}`).Want(200)
	c.Patch("/access_control/users/3/policies", `{"policy_ids":["`+policy+`"]}`).Want(200)
	return c.as("1/analyst")
}
