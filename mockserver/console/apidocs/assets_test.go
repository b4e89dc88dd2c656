package apidocs_test

import (
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"svc.example/understudy/mockserver/console/apidocs"
)

// asset asks for a file.
func asset(t *testing.T, method, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	recorder := httptest.NewRecorder()
	apidocs.Assets().ServeHTTP(recorder, request)
	return recorder
}

// TestVendored compares the file that is served with what assets/README.md says of it, and its version with the pinned
// one.
func TestVendored(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("assets/README.md")
	if err != nil {
		t.Fatal(err)
	}
	versions, err := os.ReadFile("../../../.ci/versions.env")
	if err != nil {
		t.Fatal(err)
	}
	pinned := regexp.MustCompile(`(?m)^RAPIDOC_VERSION=(\S+)`).FindStringSubmatch(string(versions))
	if pinned == nil {
		t.Fatal(".ci/versions.env pins no version")
	}
	content := asset(t, http.MethodGet, "/rapidoc-min.js").Body.String()
	want := fmt.Sprintf("rapidoc-min.js %s sha256:%x\n", pinned[1], sha256.Sum256([]byte(content)))
	if !strings.Contains(string(readme), want) {
		t.Errorf("assets/README.md lacks the line\n%s`task vendor:rapidoc` writes both", want)
	}
	if banner := "RapiDoc " + pinned[1]; !strings.Contains(content[:200], banner) {
		t.Errorf("the file begins with %q, want %s in it", content[:200], banner)
	}
	if licence := asset(t, http.MethodGet, "/LICENSE").Body.String(); !strings.Contains(licence, "MIT License") ||
		!strings.Contains(licence, "js-yaml 4.1.0") {
		t.Errorf("the licence is %s", licence)
	}
}

func TestAssets(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"/rapidoc-min.js", "/apidocs.js", "/apidocs.css", "/LICENSE"} {
		plain := asset(t, http.MethodGet, name)
		packed := asset(t, http.MethodGet, name, "Accept-Encoding", "br, gzip;q=0.8")
		reader, err := gzip.NewReader(packed.Body)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		unpacked, err := io.ReadAll(reader)
		if err != nil || string(unpacked) != plain.Body.String() || len(unpacked) == 0 {
			t.Errorf("%s: the compressed file is another one, error %v", name, err)
		}
		if plain.Header().Get("Content-Encoding") != "" || packed.Header().Get("Content-Encoding") != "gzip" {
			t.Errorf("%s: encodings %v, %v", name, plain.Header(), packed.Header())
		}
		if plain.Header().Get("ETag") == packed.Header().Get("ETag") || packed.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: a cache confuses the two forms: %v, %v", name, plain.Header(), packed.Header())
		}
		again := asset(t, http.MethodGet, name, "Accept-Encoding", "gzip", "If-None-Match", packed.Header().Get("ETag"))
		if again.Code != http.StatusNotModified || again.Body.Len() != 0 {
			t.Errorf("%s: %d with %d bytes for what the client has", name, again.Code, again.Body.Len())
		}
		if head := asset(t, http.MethodHead, name); head.Code != http.StatusOK || head.Body.Len() != 0 {
			t.Errorf("%s: HEAD gets %d with %d bytes", name, head.Code, head.Body.Len())
		}
	}
	for name, want := range map[string]string{
		"/rapidoc-min.js": "text/javascript; charset=utf-8", "/apidocs.css": "text/css; charset=utf-8",
		"/LICENSE": "text/plain; charset=utf-8",
	} {
		if got := asset(t, http.MethodGet, name).Header().Get("Content-Type"); got != want {
			t.Errorf("%s: type %s, want %s", name, got, want)
		}
	}
}

func TestAssetsRefuse(t *testing.T) {
	t.Parallel()
	for _, encoding := range []string{"", "identity", "gzip;q=0", "gzip; q=0.0", "xgzip", "br"} {
		if got := asset(t, http.MethodGet, "/apidocs.js", "Accept-Encoding", encoding); got.Header().Get("Content-Encoding") != "" {
			t.Errorf("a client that accepts %q gets gzip", encoding)
		}
	}
	for _, name := range []string{"/", "/README.md", "/rapidoc-min.js.gz", "/../apidocs.go", "//apidocs.js"} {
		if got := asset(t, http.MethodGet, name).Code; got != http.StatusNotFound {
			t.Errorf("%s gets %d", name, got)
		}
	}
	if got := asset(t, http.MethodPost, "/apidocs.js"); got.Code != http.StatusMethodNotAllowed || got.Header().Get("Allow") == "" {
		t.Errorf("POST gets %d %v", got.Code, got.Header())
	}
}

// TestPageEscapes puts into a page what could end an attribute.
func TestPageEscapes(t *testing.T) {
	t.Parallel()
	const hostile = `"><script>alert(1)</script>`
	page := apidocs.Page{
		Interface: hostile, SpecURL: "javascript:alert(1)", ServerURL: hostile, Assets: "x/", World: hostile,
		Worlds: []string{hostile}, Keys: []apidocs.Key{{Label: hostile, Value: hostile}},
	}
	if got := string(page.HTML()); strings.Contains(got, "<script>") || strings.Contains(got, `href="javascript:`) {
		t.Errorf("the page is\n%s", got)
	}
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	for server, want := range map[string]string{
		"http://127.0.0.1:4011/core/v3": "connect-src 'self' http://127.0.0.1:4011;",
		"https://core.mock.example/v3":  "connect-src 'self' https://core.mock.example;",
		"/core/v3":                      "connect-src 'self';",
		"http://a;script-src *;/":       "connect-src 'self';",
		"javascript://a/":               "connect-src 'self';",
		"http://[::1]:4010/":            "connect-src 'self' http://[::1]:4010;",
	} {
		got := apidocs.Page{ServerURL: server}.Policy()
		if !strings.Contains(got, want) || !strings.Contains(got, "script-src 'self';") || strings.Count(got, "script-src") != 1 {
			t.Errorf("%s: the policy is %s, want %s in it", server, got, want)
		}
	}
}
