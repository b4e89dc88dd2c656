package mockserver_test

import (
	"fmt"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// What the history has counts to the memory of the server, and goes before anything else does.
func TestHistoryGivesWay(t *testing.T) {
	t.Parallel()
	const limit = 24 << 20
	s := mocktest.NewServer(t, mockserver.WithScenario("empty"), mockserver.WithHistory(1000),
		mockserver.WithMemoryLimit(limit))
	newUploads(t, s)
	before, _ := usage(t, s)
	for n := range 40 {
		upload(t, s, n, 1<<20, "default").Want(200)
		mocktest.Call(t, s, "POST", fmt.Sprintf("/core/v3/bulk_import/delete_part/load/p%d", n), "").Want(200)
		bytes, _ := usage(t, s)
		if bytes > limit {
			t.Fatalf("after %d parts the world takes %d bytes", n+1, bytes)
		}
		if n == 3 && bytes < before+3<<20 {
			t.Errorf("parts that only the history has are not counted: %d bytes more", bytes-before)
		}
	}
	last := s.World("").Calls("core.deleteBulkImportPart")
	if last == 0 {
		t.Error("no part was deleted")
	}
	mocktest.Call(t, s, "DELETE", "/_understudy/journal", "").Want(204)
	if bytes, _ := usage(t, s); bytes > before+2<<20 {
		t.Errorf("an empty history still takes %d bytes", bytes-before)
	}
	if _, err := s.World("").ForkBefore(1); err == nil {
		t.Error("a cleared history has an exchange")
	}
}

// A history takes no more than its world may.
func TestAHistoryHasTheLimitOfItsWorld(t *testing.T) {
	t.Parallel()
	const state, journal = 4 << 20, 64 << 10
	s := mocktest.NewServer(t, mockserver.WithScenario("empty"), mockserver.WithHistory(1000),
		mockserver.WithStateLimit(state), mockserver.WithJournalLimit(journal))
	newUploads(t, s)
	most := int64(0)
	for n := range 100 {
		upload(t, s, n, 100<<10, "default").Want(200)
		mocktest.Call(t, s, "POST", fmt.Sprintf("/core/v3/bulk_import/delete_part/load/p%d", n), "").Want(200)
		bytes, _ := usage(t, s)
		most = max(most, bytes)
	}
	if most > 2*state+journal || most < state/2 {
		t.Errorf("the world took %d bytes at most, want up to %d", most, 2*state+journal)
	}
}
