package snippet_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs/recording"
)

// served sends requests to a mock, one after the other, and returns them as its journal has them.
func served(t *testing.T, requests ...*http.Request) []*recording.Exchange {
	t.Helper()
	mock, err := mockserver.New(mockserver.WithScenario("full-account"), mockserver.WithClock("frozen"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = mock.Close() })
	for _, r := range requests {
		mock.ServeHTTP(httptest.NewRecorder(), r)
	}
	return journal(t, mock)
}

// asked is a request with the administrator's key.
func asked(t *testing.T, method, path, body string, headers ...string) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "http://127.0.0.1:4010"+path, strings.NewReader(body))
	r.Header.Set("Authorization", "SVC1 1/admin")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

// requests returns requests to all kinds of answers of the mock. Each is for a world as it begins.
func requests(t *testing.T) map[string]*http.Request {
	t.Helper()
	withoutKey := asked(t, "GET", "/workflow/api/pools", "")
	withoutKey.Header.Del("Authorization")
	byHost := asked(t, "GET", "/api/pools", "")
	byHost.Host = "workflow.localhost:4010"
	return map[string]*http.Request{
		"a list":               asked(t, "GET", "/workflow/api/pools", ""),
		"a query":              asked(t, "GET", "/core/v3/job/list?from=0&to=1", ""),
		"a refusal":            asked(t, "DELETE", "/workflow/api/pools/2", ""),
		"a path of a host":     byHost,
		"a path of a world":    asked(t, "GET", "/_worlds/default/workflow/api/pools", ""),
		"an unknown path":      asked(t, "GET", "/workflow/api/poolz?a=$b'c%20d%23", ""),
		"a known method":       asked(t, "PATCH", "/workflow/api/pools", "{}"),
		"no key":               withoutKey,
		"an unknown key":       asked(t, "GET", "/workflow/api/pools", "", "Authorization", "SVC1 1/none"),
		"a new pool":           asked(t, "POST", "/workflow/api/pools", `{"name":"it's $POOL","concurrencyLimit":1}`),
		"a hidden character":   asked(t, "POST", "/workflow/api/pools", "{\r\n\"name\":\"\u202etxet \u0085\",\"concurrencyLimit\":1}"),
		"lines":                asked(t, "POST", "/workflow/api/pools", "{\n  \"name\": \"lines\",\n  \"concurrencyLimit\": 1\n}\n"),
		"a long body":          asked(t, "POST", "/workflow/api/pools", `{"name":"`+strings.Repeat("x", 200)+`","concurrencyLimit":1}`),
		"a secret in the body": asked(t, "POST", "/workflow/api/pools", `{"name":"s","concurrencyLimit":1,"api_key":"abcdefgh"}`),
		"a key in the address": asked(t, "GET", "/core/v3/job/list?api_key=abc", ""),
		"other headers":        asked(t, "GET", "/workflow/api/pools", "", "X-Request-Id", "a\"b`c", "X-Understudy-World", "default"),
		"a list of a database": asked(t, "GET", "/core/v3/database/list", ""),
		"a resource":           asked(t, "GET", "/workflow/api/pools/1", ""),
	}
}

func journal(t *testing.T, mock *mockserver.Server) (exchanges []*recording.Exchange) {
	t.Helper()
	w := httptest.NewRecorder()
	mock.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/_understudy/journal.ndjson", nil))
	for line := range strings.Lines(w.Body.String()) {
		e := &recording.Exchange{}
		if err := json.Unmarshal([]byte(line), e); err != nil {
			t.Fatal(err)
		}
		exchanges = append(exchanges, e)
	}
	return exchanges
}
