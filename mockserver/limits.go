package mockserver

import (
	"fmt"
	"time"
)

// The default limits of the worlds of a server.
const (
	DefaultStateLimit  = 256 << 20      // bytes of one world
	DefaultMemoryLimit = 1 << 30        // bytes of all worlds
	DefaultMaxWorlds   = 10_000         // worlds
	DefaultWorldTTL    = 24 * time.Hour // for which an unused world stays
)

// WithStateLimit bounds about how many bytes each world takes: its resources, archives, records, results of jobs, and
// what only its checkpoints have, or queries of jobs that are due and wait to be run. The default is DefaultStateLimit.
// When there are more, the results of jobs go, oldest first; then requests that would add to the world are refused as
// those with bodies that are too large, with 413 or 400, and its clock stands still.
func WithStateLimit(bytes int64) Option {
	return func(c *config) error {
		c.limits.World = bytes
		return positive("state limit", bytes, "a number of bytes")
	}
}

// WithMemoryLimit bounds about how many bytes all worlds of the server take, with their journals. What forks share
// counts once. The default is DefaultMemoryLimit. When there are more, the histories go, the largest first, and the
// longest journals lose their older halves, down to 64 KiB each; then what would add to a world is refused as beyond
// WithStateLimit, and no world can be made.
func WithMemoryLimit(bytes int64) Option {
	return func(c *config) error {
		c.limits.Server = bytes
		return positive("memory limit", bytes, "a number of bytes")
	}
}

// WithMaxWorlds bounds how many worlds the server has. The default is DefaultMaxWorlds. No more can be made then.
func WithMaxWorlds(count int) Option {
	return func(c *config) error {
		c.limits.Worlds = count
		return positive("number of worlds", int64(count), "a number")
	}
}

// WithWorldTTL sets for how long an unused world stays; 0 means for ever. The default is DefaultWorldTTL. The world
// default always stays.
func WithWorldTTL(ttl time.Duration) Option {
	return func(c *config) error {
		if ttl < 0 {
			return fmt.Errorf("time to live of worlds %v: want a duration, or 0", ttl)
		}
		c.limits.Idle = ttl
		return nil
	}
}

func positive(what string, n int64, want string) error {
	if n <= 0 {
		return fmt.Errorf("%s %d: want %s above 0", what, n, want)
	}
	return nil
}
