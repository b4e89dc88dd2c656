package main_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What users import is what they depend on: each exported declaration stands in testdata/api, so that a change is seen.
func TestPublicAPI(t *testing.T) {
	t.Parallel()
	const golden = "testdata/api"
	packages := publicPackages(t)
	for _, path := range packages {
		file := filepath.Join(golden, strings.ReplaceAll(path, "/", ".")+".txt")
		got := exported(t, filepath.Join("../..", path))
		if os.Getenv("UPDATE") == "1" {
			if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Errorf("%v: UPDATE=1 go test ./cmd/understudy -run PublicAPI writes it", err)
			continue
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s: say so in CHANGELOG.md, then UPDATE=1 go test ./cmd/understudy -run PublicAPI (-want +got):\n%s", path,
				diff)
		}
	}
	kept, err := filepath.Glob(golden + "/*.txt")
	if err != nil || len(kept) != len(packages) {
		t.Errorf("%d files in %s for %d packages (%v): remove those of packages that are gone", len(kept), golden,
			len(packages), err)
	}
}

// publicPackages lists the folders of packages that others can import, relative to the module.
func publicPackages(t *testing.T) (paths []string) {
	t.Helper()
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && (name == "internal" || name == "testdata" || name == "cmd" || name[0] == '.'):
			return fs.SkipDir
		case !entry.IsDir() && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			paths = append(paths, filepath.ToSlash(filepath.Dir(path)))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// exported returns the exported declarations of a package without comments and bodies, sorted.
func exported(t *testing.T, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	files := token.NewFileSet()
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.FileExports(file)
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				if f.Recv != nil && !isExported(f.Recv.List[0].Type) {
					continue
				}
				f.Body = nil
			}
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
				continue
			}
			var text bytes.Buffer
			if err := printer.Fprint(&text, files, d); err != nil {
				t.Fatal(err)
			}
			list = append(list, text.String())
		}
	}
	slices.Sort(list)
	return strings.Join(list, "\n") + "\n"
}

// isExported reports whether the type of a receiver is exported.
func isExported(receiver ast.Expr) bool {
	switch e := receiver.(type) {
	case *ast.StarExpr:
		return isExported(e.X)
	case *ast.IndexExpr:
		return isExported(e.X)
	case *ast.Ident:
		return e.IsExported()
	}
	return true
}
