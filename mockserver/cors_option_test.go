package mockserver_test

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// ownShop is a server with an interface of the user's own.
func ownShop(t *testing.T, opts ...mockserver.Option) *mockserver.Server {
	t.Helper()
	file := filepath.Join(t.TempDir(), "shop.yaml")
	if err := os.WriteFile(file, []byte(mocktest.Modern), 0o600); err != nil {
		t.Fatal(err)
	}
	return mocktest.NewServer(t, append(opts, mockserver.WithSpec("shop", file))...)
}

func TestPagesOfAllowedOrigins(t *testing.T) {
	t.Parallel()
	everywhere := []string{
		"/core/v3/database/list", "/workflow/api/pools", "/llm/api/projects", "/dwh/v1/dwh/",
		"/audience/audiences/61/segments", "/shop/api/pools", "/workflow/api/nothing", "/nothing",
		"http://workflow.localhost/api/pools", "/_worlds/default/core/v3/database/list",
	}
	t.Run("a preflight is allowed at every address, with the method and the headers that it asks for", func(t *testing.T) {
		t.Parallel()
		s := ownShop(t, mockserver.WithCORS(shopPage))
		for _, target := range everywhere {
			a := mocktest.Call(t, s, "OPTIONS", target, "", "Authorization", "", "Origin", shopPage,
				"Access-Control-Request-Method", "PATCH", "Access-Control-Request-Headers", "x-client").Want(204)
			got := allowed(a)
			if got["Access-Control-Allow-Origin"] != shopPage || got["Access-Control-Allow-Credentials"] != "true" ||
				got["Access-Control-Allow-Methods"] != "PATCH" || !strings.HasPrefix(got["Vary"], "Origin") ||
				got["Access-Control-Allow-Headers"] != "Authorization, Content-Type, X-Understudy-World, x-client" {
				t.Errorf("%s has %v", target, got)
			}
		}
		if journal, err := s.World("").Journal(); err != nil || len(journal) != 0 {
			t.Errorf("the journal has %d exchanges, error %v", len(journal), err)
		}
	})
	t.Run("answers and refusals let the page read them, with all of their headers", func(t *testing.T) {
		t.Parallel()
		s := ownShop(t, mockserver.WithCORS(shopPage))
		for _, target := range everywhere {
			for _, key := range []string{mocktest.Admin, ""} {
				got := allowed(mocktest.Call(t, s, "GET", target, "", "Origin", shopPage, "Authorization", key))
				if got["Access-Control-Allow-Origin"] != shopPage || got["Access-Control-Allow-Credentials"] != "true" ||
					got["Vary"] != "Origin" || !strings.Contains(got["Access-Control-Expose-Headers"], "X-Understudy-Exchange") {
					t.Errorf("%s has %v", target, got)
				}
			}
		}
		created := mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"name":"a"}`, "Origin", shopPage)
		if got := allowed(created); !strings.Contains(got["Access-Control-Expose-Headers"], "Content-Type") {
			t.Errorf("exposed are %v", got)
		}
	})
	t.Run("so do injected failures and stubs, unless they say themselves who may read them", func(t *testing.T) {
		t.Parallel()
		s := ownShop(t, mockserver.WithCORS("*"))
		for _, f := range []fixtures.Fault{
			{Status: 503}, {Status: 429, Headers: map[string]string{"access-control-allow-origin": "https://other.example"}},
		} {
			f.Calls.Operation, f.First = "workflow.listPools", 1
			if _, err := s.World("").Fault(f); err != nil {
				t.Fatal(err)
			}
			a := mocktest.Call(t, s, "GET", "/workflow/api/pools", "", "Origin", shopPage).Want(f.Status)
			want := cmp.Or(f.Headers["access-control-allow-origin"], shopPage)
			if got := a.Header.Values("Access-Control-Allow-Origin"); len(got) != 1 || got[0] != want {
				t.Errorf("%d allows %v, want %s", f.Status, got, want)
			}
			for _, planned := range s.World("").Faults() {
				if err := planned.Remove(); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
	t.Run("others may not, and caches know that it depends on the origin", func(t *testing.T) {
		t.Parallel()
		s := ownShop(t, mockserver.WithCORS(shopPage))
		for _, origin := range []string{"https://other.example", ""} {
			got := allowed(mocktest.Call(t, s, "GET", "/shop/api/pools", "", "Origin", origin))
			if got["Access-Control-Allow-Origin"] != "" || got["Vary"] != "Origin" {
				t.Errorf("%q has %v", origin, got)
			}
		}
		mocktest.Call(t, s, "OPTIONS", "/shop/api/pools", "", "Origin", "https://other.example",
			"Access-Control-Request-Method", "GET").Want(405)
	})
	t.Run("the control interface is for none of them, and events are for all as before", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t, mockserver.WithCORS("*"))
		for _, method := range []string{"GET", "OPTIONS"} {
			a := mocktest.Call(t, s, method, "/_understudy/worlds", "", "Origin", shopPage,
				"Access-Control-Request-Method", "GET")
			if got := allowed(a.Want(403)); len(got) != 0 {
				t.Errorf("%s has %v", method, got)
			}
		}
		s = mocktest.NewServer(t, mockserver.WithCORS("https://other.example"))
		if got := allowed(preflight(t, s, orders).Want(204))["Access-Control-Allow-Methods"]; got != "POST" {
			t.Errorf("allowed are %s", got)
		}
		if got := allowed(mocktest.Call(t, s, "POST", orders, `{"a":1}`, "Origin", shopPage)); len(got) != 3 {
			t.Errorf("an event has %v", got)
		}
	})
}

func TestOriginsOfPages(t *testing.T) {
	t.Parallel()
	for pattern, origins := range map[string]map[string]bool{
		"*":                          {"https://a.example": true, "null": true, "http://localhost:1": true},
		"null":                       {"null": true, "https://a.example": false},
		"https://shop.example":       {"https://shop.example": true, "http://shop.example": false, "https://shop.example:8443": false, "https://a.shop.example": false, "null": false},
		"https://Shop.example:443":   {"https://shop.example": true},
		"http://localhost:5173":      {"http://localhost:5173": true, "http://localhost": false},
		"http://localhost:*":         {"http://localhost:5173": true, "http://localhost": true, "https://localhost:1": false, "http://localhost.evil.example": false, "http://localhost:1.evil.example": false},
		"http://[::1]:*":             {"http://[::1]:5173": true},
		"https://*.shop.example":     {"https://a.shop.example": true, "https://a.b.shop.example": true, "https://shop.example": false, "https://ashop.example": false, "https://a.shop.example:1": false},
		"https://*.shop.example:*":   {"https://a.shop.example:1": true},
		"https://shop.example:00443": {}, // no browser sends it, which matches nothing
	} {
		s := mocktest.NewServer(t, mockserver.WithCORS("https://first.example", pattern))
		for origin, want := range origins {
			got := mocktest.Call(t, s, "GET", "/workflow/api/pools", "", "Origin",
				origin).Header.Get("Access-Control-Allow-Origin")
			if (got == origin) != want {
				t.Errorf("%s allows %s: %t, want %t", pattern, origin, got == origin, want)
			}
		}
	}
	for _, wrong := range []string{
		"", "shop.example", "localhost:5173", "https://shop.example/", "https://shop.example/a", "ftp://shop.example",
		"https://a.*.example", "http://*", "http://:80", "https://u@shop.example", "http://a:b",
	} {
		_, err := mockserver.New(mockserver.WithCORS(wrong))
		if err == nil || !strings.Contains(err.Error(), "want scheme, host and port alone, as in https://shop.example") {
			t.Errorf("%q: error %v", wrong, err)
		}
	}
}
