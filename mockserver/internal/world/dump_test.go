package world_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/core"
	"svc.example/understudy/mockserver/internal/workflow"
	"svc.example/understudy/mockserver/internal/world"
)

const definition = "schedule:\n  daily>: 07:00:00\n+a:\n  echo>: 1\n+b:\n  echo>: 2\n"

// full is a world with a row of each kind.
func full(t *testing.T) *world.World {
	t.Helper()
	w := &world.World{
		Scenario: "test", Seed: 7, Clock: clock.New(clock.Frozen, time.Date(2026, 1, 15, 9, 30, 0, 5, time.UTC)),
	}
	w.Account.Users.Put(1, world.User{ID: 1, Name: "Aiko Mori", Email: "aiko@svc.example", Role: world.Owner})
	w.Reserve("user", 1)
	for _, key := range []string{"1/b", "1/a", "1/c"} {
		w.Account.PutKey(world.Key{Key: key, User: 1, WriteOnly: key == "1/c"})
	}
	fillAccount(w)
	fillCore(w)
	err := workflow.Seed(w, fixtures.Workflow{
		AccountLimit: 3,
		Pools:        []fixtures.Pool{{Name: "small", ConcurrencyLimit: 1}},
		PoolRules: []fixtures.PoolRule{{
			Priority: 5, Pool: "small",
			Conditions: []fixtures.PoolCondition{{Type: "project_name", Operator: "starts_with", Values: []string{"other"}}},
		}},
		Outcomes: []fixtures.Outcome{{Task: "+b", Takes: fixtures.Duration(time.Hour), Times: 9}},
		Projects: []fixtures.Project{
			{Name: "shop", Secrets: []string{"k"}, Revisions: []fixtures.Revision{
				{Name: "v1", CreatedAt: "now-3d", Files: map[string]string{"w.dig": definition}},
				{Name: "v2", CreatedAt: "now-1d", Files: map[string]string{"w.dig": definition, "x.dig": definition}},
			}},
			{Name: "gone", DeletedAt: "now-1d", Revisions: []fixtures.Revision{
				{Name: "v1", CreatedAt: "now-3d", Files: map[string]string{"w.dig": definition}},
			}},
		},
		Attempts: []fixtures.Attempt{
			{Project: "shop", Workflow: "w", SessionTime: "now-1d/d", CreatedAt: "now-1h", Status: "running"},
			{Project: "shop", Workflow: "w", SessionTime: "now/d", Status: "blocked", After: 1},
			{Project: "shop", Workflow: "x", SessionTime: "now/d", CreatedAt: "now-2h", Status: "error"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	fillDWH(w)
	return w
}

func dumpOf(t *testing.T, w *world.World) string {
	t.Helper()
	dump, err := w.Dump()
	if err != nil {
		t.Fatal(err)
	}
	return string(dump)
}

func TestDump(t *testing.T) {
	t.Parallel()
	w := full(t)
	first := dumpOf(t, w)
	if !strings.HasPrefix(first, `{"understudy":1,`) {
		t.Errorf("dump begins with %.40s, want its version", first)
	}
	loaded, err := world.Load([]byte(first), clock.Auto)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, dumpOf(t, &loaded)); diff != "" {
		t.Errorf("dump after the load (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(w.Events(), loaded.Events()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if loaded.Clock.Mode() != clock.Auto || !loaded.Now().Equal(w.Now()) {
		t.Errorf("clock %s %s, want auto at the time of the dump", loaded.Clock.Mode(), loaded.Now())
	}
	if a, b := w.NewID("workflow.task"), loaded.NewID("workflow.task"); a != b {
		t.Errorf("next id %d, want %d", b, a)
	}
	for id, d := range w.Workflow.Definitions.All() {
		got, _ := loaded.Workflow.Definitions.Get(id)
		if got.Workflow == nil || got.Workflow.Name != d.Workflow.Name || got.Revision != d.Revision {
			t.Errorf("definition %d is %+v, want %+v", id, got, d)
		}
	}
}

func TestDumpOfNothing(t *testing.T) {
	t.Parallel()
	w := &world.World{Clock: clock.New(clock.Frozen, time.Date(2026, 1, 15, 0, 0, 0, 0, time.UTC))}
	w.Workflow.AccountLimit = 1
	first := dumpOf(t, w)
	if strings.Contains(first, "null") {
		t.Errorf("dump %s has null in it, want empty lists", first)
	}
	if _, err := world.Load([]byte(first), clock.Frozen); err != nil {
		t.Error(err)
	}
}

type object = map[string]any

// edit changes a dump: path leads through members and places to an object, whose member gets the value.
func edit(t *testing.T, dump string, value any, path ...any) string {
	t.Helper()
	var whole any
	if err := json.Unmarshal([]byte(dump), &whole); err != nil {
		t.Fatal(err)
	}
	at := whole
	for i, step := range path {
		last := i == len(path)-1
		switch step := step.(type) {
		case int:
			at = at.([]any)[step]
		case string:
			if last {
				at.(object)[step] = value
			} else {
				at = at.(object)[step]
			}
		}
	}
	text, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestLoadRefusesRowsThatCannotBe(t *testing.T) {
	t.Parallel()
	dump := dumpOf(t, full(t))
	for name, test := range map[string]struct {
		value any
		path  []any
		words []string
	}{
		"another version":            {2, []any{"understudy"}, []string{"understudy"}},
		"no time":                    {"0001-01-01T00:00:00Z", []any{"now"}, []string{"now"}},
		"a negative id":              {-1, []any{"ids", "workflow.task"}, []string{"workflow.task"}},
		"an id beyond all":           {1 << 60, []any{"ids", "workflow.task"}, []string{"workflow.task"}},
		"a role that is none":        {"king", []any{"account", "users", 0, "role"}, []string{"user 1", "king"}},
		"a key of nobody":            {9, []any{"account", "keys", 0, "user"}, []string{"user 9"}},
		"a key that comes twice":     {"1/b", []any{"account", "keys", 0, "key"}, []string{"twice"}},
		"no account limit":           {0, []any{"workflow", "accountLimit"}, []string{"accountLimit"}},
		"a pool without a name":      {"", []any{"workflow", "pools", 1, "name"}, []string{"pool 2"}},
		"two default pools":          {true, []any{"workflow", "pools", 1, "default"}, []string{"default"}},
		"a rule for no pool":         {9, []any{"workflow", "poolRules", 0, "pool"}, []string{"pool rule 1", "pool 9"}},
		"a rule without conditions":  {[]any{}, []any{"workflow", "poolRules", 0, "conditions"}, []string{"pool rule 1"}},
		"a rule's priority":          {0, []any{"workflow", "poolRules", 0, "priority"}, []string{"pool rule 1"}},
		"a project's id":             {0, []any{"workflow", "projects", 0, "id"}, []string{"workflow.project 0"}},
		"a project that comes twice": {2, []any{"workflow", "projects", 0, "id"}, []string{"workflow.project 2", "twice"}},
		"a project's name":           {"1", []any{"workflow", "projects", 0, "name"}, []string{"project 1"}},
		"a project's revision": {
			3, []any{"workflow", "projects", 0, "revision"}, []string{"project 1", "revision 3"},
		},
		"a revision of no project": {
			9, []any{"workflow", "revisions", 0, "project"}, []string{"revision 1", "project 9"},
		},
		"a revision before itself": {2, []any{"workflow", "revisions", 1, "previous"}, []string{"revision 2"}},
		"an archive that is none": {
			"aGVsbG8=", []any{"workflow", "revisions", 0, "archive"}, []string{"revision 1", "gzip"},
		},
		"an archive that is no base64": {"!", []any{"workflow", "revisions", 0, "archive"}, nil},
		"fewer definitions": {
			2, []any{"workflow", "revisions", 0, "definitions"}, []string{"revision 1", "1 workflows"},
		},
		"definitions of another": {
			2, []any{"workflow", "revisions", 0, "firstDefinition"}, []string{"revision 2", "revision 1"},
		},
		"a schedule of no project": {
			2, []any{"workflow", "schedules", 0, "project"}, []string{"schedule 1", "project 2"},
		},
		"a schedule of an old revision": {1, []any{"workflow", "schedules", 0, "definition"}, []string{"schedule 1"}},
		"a schedule without a plan": {
			"0001-01-01T00:00:00Z", []any{"workflow", "schedules", 0, "plannedAt"}, []string{"schedule 1"},
		},
		"a session of no project":    {9, []any{"workflow", "sessions", 0, "project"}, []string{"session 1", "project 9"}},
		"a session without attempts": {[]any{}, []any{"workflow", "sessions", 0, "attempts"}, []string{"session 1"}},
		"a session's foreign attempt": {
			[]any{2}, []any{"workflow", "sessions", 0, "attempts"}, []string{"session 1", "attempt 2"},
		},
		"an attempt of no session": {9, []any{"workflow", "attempts", 0, "session"}, []string{"session 1"}},
		"an attempt's definition": {
			9, []any{"workflow", "attempts", 0, "definition"}, []string{"attempt 1", "definition"},
		},
		"an attempt's pool":  {9, []any{"workflow", "attempts", 1, "pool"}, []string{"attempt 2", "pool 9"}},
		"an attempt's state": {"lost", []any{"workflow", "attempts", 1, "state"}, []string{"attempt 2", "state"}},
		"an attempt's params": {
			[]any{}, []any{"workflow", "attempts", 1, "params"}, []string{"attempt 2", "params"},
		},
		"an attempt without a step": {
			"0001-01-01T00:00:00Z", []any{"workflow", "attempts", 1, "stepAt"}, []string{"attempt 2", "stepAt"},
		},
		"an attempt that waits for one that is done": {
			1, []any{"workflow", "attempts", 2, "after"}, []string{"attempt 3", "blocked"},
		},
		"an attempt that resumes itself": {2, []any{"workflow", "attempts", 1, "resumes"}, []string{"attempt 2", "resume"}},
		"an attempt's running tasks": {
			-5, []any{"workflow", "attempts", 1, "runningTasks"}, []string{"attempt 2", "runningTasks"},
		},
		"tasks of no attempt":      {9, []any{"workflow", "tasks", 0, "attempt"}, []string{"attempt 9"}},
		"an attempt without tasks": {[]any{}, []any{"workflow", "tasks", 0, "tasks"}, []string{"attempt 1"}},
		"a task's plan":            {99, []any{"workflow", "tasks", 0, "tasks", 1, "plan"}, []string{"plan"}},
		"a task's name":            {"+z", []any{"workflow", "tasks", 0, "tasks", 1, "name"}, []string{"plan"}},
		"a task's parent":          {5, []any{"workflow", "tasks", 0, "tasks", 1, "parent"}, []string{"parent"}},
		"a root with a parent":     {0, []any{"workflow", "tasks", 0, "tasks", 0, "parent"}, []string{"parent"}},
		"a task's upstreams": {
			[]any{99}, []any{"workflow", "tasks", 0, "tasks", 2, "upstreams"}, []string{"upstreams"},
		},
		"a task's other upstreams": {
			[]any{0}, []any{"workflow", "tasks", 0, "tasks", 2, "upstreams"}, []string{"upstreams"},
		},
		"a task's state":             {"lost", []any{"workflow", "tasks", 0, "tasks", 1, "state"}, []string{"state"}},
		"a task's id":                {1, []any{"workflow", "tasks", 0, "tasks", 1, "id"}, []string{"task 1"}},
		"an outcome of no attempt":   {99, []any{"workflow", "outcomes", 0, "attempt"}, []string{"outcome 1"}},
		"a member that nobody knows": {1, []any{"workflow", "pools", 0, "colour"}, []string{"colour"}},
		"a number that is text":      {"1", []any{"workflow", "pools", 0, "id"}, []string{"pools"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := world.Load([]byte(edit(t, dump, test.value, test.path...)), clock.Frozen)
			if err == nil {
				t.Fatal("no error")
			}
			for _, word := range test.words {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("error %q, want %q in it", err, word)
				}
			}
		})
	}
	for name, text := range map[string]string{
		"nothing": "", "no object": "[]", "half of it": dump[:len(dump)/2], "more than it": dump + "{}", "null": "null",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := world.Load([]byte(text), clock.Frozen); err == nil {
				t.Error("no error")
			}
		})
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"understudy":1,"now":"2026-01-15T00:00:00Z","workflow":{"accountLimit":1}}`))
	f.Add([]byte(`{"understudy":1,"now":"2026-01-15T00:00:00Z","workflow":{"accountLimit":1,"attempts":[{"id":1}],` +
		`"tasks":[{"attempt":1,"tasks":[{"id":1,"parent":-1}]}],"sessions":[{"id":1,"attempts":[1]}]}}`))
	f.Add([]byte(`{"understudy":1,"now":"2026-01-15T00:00:00Z","workflow":{"accountLimit":1},"account":{"users":[{"id":1,` +
		`"role":"owner"}]},"core":{"jobs":[{"id":1,"user":1,"type":"bulk_import_perform","bulkImport":1,"status":"queued",` +
		`"stepAt":"2026-01-15T00:00:00Z"}],"bulkImports":[{"id":1,"name":"a","database":"b","table":"c","user":1,` +
		`"status":"performing","job":1,"parts":[{"name":"p","body":"gaFuAQ=="}]}],"bulkLoads":[{"id":1,"name":"a",` +
		`"database":"b","table":"c","user":1,"timezone":"UTC","cron":"@daily","config":{},"slot":"2026-01-15T00:00:00Z",` +
		`"plannedAt":"2026-01-15T00:00:00Z"}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		w, err := world.Load(data, clock.Frozen)
		if err != nil {
			return
		}
		settle := core.Interface(core.Engine{}).Settle
		maps.Copy(settle, workflow.Interface().Settle)
		for range 100 {
			event, ok := w.Next()
			if !ok {
				break
			}
			w.Cancel(event)
			settle[event.Kind](&w, event, nil)
		}
		if _, err := w.Dump(); err != nil {
			t.Error(err)
		}
	})
}
