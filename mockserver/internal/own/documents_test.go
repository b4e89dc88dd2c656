package own_test

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/replay/probe"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/checktest"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
)

// The walk makes, shows, lists, changes and deletes one object of each resource of a document, and calls every other
// operation once, all with samples of what the document wants. Both engines judge what was answered. It runs over the
// documents in testdata, of which a golden table says how many operations are answered as documented, and over those in
// the folder that OWN_DOCUMENTS names, of which it prints that.
func TestOwnDocuments(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../testdata/own/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents in testdata: %v", err)
	}
	var mu sync.Mutex
	rows := map[string]string{}
	t.Run("in testdata", func(t *testing.T) {
		t.Parallel()
		t.Cleanup(func() {
			got := "document\toperations\tresources\tas documented\tnot\n" + strings.Join(slices.Sorted(maps.Values(rows)), "")
			goldenTable(t, "testdata/documents.tsv", got)
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

// goldenTable holds a table against a file, which UPDATE=1 writes anew.
func goldenTable(t *testing.T, file, got string) {
	t.Helper()
	if os.Getenv("UPDATE") == "1" {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Error(err)
		}
	}
	want, err := os.ReadFile(file)
	if diff := gocmp.Diff(string(want), got); err != nil || diff != "" {
		t.Errorf("%v (-want +got, UPDATE=1 writes it anew):\n%s", err, diff)
	}
}

// An independent validator has nothing against the answers: Prism, as a proxy in front of the mock.
func TestPrismOfOwnDocuments(t *testing.T) {
	t.Parallel()
	program := os.Getenv("PRISM")
	if program == "" {
		t.Skip("PRISM is not set; task prism sets it")
	}
	files, err := filepath.Glob(filepath.Join(cmp.Or(os.Getenv("OWN_DOCUMENTS"), "../../testdata/own"), "*.[jy]*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents in testdata: %v", err)
	}
	files = slices.DeleteFunc(files, func(file string) bool {
		return file == "../../testdata/own/texts.yaml" // it has a media type without a name, of which Prism knows nothing
	})
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			w := newOwnWalk(t, file)
			mock := httptest.NewServer(mocktest.NewServer(t, mockserver.WithSpec("shop", file)))
			t.Cleanup(mock.Close)
			w.target = <-mocktest.StartPrism(t, program, file, mock.URL+"/shop"+w.doc.BasePath)
			w.client = &http.Client{Transport: strippedOf(w.doc.BasePath)}
			w.walk()
			t.Logf("%s%s", w.row(), w.reasons())
			if len(w.wrong) > 0 && os.Getenv("OWN_DOCUMENTS") == "" {
				t.Errorf("%d of %d operations were not answered as documented", len(w.wrong), w.calls)
			}
		})
	}
}

// strippedOf sends requests without the beginning of their paths, which Prism does not serve.
type strippedOf string

func (s strippedOf) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Path, r.URL.RawPath = strings.TrimPrefix(r.URL.Path, string(s)), strings.TrimPrefix(r.URL.RawPath, string(s))
	return http.DefaultTransport.RoundTrip(r)
}

type ownWalk struct {
	t      *testing.T
	doc    *specs.Document
	client *http.Client
	target string
	calls  int
	wrong  map[string]string // why, by operation

	recording bytes.Buffer
}

func newOwnWalk(t *testing.T, file string) *ownWalk {
	t.Helper()
	doc, err := specs.LoadFile("shop", file, specs.Neutral)
	if err != nil {
		t.Fatal(err)
	}
	w := &ownWalk{t: t, doc: doc, target: mockserver.DefaultBaseURL("shop"), wrong: map[string]string{}}
	opts := []mockserver.Option{mockserver.WithSpec("shop", file), mockserver.WithRecording(&w.recording)}
	w.client = mockserver.NewTransport(t, opts...).Client()
	return w
}

// judge lets both engines look at what was answered.
func (w *ownWalk) judge() {
	w.t.Helper()
	checker := checktest.New(w.t, contract.WithSpec("shop", w.doc.File), contract.WithInterfaces("shop"))
	found := checktest.Check(w.t, checker, contract.Read("walk.ndjson", bytes.NewReader(w.recording.Bytes())))
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
	_, err := probe.Run(w.t.Context(), []*specs.Document{w.doc}, probe.Options{
		Client: w.client, Targets: map[specs.Interface]string{"shop": w.target}, Unsafe: true, ValidOnly: true,
		DeletesAll: true, Key: "user:pass", Answered: w.answered,
	})
	if err != nil {
		w.t.Error(err)
	}
}

// answered notes what is wrong with an answer.
func (w *ownWalk) answered(a *probe.Answer) {
	o := a.Operation
	if a.Moment == probe.First {
		w.calls++
	}
	isUnsaid := a.Status == http.StatusNotFound && o.Spec.Responses.Status(http.StatusNotFound) == nil
	if said := a.Header.Get("Sl-Violations"); strings.Contains(said, `["response`) && !isUnsaid { // of Prism
		w.fail(o, "status %d: %s", a.Status, said)
	}
	want, _, _ := o.Success()
	isOpen := want == "default" || want == ""
	isWanted := isOpen || strconv.Itoa(a.Status) == want || o.Spec.Responses.Status(a.Status) != nil
	switch isGone := a.Status == http.StatusNotFound; {
	case a.Err != nil:
		w.fail(o, "%v", a.Err)
	case a.Moment == probe.Gone && o.Actions()[0].Verb == specs.Get && !isGone:
		w.fail(o, "it was deleted, and yet: status %d: %s", a.Status, a.Body)
	case a.Moment == probe.Changed && a.Status >= 400:
		w.fail(o, "after a change: status %d: %s", a.Status, a.Body)
	case a.Moment == probe.First && (a.Status >= 400 || !isWanted):
		w.fail(o, "status %d: %s", a.Status, a.Body)
	case a.NoKey != nil:
		w.fail(o, "%v: %s", a.NoKey, a.Body)
	}
}

// fail notes the first of what is wrong with the answers of an operation.
func (w *ownWalk) fail(o *specs.Operation, format string, args ...any) {
	if w.wrong[o.ID] == "" {
		w.wrong[o.ID] = fmt.Sprintf("  %s %s: ", o.Method, o.Template) + fmt.Sprintf(format, args...)
	}
}
