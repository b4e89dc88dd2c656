package schedule_test

import (
	"os"
	"testing"

	"svc.example/understudy/mockserver/internal/llm/llmtest"
	"svc.example/understudy/mockserver/internal/mocktest"
)

func TestMain(m *testing.M) { os.Exit(mocktest.MainOf(m, "llm", "llm/schedule")) }

// Whoever has no key, a wrong one or one that may only import is refused by every operation.
func TestStrangers(t *testing.T) {
	t.Parallel()
	mocktest.StrangersOf(t, "llm", "llm/schedule")
}

func TestEveryKind(t *testing.T) {
	t.Parallel()
	llmtest.WalkKinds(t, "llm/schedule")
}
