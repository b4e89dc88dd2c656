package mockserver_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// BenchmarkJournalRows pages through a hundred thousand exchanges: without a filter, with one that is new each time,
// and with one that is remembered.
func BenchmarkJournalRows(b *testing.B) {
	s, err := mockserver.New(mockserver.WithScenario("full-account"), mockserver.WithClock("frozen"),
		mockserver.WithJournalLimit(1<<30))
	if err != nil {
		b.Fatal(err)
	}
	get := func(path string) {
		r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, path, nil)
		r.Header.Set("Authorization", mocktest.Admin)
		w := counting{nothing: nothing{http.Header{}}}
		if s.ServeHTTP(&w, r); w.status != http.StatusOK {
			b.Fatalf("%s answers %d", path, w.status)
		}
	}
	paths := []string{"/workflow/api/pools/1", "/workflow/api/pools", "/core/v3/database/list", "/workflow/api/attempts/1"}
	for n := range 100_000 {
		get(paths[n%len(paths)])
	}
	for _, query := range []string{
		"limit=100", "limit=1000", "limit=100&from=-100", "operation=workflow.*&status=2xx", "operation=workflow.*&new",
		"text=nightly", "text=nightly-NEW", "text=pool&new", "resource=workflow.pool/1&new",
		"resource=core.database/none&new",
	} {
		b.Run(query, func(b *testing.B) {
			n := 0
			for b.Loop() {
				n++
				asked := strings.Replace(query, "NEW", fmt.Sprint(n), 1)
				if strings.HasSuffix(query, "&new") {
					asked = strings.TrimSuffix(query, "new") + fmt.Sprintf("operation=*&status=2xx&status=%d", 300+n%300)
				}
				get("/_understudy/journal/rows?" + asked)
			}
		})
	}
}
