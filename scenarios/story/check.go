package story

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"svc.example/understudy/internal/fold"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

// Check returns what can be seen to be wrong with a story without playing it, each with its line: steps that there are
// not, or with a wrong number of words, and requests that are for no operation, unless they want to be refused as such.
func Check(file string, text []byte, documents *specs.Set) error {
	var problems []*source.Problem
	line := 0
	archive := txtar.Parse(text)
	files := filesOf(archive)
	for step := range strings.Lines(string(archive.Comment)) {
		line++
		if err := checkLine(step, documents, files); err != nil {
			problems = append(problems, &source.Problem{File: file, Line: line, Reason: err.Error()})
		}
	}
	return source.Join(problems)
}

func checkLine(line string, documents *specs.Set, files archived) error {
	list, conditions, err := stepsOf(line)
	for _, condition := range conditions {
		if name := strings.TrimPrefix(strings.Trim(condition, "[]"), "!"); name != "mock" {
			return fmt.Errorf("unknown condition [%s]: want [mock]", name)
		}
	}
	for _, step := range list {
		err = errors.Join(err, checkStep(step, documents), files.check(step))
	}
	return err
}

// stepsOf returns the steps of a line, and its conditions.
func stepsOf(line string) (list [][]string, conditions []string, err error) {
	words, err := fold.Words(strings.TrimRight(line, "\r\n"))
	if err != nil {
		return nil, nil, err
	}
	for len(words) > 0 && strings.HasPrefix(words[0], "[") && strings.HasSuffix(words[0], "]") {
		conditions = append(conditions, words[0])
		words = words[1:]
	}
	list, err = fold.Steps(words, isStep)
	return list, conditions, err
}

func isStep(name string) bool { return steps()[name].do != nil }

func checkStep(args []string, documents *specs.Set) error {
	neg := len(args) > 0 && args[0] == "!"
	if neg {
		args = args[1:]
	}
	if len(args) == 0 || slices.Contains(builtIn(), args[0]) {
		return nil
	}
	name, args := args[0], args[1:]
	c, ok := steps()[name]
	switch {
	case !ok:
		names := append(slices.Collect(maps.Keys(steps())), fold.Each)
		slices.Sort(names)
		return fmt.Errorf("unknown step %q; want %s", name, source.OneOf(name, names))
	case !c.fits(neg, args):
		return fmt.Errorf("want: %s", c.usage)
	case name == "poll":
		return checkRequest(http.MethodGet, args[:1], documents)
	case name != strings.ToUpper(name):
		return nil
	}
	return checkRequest(name, args, documents)
}

// builtIn returns the steps of testscript itself, which stories seldom need.
func builtIn() []string {
	return []string{
		"cd", "chmod", "cmp", "cmpenv", "cp", "env", "exec", "exists", "grep", "kill", "mkdir", "mv", "rm", "skip", "stderr",
		"stdin", "stdout", "stop", "symlink", "ttyin", "ttyout", "unix2dos", "unquote", "wait",
	}
}

// checkRequest refuses a request that no operation is for. Captured names stand for one part of the path.
func checkRequest(method string, args []string, documents *specs.Set) error {
	status, _ := statusOf(args)
	if status == http.StatusNotFound || status == http.StatusMethodNotAllowed {
		return nil
	}
	path, _, _ := strings.Cut(os.Expand(args[0], func(string) string { return "1" }), "?")
	_, path = specs.CutWorld(specs.MergeSlashes(path))
	name, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	rest, prefix := "/"+rest, "/"+name
	if prefix == control {
		name, rest, prefix = specs.Control, path, ""
	} else if names := specs.NamesOf(documents.Names()); !slices.Contains(names, name) {
		return fmt.Errorf("unknown interface %q; want a path that begins with / and %s", name, source.OneOf(name, names))
	}
	document, err := documents.Load(specs.Interface(name))
	if err != nil {
		return err
	}
	below, ok := specs.Below(rest, document.BasePath)
	if ok && document.Find(method, below).Operation != nil {
		return nil
	}
	verb, nearest, _ := strings.Cut(document.Nearest(method, below), " ")
	return fmt.Errorf("unknown operation %s %s; the nearest is %s %s", method, path, verb,
		prefix+document.BasePath+nearest)
}

// archived holds the names of the files of a story, and whether steps make others.
type archived struct {
	names []string
	makes bool
}

func filesOf(archive *txtar.Archive) archived {
	var a archived
	for _, f := range archive.Files {
		a.names = append(a.names, f.Name)
	}
	for step := range strings.Lines(string(archive.Comment)) {
		words, _ := fold.Words(strings.TrimRight(step, "\r\n"))
		a.makes = a.makes || slices.ContainsFunc([]string{"cp", "mv", "exec", "cd", "unquote", "symlink"},
			func(name string) bool { return slices.Contains(words, name) })
	}
	return a
}

// check returns an error if a step reads a file that the story does not have. Files that steps make end in .gz.
func (a archived) check(words []string) error {
	if a.makes || len(words) < 2 {
		return nil
	}
	file := ""
	switch words[0] {
	case "match":
		file = words[1]
	case "poll":
		file = words[min(2, len(words)-1)]
	case "rows":
		file = words[len(words)-1]
	case "POST", "PUT", "PATCH", "GET", "DELETE", "HEAD", "OPTIONS":
		if _, rest := statusOf(words[1:]); len(rest) > 0 {
			file = rest[0]
		}
	}
	if file == "" || inline(file) || strings.HasSuffix(file, ".gz") || slices.Contains(a.names, file) {
		return nil
	}
	if len(a.names) == 0 {
		return fmt.Errorf("%s: unknown file: want it behind the steps, below a line -- %s --", file, file)
	}
	return fmt.Errorf("%s: unknown file; want %s", file, source.OneOf(file, a.names))
}
