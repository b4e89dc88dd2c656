package contract

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"svc.example/understudy/contract/internal/shape"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

// Shape is a snapshot as MatchShape keeps it, held against the documents.
type Shape struct {
	File      string        `json:"file"`
	Operation string        `json:"operation"` // such as workflow.listPools
	Status    int           `json:"status"`
	Breaks    []shape.Break `json:"breaks"` // where it does not fit; empty when it does
}

// Shapes holds the snapshots in folders, and below these, against the documents, and lists all of them, in the order of
// their names. With WithSpec it shows which snapshots a changed document would break, before any tests do. Folders
// without snapshots are an error.
func Shapes(dirs []string, opts ...Option) ([]Shape, error) {
	checker, err := newChecker(listing, opts)
	if err != nil {
		return nil, err
	}
	var list []Shape
	var errs []error
	for _, dir := range dirs {
		found := len(list)
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".snap.json") {
				return err
			}
			s, err := checker.shape(path)
			list, errs = append(list, s), append(errs, err)
			return nil
		})
		if err == nil && len(list) == found {
			err = fmt.Errorf("%s: no snapshots of shapes found: want files such as workflow.listPools.200_1.snap.json", dir)
		}
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b Shape) int { return strings.Compare(a.File, b.File) })
	return list, nil
}

// shapeFile is the name of a snapshot: operation, status, a label perhaps, and the library's number.
var shapeFile = regexp.MustCompile(`^([a-z]+)\.([A-Za-z]+)\.(\d{3})(?:\..*)?_\d+\.snap\.json$`)

func (c *Checker) shape(path string) (Shape, error) {
	parts := shapeFile.FindStringSubmatch(filepath.Base(path))
	if parts == nil {
		return Shape{}, fmt.Errorf("%s: not the name of a shape: want {interface}.{operation}.{status}_1.snap.json", path)
	}
	content, err := source.ReadFile(path)
	if err != nil {
		return Shape{}, err
	}
	var kept any
	if err := json.Unmarshal(content, &kept); err != nil {
		return Shape{}, fmt.Errorf("%s: not a shape: %w", path, err)
	}
	s := Shape{File: path, Operation: parts[1] + "." + parts[2], Breaks: []shape.Break{}}
	s.Status, _ = strconv.Atoi(parts[3])
	op := c.operation(specs.Interface(parts[1]), parts[2])
	if op == nil {
		s.Breaks = append(s.Breaks, shape.Break{Path: "/", Reason: "the operation is not documented"})
		return s, nil
	}
	answer := op.Spec.Responses.Status(s.Status)
	if answer == nil {
		answer = op.Spec.Responses.Default()
	}
	if answer == nil {
		reason := fmt.Sprintf("status %d (%s) is not documented", s.Status, http.StatusText(s.Status))
		s.Breaks = append(s.Breaks, shape.Break{Path: "/", Reason: reason})
		return s, nil
	}
	if text, isText := kept.(string); isText && strings.Contains(text, "/") && answer.Value.Content.Get(text) == nil {
		s.Breaks = append(s.Breaks, shape.Break{Path: "/", Reason: "media type " + text + " is not documented"})
		return s, nil
	}
	s.Breaks = append(s.Breaks, shape.Against(kept, op.JSONAnswer(s.Status))...)
	return s, nil
}

// operation finds an operation by the names of its interface and itself.
func (c *Checker) operation(iface specs.Interface, id string) *specs.Operation {
	for _, d := range c.documents {
		if d.Interface == iface {
			return d.Operation(id)
		}
	}
	return nil
}
