package knowledge_test

import (
	"os"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver/internal/llm/llmtest"
)

func TestMain(m *testing.M) { os.Exit(mocktest.Main(m, "llm/knowledge")) }

// Every operation refuses callers without a key, with an unknown key, and with a key that may only import.
func TestStrangers(t *testing.T) {
	t.Parallel()
	mocktest.RefusesUnknownCallers(t, "llm/knowledge")
}

func TestEveryKind(t *testing.T) {
	t.Parallel()
	llmtest.WalkKinds(t, "llm/knowledge")
}
