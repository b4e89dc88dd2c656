package workflow_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/internal/dig"
)

// now is when the worlds of these tests begin.
var now = time.Date(2026, 1, 15, 9, 30, 0, 0, time.UTC)

// client calls a mock of its own, whose clock is frozen unless an option says otherwise.
type client struct {
	*testing.T
	server *mockserver.Server
	key    string
}

func newClient(t *testing.T, opts ...mockserver.Option) *client {
	t.Helper()
	opts = append([]mockserver.Option{
		mockserver.WithScenario("empty"), mockserver.WithClock("frozen"), mockserver.WithNow(now),
		mockserver.WithLogger(slog.New(slog.NewTextHandler(t.Output(), nil))),
	}, opts...)
	server, err := mockserver.New(opts...)
	if err != nil {
		t.Fatal(err)
	}
	return &client{T: t, server: server, key: "1/admin"}
}

// people are the accounts that a fixture begins with.
const people = `
account:
  users:
  - {id: 1, name: Ada, email: ada@example.com, role: administrator}
  - {id: 2, name: Ana, email: ana@example.com, role: restricted}
  keys:
  - {key: 1/admin, user: ada@example.com}
  - {key: 1/analyst, user: ana@example.com}
`

// load puts a fixture's workflow part, in YAML, in the place of the world's state.
func (c *client) load(workflow string) *client {
	c.Helper()
	if err := c.server.World("").Load([]byte(people + workflow)); err != nil {
		c.Fatal(err)
	}
	return c
}

// call sends a body as it is when it is text or bytes, and as JSON otherwise. The mock's own faults fail the test.
func (c *client) call(method, path string, body any) answer {
	c.Helper()
	text, isJSON := "", true
	switch b := body.(type) {
	case nil:
	case string:
		text = b
	case []byte:
		text, isJSON = string(b), false
	default:
		encoded, err := json.Marshal(b)
		if err != nil {
			c.Fatal(err)
		}
		text = string(encoded)
	}
	r := httptest.NewRequestWithContext(c.Context(), method, "http://localhost/workflow"+path, strings.NewReader(text))
	r.Header.Set("Authorization", "SVC1 "+c.key)
	if r.Header.Set("Content-Type", "application/json"); !isJSON {
		r.Header.Set("Content-Type", "application/gzip")
	} else if text == "" {
		r.Header.Del("Content-Type")
	}
	recorder := httptest.NewRecorder()
	c.server.ServeHTTP(recorder, r)
	if recorder.Code >= http.StatusInternalServerError {
		c.Fatalf("%s %s: %d %s", method, path, recorder.Code, recorder.Body)
	}
	return answer{c.T, method + " " + path, recorder.Code, recorder.Body.Bytes()}
}

func (c *client) get(path string) answer { c.Helper(); return c.call(http.MethodGet, path, nil) }

func (c *client) advance(by time.Duration) { c.server.World("").Advance(by) }

// upload makes a revision of a project out of the texts of its workflows.
func (c *client) upload(project, revision string, workflows map[string]string) {
	c.Helper()
	files := map[string]string{}
	for name, text := range workflows {
		files[name+".dig"] = text
	}
	archive, err := dig.WriteArchive(files)
	if err != nil {
		c.Fatal(err)
	}
	query := url.Values{"project": {project}, "revision": {revision}}
	c.call(http.MethodPut, "/api/projects?"+query.Encode(), archive).want(http.StatusOK)
}

// start starts a workflow by names, as the 15th of January unless the body says otherwise.
func (c *client) start(project, workflow string, more ...map[string]any) attempt {
	c.Helper()
	return decode[attempt](c.tryStart(project, workflow, more...).want(http.StatusOK))
}

func (c *client) tryStart(project, workflow string, more ...map[string]any) answer {
	c.Helper()
	body := map[string]any{
		"projectName": project, "workflowName": workflow, "sessionTime": "2026-01-15T00:00:00Z", "params": map[string]any{},
	}
	for _, fields := range more {
		maps.Copy(body, fields)
	}
	return c.call(http.MethodPut, "/api/attempts", body)
}

// startMany starts a workflow for the hours from the first to the last of a day, queued if need be.
func (c *client) startMany(project, workflow string, first, last int) []attempt {
	c.Helper()
	var list []attempt
	for hour := first; hour <= last; hour++ {
		at := time.Date(2026, 1, 1, hour, 0, 0, 0, time.UTC).Format(time.RFC3339)
		list = append(list, c.start(project, workflow, map[string]any{"sessionTime": at, "allowQueueing": true}))
	}
	return list
}

func (c *client) attempt(id string) attempt {
	c.Helper()
	return decode[attempt](c.get("/api/attempts/" + id).want(http.StatusOK))
}

// statuses are those of attempts now.
func (c *client) statuses(list []attempt) string {
	c.Helper()
	var all []string
	for _, a := range list {
		all = append(all, c.attempt(a.ID).Status)
	}
	return strings.Join(all, " ")
}

func (c *client) tasks(id string) []task {
	c.Helper()
	return decode[struct{ Tasks []task }](c.get("/api/attempts/" + id + "/tasks").want(http.StatusOK)).Tasks
}

// states are those of an attempt's tasks: "+etl planned, +etl+load blocked".
func (c *client) states(id string) string {
	c.Helper()
	var all []string
	for _, t := range c.tasks(id) {
		all = append(all, t.FullName+" "+t.State)
	}
	return strings.Join(all, ", ")
}

// answer is a response with its body read.
type answer struct {
	*testing.T
	request string
	status  int
	body    []byte
}

func (a answer) want(status int) answer {
	a.Helper()
	if a.status != status {
		a.Fatalf("%s: status %d, want %d; body %s", a.request, a.status, status, a.body)
	}
	return a
}

// refused checks an error: its status, its form, and words of its message.
func (a answer) refused(status int, words ...string) {
	a.Helper()
	e := decode[struct {
		Message string
		Status  int
	}](a.want(status))
	if e.Status != status {
		a.Errorf("%s: the error says status %d, want %d", a.request, e.Status, status)
	}
	for _, word := range words {
		if !strings.Contains(e.Message, word) {
			a.Errorf("%s: message %q does not say %q", a.request, e.Message, word)
		}
	}
}

func decode[T any](a answer) (value T) {
	a.Helper()
	if err := json.NewDecoder(bytes.NewReader(a.body)).Decode(&value); err != nil {
		a.Fatalf("%s: %v in %s", a.request, err, a.body)
	}
	return value
}

type named struct{ ID, Name string }

type attempt struct {
	ID, SessionID, SessionUUID, SessionTime string
	Index                                   int
	Project, Workflow                       named
	RetryAttemptName, PoolID, FinishedAt    *string
	Params                                  map[string]any
	Status, CreatedAt                       string
	Done, Success, CancelRequested          bool
}

type task struct {
	ID, FullName, State, UpdatedAt string
	ParentID, StartedAt, RetryAt   *string
	Group, CancelRequested         bool
	Upstreams                      []string
	Config, ExportParams, Error    map[string]any
}

type pool struct {
	ID, Name         string
	ConcurrencyLimit int
	Default          bool
}

// etl has a task, two tasks in a group, and a task after that: four seconds.
const etl = `
+extract: {echo>: from}
+transform:
  +a: {echo>: a}
  +b: {echo>: b}
+load: {echo>: to}
`

// wait is one task, which takes a second.
const wait = `
+wait: {echo>: done}
`
