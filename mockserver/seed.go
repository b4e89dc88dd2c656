package mockserver

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/audience"
	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/core"
	"svc.example/understudy/mockserver/internal/core/access"
	"svc.example/understudy/mockserver/internal/dwh"
	"svc.example/understudy/mockserver/internal/fault"
	"svc.example/understudy/mockserver/internal/llm"
	"svc.example/understudy/mockserver/internal/match"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/own"
	"svc.example/understudy/mockserver/internal/workflow"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/mockserver/internal/worlds"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

// CheckScenario makes the world that a server with these options would begin with, and returns all that is wrong with
// its scenario, as errors.Join has it. What stands in a file is a *source.Problem, with its line.
func CheckScenario(opts ...Option) error {
	c, err := configure(nil, opts)
	if err != nil {
		return err
	}
	scenario, err := c.library.LoadBranded(c.scenario, c.brand)
	if err != nil {
		return inWords(err, c.brand)
	}
	_, err = c.begin(scenario, worlds.Plan{})
	return err
}

// begin makes the world that a scenario begins with.
func (c *config) begin(scenario scenarios.Scenario, plan worlds.Plan) (world.State, error) {
	seed := scenario.Seed
	if c.seed != nil {
		seed = *c.seed
	}
	if plan.Seed != nil {
		seed = *plan.Seed
	}
	mode := cmp.Or(plan.Mode, c.clock)
	now := plan.Now
	if now.IsZero() {
		now = c.now
	}
	if now.IsZero() && mode != clock.Real {
		now = scenario.Now
	}
	value, err := c.seededWorld(scenario, worldKey{scenario.Name, c.brand, seed, mode, now})
	if err == nil {
		err = checkFaults(scenario.Fixture, &value, c.served())
	}
	if err != nil {
		return value, err
	}
	value.Core.RecordLimit, value.Core.UTC = c.recordLimit, scenario.UTC
	return value, c.planFaults(&value, scenario)
}

// planFaults plans the faults of a scenario, and then those of the server.
func (c *config) planFaults(w *world.State, scenario scenarios.Scenario) error {
	var errs []error
	for i, f := range scenario.Faults {
		_, err := fault.Plan(w, f, c.served())
		errs = append(errs, fixtures.At(err, "a fault", "faults", i))
	}
	if err := errors.Join(errs...); err != nil {
		return inWords(scenario.Fixture.Locate(err), c.brand)
	}
	for _, f := range c.faults {
		if _, err := fault.Plan(w, f, c.served()); err != nil {
			return fmt.Errorf("plan the faults of the server: %w", err)
		}
	}
	return nil
}

// served returns the documents by which interfaces will be served.
func (c *config) served() match.Documents {
	return match.Documents{Names: c.interfaces, Of: c.document}
}

// set returns the documents of all interfaces that can be served.
func (c *config) set() *specs.Set {
	return &specs.Set{Files: c.documents, Overlays: c.overlays, Brand: c.brand}
}

// document returns the document by which an interface will be served.
func (c *config) document(name specs.Interface) (doc *specs.Document, err error) {
	if doc, err = c.set().Load(name); err == nil && !c.extras {
		doc = doc.WithoutExtras()
	}
	return doc, err
}

// worldKey identifies what a world is made of: worlds of equal keys are equal.
type worldKey struct {
	scenario string
	brand    specs.Brand
	seed     uint64
	mode     clock.Mode
	now      time.Time
}

// A world is a value, so one that was made of an embedded scenario, with the seed and the time that the scenario has,
// is made once in a process and then shared by every server and transport that begins with it. Nothing is kept of
// others, of which a client may make any number.
var seeded sync.Map // worldKey → func() (world.State, error)

func (c *config) seededWorld(scenario scenarios.Scenario, from worldKey) (world.State, error) {
	if from.mode == clock.Real || !scenario.Embedded || from.seed != scenario.Seed || !from.now.Equal(scenario.Now) {
		return c.seedWorld(scenario.Fixture, from)
	}
	load, _ := seeded.LoadOrStore(from, sync.OnceValues(func() (world.State, error) {
		return c.seedWorld(scenario.Fixture, from)
	}))
	return load.(func() (world.State, error))()
}

// seedWorld makes a world of a fixture: of a dump, or of the resources that it begins with. The error names everything
// that cannot be made, each with its file and line.
func (c *config) seedWorld(fixture fixtures.Fixture, from worldKey) (w world.State, err error) {
	if len(fixture.State) > 0 {
		w, err = loadState(fixture.State, from)
		err = fixtures.At(err, "the dump of a world", "state")
		c.indexOwn(&w)
	} else {
		w, err = seedInterfaces(fixture, from)
		err = errors.Join(err, c.seedOwn(&w, fixture))
	}
	return w, inWords(fixture.Locate(err), from.brand)
}

