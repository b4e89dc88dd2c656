package core_test

import (
	"strings"
	"testing"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/internal/mocktest"
)

// client calls the core data interface, and knows what its tests ask for again and again.
type client struct{ *mocktest.Client }

func newClient(tb testing.TB, opts ...mockserver.Option) client {
	tb.Helper()
	return client{mocktest.New(tb, "core", opts...)}
}

// load puts people and more of a fixture, in YAML, in the place of the world's state.
func (c client) load(more string) client {
	c.Helper()
	c.Load(more)
	return c
}

// replace puts a whole fixture, or a dump, in the place of the world's state.
func (c client) replace(whole string) client {
	c.Helper()
	if err := c.World().Load([]byte(whole)); err != nil {
		c.Fatal(err)
	}
	return c
}

// dump is the world's state, as a fixture.
func (c client) dump() string {
	c.Helper()
	dump, err := c.World().State()
	if err != nil {
		c.Fatal(err)
	}
	return string(dump)
}

// remembers fails the test unless the world's state has a text, or has it not.
func (c client) remembers(text string, want bool) {
	c.Helper()
	if got := strings.Contains(c.dump(), text); got != want {
		c.Errorf("the state has %s: %v, want %v", text, got, want)
	}
}

// as is the same mock with another key.
func (c client) as(key string) client { return client{c.As(key)} }

// in is the same mock in a subtest.
func (c client) in(t *testing.T) client { t.Helper(); return client{c.In(t)} }
