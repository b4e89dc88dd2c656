package scenarios_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/scenarios/story"
)

func TestStories(t *testing.T) {
	t.Parallel()
	for _, name := range scenarios.List() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			story.Run(t, filepath.Join(name, "story.txtar"), func() (story.Server, error) {
				server, err := mockserver.New(mockserver.WithScenario(name), mockserver.WithClock("frozen"),
					mockserver.WithQueryEngine(sqlite.New()))
				if err != nil {
					return story.Server{}, err
				}
				return story.Server{Handler: server, Close: func() { _ = server.Close() }}, nil
			})
		})
	}
}

func TestScenarios(t *testing.T) {
	t.Parallel()
	want := []string{
		"access-control", "agent-chat", "attempt-failed", "deleted-tables", "dwh-sync", "empty", "full-account",
		"jobs-in-flight", "pool-in-use", "quickstart", "segment-query", "sub-user-removed", "token-revoked",
	}
	if d := cmp.Diff(want, scenarios.List()); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	for _, name := range scenarios.List() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			embedded := load(t, name)
			t.Run("passes all checks", func(t *testing.T) {
				t.Parallel()
				checked := load(t, "./"+name)
				checked.Embedded, checked.Story = true, embedded.Story // which UPDATE=1 may be about to rewrite
				checked.StoryFile = embedded.StoryFile
				if d := cmp.Diff(checked, embedded, cmpopts.IgnoreUnexported(fixtures.Fixture{})); d != "" {
					t.Errorf("(-checked +embedded)\n%s", d)
				}
			})
			t.Run("says what it is good for, and when it begins", func(t *testing.T) {
				t.Parallel()
				if embedded.Description == "" || embedded.Now.IsZero() {
					t.Errorf("description %q, now %s", embedded.Description, embedded.Now)
				}
			})
			t.Run("has a story that begins by saying what it shows", func(t *testing.T) {
				t.Parallel()
				if !strings.HasPrefix(string(embedded.Story), "# ") {
					t.Errorf("the story begins with %.40q", embedded.Story)
				}
			})
			t.Run("knows the key 1/admin of an administrator", func(t *testing.T) {
				t.Parallel()
				if role := roleOf(embedded.Fixture.Account, "1/admin"); role != "administrator" {
					t.Errorf("its role is %q", role)
				}
			})
		})
	}
}

func roleOf(account fixtures.Account, key string) string {
	for _, k := range account.Keys {
		for _, u := range account.Users {
			if k.Key == key && k.User == u.Email && k.Kind == "master" {
				return u.Role
			}
		}
	}
	return ""
}

