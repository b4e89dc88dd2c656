package judge_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// suiteGroup is a schema of the JSON Schema Test Suite, with values.
type suiteGroup struct {
	Description string `json:"description"`
	Schema      any    `json:"schema"`
	Tests       []struct {
		Description string          `json:"description"`
		Data        json.RawMessage `json:"data"`
		Valid       bool            `json:"valid"`
	} `json:"tests"`
}

func suiteOf(t *testing.T, name string) map[string][]suiteGroup {
	t.Helper()
	packed, err := os.ReadFile(filepath.Join("testdata", "suite", name+".json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	var files map[string][]suiteGroup
	decoder := json.NewDecoder(r)
	decoder.UseNumber()
	if err := decoder.Decode(&files); err != nil {
		t.Fatal(err)
	}
	return files
}

// wrapped returns a document of which the schema is that of an answer. References to the schema itself lead to where it
// stands in the document.
func (g *suiteGroup) wrapped(version string) []byte {
	text, _ := json.Marshal(map[string]any{
		"openapi": version, "info": map[string]any{"title": "suite", "version": "1"},
		"paths": map[string]any{"/x": map[string]any{"get": map[string]any{"responses": map[string]any{"200": map[string]any{
			"description": "a", "content": map[string]any{"application/json": map[string]any{
				"schema": map[string]any{"$ref": "#/components/schemas/S"},
			}},
		}}}}},
		"components": map[string]any{"schemas": map[string]any{"S": moved(g.Schema)}},
	})
	return text
}

func moved(node any) any {
	switch node := node.(type) {
	case []any:
		for i := range node {
			node[i] = moved(node[i])
		}
	case map[string]any:
		for key, value := range node {
			if ref, isText := value.(string); isText && key == "$ref" && (ref == "#" || strings.HasPrefix(ref, "#/")) {
				node[key] = "#/components/schemas/S" + ref[1:]
			} else if key != "enum" && key != "const" {
				node[key] = moved(value)
			}
		}
		delete(node, "$schema")
	}
	return node
}

// verdicts judges each value of a group as a recorded answer: valid, invalid, or why it was not judged.
func (g *suiteGroup) verdicts(version string) (list []string) {
	d, err := specs.Parse("suite", "suite.json", g.wrapped(version), specs.Neutral)
	if err != nil {
		reason, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "load suite.json: "), "\n")
		return slices.Repeat([]string{"not loaded: " + reason}, len(g.Tests))
	}
	j, err := judge.New(judge.Config{
		Documents: []*specs.Document{d}, Bases: map[specs.Interface][]string{"suite": {"https://h.example"}},
	})
	if err != nil {
		return slices.Repeat([]string{err.Error()}, len(g.Tests))
	}
	for _, test := range g.Tests {
		r := j.Exchange(record.Item{Exchange: &recording.Exchange{
			Request: recording.Request{Method: "GET", URL: "https://h.example/x"},
			Response: &recording.Response{
				Status: 200, Headers: recording.Headers{{"Content-Type", "application/json"}},
				Body: &recording.Body{Bytes: test.Data},
			},
		}})
		verdict := "valid"
		for _, f := range r.Findings {
			switch {
			case f.Rule == judge.Schema && f.Verdict == report.Inconclusive:
				verdict = "not judged: " + f.Message
			case f.Rule == judge.Schema && f.Verdict == report.Fail:
				verdict = "invalid"
			}
		}
		list = append(list, verdict)
	}
	return list
}

// reasonFor returns why a test has another result, or the empty string.
func reasonFor(file, verdict string) string {
	for _, known := range [][3]string{
		{"", "it refers to", "what a document refers to outside of its folder is not fetched, and the message says so"},
		{"additionalItems", "valid", "3.0 and 3.1 have one schema for items: a list is taken out, and noted"},
		{"items", "valid", "3.0 and 3.1 have one schema for items: a list is taken out, and noted"},
		{"ref", "valid", "3.0 and 3.1 have one schema for items: a list is taken out, and noted"},
		{"", "expected fragment prefix", "the loader of documents, kin-openapi's, follows no anchors, and says so"},
		{"", "failed to resolve", "the loader of documents, kin-openapi's, follows no references through references, and says so"},
		{"", "cannot unmarshal array", "3.0 and 3.1 have one schema for items, and not a list"},
		{"patternProperties", "valid", "3.0 has no patternProperties"},
		{"properties", "valid", "3.0 has no patternProperties"},
		{"additionalProperties", "valid", "3.0 has no patternProperties"},
		{"dependencies", "valid", "3.0 has no dependencies"},
	} {
		if (known[0] == "" || known[0] == file) && strings.Contains(verdict, known[1]) {
			return known[2]
		}
	}
	return ""
}

// The JSON Schema Test Suite, run against the judging of answers: of draft 2020-12 in documents of version 3.1, and of
// draft 4, of which the schemas of 3.0 are an extended subset. Each test with another result stands in a table, with
// the reason. UPDATE=1 writes the table.
func TestJSONSchemaSuite(t *testing.T) {
	t.Parallel()
	const table = "testdata/suite/disagreements.txt"
	var got strings.Builder
	for _, suite := range [][2]string{{"draft2020-12", "3.1.0"}, {"draft4", "3.0.3"}} {
		agreed, all := 0, 0
		var rows strings.Builder
		files := suiteOf(t, suite[0])
		for _, file := range slices.Sorted(maps.Keys(files)) {
			for _, g := range files[file] {
				for i, verdict := range g.verdicts(suite[1]) {
					all++
					if verdict == map[bool]string{true: "valid", false: "invalid"}[g.Tests[i].Valid] {
						agreed++
						continue
					}
					reason := reasonFor(file, verdict)
					if reason == "" {
						t.Errorf("%s: %s: %s: %s, and no reason is known", file, g.Description, g.Tests[i].Description, verdict)
					}
					kind, _, _ := strings.Cut(verdict, ":")
					fmt.Fprintf(&rows, "%s | %s | %s | %s | %s\n", file, g.Description, g.Tests[i].Description, kind, reason)
				}
			}
		}
		fmt.Fprintf(&got, "%s in %s: %d of %d agree\n%s\n", suite[0], suite[1], agreed, all, rows.String())
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(table, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	written, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(written), got.String()); diff != "" {
		t.Errorf("the table (-want +got):\n%s", diff)
	}
}
