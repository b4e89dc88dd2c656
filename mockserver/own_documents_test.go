package mockserver_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	gocmp "github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/accept"
	"svc.example/understudy/internal/sample"
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
			if a.Resource == r && a.Verb == specs.Update && o.Method == http.MethodPut && !w.called[o.ID] {
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
		if renamed, isObject := w.body.(map[string]any); isObject && a.Verb == specs.Update && w.made[a.Resource.Name] != nil {
			if name, isText := renamed[a.Resource.Keys[0][0]].(string); isText && o.Method == http.MethodPut {
				keys := w.made[a.Resource.Name]
				keys[len(keys)-1] = name
			}
		}
		isPut := a.Verb == specs.Update && o.Method == http.MethodPut && w.made[a.Resource.Name] == nil
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
		var value any
		_ = json.Unmarshal(body, &value)
		if len(a.At) > 0 {
			for _, token := range append(slices.Clone(a.At[0]), a.Resource.Keys[0]...) {
				object, _ := value.(map[string]any)
				if list, isList := value.([]any); isList && token == "*" && len(list) > 0 {
					value = list[0]
				} else {
					value = object[token]
				}
			}
		} else if object, isObject := value.(map[string]any); isObject { // of an answer that is not documented
			value = object[a.Resource.Keys[0][0]]
		} else if object, isObject := w.body.(map[string]any); isObject && location == "" {
			value = object[a.Resource.Keys[0][0]]
		} else if location != "" {
			value, _ = url.PathUnescape(location[strings.LastIndexByte(location, '/')+1:])
		}
		if value == nil || value == "" {
			w.fail(o, "the answer has no key at %s%s: %s", a.At, a.Resource.Keys[0], body)
			return
		}
		text, isText := value.(string)
		if !isText {
			number, _ := json.Marshal(value)
			text = string(number)
		}
		w.made[a.Resource.Name] = append(keys, text)
	}
}

func (w *ownWalk) parents(a *specs.Action) []string {
	if parent := a.Resource.Parent(); parent != "" && len(a.Within) > 0 {
		return slices.Clone(w.made[parent])
	}
	return nil
}

