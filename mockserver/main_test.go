package mockserver_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain lets the heap grow to three times of what is in use before it is collected, which takes a sixth of the time
// away: tests make many worlds and throw them away. Whoever sets GOGC has it as it is.
func TestMain(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
	os.Exit(m.Run())
}
