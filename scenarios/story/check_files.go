package story

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"svc.example/understudy/specs/source"
)

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
		words, _ := split(strings.TrimRight(step, "\r\n"))
		a.makes = a.makes || slices.ContainsFunc([]string{"cp", "mv", "exec", "cd", "unquote", "symlink"},
			func(name string) bool { return slices.Contains(words, name) })
	}
	return a
}

// check returns an error if a step reads a file that the story does not have. Files that steps make end in .gz.
func (a archived) check(step string) error {
	words, err := split(strings.TrimRight(step, "\r\n"))
	if err != nil || a.makes {
		return nil //nolint:nilerr // it is reported already
	}
	for len(words) > 0 && strings.HasPrefix(words[0], "[") {
		words = words[1:]
	}
	if len(words) < 2 {
		return nil
	}
	file := ""
	switch words[0] {
	case "match":
		file = words[1]
	case "rows":
		file = words[len(words)-1]
	case "POST", "PUT", "PATCH", "GET", "DELETE":
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
