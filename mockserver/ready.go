package mockserver

import (
	"errors"
	"sync"
)

// Ready loads what is otherwise loaded by the first request that needs it: all interfaces, and the control interface.
// A server whose Ready has returned nil can answer all of them.
func (s *Server) Ready() error {
	load := []makeInterface{s.control}
	for _, name := range s.config.interfaces {
		load = append(load, s.interfaces[name])
	}
	errs := make([]error, len(load))
	var wg sync.WaitGroup
	for i, load := range load {
		wg.Go(func() { _, errs[i] = load() })
	}
	wg.Wait()
	return errors.Join(errs...)
}
