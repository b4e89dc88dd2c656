package mockserver_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/manual"
)

const compiledTable = "testdata/compiled.tsv"

// TestCompiledOperations gives the same calls to two mocks: one with the handlers that are written in Go, and one in
// which each ordinary operation is compiled from the document, as one of a user's own is. Both begin with the objects
// that the first one shows. Where their answers differ, the table says in what and why; each row is decided by hand.
func TestCompiledOperations(t *testing.T) {
	t.Parallel()
	reasons := readReasons(t)
	rows := make([][]string, len(specs.Interfaces()))
	t.Run("walk", func(t *testing.T) {
		for i, iface := range specs.Interfaces() {
			t.Run(string(iface), func(t *testing.T) {
				t.Parallel()
				doc, err := specs.Readable(iface, specs.Neutral)
				if err != nil {
					t.Fatal(err)
				}
				known := map[string]*twins{}
				for _, o := range doc.Operations {
					if mockserver.IsOrdinary(o) {
						difference := newTwins(t, doc, o, known).walk(o)
						rows[i] = append(rows[i], strings.Join([]string{o.Name(), difference, reasons[o.Name()+"\t"+difference]}, "\t"))
					}
				}
			})
		}
	})
	all := slices.Concat(rows...)
	same := 0
	for _, row := range all {
		if strings.HasSuffix(row, "\tsame\t") {
			same++
		} else if strings.HasSuffix(row, "\t") {
			t.Errorf("%s has no row with this difference: decide it, and say why in the last column of the row", row)
		}
	}
	const head = "# %d of %d ordinary operations answer alike when they are compiled\noperation\tdifference\twhy\n%s\n"
	text := fmt.Sprintf(head, same, len(all), strings.Join(all, "\n"))
	if os.Getenv("UPDATE") == "1" {
		if err := os.WriteFile(compiledTable, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if kept, _ := os.ReadFile(compiledTable); string(kept) != text {
		t.Errorf("%s is not what the walk shows; UPDATE=1 rewrites it", compiledTable)
	}
}

func readReasons(t *testing.T) map[string]string {
	t.Helper()
	reasons := map[string]string{}
	text, err := os.ReadFile(compiledTable)
	if err != nil && os.Getenv("UPDATE") != "1" {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if i := strings.LastIndexByte(line, '\t'); i > 0 {
			reasons[line[:i]] = strings.TrimSpace(line[i:])
		}
	}
	return reasons
}

// twins are two mocks with equal worlds: the first with handlers, the second with compiled operations.
type twins struct {
	t       *testing.T
	doc     *specs.Document
	page    *manual.Operation
	mocks   [2]*mockserver.Server
	worlds  [2]*mockserver.World
	ids     [2]string // that answers have given to what was made
	differ  []string  // in the order of the calls, each difference once
	known   map[string]bool
	objects map[string][]string // keys by resource, of the first one
}

func newTwins(t *testing.T, doc *specs.Document, o *specs.Operation, known map[string]*twins) *twins {
	t.Helper()
	page, err := manual.Of(o)
	if err != nil {
		t.Fatal(err)
	}
	scenario := page.Example.Scenario
	if known[scenario] == nil {
		first := &twins{t: t, doc: doc, objects: map[string][]string{}}
		for i, more := range [][]mockserver.Option{nil, {mockserver.WithCompiled(doc.Interface)}} {
			first.mocks[i] = mocktest.NewServer(t, append([]mockserver.Option{
				mockserver.WithScenario(scenario), mockserver.WithClock("frozen"), mockserver.WithQueryEngine(sqlite.New()),
			}, more...)...)
			first.worlds[i] = first.mocks[i].World("")
		}
		for _, r := range doc.Resources() {
			first.copyObjects(r)
		}
		known[scenario] = first
	}
	w := *known[scenario]
	w.t, w.page, w.known = t, page, map[string]bool{}
	for i, world := range w.worlds {
		w.worlds[i] = world.ForkFor(t)
	}
	return &w
}

// copyThings lets the second mock have the objects of a resource that the first one shows, those of parents first.
func (w *twins) copyObjects(r *specs.Resource) (all [][]string) {
	if _, known := w.objects[r.Name]; known || len(r.Keys) == 0 {
		return w.keysOf(r)
	}
	w.objects[r.Name] = []string{}
	parents := [][]string{nil}
	if parent := w.doc.Resource(r.Parent()); parent != nil {
		parents = w.copyObjects(parent)
	}
	type object struct {
		keys []string
		text []byte
	}
	var list []object
	for _, parent := range parents {
		for _, item := range w.items(r, parent) {
			keys := append(slices.Clone(parent), strings.Trim(string(raw(item, r.Keys[0])), `"`))
			text := []byte(item)
			if get, action := w.operation(r, specs.Get, len(keys)); get != nil {
				if answer := w.send(0, "GET", fill(get, keys), ""); answer.Code == http.StatusOK {
					text = raw(answer.Body.Bytes(), action.At[0])
				}
			}
			list = append(list, object{keys, text})
		}
	}
	slices.SortStableFunc(list, func(a, b object) int { // as they were made, for all that can be known
		x, _ := strconv.Atoi(a.keys[len(a.keys)-1])
		y, _ := strconv.Atoi(b.keys[len(b.keys)-1])
		return cmp.Compare(x, y)
	})
	for _, one := range list {
		w.worlds[1].KeepObject(r.Name, one.keys, one.text)
		w.objects[r.Name] = append(w.objects[r.Name], strings.Join(one.keys, "\x00"))
	}
	return w.keysOf(r)
}

func (w *twins) keysOf(r *specs.Resource) (all [][]string) {
	for _, keys := range w.objects[r.Name] {
		all = append(all, strings.Split(keys, "\x00"))
	}
	return all
}

// items returns what the first mock lists of a resource below a parent.
func (w *twins) items(r *specs.Resource, parent []string) (items []json.RawMessage) {
	list, action := w.operation(r, specs.List, len(parent))
	if list == nil {
		return nil
	}
	body := w.send(0, "GET", fill(list, parent), "").Body.Bytes()
	_ = json.Unmarshal(raw(body, action.At[0][:len(action.At[0])-1]), &items) // none if it is refused
	return items
}

// operation returns the operation that does something to a resource and has so many parameters in its path, or nil.
func (w *twins) operation(r *specs.Resource, verb string, parameters int) (*specs.Operation, *specs.Action) {
	for _, o := range w.doc.Operations {
		for _, a := range o.Actions() {
			if a.Resource == r && a.Verb == verb && len(a.At) > 0 && len(o.PathParameters()) == parameters {
				return o, a
			}
		}
	}
	return nil, nil
}

func fill(o *specs.Operation, keys []string) string {
	path := o.Path
	for i, name := range o.PathParameters() {
		if i < len(keys) {
			path = strings.Replace(path, "{"+name+"}", url.PathEscape(keys[i]), 1)
		}
	}
	return o.Document.BasePath + path
}

func raw(text []byte, p specs.Pointer) []byte {
	for _, token := range p {
		var object map[string]json.RawMessage
		if json.Unmarshal(text, &object) != nil {
			return nil
		}
		text = object[token]
	}
	return bytes.TrimSpace(text)
}

// walk gives both mocks the example of an operation, with the calls that come before it, and then looks at what it has
// made, changed or deleted.
func (w *twins) walk(o *specs.Operation) string {
	w.t.Helper()
	var path string
	for command := range strings.SplitSeq(regexp.MustCompile(`([^\\|])\n`).ReplaceAllString(w.page.Example.Curl, "$1\x00"), "\x00") {
		path = w.command(command)
	}
	for _, a := range o.Actions() {
		if verb := a.Verb; verb == specs.Create || verb == specs.Update || verb == specs.Delete {
			w.look(a, path)
		}
	}
	if len(w.differ) == 0 {
		return "same"
	}
	return strings.Join(w.differ, "; ")
}

// look gets the object that the last call was about, and lists those like it.
func (w *twins) look(a *specs.Action, path string) {
	depth := strings.Count(strings.TrimPrefix(strings.TrimSuffix(path, "/"), w.doc.BasePath), "/")
	for _, o := range w.doc.Operations {
		for _, other := range o.Actions() {
			switch n := strings.Count(strings.TrimSuffix(o.Path, "/"), "/"); {
			case other.Resource != a.Resource:
			case other.Verb == specs.Get && n == depth:
				w.both("GET", path, "", "then get ")
			case other.Verb == specs.Get && n == depth+1 && a.Verb == specs.Create:
				w.both("GET", strings.TrimSuffix(path, "/")+"/$ID", "", "then get ")
			case other.Verb == specs.List && len(o.PathParameters()) == 0:
				w.both("GET", w.doc.BasePath+o.Path, "", "then list ")
			}
		}
	}
}

var (
	word     = regexp.MustCompile(`(?:'[^']*'|\\'|"\$ID"|[^\s'"\\])+`)
	captured = regexp.MustCompile(`(?s)^ID=\$\((.*?) \|\n  grep -o`)
	quoted   = regexp.MustCompile(`'[^']*'|"\$ID"|\\'`)
)

// command gives both mocks a call that is written as a command.
func (w *twins) command(text string) (path string) {
	if m := captured.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	method, body, address := "", "", ""
	var headers []string
	words := word.FindAllString(strings.ReplaceAll(text, "\\\n", " "), -1)
	for i, one := range words {
		words[i] = quoted.ReplaceAllStringFunc(one, func(part string) string {
			if part == `\'` {
				return "'"
			}
			return part[1 : len(part)-1]
		})
	}
	for i, one := range words[1:] {
		switch words[i] {
		case "-X":
			method = one
		case "-H":
			headers = append(headers, one)
		case "-d":
			body = one
		case "--data-binary":
			body = mocktest.ProjectArchive(w.t, 1, "+say:\n  echo>: hello\n")
		}
		if rest, isAddress := strings.CutPrefix(one, manual.DefaultAddress().URL+"/"); isAddress {
			_, address, _ = strings.Cut(rest, "/")
		}
	}
	if method = cmp.Or(method, http.MethodGet); body != "" && method == http.MethodGet {
		method = http.MethodPost
	}
	w.both(method, "/"+address, body, "", headers...)
	path, _, _ = strings.Cut("/"+address, "?")
	return path
}

// both gives both mocks the same call, with the id that each has given to what was made before.
func (w *twins) both(method, path, body, when string, headers ...string) {
	var answers [2]*httptest.ResponseRecorder
	for i := range w.mocks {
		p, b := strings.ReplaceAll(path, "$ID", url.PathEscape(w.ids[i])), strings.ReplaceAll(body, "$ID", w.ids[i])
		answers[i] = w.send(i, method, p, b, headers...)
	}
	if answers[0].Code >= http.StatusBadRequest && when == "" {
		w.t.Errorf("%s %s: %d %s", method, path, answers[0].Code, answers[0].Body)
	}
	list := differences(answers, w.ids)
	if when == "" {
		for i, answer := range answers {
			for _, at := range []string{"data.id", "data.0.id", "files.0.fileName", "job_id", "apikey", "id", "name"} {
				if id := jsontree.Find(answer.Body.Bytes(), at); id.Exists() {
					w.ids[i] = id.Text()
					break
				}
			}
		}
	}
	list = slices.DeleteFunc(list, func(place string) bool {
		known := w.known[place]
		w.known[place] = true
		return known
	})
	if len(list) > 0 {
		w.differ = append(w.differ, when+strings.Join(list, ", "))
	}
}

func (w *twins) send(mock int, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(w.t.Context(), method, "http://localhost/"+string(w.doc.Interface)+path,
		strings.NewReader(body))
	r.Header.Set("Authorization", "SVC1 1/admin")
	r.Header.Set("X-Understudy-World", w.worlds[mock].ID())
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	answer := httptest.NewRecorder()
	w.mocks[mock].ServeHTTP(answer, r)
	return answer
}

// differences lists in what two answers differ: the status, a header, or places in the body.
func differences(answers [2]*httptest.ResponseRecorder, ids [2]string) (list []string) {
	a, b := answers[0], answers[1]
	if a.Code != b.Code {
		return []string{fmt.Sprintf("status %d not %d", b.Code, a.Code)}
	}
	for _, name := range []string{"Content-Type", "Location", "Etag"} {
		if x, y := a.Header().Get(name), b.Header().Get(name); x != y {
			list = append(list, name)
		}
	}
	x, y := a.Body.Bytes(), b.Body.Bytes()
	if ids[1] != "" && ids[0] != ids[1] {
		y = bytes.ReplaceAll(y, []byte(ids[1]), []byte(ids[0]))
	}
	if bytes.Equal(x, y) {
		return list
	}
	var v, u any
	if json.Unmarshal(x, &v) != nil || json.Unmarshal(y, &u) != nil {
		return append(list, "body")
	}
	found := map[string]bool{}
	places(v, u, "", found)
	if len(found) == 0 {
		return append(list, "order of members")
	}
	return append(list, slices.Sorted(maps.Keys(found))...)
}

func places(a, b any, at string, found map[string]bool) {
	switch x := a.(type) {
	case map[string]any:
		if y, both := b.(map[string]any); both {
			for name := range x {
				if _, has := y[name]; !has {
					found["lacks "+at+"/"+name] = true
				} else {
					places(x[name], y[name], at+"/"+name, found)
				}
			}
			for name := range y {
				if _, has := x[name]; !has {
					found["adds "+at+"/"+name] = true
				}
			}
			return
		}
	case []any:
		if y, both := b.([]any); both {
			if len(x) != len(y) {
				found[at+fmt.Sprintf(" has %d items not %d", len(y), len(x))] = true
				return
			}
			for i := range x {
				places(x[i], y[i], at+"/*", found)
			}
			return
		}
	}
	if x, y := fmt.Sprint(a), fmt.Sprint(b); x != y {
		found[cmp.Or(at, "/")] = true
	}
}
