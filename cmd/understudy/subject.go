package main

import (
	"time"

	"svc.example/understudy/contract"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/specs"
)

// newSubject returns a mock with a scenario, to hold against recordings, and what closes it. Its clock stands still
// where the scenario begins.
func newSubject(scenario string, brand specs.Brand, opts ...mockserver.Option) (contract.Subject, func() error, error) {
	loaded, err := scenarios.LoadBranded(scenario, brand)
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
	s.Keys = map[string]string{}
	for _, key := range loaded.Fixture.Account.Keys {
		for _, digest := range key.Recorded {
			s.Keys[digest] = key.Key
		}
	}
	return s, server.Close, nil
}

// subjectOf returns a world as what recordings are held against.
func subjectOf(w *mockserver.World) contract.Subject {
	return contract.Subject{
		Handler: w,
		Clock: func(at time.Time) error {
			if by := at.Sub(w.Now()); by > 0 {
				w.Advance(by)
			}
			return nil
		},
		Fork:  func() (contract.Subject, error) { return subjectOf(w.Fork()), nil },
		Close: func() { _ = w.Delete() },
		Key:   "1/admin",
	}
}
