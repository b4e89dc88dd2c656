package mockserver

import (
	"errors"

	"svc.example/understudy/internal/routine"
)

// Ready loads what is otherwise loaded by the first request that needs it: all interfaces, and the control interface.
// A server whose Ready has returned nil can answer all of them.
func (s *Server) Ready() error {
	load := []makeInterface{s.control}
	for _, name := range s.config.interfaces {
		load = append(load, s.interfaces[name])
	}
	errs := make([]error, len(load))
	var loading routine.Group
	for i, load := range load {
		loading.GoThen(func() error { _, err := load(); return err }, func(err error) { errs[i] = err })
	}
	return errors.Join(append(errs, loading.Wait())...)
}
