package mockserver

import (
	"fmt"

	"svc.example/understudy/mockserver/internal/journal"
	"svc.example/understudy/mockserver/internal/world"
)

// WithHistory lets each world be forked as it was before any of its last exchanges, so many of them, by ForkBefore. The
// default is 0, none. What only the history has counts to the memory of the server, is at most about as much as a
// world may take, and 64 MiB, and is the first to go if room is missing.
func WithHistory(exchanges int) Option {
	return func(c *config) error {
		if exchanges < 0 {
			return fmt.Errorf("history %d: want a number of exchanges, or 0", exchanges)
		}
		c.limits.History = exchanges
		return nil
	}
}

// ForkBefore returns a new world that begins as this one was before the exchange with a number was served, which is in
// the header X-Understudy-Exchange of its answer: with its faults and stubs, the time of then, an empty journal, and
// keys of its own. The error says why there can be none: the history is off, see WithHistory, or does not have the
// exchange, or there are as many worlds as there may be.
func (w *World) ForkBefore(exchange int64) (*World, error) {
	if exchange < 1 {
		return nil, fmt.Errorf("exchange %d: want a number from 1", exchange)
	}
	return w.fork(exchange)
}

// remember notes the world that a request sees, if there is a history.
func (s *Server) remember(v *visit, value *world.State) {
	if s.limits.History > 0 {
		v.before = v.world.Moment(value)
	}
}

// moment returns the world as it was before the request, which its faults have not counted there.
func (v *visit) moment() journal.Moment {
	m := v.before
	if m.World != nil && v.faults != nil {
		value := *m.World
		value.Faults = *v.faults
		m.World = &value
	}
	return m
}
