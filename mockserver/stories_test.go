package mockserver_test

import (
	"path/filepath"
	"testing"

	"svc.example/understudy/internal/checktest"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/scenarios/story"
)

// What the mock answers in the stories of its scenarios is what the contract suite wants, even of what is only assumed.
func TestStoriesConform(t *testing.T) {
	t.Parallel()
	for _, name := range scenarios.List() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			story.Run(t, filepath.Join("..", "scenarios", name, "story.txtar"), func() (story.Server, error) {
				s := mocktest.NewServer(t, mockserver.WithScenario(name), mockserver.WithQueryEngine(sqlite.New()))
				return story.Server{Handler: s, Close: func() { checktest.WantConform(t, checktest.Plain(t), s.World("")) }}, nil
			})
		})
	}
}
