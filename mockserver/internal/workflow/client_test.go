package workflow_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/internal/dig"
)

// client calls the workflow interface, and knows what its tests ask for again and again.
type client struct{ *mocktest.Client }

// object is a JSON object.
type object = map[string]any

func newClient(t *testing.T, opts ...mockserver.Option) client {
	t.Helper()
	return client{mocktest.New(t, "workflow", opts...)}
}

// lenient makes a mock that leaves validation to the rules.
func lenient(t *testing.T) client {
	t.Helper()
	return newClient(t, mockserver.WithValidation(mockserver.Off))
}

// in is the same mock in a subtest.
func (c client) in(t *testing.T) client { t.Helper(); return client{c.In(t)} }

// load puts people and more of a fixture, in YAML, in the place of the world's state.
func (c client) load(more string) client {
	c.Helper()
	c.Load(more)
	return c
}

// send sends a body as it is when it is text or bytes, which are an archive, and as JSON otherwise.
func (c client) send(method, path string, body any) mocktest.Answer {
	c.Helper()
	switch b := body.(type) {
	case nil:
		return c.Call(method, path, "")
	case string:
		return c.Call(method, path, b)
	case []byte:
		return c.Call(method, path, string(b), "Content-Type", "application/gzip")
	}
	text, err := json.Marshal(body)
	if err != nil {
		c.Fatal(err)
	}
	return c.Call(method, path, string(text), "Content-Type", "application/json")
}

// do demands a status and returns the answer's object, or nil when it has no body.
func (c client) do(status int, method, path string, body any) object {
	c.Helper()
	a := c.send(method, path, body).Want(status)
	if len(a.Body) == 0 {
		return nil
	}
	return a.Object()
}

func (c client) get(path string) object { c.Helper(); return c.Get(path).Want(http.StatusOK).Object() }

// archive packs workflow files, given by name without extension.
func archive(tb testing.TB, workflows map[string]string) []byte {
	tb.Helper()
	files := map[string]string{}
	for name, content := range workflows {
		files[name+".dig"] = content
	}
	gz, err := dig.WriteArchive(files)
	if err != nil {
		tb.Fatal(err)
	}
	return gz
}

// put uploads an archive with further query parameters.
func (c client) put(project, revision string, gz []byte, query url.Values) mocktest.Answer {
	c.Helper()
	all := url.Values{"project": {project}, "revision": {revision}}
	maps.Copy(all, query)
	return c.send(http.MethodPut, "/api/projects?"+all.Encode(), gz)
}

// upload makes a revision of workflows, with further query parameters in pairs, and returns the project.
func (c client) upload(project, revision string, workflows map[string]string, query ...string) object {
	c.Helper()
	values := url.Values{}
	for i := 0; i < len(query); i += 2 {
		values.Add(query[i], query[i+1])
	}
	return c.put(project, revision, archive(c, workflows), values).Want(http.StatusOK).Object()
}

// start starts a workflow by names, as the 15th of January unless the body says otherwise.
func (c client) start(project, workflow string, more ...map[string]any) attempt {
	c.Helper()
	return decode[attempt](c.tryStart(project, workflow, more...).Want(http.StatusOK))
}

func (c client) tryStart(project, workflow string, more ...map[string]any) mocktest.Answer {
	c.Helper()
	body := map[string]any{
		"projectName": project, "workflowName": workflow, "sessionTime": "2026-01-15T00:00:00Z", "params": map[string]any{},
	}
	for _, fields := range more {
		maps.Copy(body, fields)
	}
	return c.send(http.MethodPut, "/api/attempts", body)
}

// startMany starts a workflow for the hours from the first to the last of a day, queued if need be.
func (c client) startMany(project, workflow string, first, last int) []attempt {
	c.Helper()
	var list []attempt
	for hour := first; hour <= last; hour++ {
		at := time.Date(2026, 1, 1, hour, 0, 0, 0, time.UTC).Format(time.RFC3339)
		list = append(list, c.start(project, workflow, map[string]any{"sessionTime": at, "allowQueueing": true}))
	}
	return list
}

func (c client) attempt(id string) attempt {
	c.Helper()
	return decode[attempt](c.Get("/api/attempts/" + id).Want(http.StatusOK))
}

// statuses are those of attempts now.
func (c client) statuses(list []attempt) string {
	c.Helper()
	var all []string
	for _, a := range list {
		all = append(all, c.attempt(a.ID).Status)
	}
	return strings.Join(all, " ")
}

func (c client) tasks(id string) []task {
	c.Helper()
	return decode[struct{ Tasks []task }](c.Get("/api/attempts/" + id + "/tasks").Want(http.StatusOK)).Tasks
}

// states are those of an attempt's tasks: "+etl planned, +etl+load blocked".
func (c client) states(id string) string {
	c.Helper()
	var all []string
	for _, t := range c.tasks(id) {
		all = append(all, t.FullName+" "+t.State)
	}
	return strings.Join(all, ", ")
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

func wantEqual(tb testing.TB, what string, got, want any) {
	tb.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		tb.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func decode[T any](a mocktest.Answer) (value T) {
	a.Helper()
	a.Into(&value)
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