func seedInterfaces(fixture fixtures.Fixture, from worldKey) (world.State, error) {
	w := world.State{
		Scenario: from.scenario, Brand: string(from.brand), Seed: from.seed, Clock: clock.New(from.mode, from.now),
	}
	fixture.EachID(w.Reserve) // so that what is made without an id gets none of these
	err := errors.Join(
		access.SeedAccount(&w, fixture.Account), core.Seed(&w, fixture.Core), access.SeedGrants(&w, fixture.Account),
		workflow.Seed(&w, fixture.Workflow), audience.Seed(&w, fixture.Audience), dwh.Seed(&w, fixture.DWH),
		llm.Seed(&w, fixture.LLM),
	)
	w.Account.Limits = world.Limits(fixture.Account.Limits) // what is there from the beginning may exceed them
	return w, err
}

// seedOwn makes the objects of the user's own interfaces.
func (c *config) seedOwn(w *world.State, fixture fixtures.Fixture) error {
	var errs []error
	for _, word := range slices.Sorted(maps.Keys(fixture.Interfaces)) {
		name := specs.Interface(word)
		if doc, err := c.ownDocument(name); err != nil {
			errs = append(errs, fixtures.At(err, word, "interfaces", word))
		} else {
			errs = append(errs, own.Seed(w, doc, fixture))
		}
	}
	return errors.Join(errs...)
}

// indexOwn makes what a world has of the user's own interfaces be found as their documents want it.
func (c *config) indexOwn(w *world.State) {
	for name := range c.documents {
		if doc, err := c.document(name); name.IsOwn() && err == nil {
			own.Index(w, doc)
		}
	}
}

// ownDocument returns the document of an interface of the user's own.
func (c *config) ownDocument(name specs.Interface) (*specs.Document, error) {
	var known []string
	for other := range c.documents {
		if other.IsOwn() {
			known = append(known, string(other))
		}
	}
	slices.Sort(known)
	switch {
	case slices.Contains(known, string(name)):
		return c.document(name)
	case slices.Contains(specs.Interfaces(), name):
		return nil, fmt.Errorf("is an interface of the platform: want what it has under %s, beside interfaces", name)
	case len(known) == 0:
		return nil, fmt.Errorf("unknown interface: want its document, with --spec %s=FILE or WithSpec", name)
	}
	return nil, fmt.Errorf("unknown interface; want %s, or its document, with --spec %s=FILE or WithSpec",
		source.OneOf(string(name), known), name)
}

// checkFaults holds the faults in the dump of a world against the documents that are served.
func checkFaults(fixture fixtures.Fixture, w *world.State, documents match.Documents) error {
	err := fixtures.At(fault.CheckPlan(w, documents), "the dump of a world", "state")
	return inWords(fixture.Locate(err), specs.Brand(w.Brand))
}

// loadState makes a world out of the dump of one.
func loadState(dump []byte, from worldKey) (world.State, error) {
	dump, err := swapState(dump, from.brand)
	if err != nil {
		return world.State{}, err
	}
	w, err := world.Load(bytes.NewReader(dump), from.mode)
	w.Brand = string(from.brand)
	return w, err
}

// loadWorld makes a world out of the text of a fixture, with the brand of another, and its seed, clock and time unless
// the fixture has its own.
func (s *Server) loadWorld(like *world.State, name string, text []byte) (world.State, error) {
	brand := specs.Brand(like.Brand)
	fixture, err := fixtures.ReadBranded(name, text, brand)
	if err != nil {
		return world.State{}, inWords(err, brand)
	}
	w, err := s.seedWorld(fixture, worldKey{like.Scenario, brand, like.Seed, like.Clock.Mode(), like.Now()})
	if err == nil {
		err = checkFaults(fixture, &w, s.served())
	}
	w.Core.RecordLimit, w.Core.UTC = like.Core.RecordLimit, like.Core.UTC
	return w, err
}

// dumpWorld returns a dump of a world, in the words of its brand.
func dumpWorld(w *world.State) ([]byte, error) {
	const before = `{"state":`
	dump := bytes.NewBufferString(before)
	if err := w.Dump(dump); err != nil {
		return nil, err
	}
	state, err := swapState(dump.Bytes()[len(before):], specs.Brand(w.Brand))
	if err != nil {
		return nil, err
	}
	dump.Truncate(len(before))
	dump.Write(state) // in its own place, unless a brand has made it another
	dump.WriteString("}\n")
	return dump.Bytes(), nil
}

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
		return world.State{}, op.Because(err)
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
		return scenario, op.Because(inWords(err, s.brand))
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
