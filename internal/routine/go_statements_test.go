package routine_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Whatever runs in the process of a user goes through this package. What only we run, and what is a process of its own,
// need not.
func TestNothingElseStartsGoroutines(t *testing.T) {
	t.Parallel()
	ours := []string{
		"internal/routine", "internal/tools", "cmd", "contract/beam",
		"contract/engine/process/serve.go", "contract/engine/process/memory_bound.go", // of a child, which may end
	}
	files := 0
	root := filepath.FromSlash("../..")
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || path != "." && entry.Name()[0] == '.' ||
			slices.Contains(ours, path)):
			return fs.SkipDir
		case slices.Contains(ours, path), entry.IsDir(), !strings.HasSuffix(path, ".go"), strings.HasSuffix(path, "_test.go"):
			return nil
		}
		files++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, filepath.Join(root, path), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, imported := range file.Imports {
			if strings.HasSuffix(strings.Trim(imported.Path.Value, `"`), "/errgroup") {
				t.Errorf("%s: errgroup starts goroutines whose panics end the process: use routine.Group", path)
			}
		}
		groups := map[string]bool{} // names of variables and fields that are a sync.WaitGroup
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s: a panic of this goroutine ends the process: use routine.Group", set.Position(n.Pos()))
			case *ast.ValueSpec:
				for _, name := range n.Names {
					groups[name.Name] = groups[name.Name] || isWaitGroup(n.Type)
				}
			case *ast.Field:
				for _, name := range n.Names {
					groups[name.Name] = groups[name.Name] || isWaitGroup(n.Type)
				}
			}
			return true
		})
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.SelectorExpr)
			if !ok || call.Sel.Name != "Go" {
				return true
			}
			if of, ok := call.X.(*ast.Ident); ok && groups[of.Name] {
				t.Errorf("%s: a panic of a goroutine of sync.WaitGroup ends the process: use routine.Group", set.Position(n.Pos()))
			} else if of, ok := call.X.(*ast.SelectorExpr); ok && groups[of.Sel.Name] {
				t.Errorf("%s: a panic of a goroutine of sync.WaitGroup ends the process: use routine.Group", set.Position(n.Pos()))
			}
			return true
		})
		return nil
	})
	if err != nil || files < 100 {
		t.Errorf("%d files were read: %v", files, err)
	}
}

func isWaitGroup(e ast.Expr) bool {
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	of, ok := e.(*ast.SelectorExpr)
	return ok && of.Sel.Name == "WaitGroup"
}
