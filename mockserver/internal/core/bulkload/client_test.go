package bulkload_test

import (
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// client calls the core data interface for the tests of bulk loads.
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

// replace replaces the world's state by a whole fixture or a dump.
func (c client) replace(whole string) {
	c.Helper()
	c.Replace(whole)
}

// as returns the same mock with another key.
func (c client) as(key string) client { return client{c.As(key)} }
