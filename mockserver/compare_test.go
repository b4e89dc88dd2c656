package mockserver_test

import (
	"net/http"
	"path/filepath"
	"testing"

	"svc.example/understudy/internal/checktest"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/scenarios/story"
)

// countedKinds are the kinds of things whose ids are counted.
var countedKinds = []string{
	"audience.activation", "audience.query", "audience.segment", "core.connection", "core.database", "core.job",
	"core.policy", "core.policy_group", "core.schedule", "core.table", "dwh.config", "dwh.integration", "dwh.revision",
	"dwh.session", "user", "workflow.attempt", "workflow.definition", "workflow.pool", "workflow.pool_rule",
	"workflow.project", "workflow.revision", "workflow.schedule", "workflow.session", "workflow.task",
}

// A client that sends slashes too many is one as any other: its calls are played and compared.
func TestCompareSlashesTooMany(t *testing.T) {
	t.Parallel()
	var s checktest.Session
	h := s.Handler(mocktest.NewServer(t))
	for _, address := range []string{
		"http://127.0.0.1:4010//core//v3/database/list", "http://127.0.0.1:4010/core//v3/database/list",
		"http://workflow.localhost//api/projects", "http://127.0.0.1:4010//_worlds//default//llm//api/agents",
	} {
		mocktest.Call(t, h, "GET", address, "").Want(http.StatusOK)
	}
	r := s.Compare(t, checktest.Plain(t), checktest.Subject(mocktest.NewServer(t).World("")))
	if r.Failed() || r.Exchanges.Matched != 4 || r.Exchanges.Unmatched != 0 {
		t.Errorf("%+v\n%s", r.Exchanges, checktest.Text(t, r))
	}
}

// What a mock answered in the stories is what one with another seed, and with other ids for what is new, answers.
func TestCompareStories(t *testing.T) {
	t.Parallel()
	for _, name := range scenarios.List() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			story.Run(t, filepath.Join("..", "scenarios", name, "story.txtar"), func() (story.Server, error) {
				opts := []mockserver.Option{mockserver.WithScenario(name), mockserver.WithQueryEngine(sqlite.New())}
				first, other := mocktest.NewServer(t, opts...), mocktest.NewServer(t, append(opts, mockserver.WithSeed(2))...)
				if err := other.World("").SkipIDs(1000, countedKinds...); err != nil {
					return story.Server{}, err
				}
				var s checktest.Session
				return story.Server{Handler: s.Handler(first), Close: func() {
					if r := s.Compare(t, checktest.Plain(t), checktest.Subject(other.World(""))); r.Failed() {
						t.Error(checktest.Text(t, r))
					}
				}}, nil
			})
		})
	}
}
