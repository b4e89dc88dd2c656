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
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
)

// The walk makes, shows, lists, changes and deletes one thing of each resource of a document, and calls every other
// operation once, all with samples of what the document wants. Both engines judge what was answered. It runs over the
// documents in testdata, of which a golden table says how many operations are answered as documented, and over those in
// the folder that OWN_DOCUMENTS names, of which it prints that.
func TestOwnDocuments(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/own/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents in testdata: %v", err)
	}
	var mu sync.Mutex
	rows := map[string]string{}
	t.Run("in testdata", func(t *testing.T) {
		t.Parallel()
		t.Cleanup(func() {
			got := "document\toperations\tresources\tas documented\tnot\n" + strings.Join(slices.Sorted(maps.Values(rows)), "")
			if os.Getenv("UPDATE") == "1" {
				if err := os.WriteFile("testdata/own.tsv", []byte(got), 0o600); err != nil {
					t.Error(err)
				}
			}
			want, err := os.ReadFile("testdata/own.tsv")
			if diff := gocmp.Diff(string(want), got); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
		for _, file := range files {
			t.Run(filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				w := newOwnWalk(t, file)
				w.walk()
				w.judge()
				mu.Lock()
				rows[file] = w.row()
				mu.Unlock()
				if len(w.wrong) > 0 {
					t.Errorf("%d of %d operations were not answered as documented:\n%s", len(w.wrong), w.calls, w.reasons())
				}
			})
		}
	})
	folder := os.Getenv("OWN_DOCUMENTS")
	if folder == "" {
		return
	}
	others, err := filepath.Glob(filepath.Join(folder, "*.[jy]*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range others {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			w := newOwnWalk(t, file)
			w.walk()
			w.judge()
			t.Logf("%s%s", w.row(), w.reasons())
		})
	}
}

// An independent validator has nothing against the answers: Prism, as a proxy in front of the mock.
func TestPrismOfOwnDocuments(t *testing.T) {
	t.Parallel()
	program := os.Getenv("PRISM")
	if program == "" {
		t.Skip("PRISM is not set; task prism sets it")
	}
	files, err := filepath.Glob(filepath.Join(cmp.Or(os.Getenv("OWN_DOCUMENTS"), "testdata/own"), "*.[jy]*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents in testdata: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			w := newOwnWalk(t, file)
			mock := httptest.NewServer(newServer(t, mockserver.WithSpec("shop", file)))
			t.Cleanup(mock.Close)
			address := freeAddress(t)
			startPrism(t, program, file, mock.URL+"/shop"+w.doc.BasePath, address)
			await(t, address)
			w.client, w.base = http.DefaultClient, "http://"+address
			w.walk()
			t.Logf("%s%s", w.row(), w.reasons())
			if len(w.wrong) > 0 && os.Getenv("OWN_DOCUMENTS") == "" {
				t.Errorf("%d of %d operations were not answered as documented", len(w.wrong), w.calls)
			}
		})
	}
}

type ownWalk struct {
	t      *testing.T
	doc    *specs.Document
	client *http.Client
	base   string
	calls  int
	wrong  map[string]string   // why, by operation
	made   map[string][]string // keys by resource
	path   []string            // the values in the path of the last call
	body   any                 // of the last call
	called map[string]bool

	deleted map[string]bool // resources of which the one that was made was deleted

	recording bytes.Buffer
}

func newOwnWalk(t *testing.T, file string) *ownWalk {
	t.Helper()
	doc, err := specs.LoadFile("shop", file, specs.Neutral)
	if err != nil {
		t.Fatal(err)
	}
	w := &ownWalk{
		t: t, doc: doc, base: mockserver.DefaultBaseURL("shop") + doc.BasePath, wrong: map[string]string{},
		made: map[string][]string{}, called: map[string]bool{}, deleted: map[string]bool{},
	}
	opts := []mockserver.Option{mockserver.WithSpec("shop", file), mockserver.WithRecording(&w.recording)}
	w.client = mockserver.NewTransport(t, opts...).Client()
	return w
}

// judge lets both engines look at what was answered.
func (w *ownWalk) judge() {
	w.t.Helper()
	checker := newChecker(w.t, contract.WithSpec("shop", w.doc.File), contract.WithInterfaces("shop"))
	found := check(w.t, checker, contract.Read("walk.ndjson", bytes.NewReader(w.recording.Bytes())))
	for _, f := range found.Findings {
		o := w.doc.Operation(strings.TrimPrefix(f.Operation, "shop."))
		if o == nil || f.Verdict != report.Fail || f.Severity != report.Error {
			continue
		}
		success, _, _ := o.Success()
		isUnsaid := f.Rule == "undocumented-status" && (success == "" || strings.Contains(f.Message, " 404 "))
		isKey := strings.HasPrefix(f.Message, "path parameter") // of which the document says less where it is made
		if !isUnsaid && !isKey {
			w.fail(o, "%s: %s", f.Rule, f.Message)
		}
	}
}

func (w *ownWalk) row() string {
	return fmt.Sprintf("%s\t%d\t%d\t%d\t%d\n", filepath.Base(w.doc.File), w.calls, len(w.doc.Resources()),
		w.calls-len(w.wrong), len(w.wrong))
}

