package workflow_test

import (
	"strings"
	"testing"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/workflow"
	"svc.example/understudy/mockserver/internal/world"
)

var seedTime = time.Date(2026, 1, 15, 9, 30, 0, 0, time.UTC)

func newWorld() *world.State {
	return &world.State{Scenario: "test", Seed: 1, Clock: clock.New(clock.Frozen, seedTime)}
}

func files(content string) map[string]string { return map[string]string{"daily.dig": content} }

func TestSeed(t *testing.T) {
	t.Parallel()
	w := newWorld()
	err := workflow.Seed(w, fixtures.Workflow{
		Projects: []fixtures.Project{
			{
				Name: "shop", Secrets: []string{"a.b"},
				Revisions: []fixtures.Revision{
					{Name: "v1", CreatedAt: "now-10d", Files: files(dailyUTC)},
					{Name: "v2", CreatedAt: "now-2d", Files: files(dailyUTC)},
				},
			},
			{
				Name: "quiet", Disabled: []string{"daily"},
				Revisions: []fixtures.Revision{{Name: "v1", CreatedAt: "now-10d/d", Files: files(dailyUTC)}},
			},
			{
				Name: "old", DeletedAt: "now-1d",
				Revisions: []fixtures.Revision{{Name: "v1", CreatedAt: "2026-01-01T00:00:00Z", Files: files(dailyUTC)}},
			},
			{Name: "old", Revisions: []fixtures.Revision{{Name: "v1", Files: files(dailyUTC)}}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	at := func(day, hour int) time.Time { return time.Date(2026, 1, day, hour, 0, 0, 0, time.UTC) }
	shop, _ := w.Workflow.Projects.Get(1)
	wantEqual(t, "shop", shop, world.Project{
		ID: 1, Name: "shop", Revision: 2, CreatedAt: seedTime.AddDate(0, 0, -10), UpdatedAt: seedTime.AddDate(0, 0, -2),
		Secrets: []string{"a.b"}, Schedules: []int64{1},
	})
	running, _ := w.Workflow.Schedules.Get(1)
	wantEqual(t, "a schedule runs from now on", running, world.Schedule{
		ID: 1, Project: 1, Name: "daily", Definition: 2, CreatedAt: seedTime.AddDate(0, 0, -10),
		Time: at(16, 0), Run: at(16, 7), LastTime: at(15, 0), PlannedAt: at(16, 7),
	})
	disabled, _ := w.Workflow.Schedules.Get(2)
	wantEqual(t, "a disabled one stays where it was", disabled, world.Schedule{
		ID: 2, Project: 2, Name: "daily", Definition: 3, CreatedAt: at(5, 0), DisabledAt: at(5, 0),
		Time: at(5, 0), Run: at(5, 7),
	})
	old, _ := w.Workflow.Projects.Get(3)
	wantEqual(t, "deletedAt", old.DeletedAt, seedTime.AddDate(0, 0, -1))
	live, _ := w.Workflow.ProjectNames.Get("old")
	wantEqual(t, "the name belongs to the project that lives", live, int64(4))
	var planned []time.Time
	for _, e := range w.Events() {
		planned = append(planned, e.At)
	}
	wantEqual(t, "events", planned, []time.Time{at(16, 7), at(16, 7)})
	wantEqual(t, "nothing has run", table.Len(&w.Workflow.Attempts), 0)
}

func TestSeedRefusals(t *testing.T) {
	t.Parallel()
	one := func(p fixtures.Project) fixtures.Workflow { return fixtures.Workflow{Projects: []fixtures.Project{p}} }
	revision := func(r fixtures.Revision) fixtures.Workflow {
		return one(fixtures.Project{Name: "shop", Revisions: []fixtures.Revision{r}})
	}
	good := []fixtures.Revision{{Name: "v1", Files: files(dailyUTC)}}
	for name, test := range map[string]struct {
		fixture fixtures.Workflow
		words   []string
	}{
		"a negative limit": {fixtures.Workflow{AccountLimit: -1}, []string{"accountLimit"}},
		"a negative number of times": {
			fixtures.Workflow{Outcomes: []fixtures.Outcome{{Times: -1}}}, []string{"outcome 1", "times"},
		},
		"a project without revisions": {one(fixtures.Project{Name: "shop"}), []string{"project shop", "revisions"}},
		"a project's bad name":        {one(fixtures.Project{Name: "1", Revisions: good}), []string{"project 1", "digit"}},
		"a workflow that is no YAML": {
			revision(fixtures.Revision{Name: "v1", Files: files("+a: [")}),
			[]string{"project shop", "revision v1", "daily.dig"},
		},
		"a path to elsewhere": {
			revision(fixtures.Revision{Name: "v1", Files: map[string]string{"../x": ""}}),
			[]string{"project shop", "revision v1", ".."},
		},
		"a revision of the future": {
			revision(fixtures.Revision{Name: "v1", CreatedAt: "now+1d", Files: files(plain)}),
			[]string{"revision v1", "now+1d"},
		},
		"revisions that go back": {
			one(fixtures.Project{Name: "shop", Revisions: []fixtures.Revision{
				{Name: "v1", CreatedAt: "now-1d", Files: files(plain)}, {Name: "v2", CreatedAt: "now-2d", Files: files(plain)},
			}}), []string{"revision v2", "now-2d"},
		},
		"a time that is none": {
			revision(fixtures.Revision{Name: "v1", CreatedAt: "soon", Files: files(plain)}),
			[]string{"revision v1", "soon"},
		},
		"a revision that comes twice": {
			one(fixtures.Project{Name: "shop", Revisions: append(good, good...)}), []string{"revision v1", "exists"},
		},
		"a secret's bad key": {
			one(fixtures.Project{Name: "shop", Revisions: good, Secrets: []string{"a b"}}), []string{"secret", "a b"},
		},
		"an unknown schedule": {
			one(fixtures.Project{Name: "shop", Revisions: good, Disabled: []string{"weekly"}}), []string{"weekly"},
		},
		"a deletion before creation": {
			one(fixtures.Project{Name: "shop", Revisions: good, DeletedAt: "now-1d"}), []string{"deletedAt", "now-1d"},
		},
		"a project that comes twice": {
			fixtures.Workflow{Projects: []fixtures.Project{{Name: "shop", Revisions: good}, {Name: "shop", Revisions: good}}},
			[]string{"project shop", "twice"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := workflow.Seed(newWorld(), test.fixture)
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
}
