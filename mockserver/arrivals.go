package mockserver

import (
	"time"

	"svc.example/understudy/mockserver/internal/clock"
)

// arrival notes that a request comes in, and returns the time.
func (s *Server) arrival() time.Time {
	now := clock.Wall()
	s.arrived.Store(now.UnixNano())
	return now
}

// busy reports whether requests come in one after another.
func (s *Server) busy() bool {
	return clock.Wall().UnixNano()-s.arrived.Load() < int64(2*time.Millisecond)
}
