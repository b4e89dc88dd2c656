package scenarios

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
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
	Description string    `json:"description"`
	Uses        []string  `json:"uses"`
	Now         time.Time `json:"now"`
	Seed        uint64    `json:"seed"`
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
	s := Scenario{Description: strings.TrimSpace(h.Description), Now: h.Now.UTC(), Seed: h.Seed}
	s.Fixture, err = fixtures.Merge(append(parts, own)...)
	return s, err
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
