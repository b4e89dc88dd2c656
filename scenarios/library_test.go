package scenarios_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/scenarios"
)

// folder writes files, by their paths, into a folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	at := t.TempDir()
	for name, content := range files {
		file := filepath.Join(at, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return at
}

const usesOwnCast = "description: Mine.\nnow: 2026-01-15T09:30:00Z\nseed: 1\nuses: [mycast]\n"

func TestLibrary(t *testing.T) {
	t.Parallel()
	t.Run("own names are used like those that come along", func(t *testing.T) {
		t.Parallel()
		l, err := scenarios.OpenLibrary(folder(t, map[string]string{
			"mine/scenario.yaml": usesOwnCast, "mycast/pools.yaml": "workflow: {pools: [{name: etl, concurrencyLimit: 3}]}",
			".git/x.yaml": "", "notes/README.md": "", "README.md": "",
		}))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]string{"mine"}, l.Own()); d != "" || !slices.Contains(l.List(), "quickstart") {
			t.Errorf("(-want +got)\n%s%v", d, l.List())
		}
		s, err := l.Load("mine")
		if err != nil || s.Name != "mine" || s.Fixture.Workflow.Pools[0].Name != "etl" {
			t.Errorf("got %+v, %v", s, err)
		}
		if s, err := l.Load("quickstart"); err != nil || !s.Embedded {
			t.Errorf("got %+v, %v", s, err)
		}
		if _, err := l.Load("min"); err == nil || !strings.Contains(err.Error(), "want mine, or one of") {
			t.Error(err)
		}
	})
	for name, test := range map[string]struct {
		files map[string]string
		want  string
	}{
		"a scenario of the same name": {
			map[string]string{"quickstart/scenario.yaml": ""},
			"quickstart: a scenario that comes with the mock has this name",
		},
		"a cast of the same name": {
			map[string]string{"shop/a.yaml": ""}, "shop: a cast that comes with the mock has this name",
		},
		"a name with a space": {map[string]string{"a b/a.yaml": ""}, "want a name of letters, digits, - and _"},
		"nothing":             {map[string]string{"notes/README.md": ""}, "has no scenarios: want a folder in it"},
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			t.Parallel()
			_, err := scenarios.OpenLibrary(folder(t, test.files))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
	t.Run("an unknown cast has a line and a suggestion", func(t *testing.T) {
		t.Parallel()
		l, err := scenarios.OpenLibrary(folder(t, map[string]string{
			"mine/scenario.yaml": strings.Replace(usesOwnCast, "mycast", "mycats", 1), "mycast/a.yaml": "",
		}))
		if err != nil {
			t.Fatal(err)
		}
		_, err = l.Load("mine")
		if err == nil || !strings.Contains(err.Error(), `scenario.yaml:4: uses[0]: unknown cast "mycats"; want mycast, or one of`) {
			t.Error(err)
		}
	})
}
