package mockserver_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
)

// get returns what the world answers to a GET.
func get(w *mockserver.World, path string) (string, error) {
	address := "http://localhost" + mockserver.Address("workflow") + path
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, address, http.NoBody)
	if err != nil {
		return "", err
	}
	request.Header.Set("Authorization", "SVC1 1/admin")
	response, err := w.Client().Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return string(body), err
}

// A server is an http.Handler. Each of its worlds has a client.
func ExampleNew() {
	server, err := mockserver.New(mockserver.WithScenario("quickstart"), mockserver.WithClock(mockserver.ClockFrozen))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = server.Close() }()
	fmt.Println(get(server.World(""), "/api/pools/1"))
	// Output: {"id":"1","name":"default","concurrencyLimit":14,"default":true} <nil>
}

// One interface is answered by the real service, here a stand-in, and the others by the mock. Faults come before.
func ExampleWithTarget() {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "the real service at ", r.URL.Path)
	}))
	defer service.Close()
	server, err := mockserver.New(mockserver.WithTarget(specs.Workflow, service.URL))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = server.Close() }()
	fmt.Println(get(server.World(""), "/api/pools/1"))
	fmt.Println(server.World("").Calls("workflow.getPool"))
	// Output:
	// the real service at /api/pools/1 <nil>
	// 1
}

// A fork goes its own way. It takes microseconds, so that each test can have one.
func ExampleWorld_Fork() {
	server, err := mockserver.New(mockserver.WithClock(mockserver.ClockFrozen))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = server.Close() }()
	fork := server.World("").Fork()
	fork.Advance(24 * time.Hour)
	fmt.Println(fork.Now().Sub(server.World("").Now()))
	// Output: 24h0m0s
}

// A stub answers calls that fit a regular expression, with parts of the request.
func ExampleWorld_Stub() {
	server, err := mockserver.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = server.Close() }()
	_, err = server.World("").Stub(fixtures.Fault{
		Calls: fixtures.Calls{Operation: "workflow.getPool", Request: fixtures.RequestParts{
			Matches: &fixtures.RequestPatterns{Path: "^/api/pools/9[0-9]+$"},
		}},
		Template: true, Body: map[string]any{"id": "{{.Path.poolId}}", "name": "pool {{.Path.poolId}}"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(get(server.World(""), "/api/pools/917"))
	// Output: {"id":"917","name":"pool 917"} <nil>
}

// A job gives what was queued for its query, in place of what an engine would.
func ExampleWorld_QueueResult() {
	server, err := mockserver.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = server.Close() }()
	err = server.World("").QueueResult(mockserver.JobResult{
		Query: "SELECT COUNT(1) FROM orders", Columns: [][2]string{{"count", "bigint"}}, Rows: [][]any{{42}},
	})
	fmt.Println(err)
	// Output: <nil>
}

// A task ends as was queued for it.
func ExampleWorld_QueueOutcome() {
	server, err := mockserver.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = server.Close() }()
	fmt.Println(server.World("").QueueOutcome(mockserver.Outcome{Project: "reporting", Error: "no space left", Times: 1}))
	// Output: <nil>
}
