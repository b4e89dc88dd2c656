package mockserver_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/checktest"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/scenarios/story"
	"svc.example/understudy/specs"
)

var idLine = regexp.MustCompile(`(?m)^(\s+)operationId: \w+\n`)

// renamings make documents of a user's own out of ours, in which operations are called otherwise.
var renamings = map[string]func(t *testing.T, source string) string{
	"without ids": func(_ *testing.T, source string) string { return idLine.ReplaceAllString(source, "") },
	"with foreign ids": func(_ *testing.T, source string) string {
		n := 0
		return idLine.ReplaceAllStringFunc(source, func(line string) string {
			n++
			indent, _, _ := strings.Cut(line, "operationId")
			return fmt.Sprintf("%soperationId: Controller_%d\n", indent, n)
		})
	},
	"with our ids at other operations": func(_ *testing.T, source string) string {
		ids := idLine.FindAllString(source, -1)
		n := 0
		return idLine.ReplaceAllStringFunc(source, func(string) string {
			n++
			return ids[n%len(ids)]
		})
	},
	"as JSON, with other names of path parameters, without ids and servers": func(t *testing.T, source string) string {
		t.Helper()
		var doc map[string]any
		if err := yaml.Unmarshal([]byte(source), &doc); err != nil {
			t.Fatal(err)
		}
		delete(doc, "servers")
		renamePathParameters(doc)
		text, err := json.MarshalIndent(doc, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	},
}

func renamePathParameters(node any) {
	switch node := node.(type) {
	case []any:
		for _, item := range node {
			renamePathParameters(item)
		}
	case map[string]any:
		delete(node, "operationId")
		if name, ok := node["name"].(string); ok && node["in"] == "path" {
			node["name"] = "the_" + name
		}
		for _, key := range slices.Collect(maps.Keys(node)) {
			value := node[key]
			renamePathParameters(value)
			if strings.HasPrefix(key, "/") && strings.Contains(key, "{") {
				delete(node, key)
				node[strings.ReplaceAll(key, "{", "{the_")] = value
			}
		}
	}
}

// ownDocuments writes a document for each interface to a folder.
func ownDocuments(t *testing.T, rename func(*testing.T, string) string) map[string]string {
	t.Helper()
	files, dir := map[string]string{}, t.TempDir()
	for _, name := range specs.Interfaces() {
		source, err := specs.Source(name, specs.Neutral)
		if err != nil {
			t.Fatal(err)
		}
		files[string(name)] = filepath.Join(dir, string(name+".yaml"))
		if err := os.WriteFile(files[string(name)], []byte(rename(t, string(source))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func servedBy(files map[string]string) (opts []mockserver.Option) {
	for name, file := range files {
		opts = append(opts, mockserver.WithSpec(specs.Interface(name), file))
	}
	return opts
}

func checkedBy(files map[string]string) (opts []contract.Option) {
	for name, file := range files {
		opts = append(opts, contract.WithSpec(specs.Interface(name), file))
	}
	return opts
}

// Whatever a user's own documents call our operations, the mock serves them as by ours, and what it answers conforms.
// One engine judges that; TestOwnNamesAreJudged has both.
func TestOwnNamesAreServed(t *testing.T) {
	t.Parallel()
	for kind, rename := range renamings {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			files := ownDocuments(t, rename)
			s := mocktest.NewServer(t, append(servedBy(files), mockserver.WithQueryEngine(sqlite.New()))...)
			checker, err := contract.NewChecker(append(checkedBy(files), contract.WithTrust(specs.Assumed))...)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range scenarios.List() {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					story.Run(t, filepath.Join("..", "scenarios", name, "story.txtar"), func() (story.Server, error) {
						mocktest.Call(t, s, "POST", "/_understudy/worlds", fmt.Sprintf(`{"id":%q,"scenario":%[1]q}`, name)).Want(201)
						return story.Server{Handler: s, World: name, Close: func() { checktest.WantConform(t, checker, s.World(name)) }}, nil
					})
				})
			}
		})
	}
}

// Such documents cause no message at the start: but for names they are the embedded ones.
func TestOwnNamesFit(t *testing.T) {
	t.Parallel()
	for kind, rename := range renamings {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			warnings := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
			mocktest.NewServer(t, append(servedBy(ownDocuments(t, rename)), mockserver.WithLogger(warnings))...)
			if log.Len() > 0 {
				t.Errorf("logged:\n%s", &log)
			}
		})
	}
}

// A recording is judged by such documents as by ours: all rules hold, and find the same.
func TestOwnNamesAreJudged(t *testing.T) {
	t.Parallel()
	type recorded struct {
		source    func() contract.Source
		isExample bool // asked as httptest does
	}
	recordings := map[string]recorded{}
	files, err := filepath.Glob(filepath.Join("..", "contract", "testdata", "*.ndjson"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		recordings[filepath.Base(file)] = recorded{source: func() contract.Source { return contract.Files(file) }}
	}
	for _, m := range slices.Concat(mutants, coreMutants, dwhMutants, llmMutants) {
		s := mocktest.NewServer(t, mockserver.WithScenario(m.scenario), mockserver.WithMutation(m.name))
		m.story(t, s)
		journal, err := s.World("").Journal()
		if err != nil {
			t.Fatal(err)
		}
		recordings[m.name] = recorded{func() contract.Source { return checktest.Journal(journal) }, true}
	}
	ours := map[bool]*contract.Checker{false: checktest.Plain(t), true: checktest.Example(t)}
	want := map[string]*contract.Report{}
	for name, r := range recordings {
		want[name] = checktest.Check(t, ours[r.isExample], r.source())
	}
	for kind, rename := range renamings {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			documents := ownDocuments(t, rename)
			theirs := map[bool]*contract.Checker{
				false: checktest.New(t, checkedBy(documents)...),
				true:  checktest.New(t, append(checkedBy(documents), checktest.ExampleBases()...)...),
			}
			isRenamed := strings.HasPrefix(kind, "as JSON")
			for name, r := range recordings {
				got := checktest.Check(t, theirs[r.isExample], r.source())
				if len(want[name].Findings) == 0 && name != "pools.ndjson" && name != "pools-frozen.ndjson" {
					t.Errorf("%s: nothing was found by ours", name)
				}
				if diff := cmp.Diff(found(want[name], isRenamed), found(got, isRenamed)); diff != "" {
					t.Errorf("%s: findings (-by ours +by theirs):\n%s", name, diff)
				}
				if diff := cmp.Diff(want[name].Rules, got.Rules); diff != "" {
					t.Errorf("%s: rules (-by ours +by theirs):\n%s", name, diff)
				}
			}
		})
	}
}

// found returns the findings of a report without the places in the documents, which differ. Where documents name path
// parameters otherwise, pointers have those names, and ids are made of them.
func found(r *contract.Report, isRenamed bool) []report.Finding {
	list := slices.Clone(r.Findings)
	for i := range list {
		list[i].Spec.File, list[i].Spec.Line = "", 0
		if isRenamed {
			list[i].Spec, list[i].ID = report.Spec{}, ""
		}
	}
	return list
}
