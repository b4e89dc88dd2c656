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

// overviewed are the operations of a story whose answers count entities that no answer shows: these are not made up.
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
					server, learned := learnedOf(t, &s, checker)
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
			return story.Server{Handler: learnedServer(t, learned, opts...)}, nil
		})
	})
}

// learnedOf returns a mock with the scenario that is learned from a session.
func learnedOf(t *testing.T, s *checktest.Session, checker *contract.Checker) (*mockserver.Server, *contract.Learned) {
	t.Helper()
	recording := contract.Exchanges(slices.Values(s.Recorder.Exchanges()))
	learned, err := checker.Learn(t.Context(), recording, checktest.Build(t))
	if err != nil {
		t.Fatal(err)
	}
	return learnedServer(t, learned), learned
}

// learnedServer returns a mock with a scenario that was learned, or nil if that fails, which fails the test.
func learnedServer(t *testing.T, learned *contract.Learned, opts ...mockserver.Option) *mockserver.Server {
	t.Helper()
	folder, err := checktest.Write(t, learned)
	if err != nil {
		t.Fatal(err)
	}
	server, err := mockserver.New(append([]mockserver.Option{
		mockserver.WithScenario(folder), mockserver.WithClock("frozen"), mockserver.WithSeed(7),
		mockserver.WithQueryEngine(sqlite.New()), mocktest.Failing(t),
	}, opts...)...)
	if err != nil {
		t.Errorf("%v\n%s", err, learned.Scenario)
		return nil
	}
	return server
}
