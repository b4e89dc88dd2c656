package console_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"svc.example/understudy/internal/tools/browser"
	"svc.example/understudy/mockserver"
)

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
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, sender)
	}))
	t.Cleanup(page.Close)
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
	if count := gjson.Get(table, "count").Int(); count != int64(sent) {
		t.Errorf("the table counts %d records, want %d", count, sent)
	}
}
