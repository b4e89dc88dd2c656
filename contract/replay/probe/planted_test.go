package probe_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/replay/probe"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// item holds an item of the service as it is stored and shown.
type item struct {
	ID    int    `json:"id"`
	Name  string `json:"name,omitempty"`
	State string `json:"state"`
	Count *int   `json:"count,omitempty"`
}

// service is a service of testdata/items.yaml by hand, with one fault.
type service struct {
	fault string

	mu    sync.Mutex
	items []item
	last  int
}

func (s *service) has(fault string) bool { return s.fault == fault }

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Header.Get("Authorization") == "" && !s.has("takes no credentials") {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if r.URL.Path == "/items" {
		if r.Method == http.MethodGet {
			s.list(w, r)
		} else {
			s.create(w, r)
		}
		return
	}
	id, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/items/"))
	at := slices.IndexFunc(s.items, func(i item) bool { return i.ID == id })
	switch {
	case at < 0 && err == nil && s.has("500 for an unknown id") && id > 1000:
		w.WriteHeader(http.StatusInternalServerError)
	case at < 0 && err == nil && r.Method == http.MethodGet && (s.has("200 for an unknown id") ||
		s.has("a deleted item is shown") && id <= s.last):
		s.write(w, http.StatusOK, item{ID: id, Name: "n", State: "open"})
	case at < 0:
		w.WriteHeader(http.StatusNotFound)
	case r.Method == http.MethodPut:
		s.replace(w, r, at)
	case r.Method == http.MethodDelete:
		s.delete(w, at)
	default:
		s.show(w, s.items[at])
	}
}

func (s *service) show(w http.ResponseWriter, one item) {
	switch s.fault {
	case "a number is a text":
		s.write(w, http.StatusOK, map[string]any{"id": one.ID, "name": one.Name, "state": one.State, "count": "3"})
	case "a required member is missing":
		s.write(w, http.StatusOK, map[string]any{"id": one.ID, "state": one.State})
	case "an answer has an unknown state":
		one.State = "lost"
		s.write(w, http.StatusOK, one)
	case "an answer is HTML":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<p>item</p>")
	case "another item is shown":
		one.ID += 1000
		s.write(w, http.StatusOK, one)
	default:
		s.write(w, http.StatusOK, one)
	}
}

func (s *service) list(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	state, limit := query.Get("state"), len(s.items)
	isWrong := state != "" && !slices.Contains([]string{"open", "done", "archived"}, state) &&
		!s.has("an unknown state is asked for")
	if text := query.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		limit = max(0, min(limit, n))
		isWrong = isWrong || err != nil || (n < 1 || n > 50) && !s.has("a limit is out of range")
	}
	switch {
	case isWrong:
		w.WriteHeader(http.StatusBadRequest)
		return
	case state == "archived" && s.has("500 for a state"):
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	list := []item{}
	for _, one := range s.items[:limit] {
		if state == "" || state == one.State {
			list = append(list, one)
		}
	}
	if s.has("a list lacks what was made") {
		list = list[:0]
	}
	if s.has("a list shows what was deleted") && len(list) == 0 && s.last > 0 && state == "" {
		list = append(list, item{ID: s.last, Name: "n", State: "open"})
	}
	if !s.has("a header is missing") {
		w.Header().Set("X-Request-Id", "r1")
	}
	s.write(w, http.StatusOK, list)
}

