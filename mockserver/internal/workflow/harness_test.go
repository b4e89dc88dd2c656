package workflow_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/internal/dig"
)

// harness is a server of one test, with the scenario empty: it is 2026-01-15T09:30:00Z, a Thursday, and nothing is
// there. The clock is frozen.
type harness struct {
	t      *testing.T
	server *mockserver.Server
	log    *bytes.Buffer
}

// object is a JSON object.
type object = map[string]any

func newHarness(t *testing.T, options ...mockserver.Option) *harness {
	t.Helper()
	h := &harness{t: t, log: &bytes.Buffer{}}
	server, err := mockserver.New(append([]mockserver.Option{
		mockserver.WithScenario("empty"), mockserver.WithClock("frozen"),
		mockserver.WithLogger(slog.New(slog.NewTextHandler(h.log, nil))),
	}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	h.server = server
	return h
}

// lenient makes a server that leaves validation to the rules.
func lenient(t *testing.T) *harness {
	t.Helper()
	return newHarness(t, mockserver.WithValidation(mockserver.Off))
}

// in is the same server in a test below.
func (h *harness) in(t *testing.T) *harness {
	t.Helper()
	return &harness{t: t, server: h.server, log: h.log}
}

// send sends a request with a body of a media type and returns the answer. A fault of the server fails the test.
func (h *harness) send(method, path, mediaType string, body []byte) *http.Response {
	h.t.Helper()
	request := httptest.NewRequestWithContext(h.t.Context(), method, path, bytes.NewReader(body))
	request.Header.Set("Authorization", "SVC1 1/admin")
	if mediaType != "" {
		request.Header.Set("Content-Type", mediaType)
	}
	recorder := httptest.NewRecorder()
	h.server.ServeHTTP(recorder, request)
	if recorder.Code >= 500 {
		h.t.Fatalf("%s %s: status %d; the log says: %s", method, path, recorder.Code, h.log)
	}
	return recorder.Result()
}

// do sends a JSON body, or none when it is nil, to the workflow interface. It demands a status and returns the answer's
// body.
func (h *harness) do(status int, method, path string, body any) object {
	h.t.Helper()
	var text []byte
	mediaType := ""
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			h.t.Fatal(err)
		}
		mediaType = "application/json"
	}
	return h.body(status, h.send(method, "/workflow"+path, mediaType, text))
}

func (h *harness) body(status int, response *http.Response) (answer object) {
	h.t.Helper()
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	if response.StatusCode != status {
		h.t.Fatalf("status %d, want %d: %s", response.StatusCode, status, text)
	}
	if len(text) == 0 {
		return nil
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		h.t.Fatalf("%v: %s", err, text)
	}
	return answer
}

func (h *harness) get(path string) object {
	h.t.Helper()
	return h.do(http.StatusOK, "GET", path, nil)
}

// refused demands an error in the interface's form whose message has all the words.
func (h *harness) refused(status int, method, path string, body any, words ...string) {
	h.t.Helper()
	h.wantRefusal(status, h.do(status, method, path, body), words...)
}

func (h *harness) wantRefusal(status int, answer object, words ...string) {
	h.t.Helper()
	message, _ := answer["message"].(string)
	if answer["status"] != float64(status) || len(answer) != 2 {
		h.t.Errorf("error %v, want message and status %d", answer, status)
	}
	for _, word := range words {
		if !strings.Contains(message, word) {
			h.t.Errorf("message %q, want %q in it", message, word)
		}
	}
}

// archive packs workflow files, given by name without extension.
func archive(t *testing.T, workflows map[string]string) []byte {
	t.Helper()
	files := map[string]string{}
	for name, content := range workflows {
		files[name+".dig"] = content
	}
	gz, err := dig.WriteArchive(files)
	if err != nil {
		t.Fatal(err)
	}
	return gz
}

// put uploads an archive with further query parameters.
func (h *harness) put(project, revision string, gz []byte, query url.Values) *http.Response {
	h.t.Helper()
	all := maps.Clone(query)
	if all == nil {
		all = url.Values{}
	}
	all.Set("project", project)
	all.Set("revision", revision)
	return h.send("PUT", "/workflow/api/projects?"+all.Encode(), "application/gzip", gz)
}

// upload makes a revision of workflows and returns the project.
func (h *harness) upload(project, revision string, workflows map[string]string, query ...string) object {
	h.t.Helper()
	values := url.Values{}
	for i := 0; i < len(query); i += 2 {
		values.Add(query[i], query[i+1])
	}
	return h.body(http.StatusOK, h.put(project, revision, archive(h.t, workflows), values))
}

// advance moves the world's clock.
func (h *harness) advance(by string) {
	h.t.Helper()
	text, _ := json.Marshal(object{"advance": by})
	h.body(http.StatusOK, h.send("POST", "/_understudy/worlds/default/clock", "application/json", text))
}

// list is the member of an answer that holds objects.
func list(answer object, member string) []object {
	items, _ := answer[member].([]any)
	objects := make([]object, len(items))
	for i, item := range items {
		objects[i], _ = item.(object)
	}
	return objects
}

// pick gives one member of each object.
func pick(objects []object, member string) []any {
	picked := make([]any, len(objects))
	for i, o := range objects {
		picked[i] = o[member]
	}
	return picked
}

func wantEqual(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
