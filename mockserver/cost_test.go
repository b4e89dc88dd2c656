package mockserver_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// manyResources returns a fixture of n resources of several kinds, each of which refers to another one. The attempts
// wait in the end for a second task.
func manyResources(n int) []byte {
	var users, keys, databases, projects, attempts, audiences, segments strings.Builder
	for i := range n {
		fmt.Fprintf(&users, `,{"id":%d,"name":"u%d","email":"u%d@shop.example","role":"administrator"}`, i+1, i, i)
		fmt.Fprintf(&keys, `,{"key":"1/k%d","user":"u%d@shop.example"}`, i, i)
		fmt.Fprintf(&databases, `,{"name":"data%d","owner":"u%d@shop.example","tables":[{"name":"all"}]}`, i, i)
		fmt.Fprintf(&projects, `,{"name":"p%d","revisions":[{"name":"r","user":"u%d@shop.example","createdAt":"now-1d",`+
			`"files":{"w.dig":"+a:\n  echo>: a\n+b:\n  echo>: b\n"}}]}`, i, i)
		fmt.Fprintf(&attempts, `,{"project":"p%d","workflow":"w","sessionTime":"now-%dm","createdAt":"now-1h",`+
			`"status":"running","task":"+b","takes":"2h"}`, i, i)
		fmt.Fprintf(&audiences, `,{"id":%d,"name":"a%d","database":"data%d","table":"all"}`, i+1, i, i)
		fmt.Fprintf(&segments, `,{"name":"s%d","audience":"a%d","user":"u%d@shop.example"}`, i, i, i)
	}
	return fmt.Appendf(nil, `{"account":{"users":[%s],"keys":[%s]},"core":{"databases":[%s]},`+
		`"workflow":{"accountLimit":%d,"projects":[%s],"attempts":[%s]},"audience":{"audiences":[%s],"segments":[%s]}}`,
		users.String()[1:], keys.String()[1:], databases.String()[1:], n, projects.String()[1:], attempts.String()[1:],
		audiences.String()[1:], segments.String()[1:])
}

// What it costs to replace the state of a world is in proportion to the new one.
//
//nolint:paralleltest // others would allocate as well
func TestAStateIsLoadedAtACostInProportion(t *testing.T) {
	server, err := mockserver.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	cost := func(n int) float64 {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPut, "/_understudy/worlds/default/state",
			bytes.NewReader(manyResources(n)))
		request.Header.Set("Content-Type", "application/json")
		answer := httptest.NewRecorder()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		server.ServeHTTP(answer, request)
		runtime.ReadMemStats(&after)
		if answer.Code != http.StatusOK {
			t.Fatalf("answer %d: %.500s", answer.Code, answer.Body)
		}
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	cost(10) // reads the documents
	few, many := cost(200), cost(800)
	if times := many / few; times > 6 {
		t.Errorf("four times as many resources take %.1f times the memory: %.0f and %.0f bytes", times, few, many)
	}
}

// A key of a document of one's own is in no account, so that the server looks for it among those of all worlds with
// minted keys. Of worlds that nothing has used yet, that takes no memory.
//
//nolint:paralleltest // others would allocate as well
func TestUnknownKeysTakeNoMemoryOfWorldsWithKeys(t *testing.T) {
	server, err := mockserver.New(mockserver.WithSpec("shop", "testdata/orders.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	cost := func() float64 {
		return testing.AllocsPerRun(100, func() {
			mocktest.Call(t, server, "GET", "/shop/v1/orders", "", "Authorization", "Bearer a").Want(200)
		})
	}
	mocktest.Call(t, server, "POST", "/_understudy/worlds", `{"mintKeys":true}`).Want(201)
	one := cost()
	for range 50 {
		mocktest.Call(t, server, "POST", "/_understudy/worlds", `{"mintKeys":true}`).Want(201)
	}
	if many := cost(); many > one+5 {
		t.Errorf("a request takes %.0f allocations beside one world, and %.0f beside 51", one, many)
	}
}
