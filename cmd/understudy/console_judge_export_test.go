package main

import "svc.example/understudy/contract"

// ConsoleWatch judges one world.
type ConsoleWatch = consoleWatch

// NewConsoleJudge makes a judge that takes no rests. It returns its Watch, which also returns what gives the report
// of the last time that the rules looked at all exchanges.
func NewConsoleJudge() func(world string) (*ConsoleWatch, func() (*contract.Report, error), error) {
	j := newConsoleJudge(1)
	return func(world string) (*ConsoleWatch, func() (*contract.Report, error), error) {
		w, err := j.watch(world)
		if err != nil {
			return nil, nil, err
		}
		return w, w.live.Settled, nil
	}
}
