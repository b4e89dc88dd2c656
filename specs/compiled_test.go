package specs_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"svc.example/understudy/specs"
)

func TestCompiled(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Concat(specs.Interfaces(), specs.Extras(), []specs.Interface{specs.Control}) {
		t.Run(string("the short form of "+name+" is up to date"), func(t *testing.T) {
			t.Parallel()
			source, err := specs.Source(name, specs.Neutral)
			if err != nil {
				t.Fatal(err)
			}
			want, err := compile(source)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("compiled", string(name+".json"))
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
	tree, err := specs.ShortTree(source)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(tree)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, `{"x-source":"%x",%s`, sha256.Sum256(source), body[1:]), nil
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
