package access_test

import (
	"os"
	"testing"

	"svc.example/understudy/internal/mocktest"
)

func TestMain(m *testing.M) { os.Exit(mocktest.Main(m, "core/access")) }

// Every operation refuses callers without a key, with an unknown key, and with a key that may only import.
func TestStrangers(t *testing.T) {
	t.Parallel()
	mocktest.RefusesUnknownCallers(t, "core/access")
}
