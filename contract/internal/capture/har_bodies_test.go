package capture_test

import (
	"fmt"
	"strings"
	"testing"

	"svc.example/understudy/contract/internal/capture"
)

// A browser shows what it has in its cache as the body of a 304. Other bodies that HTTP does not allow were sent.
func TestBodiesInArchivesThatHTTPDoesNotAllow(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		method string
		status int
		size   int
		text   string
		want   string // empty for no body
	}{
		"204":                    {"DELETE", 204, 2, "{}", "{}"},
		"204, with an empty one": {"DELETE", 204, 0, "", ""},
		"HEAD":                   {"HEAD", 200, -1, "{}", "{}"},
		"HEAD, without one":      {"HEAD", 200, -1, "", ""},
		"304, from a cache":      {"GET", 304, 0, "{}", ""},
		"304, of unknown size":   {"GET", 304, -1, "{}", ""},
		"304, that was sent":     {"GET", 304, 2, "{}", "{}"},
	} {
		text := fmt.Sprintf(`{"log":{"version":"1.2","creator":{"name":"n","version":"1"},"entries":[{`+
			`"startedDateTime":"2026-05-04T01:00:00Z","time":1,"request":{"method":%q,"url":"https://h.example/x","headers":[]},`+
			`"response":{"status":%d,"headers":[],"bodySize":%d,"content":{"size":2,"mimeType":"application/json","text":%q}}}]}}`,
			tt.method, tt.status, tt.size, tt.text)
		for item, err := range capture.Read("a.har", strings.NewReader(text)).Items() {
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if item.Response.Body != nil {
				got = string(item.Response.Body.Bytes)
			}
			if got != tt.want || item.ResponseDoubt != "" {
				t.Errorf("%s: %q, in doubt since %q, want %q", name, got, item.ResponseDoubt, tt.want)
			}
		}
	}
}