func (w *ownWalk) reasons() string {
	return strings.Join(slices.Sorted(maps.Values(w.wrong)), "\n")
}

// walk calls operations in an order in which what they need is there.
func (w *ownWalk) walk() {
	rank := map[string]int{specs.Create: 0, specs.Get: 1, specs.List: 2, specs.Update: 3, "": 4, specs.Delete: 8}
	order := slices.Clone(w.doc.Operations)
	depth := func(o *specs.Operation) int { return strings.Count(o.Template, "/") }
	rankOf := func(o *specs.Operation) int {
		actions := o.Actions()
		if len(actions) == 0 {
			return 4
		}
		if n, isFive := rank[actions[0].Verb]; isFive {
			return n
		}
		if actions[0].Keeps == specs.Mark { // it is found while it is set
			return max(5, map[string]int{http.MethodGet: 6, http.MethodDelete: 7}[o.Method])
		}
		return 5
	}
	slices.SortStableFunc(order, func(a, b *specs.Operation) int {
		if x, y := rankOf(a), rankOf(b); x != y {
			return x - y
		}
		if rankOf(a) == rank[specs.Delete] {
			return depth(b) - depth(a)
		}
		return depth(a) - depth(b)
	})
	for _, o := range order {
		if rankOf(o) == rank[specs.Get] && w.made[o.Actions()[0].Resource.Name] == nil {
			w.put(o.Actions()[0].Resource)
		}
		w.call(o)
		if rankOf(o) == rank[specs.Update] { // what was changed is still there
			w.getAgain(o)
		}
	}
	for _, o := range order { // what was deleted is gone
		if actions := o.Actions(); len(actions) > 0 && actions[0].Verb == specs.Get && w.deleted[actions[0].Resource.Name] {
			if status, body, _, err := w.send(o); err != nil || status != http.StatusNotFound {
				w.fail(o, "it was deleted, and yet: status %d, %v: %s", status, err, body)
			}
		}
	}
}

func (w *ownWalk) getAgain(changed *specs.Operation) {
	r := changed.Actions()[0].Resource
	for _, o := range w.doc.Operations {
		if actions := o.Actions(); len(actions) > 0 && actions[0].Verb == specs.Get && actions[0].Resource == r &&
			w.made[r.Name] != nil {
			if status, body, _, err := w.send(o); err != nil || status >= 400 {
				w.fail(o, "after a change: status %d, %v: %s", status, err, body)
			}
		}
	}
}

// put makes a thing of a resource whose keys clients choose.
func (w *ownWalk) put(r *specs.Resource) {
	for _, o := range w.doc.Operations {
		for _, a := range o.Actions() {
			if a.Resource == r && a.Verb == specs.Update && o.Method != http.MethodPatch && !w.called[o.ID] {
				w.call(o)
				return
			}
		}
	}
}

func (w *ownWalk) call(o *specs.Operation) {
	if w.called[o.ID] {
		return
	}
	w.called[o.ID] = true
	w.calls++
	status, body, location, err := w.send(o)
	switch want, _, _ := o.Success(); {
	case err != nil:
		w.fail(o, "%v", err)
	case strconv.Itoa(status) != want && o.Spec.Responses.Status(status) == nil && want != "default" && want != "":
		w.fail(o, "status %d: %s", status, body)
	case status >= 400:
		w.fail(o, "status %d: %s", status, body)
	default:
		w.learn(o, body, location)
	}
}

// fail notes the first of what is wrong with the answers of an operation.
func (w *ownWalk) fail(o *specs.Operation, format string, args ...any) {
	if w.wrong[o.ID] == "" {
		w.wrong[o.ID] = fmt.Sprintf("  %s %s: ", o.Method, o.Template) + fmt.Sprintf(format, args...)
	}
}

// learn remembers what names a thing that was made.
func (w *ownWalk) learn(o *specs.Operation, body []byte, location string) {
	for _, a := range o.Actions() {
		if a.Verb == specs.Delete {
			w.deleted[a.Resource.Name] = true
		}
		isPut := a.Verb == specs.Update && o.Method != http.MethodPatch && w.made[a.Resource.Name] == nil
		isMade := a.Verb == specs.Create || isPut
		isCounted := len(a.At) == 0 && slices.Contains(a.Request, "*") // several were made, and none is shown
		if !isMade || len(a.Resource.Keys) == 0 || isCounted {
			continue
		}
		if isPut && len(w.path) == len(a.Resource.Path) {
			w.made[a.Resource.Name] = slices.Clone(w.path)
			continue
		}
		keys := slices.Clone(w.path[:min(len(w.path), len(a.Resource.Path)-1)])
		var shown, key any
		_ = json.Unmarshal(body, &shown)
		switch at := a.Resource.Keys[0]; {
		case len(a.At) > 0:
			key = valueIn(shown, a.At[0].Join(at))
		case shown != nil: // an answer that is not documented
			key = valueIn(shown, at)
		case location != "":
			key, _ = url.PathUnescape(location[strings.LastIndexByte(location, '/')+1:])
		default:
			key = valueIn(w.body, a.Request.Join(at))
		}
		if key == nil || key == "" {
			w.fail(o, "the answer has no key at %s%s: %s", a.At, a.Resource.Keys[0], body)
			return
		}
		w.made[a.Resource.Name] = append(keys, textOf(key))
	}
}
