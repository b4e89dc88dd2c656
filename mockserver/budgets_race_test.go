package mockserver_test

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// While journals make room, no request is refused that would fit afterwards.
func TestJournalsMakeRoomForManyAtATime(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithScenario("empty"), mockserver.WithMemoryLimit(4<<20))
	newUploads(t, s)
	for n := range 16 {
		mocktest.Call(t, s, "POST", "/_understudy/worlds", fmt.Sprintf(`{"id":"w%d","fork":"default"}`, n)).Want(201)
	}
	var refused atomic.Int64
	var group sync.WaitGroup
	for n := range 16 {
		group.Go(func() {
			for range 50 { // the same part, so that only journals grow
				if a := upload(t, s, 0, 32<<10, fmt.Sprint("w", n)); a.Status != http.StatusOK {
					refused.Add(1)
				}
			}
		})
	}
	group.Wait()
	if refused.Load() > 0 {
		t.Errorf("%d of 800 are refused", refused.Load())
	}
	if bytes, _ := usage(t, s); bytes > 4<<20 {
		t.Errorf("the worlds take %d bytes", bytes)
	}
}
