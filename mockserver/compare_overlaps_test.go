package mockserver_test

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"svc.example/understudy/contract"
	"svc.example/understudy/internal/checktest"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// delayed serves requests with pauses of up to a millisecond before and after, so that those of several clients
// overlap.
func delayed(next http.Handler, seed uint64) http.Handler {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(seed, 2))
	pause := func() {
		mu.Lock()
		d := time.Duration(random.IntN(1000)) * time.Microsecond
		mu.Unlock()
		time.Sleep(d)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pause()
		next.ServeHTTP(w, r)
		pause()
	})
}

// withoutControl keeps clients from moving the clock, whose jumps among requests that overlap no recording shows.
func withoutControl(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/_understudy") {
			next.ServeHTTP(w, r)
		}
	})
}

// What clients did at the same time agrees with a mock whose ids are others: requests that overlapped are replayed in
// an order in which they can have taken effect. Where several orders can, a later answer may show that it was another
// one; so one recording of ten may differ. OVERLAPS sets the number of recordings, and OVERLAPPING that of clients.
func TestCompareOverlaps(t *testing.T) {
	t.Parallel()
	recordings, clients := mocktest.AtLeast(10, "OVERLAPS"), mocktest.AtLeast(6, "OVERLAPPING")
	var mu sync.Mutex
	var differing []string
	t.Run("recordings", func(t *testing.T) {
		for seed := range recordings {
			t.Run(strconv.Itoa(seed), func(t *testing.T) {
				t.Parallel()
				if r := compareOverlaps(t, uint64(seed), clients); r.Failed() {
					mu.Lock()
					defer mu.Unlock()
					differing = append(differing, checktest.Text(t, r))
				}
			})
		}
	})
	t.Logf("%d of %d recordings differ", len(differing), recordings)
	if len(differing) > recordings/10 {
		t.Errorf("%d of %d recordings differ, the first in:\n%s", len(differing), recordings, differing[0])
	}
}

func compareOverlaps(t *testing.T, seed uint64, clients int) *contract.Report {
	t.Helper()
	const acts = 25
	first, other := mocktest.NewServer(t), mocktest.NewServer(t, mockserver.WithSeed(2))
	if err := other.World("").SkipIDs(1000, countedKinds...); err != nil {
		t.Fatal(err)
	}
	recorder := contract.NewRecorder(nil)
	handler := withoutControl(recorder.Handler(delayed(first, seed)))
	var wg sync.WaitGroup
	for client := range uint64(clients) {
		v := checktest.NewVisitor(t, seed*uint64(clients)+client, handler, []string{"1/admin"})
		wg.Go(func() {
			for range acts {
				v.Act()
			}
		})
	}
	wg.Wait()
	r, err := checktest.Example(t).Compare(t.Context(), contract.Exchanges(slices.Values(recorder.Exchanges())),
		checktest.Subject(other.World("")))
	if err != nil {
		t.Fatal(err)
	}
	return r
}
