package control_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
)

// Probes of load balancers and containers often use HEAD.
func TestHeadIsGetWithoutTheBody(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithClock("frozen"))
	mocktest.Call(t, s, "POST", "/_understudy/worlds", `{"id":"own","clock":"frozen"}`).Want(201)
	for _, operation := range controlDocument(t).Operations {
		if operation.Method != http.MethodGet {
			continue
		}
		for _, line := range controlProbes[operation.ID] {
			path, status, _ := strings.Cut(line, " ")
			get, head := mocktest.Call(t, s, "GET", "/_understudy"+path, ""), mocktest.Call(t, s, "HEAD",
				"/_understudy"+path, "")
			if head.Body != "" || strconv.Itoa(head.Status) != status {
				t.Errorf("HEAD %s: %d and %q, want %s and no body", path, head.Status, head.Body, status)
			}
			isOfWorld := operation.ID == "getWorld" || operation.ID == "listWorlds" // which say when it expires
			if path == "/metrics" || isOfWorld {                                    // metrics count the requests for them
				get.Header.Del("Content-Length")
				head.Header.Del("Content-Length")
			}
			if diff := cmp.Diff(get.Header, head.Header); diff != "" {
				t.Errorf("HEAD %s: the headers are not those of GET (-GET +HEAD):\n%s", path, diff)
			}
		}
	}
}

func TestHeadOverANetwork(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(mocktest.NewServer(t))
	defer server.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodHead, server.URL+"/_understudy/health", nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // on one connection
		a, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Body.Close(); err != nil {
			t.Fatal(err)
		}
		if least := int64(len(`{"status":"ok"}`)); a.StatusCode != http.StatusOK || a.ContentLength < least {
			t.Errorf("status %d, Content-Length %d; want 200 and %d at least", a.StatusCode, a.ContentLength, least)
		}
	}
}

func TestMethodsThatAreAllowed(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t)
	for _, test := range []struct{ method, path, allow string }{
		{"POST", "/_understudy/health", "GET, HEAD"},
		{"DELETE", "/_understudy/worlds", "GET, POST, HEAD"},
		{"HEAD", "/_understudy/worlds/default/reset", "POST"},
		{"HEAD", "/workflow/api/pools", "GET, POST"}, // no operation of the platform is a HEAD
	} {
		a := mocktest.Call(t, s, test.method, test.path, "").Want(405)
		if got := a.Header.Get("Allow"); got != test.allow {
			t.Errorf("%s %s: Allow %q, want %q", test.method, test.path, got, test.allow)
		}
	}
}

func controlDocument(t *testing.T) *specs.Document {
	t.Helper()
	doc, err := specs.Load(specs.Control, "")
	if err != nil {
		t.Fatal(err)
	}
	return doc
}
