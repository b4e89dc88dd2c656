package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gkampitakis/go-snaps/snaps"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/internal/shape"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
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

// MatchShape compares the shape of a response with the one in testdata/shapes beside the test, in a file of its own for
// each operation and status, such as workflow.listPools.200_1.snap.json. A shape that is not there is written, except
// in CI, where that fails. UPDATE=1, or UPDATE_SNAPS=true, writes shapes anew.
//
// The operation is found by the address of the response's request; WithBaseURL gives other addresses than the default
// ones. The body can be read again afterwards. A response that a fault of the mock injected fails the test: it has no
// shape of the service.
func MatchShape(tb testing.TB, response *http.Response, opts ...Option) {
	tb.Helper()
	checker, err := newChecker(matching, opts)
	if err != nil {
		tb.Fatalf("contract: %v", err)
	}
	if response.Request == nil || response.Request.URL == nil {
		tb.Fatal("contract: the response has no Request")
	}
	if fault, ok := recording.ParseFault(response.Header.Get(recording.FaultHeader)); ok && fault.Injected {
		tb.Fatalf("contract: the fault %s of the mock injected this response, which shows no shape of the service", fault.ID)
	}
	body, err := readAndRestore(response)
	if err != nil {
		tb.Fatalf("contract: read the body: %v", err)
	}
	result := checker.owner(response)
	if result.Operation() == nil {
		tb.Fatalf("contract: %s %s does not match a documented operation", response.Request.Method, response.Request.URL)
	}
	var union shape.Union
	if err := addShape(&union, result, response, body); err != nil {
		tb.Fatalf("contract: %s: %v", result.Operation().Name(), err)
	}
	checker.matchSnapshot(tb, checker.shapeName(result, response.StatusCode), &union)
}

// MatchShapes compares the shapes of all answers of a recording, as MatchShape does: those of one operation and status
// together, so that a field which only some of them have is marked. Answers that belong to no operation, that a fault
// injected, or that the recording does not hold whole, are left out. A recording in which nothing is left fails the
// test.
func MatchShapes(tb testing.TB, source Source, opts ...Option) {
	tb.Helper()
	checker, err := newChecker(matching, opts)
	if err != nil {
		tb.Fatalf("contract: %v", err)
	}
	unions, err := checker.shapesByFile(source)
	if err != nil {
		tb.Fatalf("contract: %v", err)
	}
	if len(unions) == 0 {
		tb.Fatalf("contract: %v", ErrNothingMatched)
	}
	for _, name := range slices.Sorted(maps.Keys(unions)) {
		checker.matchSnapshot(tb, name, unions[name])
	}
}

// shapesByFile gathers the shapes of a recording by the names of their files.
func (c *Checker) shapesByFile(source Source) (map[string]*shape.Union, error) {
	unions := map[string]*shape.Union{}
	for item, err := range source.Items() {
		if err != nil {
			if record.IsFatal(err) {
				return nil, err
			}
			continue
		}
		result := c.judge.Match(item)
		answer := result.Item.Response // nil of one that a fault injected
		if result.Operation() == nil || answer == nil || item.ResponseDoubt != "" {
			continue
		}
		header := http.Header{}
		for _, line := range answer.Headers {
			header.Add(line[0], line[1])
		}
		var body []byte
		if answer.Body != nil {
			body = answer.Body.Bytes
		}
		name := c.shapeName(result, answer.Status)
		if unions[name] == nil {
			unions[name] = &shape.Union{}
		}
		response := &http.Response{StatusCode: answer.Status, Header: header}
		if err := addShape(unions[name], result, response, body); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", item.Position, result.Operation().Name(), err)
		}
	}
	return unions, nil
}

// readAndRestore reads the body and puts it back.
func readAndRestore(response *http.Response) ([]byte, error) {
	if response.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	response.Body = io.NopCloser(bytes.NewReader(body))
	return body, err
}

// owner gives a response to its operation.
func (c *Checker) owner(response *http.Response) *judge.Result {
	request := response.Request
	e := &recording.Exchange{Request: recording.Request{
		Method: request.Method, URL: request.URL.String(), Headers: headersOf(request.Header),
	}}
	if e.Request.Method == "" {
		e.Request.Method = http.MethodGet
	}
	return c.judge.Match(record.Item{Exchange: e})
}

// addShape adds the shape of an answer: of its JSON, or the media type of what is none.
func addShape(union *shape.Union, result *judge.Result, response *http.Response, body []byte) error {
	kind := response.Header.Get("Content-Type")
	plain, isJSON, err := result.PlainJSON(response.StatusCode, response.Header, body)
	switch {
	case err != nil:
		return err
	case len(body) == 0:
		union.AddOther("no body")
	case !isJSON:
		kind, _, _ = strings.Cut(kind, ";")
		union.AddOther(kind)
	default:
		union.Add(plain, result.Operation().JSONAnswer(response.StatusCode))
	}
	return nil
}

// shapeName returns the name of the file of a shape, but for what the library adds.
func (c *Checker) shapeName(result *judge.Result, status int) string {
	name := fmt.Sprintf("%s.%d", result.Operation().Name(), status)
	if c.config.label != "" {
		name += "." + strings.ReplaceAll(c.config.label, " ", "-")
	}
	return name
}

// snapshots lets one snapshot be compared at a time, so that each file keeps the number 1 in its name.
var snapshots sync.Mutex

const shapeDir = "testdata/shapes"

func (c *Checker) matchSnapshot(tb testing.TB, name string, union *shape.Union) {
	tb.Helper()
	text, err := json.Marshal(union.Shape())
	if err != nil {
		tb.Fatalf("contract: %s: %v", name, err)
	}
	snapshots.Lock()
	defer snapshots.Unlock()
	dir := c.config.shapeDir
	if dir == "" {
		dir = shapeDir
	}
	config := []func(*snaps.Config){snaps.Dir(dir), snaps.Filename(name), snaps.Ext(".json")}
	if os.Getenv("UPDATE") == "1" {
		config = append(config, snaps.Update(true))
	}
	t := &eager{TB: tb, shape: filepath.Join(dir, name+"_1.snap.json")}
	snaps.WithConfig(config...).MatchStandaloneJSON(t, text)
	for _, clean := range t.cleanups {
		clean()
	}
}

// eager runs clean-ups at once: the library counts the snapshots of a file until the test is over, and a second match
// of the same operation would go to another file. It adds to errors what to do about them.
type eager struct {
	testing.TB
	shape    string // the file
	cleanups []func()
}

func (e *eager) Cleanup(f func()) { e.cleanups = append(e.cleanups, f) }

// Error takes the difference as text from the library, or what has kept it from comparing.
func (e *eager) Error(args ...any) {
	e.Helper()
	const anew = "UPDATE=1 go test, outside of CI, and commit the file"
	if err, ok := args[0].(error); ok && err.Error() == "snapshot not found" { // the library exports no such error
		e.TB.Error("contract: the snapshot " + e.shape + " is missing, and none is written in CI: write it with " + anew)
		return
	}
	if difference, ok := args[0].(string); ok {
		args[0] = difference + "\nIf the answer is right, write " + e.shape + " anew with " + anew
	}
	e.TB.Error(args...)
}