// read reads an item, and reports whether it is one.
func (s *service) read(w http.ResponseWriter, r *http.Request) (one item, ok bool) {
	body, _ := io.ReadAll(r.Body)
	var sent map[string]any
	if s.has("a null closes the connection") && bytes.Contains(body, []byte("null")) {
		panic(http.ErrAbortHandler)
	}
	err := json.Unmarshal(body, &sent)
	switch {
	case r.Header.Get("Content-Type") != "application/json" && !s.has("a media type is ignored"):
		w.WriteHeader(http.StatusUnsupportedMediaType)
		return one, false
	case err != nil && s.has("500 for malformed JSON"):
		w.WriteHeader(http.StatusInternalServerError)
		return one, false
	}
	if json.Unmarshal(body, &one) != nil || err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return one, false
	}
	_, hasCount := sent["count"]
	if sent["name"] == nil && s.has("a required member may be missing") {
		one.Name, sent["name"] = "unnamed", "unnamed"
	}
	if s.has("a name may be too long") && len(one.Name) > 40 {
		one.Name = one.Name[:40]
	}
	isWrong := sent["name"] == nil || one.Name == "" || len(one.Name) > 40 ||
		!slices.Contains([]string{"open", "done", "archived"}, one.State) ||
		hasCount && (one.Count == nil || *one.Count < 0 || *one.Count > 9)
	if isWrong {
		w.WriteHeader(http.StatusBadRequest)
		return one, false
	}
	if hasCount && *one.Count == 9 && s.has("500 for the highest count") {
		w.WriteHeader(http.StatusInternalServerError)
		return one, false
	}
	return one, true
}

func (s *service) create(w http.ResponseWriter, r *http.Request) {
	one, ok := s.read(w, r)
	if !ok {
		return
	}
	s.last++
	one.ID = s.last
	s.items = append(s.items, one)
	if !s.has("Location is missing") {
		w.Header().Set("Location", fmt.Sprint("/items/", one.ID))
	}
	if s.has("what was made has another count") {
		other := 7
		one.Count = &other
	}
	s.write(w, http.StatusCreated, one)
}

func (s *service) replace(w http.ResponseWriter, r *http.Request, at int) {
	one, ok := s.read(w, r)
	if !ok {
		return
	}
	one.ID = s.items[at].ID
	if !s.has("a change is not kept") {
		s.items[at] = one
	}
	status := http.StatusOK
	if s.has("a status is not documented") {
		status = http.StatusAccepted
	}
	s.write(w, status, one)
}

func (s *service) delete(w http.ResponseWriter, at int) {
	if s.has("500 for a deletion") {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	s.items = slices.Delete(s.items, at, at+1)
	w.WriteHeader(http.StatusNoContent)
}

func (s *service) write(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

// probed probes a service of it.
func probed(t *testing.T, s http.Handler, change func(*probe.Options)) (*contract.Report, *probe.Summary) {
	t.Helper()
	_, _, r, summary := probedFor(t, s, change)
	return r, summary
}

// probedFor also returns the recording, and the checker of the report.
func probedFor(t *testing.T, s http.Handler, change func(*probe.Options)) (
	*contract.Checker, []*recording.Exchange, *contract.Report, *probe.Summary,
) {
	t.Helper()
	const file = "testdata/items.yaml"
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	doc, err := specs.LoadFile("shop", file, specs.Neutral)
	if err != nil {
		t.Fatal(err)
	}
	recorder := contract.NewRecorder(nil, contract.WithSpec("shop", file))
	o := probe.Options{
		Client: &http.Client{Transport: recorder}, Targets: map[specs.Interface]string{"shop": server.URL}, Unsafe: true,
		Key: "secret",
	}
	if change != nil {
		change(&o)
	}
	summary, err := probe.Run(t.Context(), []*specs.Document{doc}, o)
	if err != nil {
		t.Fatal(err)
	}
	recorded := recorder.Exchanges()
	checker, err := contract.NewChecker(contract.WithSpec("shop", file), contract.WithInterfaces("shop"),
		contract.WithBaseURL("shop", server.URL), contract.WithGuess(false))
	if err != nil {
		t.Fatal(err)
	}
	r, err := checker.Check(t.Context(), contract.Exchanges(slices.Values(recorded)))
	if err != nil {
		t.Fatal(err)
	}
	return checker, recorded, r, summary
}

// shortest returns the numbers of the fewest exchanges of a recording that show a finding.
func shortest(
	t *testing.T, checker *contract.Checker, recorded []*recording.Exchange, r *contract.Report, f *contract.Finding,
) (numbers []int) {
	t.Helper()
	folder := t.TempDir()
	if err := checker.Minimize(t.Context(), contract.Exchanges(slices.Values(recorded)), r, folder); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, f.Rule+"-"+f.ID+".ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var e struct{ Seq int }
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, e.Seq)
	}
	return numbers
}

