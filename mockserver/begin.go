package mockserver

import (
	"cmp"
	"sync"

	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/mockserver/internal/worlds"
	"svc.example/understudy/scenarios"
)

// build makes a world out of a scenario.
func (s *Server) build(plan worlds.Plan) (world.State, error) {
	scenario, err := s.scenarioOf(plan)
	if err != nil {
		return world.State{}, err
	}
	return s.buildOf(scenario, plan)
}

func (s *Server) buildOf(scenario scenarios.Scenario, plan worlds.Plan) (world.State, error) {
	value, err := s.begin(scenario, plan)
	if err != nil {
		return world.State{}, op.Invalid("", "%v", err)
	}
	return value, nil
}

func (s *Server) scenarioOf(plan worlds.Plan) (scenarios.Scenario, error) {
	name := cmp.Or(plan.Scenario, s.scenario)
	own := s.scenariosNow()
	if err := s.inLibrary(own, name); err != nil {
		return scenarios.Scenario{}, err
	}
	scenario, err := own.load(name, s.brand)
	if err != nil {
		return scenario, op.Invalid("", "%v", inWords(err, s.brand))
	}
	return scenario, nil
}

// templateKey identifies worlds that begin alike, but for their times if the wall clock moves them.
type templateKey struct {
	scenario string
	mode     clock.Mode
}

type template struct {
	scenario scenarios.Scenario
	value    world.State
}

// beginning returns how a world of a scenario begins. An embedded scenario is built once, which shows that it can be;
// later worlds are made of that, or anew, when they are used. One with a time or a seed of its own is built at once.
func (s *Server) beginning(plan worlds.Plan) (worlds.Beginning, error) {
	scenario, err := s.scenarioOf(plan)
	if err != nil {
		return worlds.Beginning{}, err
	}
	if !scenario.Embedded || plan.Seed != nil || !plan.Now.IsZero() {
		value, err := s.buildOf(scenario, plan)
		return worlds.Beginning{Like: &value, Seed: value.Seed, Clock: value.Clock}, err
	}
	mode := cmp.Or(plan.Mode, s.clock)
	load, again := s.templates.LoadOrStore(templateKey{scenario.Name, mode}, sync.OnceValues(func() (*template, error) {
		value, err := s.buildOf(scenario, worlds.Plan{Mode: mode})
		return &template{scenario, value}, err
	}))
	made, err := load.(func() (*template, error))()
	if err != nil {
		return worlds.Beginning{}, err
	}
	b := worlds.Beginning{Like: &made.value, Seed: made.value.Seed, Clock: made.value.Clock}
	if mode == clock.Real && again {
		b.Clock = clock.New(mode, s.now)
		now := b.Clock.Now()
		b.Anew = func() (world.State, error) { return s.buildOf(made.scenario, worlds.Plan{Mode: mode, Now: now}) }
	}
	return b, nil
}
