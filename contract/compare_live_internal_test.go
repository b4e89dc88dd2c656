package contract

import (
	"net/http"
	"strings"
	"testing"

	"svc.example/understudy/specs/recording"
)

// Beyond its bounds, a comparison asks the mock no more. The report counts and says what was not compared.
func TestBoundsOfLiveComparisons(t *testing.T) {
	t.Parallel()
	const address, pool = "https://gw.svc.example/workflow/api/pools/1", `{"id":"1"}`
	body := &recording.Body{Bytes: []byte(pool)}
	checker, err := NewChecker(WithMockOnAllHosts())
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		exchanges, want, rest int
	}{
		"fewer than there are": {3, 3, 2},
		"as many as there are": {5, 5, 0},
		"more than there are":  {maxLiveExchanges, 5, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			mock := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				asked++
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(pool))
			})
			live, err := checker.CompareLive(Subject{Name: "the mock"})
			if err != nil {
				t.Fatal(err)
			}
			live.maxExchanges = tt.exchanges
			for seq := range int64(5) {
				live.Compare(t.Context(), mock, &recording.Exchange{
					Seq: seq + 1, Request: recording.Request{Method: http.MethodPatch, URL: address, Body: body},
					Response: &recording.Response{
						Status: 200, Headers: [][2]string{{"Content-Type", "application/json"}}, Body: body,
					},
				})
			}
			r := live.Report()
			var text strings.Builder
			if err := r.WriteText(&text); err != nil {
				t.Fatal(err)
			}
			rest := 0
			for _, s := range r.Comparison.Skipped {
				rest += s.Count
			}
			says := strings.Contains(text.String(), "2 exchanges: only the first ")
			if asked != tt.want || r.Comparison.Compared != tt.want || rest != tt.rest || says != (tt.rest > 0) {
				t.Errorf("the mock was asked %d times, %d were compared and %d were not, in words:\n%s", asked,
					r.Comparison.Compared, rest, &text)
			}
		})
	}
}
