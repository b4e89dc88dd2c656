package contract_test

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/contract"
	"svc.example/understudy/specs/recording"
)

// A recording that is ten times as long is compared in the same memory, whether answers agree or not.
func TestComparisonsInFlatMemory(t *testing.T) { //nolint:paralleltest // it measures the heap of the process
	const bound = 12 << 20 // of which 8 are for exchanges that wait in memory
	padding := strings.Repeat("x", 16<<10)
	begin := time.Date(2026, 1, 15, 9, 30, 0, 0, time.UTC)
	for name, answered := range map[string]string{"agreeing": padding, "differing": "y" + padding} {
		compare := func(n int) (peak uint64) {
			t.Helper()
			yield := func(yield func(*recording.Exchange) bool) {
				for i := range n {
					e := getting(poolsURL, fmt.Sprintf(`{"pools":[{"id":"1","name":"%s"}]}`, padding))
					e.Start = begin.Add(time.Duration(n-i) * time.Second) // the last one first
					e.End = e.Start
					if !yield(e) {
						return
					}
				}
			}
			asked := 0
			subject := answering(http.StatusOK, "application/json", fmt.Sprintf(`{"pools":[{"id":"1","name":"%s"}]}`, answered))
			handler := subject.Handler
			subject.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if asked++; asked%100 == 0 {
					var m runtime.MemStats
					runtime.GC()
					runtime.ReadMemStats(&m)
					peak = max(peak, m.HeapAlloc)
				}
				handler.ServeHTTP(w, r)
			})
			r, err := checker(t).Compare(t.Context(), contract.Exchanges(yield), subject)
			if err != nil || r.Comparison.Compared != n {
				t.Fatalf("%d of %d exchanges were compared: %v", r.Comparison.Compared, n, err)
			}
			return peak
		}
		short := compare(250)
		if long := compare(2500); long > short+bound {
			t.Errorf("%s: %d MiB were in use for 2,500 exchanges, and %d for 250: want at most %d more", name, long>>20,
				short>>20, bound>>20)
		}
	}
}