func TestQuickstart(t *testing.T) {
	t.Parallel()
	quickstart := load(t, "quickstart").Fixture
	t.Run("has attempts in every status", func(t *testing.T) {
		t.Parallel()
		for _, status := range []string{"blocked", "queued", "running", "canceling", "success", "error", "killed"} {
			if !slices.ContainsFunc(quickstart.Workflow.Attempts, func(a fixtures.Attempt) bool { return a.Status == status }) {
				t.Errorf("none is %s", status)
			}
		}
	})
	t.Run("has running attempts that go on for hours of a real clock", func(t *testing.T) {
		t.Parallel()
		for _, a := range quickstart.Workflow.Attempts {
			if (a.Status == "running" || a.Status == "canceling") && time.Duration(a.Takes) < 12*time.Hour {
				t.Errorf("%s of %s takes %s", a.Workflow, a.Project, time.Duration(a.Takes))
			}
		}
	})
	t.Run("begins at any time of day", func(t *testing.T) {
		t.Parallel()
		for _, clock := range []string{"00:00:00", "00:04:59", "06:30:00", "15:00:00", "22:00:00", "23:59:59"} {
			now, err := time.Parse(time.DateTime, "2026-03-01 "+clock)
			if err != nil {
				t.Fatal(err)
			}
			server, err := mockserver.New(mockserver.WithScenario("quickstart"), mockserver.WithClock("frozen"),
				mockserver.WithNow(now))
			if err != nil {
				t.Errorf("at %s: %v", clock, err)
				continue
			}
			if err := server.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestLoad(t *testing.T) {
	t.Parallel()
	t.Run("an unknown name is refused with the nearest one", func(t *testing.T) {
		t.Parallel()
		_, err := scenarios.Load("quikstart")
		others := slices.DeleteFunc(scenarios.List(), func(name string) bool { return name == "quickstart" })
		want := `unknown scenario "quikstart"; want quickstart, or one of ` + strings.Join(others, ", ") +
			`, or the path of a file or folder`
		if err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	})
	t.Run("a path that is not there is refused", func(t *testing.T) {
		t.Parallel()
		if _, err := scenarios.Load("./nowhere"); err == nil || !strings.Contains(err.Error(), "./nowhere") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a user's folder may use the casts that come along, its own, and add to both", func(t *testing.T) {
		t.Parallel()
		folder := write(t, map[string]string{
			"scenario.yaml":   "description: Mine.\nuses: [shop, ./cast]\nworkflow: {taskTime: 3s}\nseed: 7\n",
			"cast/pools.yaml": "workflow: {pools: [{name: mine, concurrencyLimit: 1}]}",
		})
		got := load(t, folder)
		pools := got.Fixture.Workflow.Pools
		if got.Seed != 7 || got.Embedded || got.Name != filepath.Base(folder) || got.Story != nil || !got.Now.IsZero() ||
			got.Fixture.Workflow.TaskTime != fixtures.Duration(3*time.Second) || pools[len(pools)-1].Name != "mine" {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("a user's file is named after itself", func(t *testing.T) {
		t.Parallel()
		folder := write(t, map[string]string{"mine.yaml": "now: 2026-02-03T04:05:06+09:00"})
		got := load(t, filepath.Join(folder, "mine.yaml"))
		if want := time.Date(2026, 2, 2, 19, 5, 6, 0, time.UTC); got.Name != "mine" || got.Now != want {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("a dump is a scenario", func(t *testing.T) {
		t.Parallel()
		folder := write(t, map[string]string{"dump.json": `{"state": {"understudy": 1}}`})
		got := load(t, filepath.Join(folder, "dump.json"))
		if string(got.Fixture.State) != `{"understudy":1}` || got.Fixture.Account.Keys != nil {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("a world that begins with a dump goes on where it was", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(write(t, map[string]string{
			"dump.json": get(t, "quickstart", "/_understudy/worlds/default/state"),
		}), "dump.json")
		for _, path := range []string{
			"/workflow/api/attempts", "/workflow/api/schedules", "/workflow/api/attempts/9/tasks",
			"/core/v3/database/list", "/core/v3/table/list/shop", "/core/v3/table/tail/shop/orders?count=100",
			"/core/v3/table/deleted", "/core/v3/job/list", "/core/v3/job/result/2", "/core/v3/schedule/list",
			"/core/v3/schedule/history/daily_revenue", "/core/v3/result/list", "/core/v3/access_control/users",
			"/core/v3/oauth_token/list", "/core/v3/sub_user/list",
		} {
			if d := cmp.Diff(get(t, "quickstart", path), get(t, file, path)); d != "" {
				t.Errorf("%s (-world +its dump)\n%s", path, d)
			}
		}
	})
	t.Run("what a user's cast has twice is refused with both places", func(t *testing.T) {
		t.Parallel()
		folder := write(t, map[string]string{
			"scenario.yaml": "uses: [./pools.yaml]\nworkflow:\n  pools:\n  - {name: etl, concurrencyLimit: 1}\n",
			"pools.yaml":    "workflow: {pools: [{name: etl, concurrencyLimit: 1}]}",
		})
		_, err := scenarios.Load(folder)
		want := "DIR/scenario.yaml:4: workflow.pools[0].name: etl is given twice, first in DIR/pools.yaml:1"
		if want = strings.ReplaceAll(want, "DIR", filepath.ToSlash(folder)); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	})
}

func load(t *testing.T, name string) scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// get asks a new server for something.
func get(t *testing.T, scenario, path string) string {
	t.Helper()
	server, err := mockserver.New(mockserver.WithScenario(scenario), mockserver.WithClock("frozen"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	r.Header.Set("Authorization", "SVC1 1/admin")
	r.RemoteAddr = "127.0.0.1:1"
	w := httptest.NewRecorder()
	server.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		t.Fatalf("GET %s: %d %s", path, w.Code, w.Body)
	}
	return w.Body.String()
}

// write makes a folder of files.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}
