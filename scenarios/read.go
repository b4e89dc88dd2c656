package scenarios

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

//go:embed scenario.schema.json
var schemaText []byte

// SchemaText returns the JSON Schema, draft 2020-12, of a scenario.
func SchemaText() []byte { return schemaText }

const schemaFile = "scenarios/scenario.schema.json"

var schema = sync.OnceValues(func() (*source.Schema, error) {
	files := map[string][]byte{schemaFile: schemaText, fixtures.SchemaFile: fixtures.SchemaText()}
	return source.Compile(schemaFile, files, fixtures.Formats())
})

// checked holds a user's scenario against the schema and the documents.
func checked(text *source.Text) error {
	s, err := schema()
	if err != nil {
		return err
	}
	return fixtures.Check(text, s)
}

func trusted(*source.Text) error { return nil }

// header holds the members of a scenario beside the sections of a fixture.
type header struct {
	Description string    `json:"description"`
	Uses        []string  `json:"uses"`
	Now         time.Time `json:"now"`
	Seed        uint64    `json:"seed"`
}

// origin is the file and the brand of a scenario.
type origin struct {
	file   string
	brand  specs.Brand
	open   func(file string) ([]byte, error)
	beside fs.FS // the files of records that it may name
	check  func(*source.Text) error
}

func (o origin) read() (Scenario, error) {
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
	parts, err := cast(text, h.Uses, o.brand)
	if err := errors.Join(wrong, err); err != nil {
		return Scenario{}, err
	}
	own, err := fixtures.NewPart(text, o.beside)
	if err != nil {
		return Scenario{}, err
	}
	s := Scenario{Description: strings.TrimSpace(h.Description), Now: h.Now.UTC(), Seed: h.Seed}
	s.Fixture, err = fixtures.Merge(append(parts, own)...)
	return s, err
}

// cast reads the fixtures that a scenario uses: a name is a cast that comes with the mock server, a path one of the
// user's, as seen from the scenario's file.
func cast(text *source.Text, uses []string, brand specs.Brand) ([]*fixtures.Part, error) {
	var parts []*fixtures.Part
	var errs []error
	for i, name := range uses {
		load := fixtures.Set
		if strings.HasPrefix(name, ".") {
			load, name = fixtures.CastFile, filepath.Join(filepath.Dir(text.File), filepath.FromSlash(name))
		}
		more, err := load(name, brand)
		if within, _ := source.Problems(err); err != nil && len(within) == 0 {
			err = text.Problem([]any{"uses", i}, "%v", err)
		}
		parts, errs = append(parts, more...), append(errs, err)
	}
	return parts, errors.Join(errs...)
}
