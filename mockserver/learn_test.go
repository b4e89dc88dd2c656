package mockserver_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/scenarios/story"
)

// learned returns a mock with the scenario that is learned from a session.
func (s *session) learned(t *testing.T, checker *contract.Checker) (*mockserver.Server, *contract.Learned) {
	t.Helper()
	learned, err := checker.Learn(t.Context(), contract.Exchanges(slices.Values(s.recorder.Exchanges())), build(t))
	if err != nil {
		t.Fatal(err)
	}
	return learnedServer(t, learned), learned
}

// learnedServer returns a mock with a scenario that was learned, or nil if that fails, which fails the test.
func learnedServer(t *testing.T, learned *contract.Learned, opts ...mockserver.Option) *mockserver.Server {
	t.Helper()
	folder := t.TempDir()
	for name, text := range learned.Files {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "scenario.yaml"), learned.Scenario, 0o600); err != nil {
		t.Fatal(err)
	}
	server, err := mockserver.New(append([]mockserver.Option{
		mockserver.WithScenario(folder), mockserver.WithClock("frozen"), mockserver.WithSeed(7),
		mockserver.WithQueryEngine(sqlite.New()), mockserver.WithFailure(func(message string) { t.Error(message) }),
	}, opts...)...)
	if err != nil {
		t.Errorf("%v\n%s", err, learned.Scenario)
		return nil
	}
	return server
}

// recordedKeys returns the keys of a scenario that was learned, by the digests of those that were recorded.
func recordedKeys(learned *contract.Learned) map[string]string {
	keys := map[string]string{}
	for _, key := range learned.Keys {
		for _, digest := range key.Recorded {
			keys[digest] = key.Key
		}
	}
	return keys
}

// overviewed are the operations of a story whose answers count things that no answer shows: these are not made up.
var overviewed = map[string][]string{"agent-chat": {"llm.getProject", "llm.listAgents"}}

// What is learned from the recording of a story answers as the recording.
func TestLearnStories(t *testing.T) {
	t.Parallel()
	for _, name := range scenarios.List() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			story.Run(t, filepath.Join("..", "scenarios", name, "story.txtar"), func() (story.Server, error) {
				first := newServer(t, mockserver.WithScenario(name), mockserver.WithQueryEngine(sqlite.New()))
				var s session
				return story.Server{Handler: s.handler(first), Close: func() {
					checker := plainChecker(t)
					server, learned := s.learned(t, checker)
					if server == nil {
						return
					}
					with := subject(server.World(""))
					with.Keys = map[string]string{}
					for _, key := range learned.Keys {
						for _, mark := range key.Recorded {
							with.Keys[mark] = key.Key
						}
					}
					r, err := checker.Compare(t.Context(), contract.Exchanges(slices.Values(s.recorder.Exchanges())), with)
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(differing(r), overviewed[name]) {
						t.Errorf("%s differ, want %s\n%s\n%s", differing(r), overviewed[name], text(t, r), learned.Scenario)
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
			return story.Server{Handler: learnedServer(t, learned, opts...)}, nil
		})
	})
}