func (w *ownWalk) send(o *specs.Operation) (status int, answer []byte, location string, err error) {
	path, query, header := o.Path, url.Values{}, http.Header{}
	w.path = nil
	for i, name := range o.PathParameters() {
		value := w.pathValue(o, name, i)
		w.path = append(w.path, value)
		path = strings.Replace(path, "{"+name+"}", url.PathEscape(value), 1)
	}
	for _, ref := range o.Parameters {
		p := ref.Value
		if !p.Required || p.In == "path" {
			continue
		}
		text := w.text(o, p)
		switch p.In {
		case "query":
			query.Set(p.Name, text)
		case "header":
			header.Set(p.Name, text)
		}
	}
	body, media, err := w.content(o)
	if err != nil {
		return 0, nil, "", err
	}
	w.credentials(o, query, header)
	address := w.base + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	request, err := http.NewRequestWithContext(w.t.Context(), o.Method, address, bytes.NewReader(body))
	if err != nil {
		return 0, nil, "", err
	}
	request.Header = header
	if media != "" {
		header.Set("Content-Type", media)
	}
	response, err := w.client.Do(request)
	if err != nil {
		return 0, nil, "", err
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(response.Body)
	if said := response.Header.Get("Sl-Violations"); strings.Contains(said, `["response`) { // of Prism
		w.fail(o, "status %d: %s", response.StatusCode, said)
	}
	return response.StatusCode, answer, response.Header.Get("Location"), err
}

// pathValue returns the key of a thing that was made, or else a sample.
func (w *ownWalk) pathValue(o *specs.Operation, name string, i int) string {
	for _, a := range o.Actions() {
		if keys := w.made[a.Resource.Name]; i < len(keys) {
			return keys[i]
		}
		if keys := w.parents(a); i < len(keys) {
			return keys[i]
		}
	}
	if p := o.Parameters.GetByInAndName("path", name); p != nil {
		return w.text(o, p)
	}
	return "1"
}

func (w *ownWalk) text(o *specs.Operation, p *openapi3.Parameter) string {
	schema := &openapi3.Schema{Type: &openapi3.Types{"string"}}
	if p.Schema != nil && p.Schema.Value != nil {
		schema = p.Schema.Value
	}
	m := sample.Maker{Direction: accept.Request, Place: p.Name}
	value, err := m.Of(schema)
	if err != nil {
		w.t.Logf("%s, parameter %s: %v", o.ID, p.Name, err)
	}
	if list, isList := value.([]any); isList && len(list) > 0 {
		value = list[0]
	}
	if text, isText := value.(string); isText {
		return text
	}
	number, _ := json.Marshal(value)
	return string(number)
}

func (w *ownWalk) content(o *specs.Operation) (body []byte, media string, err error) {
	if o.Spec.RequestBody == nil || o.Spec.RequestBody.Value == nil {
		return nil, "", nil
	}
	content := o.Spec.RequestBody.Value.Content
	for _, name := range []string{
		"application/json", "application/json-patch+json", "application/merge-patch+json", "*/*", "application/*",
	} {
		if content[name] == nil || content[name].Schema == nil {
			continue
		}
		kind := strings.Replace(strings.Replace(name, "*/*", "application/json", 1), "/*", "/json", 1)
		m := sample.Maker{Direction: accept.Request, Place: o.ID}
		value, err := m.Of(content[name].Schema.Value)
		if err != nil {
			return nil, "", fmt.Errorf("no body: %w", err)
		}
		for _, a := range o.Actions() { // the body names what it changes
			object, isObject := value.(map[string]any)
			if keys := w.made[a.Resource.Name]; a.Verb == specs.Update && len(a.Path) == 0 && isObject && len(keys) > 0 {
				object[a.Resource.Keys[0][0]] = json.RawMessage(keys[len(keys)-1])
			}
		}
		w.body = value
		body, err := json.Marshal(value)
		return body, kind, err
	}
	if len(content) == 0 {
		return nil, "", nil
	}
	name := slices.Min(slices.Collect(maps.Keys(content)))
	isForm := strings.HasPrefix(name, "application/x-www-form-urlencoded")
	if !isForm && !strings.HasPrefix(name, "multipart/") || content[name].Schema == nil {
		return []byte("sample"), name, nil
	}
	m := sample.Maker{Direction: accept.Request, Place: o.ID}
	value, err := m.Of(content[name].Schema.Value)
	var sent bytes.Buffer
	parts, fields := multipart.NewWriter(&sent), url.Values{}
	object, _ := value.(map[string]any)
	for key, value := range object {
		text, isText := value.(string)
		if !isText {
			number, _ := json.Marshal(value)
			text = string(number)
		}
		addFields(fields, key, value)
		header := textproto.MIMEHeader{"Content-Disposition": {fmt.Sprintf("form-data; name=%q", key)}}
		if encoding := content[name].Encoding[key]; encoding != nil && encoding.ContentType != "" {
			kind, _, _ := strings.Cut(encoding.ContentType, ",")
			header.Set("Content-Type", strings.ReplaceAll(kind, "/*", "/plain"))
		}
		part, failed := parts.CreatePart(header)
		if failed == nil {
			_, failed = part.Write([]byte(text))
		}
		err = errors.Join(err, failed)
	}
	if isForm {
		return []byte(fields.Encode()), name, err
	}
	err = errors.Join(err, parts.Close())
	return sent.Bytes(), parts.FormDataContentType(), err
}

// addFields writes a value as fields of a form: the members and the items of it in brackets.
func addFields(fields url.Values, name string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for member, part := range value {
			addFields(fields, name+"["+member+"]", part)
		}
	case []any:
		for i, item := range value {
			switch item.(type) {
			case map[string]any, []any:
				addFields(fields, fmt.Sprintf("%s[%d]", name, i), item)
			default:
				addFields(fields, name, item)
			}
		}
	case string:
		fields.Add(name, value)
	default:
		text, _ := json.Marshal(value)
		fields.Add(name, string(text))
	}
}

// credentials shows one of everything that the document may want.
func (w *ownWalk) credentials(_ *specs.Operation, query url.Values, header http.Header) {
	if w.doc.T.Components == nil {
		return
	}
	header.Set("Authorization", "Bearer token")
	for _, ref := range w.doc.T.Components.SecuritySchemes {
		switch s := ref.Value; {
		case s.Type == "apiKey" && s.In == "query":
			query.Set(s.Name, "key")
		case s.Type == "apiKey" && s.In == "header":
			header.Set(s.Name, "key")
		case s.Type == "apiKey":
			header.Add("Cookie", s.Name+"=key")
		case s.Type == "http" && strings.EqualFold(s.Scheme, "basic"):
			header.Set("Authorization", "Basic dXNlcjpwYXNz")
		}
	}
}
