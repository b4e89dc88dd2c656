package mockserver

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/worlds"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

// WorldsOnReload describes what happens to the worlds that were made of a scenario that has changed.
type WorldsOnReload string

// What happens to worlds. Forks, and worlds of other scenarios, are never touched.
const (
	ResetWorlds WorldsOnReload = "reset" // they begin anew, with their ids, minted keys and checkpoints
	KeepWorlds  WorldsOnReload = "keep"  // they stay as they are until they are reset
)

// Reload reads scenarios and documents of the user's own again. Requests and new worlds use those that have changed
// from then on; worlds that were made of them do as on says. What cannot be read is in the error, and stays as it was
// when it was last read without one: no scenario changes if one of them is wrong, and no document that is.
func (s *Server) Reload(on WorldsOnReload) error {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	return errors.Join(s.reloadScenarios(on), s.reloadDocuments())
}

// ownScenarios are the scenarios of the user's own as they were when all of them could be read.
type ownScenarios struct {
	library scenarios.Library
	loaded  map[string]scenarios.Scenario // by the names by which worlds ask for them
}

// load returns a scenario.
func (o *ownScenarios) load(name string, brand specs.Brand) (scenarios.Scenario, error) {
	if scenario, ok := o.loaded[name]; ok {
		return scenario, nil
	}
	return o.library.LoadBranded(name, brand)
}

// scenariosNow returns the scenarios that there are now.
func (s *Server) scenariosNow() *ownScenarios {
	if own := s.own.Load(); own != nil {
		return own
	}
	return &ownScenarios{library: s.library}
}

func (s *Server) reloadScenarios(on WorldsOnReload) error {
	own, err := s.readScenarios()
	if err != nil {
		return err
	}
	before := s.own.Swap(own)
	if before == nil { // nothing to compare with
		return nil
	}
	var changed []string
	for _, name := range slices.Sorted(maps.Keys(own.loaded)) {
		if old, was := before.loaded[name]; !was || !reflect.DeepEqual(old.Fixture, own.loaded[name].Fixture) {
			changed = append(changed, name)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	n, err := s.restartWorlds(own, changed, on == ResetWorlds)
	s.log.Info("reloaded scenarios", slog.Any("changed", changed), slog.Int("worlds", n), slog.Any("worlds-are", on))
	return err
}

// readScenarios reads all scenarios of the user's own, and makes a world of each.
func (s *Server) readScenarios() (*ownScenarios, error) {
	own := &ownScenarios{library: s.library, loaded: map[string]scenarios.Scenario{}}
	if s.scenarioFolder != "" {
		var err error
		if own.library, err = scenarios.OpenLibrary(s.scenarioFolder); err != nil {
			return nil, err
		}
	}
	names := own.library.Own()
	if !slices.Contains(own.library.List(), s.scenario) {
		names = append(names, s.scenario)
	}
	var errs []error
	for _, name := range names {
		scenario, err := own.library.LoadBranded(name, s.brand)
		if err == nil {
			_, err = s.begin(scenario, worlds.Plan{})
		} else {
			err = inWords(err, s.brand)
		}
		own.loaded[name] = scenario
		errs = append(errs, err)
	}
	return own, errors.Join(errs...)
}

// restartWorlds lets worlds begin with the scenarios that have changed: now, or when they are reset.
func (s *Server) restartWorlds(own *ownScenarios, changed []string, now bool) (n int, err error) {
	names := map[string]string{} // of scenarios, by what their worlds say
	for _, name := range changed {
		names[own.loaded[name].Name] = name
	}
	for _, w := range s.worlds.List() {
		plan, name := w.Plan(), names[w.Scenario()]
		if name == "" || plan.Fork != "" {
			continue
		}
		plan.Scenario = name
		value, buildErr := s.build(plan)
		if buildErr != nil {
			err = errors.Join(err, fmt.Errorf("world %s: %w", w.ID, buildErr))
			continue
		}
		w.Restart(&value, now)
		n++
	}
	return n, err
}

// makeInterface returns an interface, which is loaded when it is first asked for, or when its document is reloaded.
type makeInterface func() (*loadedInterface, error)

// loader returns what loads an interface.
func (s *Server) loader(rules op.Interface) makeInterface {
	current := new(atomic.Pointer[makeInterface])
	first := makeInterface(sync.OnceValues(func() (*loadedInterface, error) { return s.load(rules) }))
	current.Store(&first)
	s.reload[rules.Name] = func() error {
		loaded, err := s.load(rules)
		if err == nil {
			again := makeInterface(func() (*loadedInterface, error) { return loaded, nil })
			current.Store(&again)
		}
		return err
	}
	return func() (*loadedInterface, error) { return (*current.Load())() }
}

// reloadDocuments reads the documents of the user's own whose content has changed.
func (s *Server) reloadDocuments() error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(s.documents)) {
		sum, err := specs.DigestFile(name, s.documents[name], s.brand, s.overlays[name]...)
		if old, known := s.digests[name]; err == nil && (!known || old == sum) {
			s.digests[name] = sum
			continue
		}
		if err == nil {
			err = s.reload[name]()
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("document of %s: %w", name, err))
			continue
		}
		s.digests[name] = sum
		s.log.Info("reloaded a document", slog.String("interface", string(name)), slog.String("file", s.documents[name]))
	}
	return errors.Join(errs...)
}

// inLibrary refuses scenarios that clients may not choose.
func (s *Server) inLibrary(own *ownScenarios, name string) error {
	if list := own.library.List(); name != s.scenario && !slices.Contains(list, name) { // no client chooses files to read
		return op.Invalid("scenario", "want %s, not %q", source.OneOf(name, list), name)
	}
	return nil
}
