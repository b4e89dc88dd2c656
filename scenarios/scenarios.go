// Package scenarios knows the worlds that a mock server can begin with, each a folder here: scenario.yaml says what
// there is when it begins, and story.txtar plays it step by step, for people to read and for the tests to run.
//
// Scenarios are made of fixtures. Those embedded here are checked against the schemas and the OpenAPI documents by the
// tests; a user's own is checked when it is loaded.
package scenarios

import (
	"fmt"
	"io/fs"
	"sync"
	"time"

	"svc.example/understudy"
	"svc.example/understudy/fixtures"
	"svc.example/understudy/specs"
)

// embedded returns the folders of the scenarios that come with the mock server.
func embedded() fs.FS {
	files, _ := fs.Sub(understudy.Scenarios, "scenarios") // the name is a valid one
	return files
}

const (
	scenarioFile = "scenario.yaml"
	storyFile    = "story.txtar"
)

// Scenario is a world to begin with. It may be shared, and must not be changed.
type Scenario struct {
	Name        string
	Description string
	Now         time.Time // where a clock begins that stands still by itself; zero when the scenario leaves it open
	Seed        uint64
	UTC         bool // times in UTC say so everywhere, also where the platform writes an offset
	Fixture     fixtures.Fixture
	Faults      []fixtures.Fault // that are planned when the world begins
	Story       []byte           // a txtar archive, see package story; nil when there is none
	StoryFile   string           // where the story stands, for errors
	Embedded    bool             // comes with the mock server, and so is always the same
}

// List names the scenarios that come with the mock server, sorted.
func List() []string {
	var names []string
	entries, err := fs.ReadDir(embedded(), ".")
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

var cache sync.Map // branded → func() (Scenario, error)

type branded struct {
	name  string
	brand specs.Brand
}

// Load returns the scenario of a name in List, or a user's own: the path of a YAML or JSON file, or of a folder with a
// scenario.yaml. One that comes with the mock server is read once in a process.
func Load(name string) (Scenario, error) { return LoadBranded(name, specs.Neutral) }

// LoadBranded loads a scenario as Load does, for a brand: a scenario that comes with the mock server carries it, and a
// user's own may use its words or the neutral ones.
func LoadBranded(name string, brand specs.Brand) (Scenario, error) {
	return Library{}.LoadBranded(name, brand)
}

// embeddedScenario returns a scenario that comes with the mock server. It is read once in a process.
func embeddedScenario(name string, brand specs.Brand) (Scenario, error) {
	load, _ := cache.LoadOrStore(branded{name, brand}, sync.OnceValues(func() (Scenario, error) {
		return loadEmbedded(name, brand)
	}))
	return load.(func() (Scenario, error))()
}

func loadEmbedded(name string, brand specs.Brand) (Scenario, error) {
	folder, err := fs.Sub(brand.FS(embedded()), name)
	if err != nil {
		return Scenario{}, fmt.Errorf("load scenario: %w", err)
	}
	s, err := sourceFile{
		file: "scenarios/" + name + "/" + scenarioFile, brand: brand, beside: folder, check: skipCheck,
		cast: fixtures.Set,
		open: func(string) ([]byte, error) { return fs.ReadFile(folder, scenarioFile) },
	}.read()
	if err != nil {
		return Scenario{}, err
	}
	s.Name, s.Embedded, s.StoryFile = name, true, "scenarios/"+name+"/"+storyFile
	s.Story, err = fs.ReadFile(folder, storyFile)
	return s, err
}
