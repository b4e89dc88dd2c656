package learn_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/internal/checktest"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/scenarios/story"
)

// overviewed are the operations of a story whose answers count things that no answer shows: these are not made up.
var overviewed = map[string][]string{"agent-chat": {"llm.getProject", "llm.listAgents"}}

// What is learned from the recording of a story answers as the recording.
func TestLearnStories(t *testing.T) {
	t.Parallel()
	for _, name := range scenarios.List() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			story.Run(t, filepath.Join("..", "..", "..", "scenarios", name, "story.txtar"), func() (story.Server, error) {
				first := mocktest.NewServer(t, mockserver.WithScenario(name), mockserver.WithQueryEngine(sqlite.New()))
				var s checktest.Session
				return story.Server{Handler: s.Handler(first), Close: func() {
					checker := checktest.Plain(t)
					server, learned := s.Learned(t, checker)
					if server == nil {
						return
					}
					with := checktest.Subject(server.World(""))
					with.Keys = map[string]string{}
					for _, key := range learned.Keys {
						for _, mark := range key.Recorded {
							with.Keys[mark] = key.Key
						}
					}
					r, err := checker.Compare(t.Context(), contract.Exchanges(slices.Values(s.Recorder.Exchanges())), with)
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(differing(r), overviewed[name]) {
						t.Errorf("%s differ, want %s\n%s\n%s", differing(r), overviewed[name], checktest.Text(t, r), learned.Scenario)
					}
					playLearned(t, learned)
				}}, nil
			})
		})
	}
}

// playLearned plays the story that was learned with a mock of the scenario that was.
func playLearned(t *testing.T, learned *contract.Learned, opts ...mockserver.Option) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "story.txtar")
	if err := os.WriteFile(file, learned.Story, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("its own story", func(t *testing.T) {
		story.Run(t, file, func() (story.Server, error) {
			return story.Server{Handler: checktest.LearnedServer(t, learned, opts...)}, nil
		})
	})
}
