// Package console_test uses the pages of the console as people do, in headless Chromium.
package console_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/console"
	"svc.example/understudy/mockserver/query/sqlite"
	"svc.example/understudy/specs"
)

// start serves a mock with a console at an address of its own.
func start(tb testing.TB, opts ...mockserver.Option) (*mockserver.Server, string) {
	tb.Helper()
	server, err := mockserver.New(append([]mockserver.Option{
		mockserver.WithScenario("full-account"), mockserver.WithClock("frozen"), mockserver.WithConsole(console.New()),
	}, opts...)...)
	if err != nil {
		tb.Fatal(err)
	}
	listening := httptest.NewServer(server)
	tb.Cleanup(listening.Close)
	return server, listening.URL
}

func host(tb testing.TB, base string) string {
	tb.Helper()
	u, err := url.Parse(base)
	if err != nil {
		tb.Fatal(err)
	}
	return u.Host
}

// answer holds the answer to a client without a browser.
type answer struct {
	status int
	body   string
}

// ok returns the body of an answer of 200 or 201.
func (a answer) ok(t *testing.T) string {
	t.Helper()
	if a.status != http.StatusOK && a.status != http.StatusCreated {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	return a.body
}

// send sends a request to an interface as the administrator, with further headers as name, value, and so on.
func send(t *testing.T, method, address, body string, headers ...string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "SVC1 1/admin")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{response.StatusCode, string(text)}
}

// fill sends requests within the process, of which one in ten asks for what is not there.
func fill(tb testing.TB, server http.Handler, n int) {
	tb.Helper()
	for i := range n {
		path := "/workflow/api/pools/1"
		if i%10 == 0 {
			path = "/workflow/api/pools/99"
		}
		r := httptest.NewRequestWithContext(tb.Context(), http.MethodGet, path, nil)
		r.Header.Set("Authorization", "SVC1 1/admin")
		server.ServeHTTP(httptest.NewRecorder(), r)
	}
}

// serveShop serves a user's own document, alone or beside others, with products of which each next one costs less.
func serveShop(t *testing.T, products int, others ...specs.Interface) (base string) {
	t.Helper()
	_, base = start(t, mockserver.WithScenario("quickstart"), mockserver.WithInterfaces(append(others, "shop")...),
		mockserver.WithQueryEngine(sqlite.New()),
		mockserver.WithSpec("shop", "../../../mockserver/testdata/own/shop.yaml"))
	for i := range products {
		toShop(t, http.MethodPost, base+"/shop/v1/products", fmt.Sprintf(`{"name":"flower %d","price":%d}`, i+1, products-i)).ok(t)
	}
	return base
}

func toShop(t *testing.T, method, address, body string) answer {
	t.Helper()
	return send(t, method, address, body, "Authorization", "Bearer any", "Content-Type", "application/json")
}

// makeChat makes a project, an agent and a chat with a quoted name, which is what the chat begins with.
func makeChat(t *testing.T, base, name string) (agent, chat string) {
	t.Helper()
	id := regexp.MustCompile(`"data":\{"id":"([^"]+)"`)
	made := func(kind, attributes string) string {
		body := send(t, http.MethodPost, base+"/llm/api/"+kind,
			`{"data":{"type":"`+kind+`","attributes":{`+attributes+`}}}`).ok(t)
		return id.FindStringSubmatch(body)[1]
	}
	project := made("projects", `"name":`+name)
	agent = made("agents", `"projectId":"`+project+`","modelType":"claude-4.5-sonnet","name":`+name)
	chat = made("chats", `"agentId":"`+agent+`"`)
	send(t, http.MethodPost, base+"/llm/api/chats/"+chat+"/continue", `{"input":`+name+`}`).ok(t)
	return agent, chat
}
