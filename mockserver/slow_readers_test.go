package mockserver_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query"
)

// largeEngine answers every query with so many MiB.
type largeEngine int

func (e largeEngine) Query(context.Context, query.Query) (query.Result, error) {
	result := query.Result{Columns: []query.Column{{Name: "text", Type: "varchar"}}}
	for range int(e) {
		result.Rows = append(result.Rows, []any{strings.Repeat("x", 1<<20)})
	}
	return result, nil
}

const largeResult = "/core/v3/job/result/1?format=csv"

// startLarge starts a mock with a job whose result is larger than the buffers of a connection.
func startLarge(t *testing.T, opts ...mockserver.Option) *mockserver.Server {
	t.Helper()
	opts = append(opts, mockserver.WithScenario("empty"), mockserver.WithQueryEngine(largeEngine(32)))
	s := mockserver.Start(t, opts...)
	mocktest.Call(t, s, "POST", "/core/v3/database/create/shop", "").Want(http.StatusOK)
	mocktest.Call(t, s, "POST", "/core/v3/job/issue/trino/shop", `{"query":"SELECT 1"}`).Want(http.StatusOK)
	mocktest.Call(t, s, "GET", "/core/v3/job/status/1", "").Want(http.StatusOK)
	return s
}

// ask sends a request, and reads nothing of its answer.
func ask(t *testing.T, s *mockserver.Server, target string) net.Conn {
	t.Helper()
	connection := dial(t, s)
	fmt.Fprintf(connection, "GET %s HTTP/1.1\r\nHost: mock\r\nAuthorization: %s\r\n\r\n", target, mocktest.Admin)
	return connection
}

func dial(t *testing.T, s *mockserver.Server) net.Conn {
	t.Helper()
	address, err := url.Parse(s.URL("core"))
	if err != nil {
		t.Fatal(err)
	}
	connection, err := new(net.Dialer).DialContext(t.Context(), "tcp", address.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	return connection
}

// newChat starts a chat with the first agent, and returns its id.
func newChat(t *testing.T, s *mockserver.Server) string {
	t.Helper()
	agent := jsontree.Find(mocktest.Call(t, s, "GET", "/llm/api/agents", "").Want(http.StatusOK).Body, "data.0.id")
	body := fmt.Sprintf(`{"data":{"type":"chats","attributes":{"agentId":%q}}}`, agent.Text())
	return jsontree.Find(mocktest.Call(t, s, "POST", "/llm/api/chats", body).Want(http.StatusCreated).Body,
		"data.id").Text()
}

// eventually waits until something is true that needs other goroutines.
// heap returns how many bytes are in use.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Clients that do not read share the bytes of their answers. Not parallel, since it measures the memory of the process.
func TestClientsThatDoNotReadShareAResult(t *testing.T) { //nolint:paralleltest // it measures the memory of the process
	s := startLarge(t, mockserver.WithWriteTimeout(time.Minute))
	before := heap()
	for range 30 {
		ask(t, s, largeResult)
	}
	mocktest.Eventually(t, "all clients have the beginning of their answers", func() bool { return s.Undelivered() == 30 })
	if more := int64(heap()) - int64(before); more > 4*32<<20 {
		t.Errorf("30 answers of 32 MiB that nobody reads take %d MiB more", more>>20)
	}
}

func TestClientsThatDoNotReadAreLeft(t *testing.T) {
	t.Parallel()
	t.Run("a result", func(t *testing.T) {
		t.Parallel()
		s := startLarge(t, mockserver.WithWriteTimeout(100*time.Millisecond))
		connection := ask(t, s, largeResult)
		buffer := make([]byte, 1000)
		if _, err := io.ReadFull(connection, buffer); err != nil {
			t.Fatal(err)
		}
		mocktest.Eventually(t, "the connection is closed", func() bool { return s.Undelivered() == 0 })
	})
	t.Run("a result over HTTP/2", func(t *testing.T) {
		t.Parallel()
		s := startLarge(t, mockserver.WithWriteTimeout(100*time.Millisecond), mockserver.WithTLS())
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
			s.URL("core")+strings.TrimPrefix(largeResult, "/core/v3"), nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", mocktest.Admin)
		response, err := s.Client().Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if response.ProtoMajor != 2 {
			t.Fatalf("it is %s", response.Proto)
		}
		mocktest.Eventually(t, "the stream is closed", func() bool { return s.Undelivered() == 0 })
	})
	t.Run("a stream of events", func(t *testing.T) {
		t.Parallel()
		s := mockserver.Start(t, mockserver.WithWriteTimeout(100*time.Millisecond), mockserver.WithScenario("agent-chat"))
		event := `{"content":"` + strings.Repeat("x", 8<<20) + `"}`
		mocktest.Call(t, s, "POST", "/_understudy/chats/turns", `{"events":[`+event+","+event+`]}`).Want(http.StatusCreated)
		const body = `{"input":"Hello!"}`
		connection := dial(t, s)
		fmt.Fprintf(connection, "POST /llm/api/chats/%s/continue HTTP/1.1\r\nHost: mock\r\nAuthorization: %s\r\n"+
			"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", newChat(t, s), mocktest.Admin, len(body), body)
		if _, err := io.ReadFull(connection, make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
		mocktest.Eventually(t, "the connection is closed", func() bool { return s.Undelivered() == 0 })
	})
	t.Run("one that reads slowly gets all of it", func(t *testing.T) {
		t.Parallel()
		s := startLarge(t, mockserver.WithWriteTimeout(2*time.Second))
		connection := ask(t, s, largeResult)
		total := 0
		buffer := make([]byte, 4<<20)
		for total < 32<<20 {
			time.Sleep(50 * time.Millisecond)
			n, err := connection.Read(buffer)
			if err != nil {
				t.Fatalf("after %d bytes: %v", total, err)
			}
			total += n
		}
	})
}
