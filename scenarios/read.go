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

	"github.com/tidwall/gjson"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

//go:embed scenario.schema.json
var schemaText []byte

// SchemaText returns the JSON Schema, draft 2020-12, of a scenario. It refers to that of fixtures, which stands in
// another file.
func SchemaText() []byte { return schemaText }

// BundledSchema returns the JSON Schema of a scenario in one piece, for editors.
func BundledSchema() []byte {
	text := bytes.ReplaceAll(schemaText, []byte("../"+fixtures.SchemaFile+"#"), []byte("#"))
	text = bytes.TrimSuffix(bytes.TrimSpace(text), []byte("\n}"))
	definitions := gjson.GetBytes(fixtures.SchemaText(), "$defs").Raw
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
