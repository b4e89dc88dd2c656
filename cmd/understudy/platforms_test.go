package main_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// TestPlatforms checks the types of the commands, and of all that they import, for each platform of .goreleaser.yaml.
// That finds what does not compile there, in seconds where compiling takes minutes. It runs with PLATFORMS=1, for
// .ci/release.
func TestPlatforms(t *testing.T) {
	t.Parallel()
	if os.Getenv("PLATFORMS") != "1" {
		t.Skip("PLATFORMS=1 checks the platforms of a release")
	}
	text, err := os.ReadFile(filepath.Join(root, ".goreleaser.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var release struct {
		Builds []struct {
			Main         string
			GOOS, GOARCH []string
		}
	}
	if err := yaml.Unmarshal(text, &release); err != nil {
		t.Fatal(err)
	}
	mains := make([]string, 0, len(release.Builds))
	for _, build := range release.Builds {
		mains = append(mains, build.Main)
	}
	for _, system := range release.Builds[0].GOOS {
		for _, processor := range release.Builds[0].GOARCH {
			t.Run(system+"/"+processor, func(t *testing.T) {
				t.Parallel()
				checkTypes(t, system, processor, mains)
			})
		}
	}
}

// goPackage is a package as go list describes it.
type goPackage struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
	Module          *struct{ Main bool }
}

// checkTypes checks packages and what they import, each after its imports.
func checkTypes(t *testing.T, system, processor string, mains []string) {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go",
		append([]string{"list", "-deps", "-json=ImportPath,Dir,GoFiles,ImportMap,Module"}, mains...)...)
	list.Dir = root
	list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor)
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]*types.Package{"unsafe": types.Unsafe}
	files := token.NewFileSet()
	ours := 0
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.ImportPath == "unsafe" {
			continue
		}
		isOurs := p.Module != nil && p.Module.Main
		if isOurs {
			ours++
		}
		config := types.Config{
			IgnoreFuncBodies: !isOurs, Sizes: types.SizesFor("gc", processor), Importer: imports{known, p.ImportMap},
			Error: func(err error) { t.Error(err) },
		}
		known[p.ImportPath], _ = config.Check(p.ImportPath, files, parsed(t, files, &p), nil)
	}
	if ours < 10 {
		t.Errorf("%d packages of this module were checked", ours)
	}
}

// parsed returns the files of a package.
func parsed(t *testing.T, files *token.FileSet, p *goPackage) []*ast.File {
	t.Helper()
	parts := make([]*ast.File, len(p.GoFiles))
	for i, name := range p.GoFiles {
		file, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parts[i] = file
	}
	return parts
}

// imports finds packages that were checked before.
type imports struct {
	known   map[string]*types.Package
	renamed map[string]string // within the standard library
}

func (i imports) Import(path string) (*types.Package, error) {
	if other := i.renamed[path]; other != "" {
		path = other
	}
	if known := i.known[path]; known != nil {
		return known, nil
	}
	return nil, errors.New("no package " + path)
}
