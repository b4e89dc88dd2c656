package specs_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"svc.example/understudy/specs"
)

func TestCompiled(t *testing.T) {
	t.Parallel()
	for _, name := range append(specs.Interfaces(), specs.Control) {
		t.Run("the short form of "+name+" is up to date", func(t *testing.T) {
			t.Parallel()
			source, err := specs.Source(name, specs.Neutral)
			if err != nil {
				t.Fatal(err)
			}
			want, err := compile(source)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("compiled", name+".json")
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(file, want, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := os.ReadFile(file); err != nil || !bytes.Equal(want, got) {
				t.Errorf("%s is not what %s.yaml compiles to (%v): task golden writes it anew", file, name, err)
			}
		})
	}
}

// compile makes the short form of a document's YAML. Its sum comes first, where it is found at once.
func compile(source []byte) ([]byte, error) {
	var doc map[string]any
	if err := yaml.Unmarshal(source, &doc); err != nil {
		return nil, err
	}
	strip(doc)
	body, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, `{"x-source":"%x",%s`, sha256.Sum256(source), body[1:]), nil
}

// strip takes out what only people read, and the provenances, which are looked up in the YAML.
func strip(node any) {
	switch node := node.(type) {
	case map[string]any:
		for key, value := range node {
			switch _, text := value.(string); {
			case text && (key == "description" || key == "summary"), key == "example", key == "examples",
				strings.HasPrefix(key, "x-provenance"):
				delete(node, key)
			case key == "properties": // whose keys are names
				for _, property := range value.(map[string]any) {
					strip(property)
				}
			default:
				strip(value)
			}
		}
	case []any:
		for _, item := range node {
			strip(item)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	source := load(b, specs.Core).Source()
	short, err := compile(source)
	if err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string][]byte{"YAML": source, "compiled": short} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := specs.Parse(specs.Core, "core.yaml", text, ""); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