// Each fault of a service is found, by the operation that has it, and shrunk to the shortest recording that shows it,
// which the finding itself names as its evidence; a service without one has no finding.
func TestPlantedFaults(t *testing.T) {
	t.Parallel()
	needed := map[string]int{ // exchanges, of those that one does not show
		"a deleted item is shown": 2, "a list shows what was deleted": 2, "takes no credentials": 2,
	}
	more := map[string]int{ // exchanges of the evidence than are needed
		"a deleted item is shown": 1, "a list shows what was deleted": 1, // the creation
		"takes no credentials": -1, // another request, with credentials
	}
	for _, tt := range []struct{ fault, rule, operation, says string }{
		{"", "", "", ""},
		{"500 for a state", "probe", "listItems", "a valid request was answered with 500"},
		{"500 for the highest count", "probe", "createItem", "a valid request was answered with 500"},
		{"500 for malformed JSON", "probe", "createItem", "the body is malformed JSON was answered with 500"},
		{"500 for an unknown id", "probe", "getItem", "parameter id names nothing that is there was answered with 500"},
		{"500 for a deletion", "probe", "deleteItem", "a valid request was answered with 500"},
		{"200 for an unknown id", "probe", "getItem", "parameter id names nothing that is there was accepted with 200"},
		{"a number is a text", "schema", "getItem", ""},
		{"a required member is missing", "schema", "getItem", "name"},
		{"an answer has an unknown state", "schema", "getItem", ""},
		{"an answer is HTML", "undocumented-media-type", "getItem", "text/html"},
		{"another item is shown", "consistency", "getItem", ""},
		{"a status is not documented", "undocumented-status", "replaceItem", "202"},
		{"a deleted item is shown", "use-after-delete", "getItem", ""},
		{"a list shows what was deleted", "use-after-delete", "listItems", ""},
		{"a list lacks what was made", "probe", "listItems", "the list lacks the one with id 1, which was made before"},
		{"a change is not kept", "probe", "getItem", "/count is not what it was set to before"},
		{"what was made has another count", "consistency", "createItem", ""},
		{"Location is missing", "schema", "createItem", "Location"},
		{"a header is missing", "schema", "listItems", "X-Request-Id"},
		{"a required member may be missing", "probe", "createItem", "required body member /name is missing was accepted"},
		{"a name may be too long", "probe", "createItem", "body member /name is too long was accepted with 201"},
		{"an unknown state is asked for", "probe", "listItems", "query parameter state is not one of the documented values"},
		{"a limit is out of range", "probe", "listItems", "query parameter limit is above its maximum was accepted"},
		{"a media type is ignored", "probe", "createItem", "application/x-understudy-probe"},
		{"a null closes the connection", "probe", "createItem", "is null was not answered"},
		{"takes no credentials", "auth-scheme", "listItems", ""},
	} {
		t.Run(tt.fault, func(t *testing.T) {
			t.Parallel()
			checker, recorded, r, _ := probedFor(t, &service{fault: tt.fault}, nil)
			isIt := func(f report.Finding) bool {
				return f.Rule == tt.rule && f.Operation == "shop."+tt.operation && strings.Contains(f.Message, tt.says)
			}
			var all []string
			isFound := tt.fault == ""
			for _, f := range r.Findings {
				if isIt(f) && !isFound {
					isFound = true
					numbers := shortest(t, checker, recorded, r, &f)
					if want := cmp.Or(needed[tt.fault], 1); len(numbers) != want {
						t.Errorf("the shortest of %d exchanges that show it are %d, want %d", len(recorded), numbers, want)
					}
					both := slices.Compact(slices.Sorted(slices.Values(slices.Concat(numbers, f.Evidence))))
					if len(f.Evidence) != len(numbers)+more[tt.fault] || len(both) != max(len(numbers), len(f.Evidence)) {
						t.Errorf("the evidence is %d, and the shortest exchanges that show it are %d", f.Evidence, numbers)
					}
				}
				all = append(all, fmt.Sprintf("%s %s %s %s: %s", f.Severity, f.Verdict, f.Rule, f.Operation, f.Message))
			}
			if !isFound || tt.fault == "" && len(all) > 0 {
				t.Errorf("found:\n%s", strings.Join(all, "\n"))
			}
		})
	}
}
