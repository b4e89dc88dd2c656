// Package scenarios knows the worlds that a mock server can begin with, each a folder here: scenario.yaml says what
// there is when it begins, and story.txtar plays it step by step, for people to read and for the tests to run.
//
// Scenarios are made of fixtures. Those embedded here are checked against the schemas and the OpenAPI documents by the
// tests; a user's own is checked when it is loaded.
package scenarios

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"svc.example/understudy"
	"svc.example/understudy/fixtures"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
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

//go:embed scenario.schema.json
var schemaText []byte

// SchemaText returns the JSON Schema, draft 2020-12, of a scenario. It refers to that of fixtures, which stands in
// another file.
func SchemaText() []byte { return schemaText }

// BundledSchema returns the JSON Schema of a scenario in one piece, for editors.
func BundledSchema() []byte {
	text := bytes.ReplaceAll(schemaText, []byte("../"+fixtures.SchemaFile+"#"), []byte("#"))
	text = bytes.TrimSuffix(bytes.TrimSpace(text), []byte("\n}"))
	definitions := jsontree.Parse(fixtures.SchemaText()).Get("$defs").Raw()
	return fmt.Appendf(nil, "%s,\n  \"$defs\": %s\n}\n", text, definitions)
}

const schemaFile = "scenarios/scenario.schema.json"

var schema = sync.OnceValues(func() (*source.Schema, error) {
	files := map[string][]byte{schemaFile: schemaText, fixtures.SchemaFile: fixtures.SchemaText()}
	return source.Compile(schemaFile, files, fixtures.Formats())
})

// checkScenario holds a user's scenario against the schema and the documents.
func checkScenario(text *source.Text) error {
	s, err := schema()
	if err != nil {
		return err
	}
	return fixtures.Check(text, s)
}

func skipCheck(*source.Text) error { return nil }

// header holds the members of a scenario beside the sections of a fixture.
type header struct {
	Description string           `json:"description"`
	Uses        []string         `json:"uses"`
	Now         time.Time        `json:"now"`
	Seed        uint64           `json:"seed"`
	Times       string           `json:"times"`
	Faults      []fixtures.Fault `json:"faults"`
}

// sourceFile is the file and the brand of a scenario.
type sourceFile struct {
	file   string
	brand  specs.Brand
	open   func(file string) ([]byte, error)
	beside fs.FS // the files of records that it may name
	check  func(*source.Text) error
	cast   func(name string, brand specs.Brand) ([]*fixtures.Part, error) // the cast of a name
}

func (o sourceFile) read() (Scenario, error) {
	content, err := o.open(o.file)
	if err != nil {
		return Scenario{}, fmt.Errorf("load scenario: %w", err)
	}
	text, err := fixtures.ReadText(o.file, content, o.brand)
	if err != nil {
		return Scenario{}, err
	}
	wrong := o.check(text)
	var h header
	if err := text.Decode(&h); err != nil {
		return Scenario{}, cmp.Or(wrong, err)
	}
	parts, err := o.casts(text, h.Uses)
	if err := errors.Join(wrong, err); err != nil {
		return Scenario{}, err
	}
	own, err := fixtures.NewPart(text, o.beside)
	if err != nil {
		return Scenario{}, err
	}
	s := Scenario{
		Description: strings.TrimSpace(h.Description), Now: h.Now.UTC(), Seed: h.Seed, Faults: h.Faults,
		UTC: h.Times == "utc",
	}
	s.Fixture, err = fixtures.Merge(append(parts, own)...)
	return s, errors.Join(err, checkFaults(text, h.Faults))
}

// checkFaults checks the faults of a scenario: each in itself, and that no two have the same id.
func checkFaults(text *source.Text, faults []fixtures.Fault) error {
	var problems []*source.Problem
	first := map[string]int{}
	for i := range faults {
		f := &faults[i]
		problems = append(problems, faultProblems(text, i, f.Check())...)
		before, twice := first[f.ID]
		switch {
		case f.ID == "":
		case twice:
			problems = append(problems, text.Problem([]any{"faults", i, "id"}, "%s is given twice, first in %s", f.ID,
				text.Place("faults", before)))
		default:
			first[f.ID] = i
		}
	}
	return source.Join(problems)
}

// faultProblems returns the problems of joined errors of a fault, each at its place.
func faultProblems(text *source.Text, i int, err error) (problems []*source.Problem) {
	joined, _ := err.(interface{ Unwrap() []error })
	if joined == nil {
		return nil
	}
	for _, err := range joined.Unwrap() {
		wrong, ok := errors.AsType[*fixtures.FaultError](err)
		if !ok {
			continue
		}
		at := []any{"faults", i}
		for _, step := range wrong.Member() {
			if next := append(slices.Clip(at), step); text.Has(next...) {
				at = next
			}
		}
		problems = append(problems, text.Problem(at, "%s", wrong.Reason))
	}
	return problems
}

// casts reads the fixtures that a scenario uses: a name is a cast of the library, a path a file or a folder as seen
// from the scenario's file.
func (o sourceFile) casts(text *source.Text, uses []string) ([]*fixtures.Part, error) {
	var parts []*fixtures.Part
	var errs []error
	for i, name := range uses {
		load := o.cast
		if strings.HasPrefix(name, ".") {
			load, name = fixtures.CastFile, filepath.Join(filepath.Dir(text.File), filepath.FromSlash(name))
		}
		more, err := load(name, o.brand)
		if within, _ := source.Problems(err); err != nil && len(within) == 0 {
			err = text.Problem([]any{"uses", i}, "%v", err)
		}
		parts, errs = append(parts, more...), append(errs, err)
	}
	return parts, errors.Join(errs...)
}
