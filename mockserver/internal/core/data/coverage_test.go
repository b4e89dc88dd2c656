package data_test

import (
	"os"
	"testing"

	"svc.example/understudy/mockserver/internal/core/coretest"
	"svc.example/understudy/mockserver/internal/mocktest"
)

// The mock knows of 204 for no error records, but never gives it: not all clients take it.
func TestMain(m *testing.M) {
	os.Exit(mocktest.MainOf(m, "core", "core/data", "getBulkImportErrorRecords 204"))
}

// Every operation refuses callers without a key, with one that nobody has, and with one that may only import.
func TestStrangers(t *testing.T) {
	t.Parallel()
	coretest.Strangers(t, "core/data")
}
