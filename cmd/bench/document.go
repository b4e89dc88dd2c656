package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"svc.example/understudy/contract"
	"svc.example/understudy/specs"
)

// checkByLarge judges a short recording by a user's own document of some 800 KB, and compares that with a document that
// is ours: the same operations without what generators write. Both are read from a file that is new to the process.
func checkByLarge(ctx context.Context) (string, string, error) {
	templates, err := typicalJournal(ctx)
	if err != nil {
		return "", "", err
	}
	small, err := specs.Source(specs.LLM, specs.Neutral)
	if err != nil {
		return "", "", err
	}
	large, err := inflated(small)
	if err != nil {
		return "", "", err
	}
	dir, err := os.MkdirTemp("", "understudy-bench")
	if err != nil {
		return "", "", err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // the system clears it, too
	engine, err := newSecondProcess(ctx)
	if err != nil {
		return "", "", err
	}
	defer engine.end()
	second := contract.WithEngine(engine.Engine)
	best := [2]time.Duration{time.Hour, time.Hour}
	for i := range 10 {
		for n, text := range [][]byte{small, large} {
			own := fmt.Appendf(bytes.Clone(text), "\n# %d\n", i)
			took, err := checkBy(ctx, second, filepath.Join(dir, "own.yaml"), own, templates)
			if err != nil {
				return "", "", err
			}
			best[n] = min(best[n], took)
		}
	}
	ratio := float64(best[1]) / float64(best[0])
	return fmt.Sprintf("%.2f", ratio), fmt.Sprintf("%d ms with %d KB, %d ms with %d KB; best of ten, reading included",
		best[1].Milliseconds(), len(large)>>10, best[0].Milliseconds(), len(small)>>10), nil
}

func checkBy(
	ctx context.Context, second contract.Option, file string, text []byte, recording [][]byte,
) (time.Duration, error) {
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return 0, err
	}
	start := time.Now()
	checker, err := contract.NewChecker(second, contract.WithSpec(specs.LLM, file))
	if err != nil {
		return 0, err
	}
	r, err := checker.Check(ctx, contract.Read("bench.ndjson", bytes.NewReader(bytes.Join(recording, nil))))
	if err == nil && r.Failed() {
		err = errors.New(r.Outcome())
	}
	return time.Since(start), err
}

// inflated returns a document as generators write it: each operation has its parameters and answers in full and a long
// description, and there are schemas that nothing refers to.
func inflated(source []byte) ([]byte, error) {
	var doc map[string]any
	if err := yaml.Unmarshal(source, &doc); err != nil {
		return nil, err
	}
	components, _ := doc["components"].(map[string]any)
	doc["paths"] = inlined(doc["paths"], components)
	if schemas, ok := components["schemas"].(map[string]any); ok {
		for i := range 200 {
			schemas[fmt.Sprintf("Unneeded%d", i)] = map[string]any{
				"type": "object", "description": strings.Repeat("This is not needed. ", 20),
				"properties": map[string]any{"next": map[string]any{"$ref": fmt.Sprintf("#/components/schemas/Unneeded%d",
					(i+1)%200)}},
			}
		}
	}
	return yaml.Marshal(doc)
}

// inlined replaces references to parameters and responses by what they refer to.
func inlined(node any, components map[string]any) any {
	switch node := node.(type) {
	case []any:
		for i := range node {
			node[i] = inlined(node[i], components)
		}
	case map[string]any:
		ref, _ := node["$ref"].(string)
		kind, name, _ := strings.Cut(strings.TrimPrefix(ref, "#/components/"), "/")
		if list, ok := components[kind].(map[string]any); ok && (kind == "parameters" || kind == "responses") {
			return list[name]
		}
		for key := range node {
			node[key] = inlined(node[key], components)
		}
	}
	return node
}
