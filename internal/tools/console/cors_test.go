package console_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/tools/browser"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
)

// shopDocument is a document of the user's own.
const shopDocument = `openapi: 3.0.3
info: {title: Shop, version: "1"}
components:
  securitySchemes: {key: {type: apiKey, in: header, name: X-Shop-Key}}
security: [{key: []}]
paths:
  /products:
    post:
      operationId: createProduct
      requestBody:
        required: true
        content:
          application/json:
            schema: {type: object, required: [name], properties: {name: {type: string}}}
      responses:
        "201":
          description: made
          content: {application/json: {schema: {type: object, properties: {id: {type: string}, name: {type: string}}}}}
        "400": {description: refused}
`

// caller is a page that calls interfaces with credentials. It returns what it may read of an answer, which is nothing
// of one that the browser keeps from it.
const caller = `<!doctype html><title>Caller</title><script>
async function call(method, address, headers, body) {
	try {
		const answer = await fetch(address, {method, credentials: "include", headers, body});
		await answer.text();
		return answer.status + " " + (Number(answer.headers.get("X-Understudy-Exchange")) > 0);
	} catch (e) {
		return e.name;
	}
}
</script>`

// pageOf serves a page on an origin of its own.
func pageOf(t *testing.T, text string) *httptest.Server {
	t.Helper()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(page.Close)
	return page
}

// A page on an allowed origin reads answers and refusals of the interfaces, own documents included, and a page on any
// other origin reads none.
func TestBrowserCallsInterfacesOfAllowedOrigins(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "shop.yaml")
	if err := os.WriteFile(file, []byte(shopDocument), 0o600); err != nil {
		t.Fatal(err)
	}
	page := pageOf(t, caller)
	host := strings.TrimPrefix(page.URL, "http://")
	const key, shopKey = `{"Authorization": "SVC1 1/admin", "Content-Type": "application/json"}`,
		`{"X-Shop-Key": "k", "Content-Type": "application/json"}`
	for _, test := range []struct {
		name, origin string
		want         [5]string
	}{
		{"this origin", page.URL, [5]string{"200 true", "404 true", "503 true", "201 true", "400 true"}},
		{"any port", "http://127.0.0.1:*", [5]string{"200 true", "404 true", "503 true", "201 true", "400 true"}},
		{"another origin", "https://shop.example", [5]string{"TypeError", "TypeError", "TypeError", "TypeError", "TypeError"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := mockserver.Start(t, mockserver.WithCORS(test.origin), mockserver.WithSpec("shop", file),
				mockserver.WithFaults(fixtures.Fault{Calls: fixtures.Calls{Operation: "workflow.deletePool"}, Status: 503}))
			tab := browser.Open(t, host)
			tab.Go(page.URL + "/")
			for i, script := range []string{
				fmt.Sprintf(`call("GET", %q, %s)`, s.URL("workflow")+"/api/pools", key),
				fmt.Sprintf(`call("GET", %q, %s)`, s.URL("workflow")+"/api/pools/999", key),
				fmt.Sprintf(`call("DELETE", %q, %s)`, s.URL("workflow")+"/api/pools/999", key),
				fmt.Sprintf(`call("POST", %q, %s, '{"name": "a"}')`, s.URL("shop")+"/products", shopKey),
				fmt.Sprintf(`call("POST", %q, %s, '{}')`, s.URL("shop")+"/products", shopKey),
			} {
				if got := browser.Value[string](tab, script); got != test.want[i] {
					t.Errorf("%s: the page reads %q, want %q", script, got, test.want[i])
				}
			}
			control := fmt.Sprintf(`call("GET", %q, {"X-Client": "a"})`, s.URL(specs.Control)+"/worlds")
			if got := browser.Value[string](tab, control); got != "TypeError" {
				t.Errorf("the page reads %q of the control interface", got)
			}
		})
	}
}

// sender is a page that posts events as the platform's library for browsers does: with credentials, its own media type
// and headers, and compressed if it is asked for. It tells what it read of the answer.
const sender = `<!doctype html><title>Shop</title><script>
async function post(address, events, type, packed) {
	let body = JSON.stringify(events);
	const headers = {"Authorization": "SVC1 1/write", "Content-Type": type, "X-SVC-Fetch-Api": "true"};
	if (packed) {
		headers["Content-Encoding"] = "gzip";
		body = await new Response(new Blob([body]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
	}
	try {
		const answer = await fetch(address, {method: "POST", credentials: "include", keepalive: true, headers, body});
		return answer.status + " " + await answer.text();
	} catch (e) {
		return String(e);
	}
}
</script>`

// The way of a browser, from the preflight to the answer, between two origins.
func TestBrowserPostsEventsWithCredentials(t *testing.T) {
	t.Parallel()
	page := pageOf(t, sender)
	s := mockserver.Start(t, mockserver.WithScenario("quickstart"))
	tab := browser.Open(t, strings.TrimPrefix(page.URL, "http://"))
	send(t, "POST", s.URL("core")+"/table/create/shop/views", "").ok(t)
	tab.Go(page.URL + "/")
	sent := 0
	for _, address := range []string{
		s.URL("ingestion") + "/shop/views", s.URL("ingestion") + "//shop/views",
		s.URL("ingestion") + "/postback/v3/event/shop/views",
	} {
		for _, kind := range []string{"application/vnd.svc.v1+json", "application/vnd.svc.v1.js+json"} {
			for _, packed := range []bool{false, true} {
				script := fmt.Sprintf(`post(%q, {events: [{path: "/a"}, {path: "/b"}]}, %q, %t)`, address, kind, packed)
				if got := browser.Value[string](tab, script); got != "200 {}" {
					t.Errorf("%s: the page reads %q", script, got)
				}
				sent += 2
			}
		}
	}
	refused := fmt.Sprintf(`post(%q, {}, "text/plain")`, s.URL("ingestion")+"/shop/views")
	if got := browser.Value[string](tab, refused); got != "400 {}" {
		t.Errorf("the page reads %q of a refusal", got)
	}
	elsewhere := fmt.Sprintf(`post(%q, {}, "application/json")`, s.URL("workflow")+"/api/pools")
	if got := browser.Value[string](tab, elsewhere); !strings.Contains(got, "TypeError") {
		t.Errorf("a page may read another interface: %q", got)
	}
	table := send(t, "GET", s.URL("core")+"/table/show/shop/views", "").ok(t)
	if count := jsontree.Find(table, "count").Int(); count != int64(sent) {
		t.Errorf("the table counts %d records, want %d", count, sent)
	}
}
