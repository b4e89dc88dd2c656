package mockserver

import (
	"errors"

	"svc.example/understudy/specs"
)

// Ready loads what is otherwise loaded by the first request that needs it: all interfaces, and the control interface.
// A server whose Ready has returned nil can answer all of them.
func (s *Server) Ready() error {
	_, err := s.control()
	errs := []error{err}
	for _, name := range specs.Interfaces() {
		_, err := s.service(name)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
