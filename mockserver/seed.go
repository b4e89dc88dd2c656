package mockserver

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/audience"
	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/core"
	"svc.example/understudy/mockserver/internal/dwh"
	"svc.example/understudy/mockserver/internal/llm"
	"svc.example/understudy/mockserver/internal/workflow"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/specs"
)

// origin of a world: what it is made of, when nothing else can make it differ.
type provenance struct {
	scenario string
	brand    specs.Brand
	seed     uint64
	mode     clock.Mode
	now      time.Time
}

// A world is a value, so one that was made of an embedded scenario, with the seed and the time that the scenario has, is
// made once in a process and then shared by every server and transport that begins with it. Nothing is kept of others, of
// which a client may make any number.
var seeded sync.Map // provenance → func() (world.World, error)

func seededWorld(scenario scenarios.Scenario, from provenance) (world.World, error) {
	if from.mode == clock.Real || !scenario.Embedded || from.seed != scenario.Seed || !from.now.Equal(scenario.Now) {
		return seedWorld(scenario, from)
	}
	load, _ := seeded.LoadOrStore(from, sync.OnceValues(func() (world.World, error) {
		return seedWorld(scenario, from)
	}))
	return load.(func() (world.World, error))()
}

func seedWorld(scenario scenarios.Scenario, from provenance) (world.World, error) {
	w, err := plant(scenario.Fixture, from)
	if err != nil {
		return w, fmt.Errorf("scenario %s: %w", scenario.Name, inWords(err, from.brand))
	}
	return w, nil
}

// plant makes a world out of a fixture: the dump of one, or the resources that it is to begin with.
func plant(fixture fixtures.Fixture, from provenance) (world.World, error) {
	if len(fixture.State) > 0 {
		return loadState(fixture.State, from)
	}
	w := world.World{
		Scenario: from.scenario, Brand: string(from.brand), Seed: from.seed, Clock: clock.New(from.mode, from.now),
	}
	err := errors.Join(
		core.SeedAccount(&w, fixture.Account), core.Seed(&w, fixture.Core), core.SeedGrants(&w, fixture.Account),
		workflow.Seed(&w, fixture.Workflow), audience.Seed(&w, fixture.Audience), dwh.Seed(&w, fixture.DWH),
		llm.Seed(&w, fixture.LLM),
	)
	return w, err
}

// loadState makes a world out of the dump of one.
func loadState(dump []byte, from provenance) (world.World, error) {
	dump, err := swapState(dump, from.brand)
	if err != nil {
		return world.World{}, err
	}
	w, err := world.Load(dump, from.mode)
	w.Brand = string(from.brand)
	return w, err
}

// loadWorld makes a world out of the text of a fixture, with the brand of another, and its seed, clock and time unless
// the fixture has its own.
func loadWorld(like *world.World, name string, text []byte) (world.World, error) {
	brand := specs.Brand(like.Brand)
	fixture, err := fixtures.ReadBranded(name, text, brand)
	if err != nil {
		return world.World{}, inWords(err, brand)
	}
	w, err := plant(fixture, provenance{like.Scenario, brand, like.Seed, like.Clock.Mode(), like.Now()})
	w.Core.RecordLimit = like.Core.RecordLimit
	return w, inWords(err, brand)
}

// dumpWorld writes a world as a fixture.
func dumpWorld(w *world.World) ([]byte, error) {
	dump, err := w.Dump()
	if err == nil {
		dump, err = swapState(dump, specs.Brand(w.Brand))
	}
	if err != nil {
		return nil, err
	}
	return slices.Concat([]byte(`{"state":`), bytes.TrimSpace(dump), []byte("}\n")), nil
}
