package scenarios_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"svc.example/understudy/scenarios"
)

// documentLine is a line of an OpenAPI document, which moves as documents grow.
var documentLine = regexp.MustCompile(`(\(workflow\.yaml):\d+`)

func TestLoad_says_what_is_wrong_and_where(t *testing.T) {
	t.Parallel()
	const golden = "testdata/mistakes.txtar"
	archive, err := txtar.ParseFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	update := os.Getenv("UPDATE") != ""
	for i := 0; i+1 < len(archive.Files); i += 2 {
		mistake, want := archive.Files[i], &archive.Files[i+1]
		file := filepath.Join(folder, mistake.Name)
		if err := os.WriteFile(file, mistake.Data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := scenarios.Load(file)
		if err == nil {
			t.Errorf("%s was accepted", mistake.Name)
			continue
		}
		got := strings.ReplaceAll(err.Error()+"\n", folder+string(filepath.Separator), "")
		got = documentLine.ReplaceAllString(got, "$1:LINE")
		if update {
			want.Data = []byte(got)
		} else if d := cmp.Diff(string(want.Data), got); d != "" {
			t.Errorf("%s (-want +got)\n%s", mistake.Name, d)
		}
	}
	if update {
		if err := os.WriteFile(golden, txtar.Format(archive), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSchema(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("scenario.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	t.Run("is valid draft 2020-12", func(t *testing.T) {
		t.Parallel()
		metaschema, err := jsonschema.Compile("https://json-schema.org/draft/2020-12/schema")
		if err != nil {
			t.Fatal(err)
		}
		if err := metaschema.Validate(root); err != nil {
			t.Errorf("%#v", err)
		}
	})
	t.Run("is the same in one piece", func(t *testing.T) {
		t.Parallel()
		const name = "bundled.json"
		text := string(scenarios.BundledSchema())
		if at := strings.Index(text, ".json#"); at >= 0 {
			t.Errorf("it refers to another file: %s", text[at-40:at+20])
		}
		schema, err := jsonschema.CompileString(name, text)
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			value any
			fits  bool
		}{
			{map[string]any{"uses": []any{"shop"}, "workflow": map[string]any{"accountLimit": 3.0}}, true},
			{map[string]any{"workflow": map[string]any{"accountLimit": "3"}}, false},
			{map[string]any{"workflw": map[string]any{}}, false},
		} {
			if err := schema.Validate(test.value); (err == nil) != test.fits {
				t.Errorf("%v: got %v", test.value, err)
			}
		}
	})
	t.Run("finds the schema of fixtures where an editor looks for it", func(t *testing.T) {
		t.Parallel()
		if _, err := jsonschema.Compile("scenario.schema.json"); err != nil {
			t.Errorf("%#v", err)
		}
	})
}

// BenchmarkLoad measures what a user's own scenario costs, with all checks: those that come along skip two of them, and
// are read once in a process.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := scenarios.Load("./quickstart"); err != nil {
			b.Fatal(err)
		}
	}
}
