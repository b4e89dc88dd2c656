package dwh_test

import (
	"os"
	"testing"

	"svc.example/understudy/internal/mocktest"
)

func TestMain(m *testing.M) { os.Exit(mocktest.Main(m, "dwh")) }

// Whoever has no key, a wrong one or one that may only import is refused by every operation.
func TestStrangers(t *testing.T) {
	t.Parallel()
	mocktest.RefusesUnknownCallers(t, "dwh")
}
