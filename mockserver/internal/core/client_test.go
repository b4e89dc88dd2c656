package core_test

import (
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// client calls the core data interface for the tests of the whole interface.
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
