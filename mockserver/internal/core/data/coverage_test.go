package data_test

import (
	"os"
	"testing"

	"svc.example/understudy/internal/mocktest"
)

// The document has 204 for no error records, but the mock never answers with it: some clients do not accept it.
func TestMain(m *testing.M) {
	os.Exit(mocktest.Main(m, "core/data", "getBulkImportErrorRecords 204"))
}

// Every operation refuses callers without a key, with an unknown key, and with a key that may only import.
func TestStrangers(t *testing.T) {
	t.Parallel()
	mocktest.RefusesUnknownCallers(t, "core/data")
}
