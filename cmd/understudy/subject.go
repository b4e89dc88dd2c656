package main

import (
	"fmt"
	"time"

	"svc.example/understudy/contract"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/specs"
)

// newSubject returns a mock with a scenario, to hold against recordings, and what closes it. Its clock stands still
// where the scenario begins.
func newSubject(library scenarios.Library, scenario string, brand specs.Brand, opts ...mockserver.Option) (
	contract.Subject, func() error, error,
) {
	loaded, err := library.LoadBranded(scenario, brand)
	if err != nil {
		return contract.Subject{}, nil, err
	}
	server, err := mockserver.New(append([]mockserver.Option{
		mockserver.WithScenario(scenario), mockserver.WithBrand(brand), mockserver.WithClock(mockserver.ClockFrozen),
		mockserver.WithQueryEngine(sqlite.New()),
	}, opts...)...)
	if err != nil {
		return contract.Subject{}, nil, err
	}
	s := subjectOf(server.World(""))
	s.Name, s.Keys = "the scenario "+scenario, recordedKeys(loaded)
	return s, server.Close, nil
}

// recordedKeys returns the keys of a scenario by the digests of the recorded keys that they stand for.
func recordedKeys(s scenarios.Scenario) map[string]string {
	keys := map[string]string{}
	for _, key := range s.Fixture.Account.Keys {
		for _, digest := range key.Recorded {
			keys[digest] = key.Key
		}
	}
	return keys
}

// subjectOf returns a world as a server to hold against recordings.
func subjectOf(w *mockserver.World) contract.Subject {
	return contract.Subject{
		Handler: w,
		Clock: func(at time.Time) error {
			if !at.After(w.Now()) {
				return nil
			}
			if err := w.SetClock(mockserver.ClockFrozen, at); err != nil {
				return err
			}
			if now := w.Now(); now.Before(at) {
				return fmt.Errorf("too much is due until then: the clock stopped at %s", now.Format(time.RFC3339))
			}
			return nil
		},
		Fork:  func() (contract.Subject, error) { return subjectOf(w.Fork()), nil },
		Close: func() { _ = w.Delete() },
		Key:   "1/admin",
	}
}
