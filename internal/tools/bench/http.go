package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"svc.example/understudy/internal/tools/must"
	"svc.example/understudy/mockserver"
)

const connections = 16

// load is the amount of requests: rounds of them, spread over all connections. Before each round the world is put back
// to the state in which prepare, if there is one, left it.
type load struct {
	rounds, requests int
	prepare          func(context.Context, *mockserver.World)
	file             string // of a document of the user's own, the shop; empty if there is none
}

// getOne compares a GET, both validations and the journal on, with a bare handler that writes the same bytes.
func getOne(ctx context.Context) (string, string) {
	return compare(ctx, load{rounds: 20, requests: 3000}, getPool)
}

func getPool(int64) string {
	return "GET /workflow/api/pools/1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: SVC1 1/admin\r\n\r\n"
}

// create compares a POST that makes something new each time, in an account that is large enough for it.
func create(ctx context.Context) (string, string) {
	return compare(ctx, load{rounds: 300, requests: 160}, func(n int64) string {
		body := fmt.Sprintf(`{"name":"pool %d","concurrencyLimit":1}`, n)
		return "POST /workflow/api/pools HTTP/1.1\r\nHost: localhost\r\nAuthorization: SVC1 1/admin\r\n" +
			"Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
	})
}

// createRule compares a POST with a body of some depth.
func createRule(ctx context.Context) (string, string) {
	return compare(ctx, load{rounds: 300, requests: 160}, func(n int64) string {
		body := fmt.Sprintf(`{"priority":%d,"poolId":"1","conditions":[{"type":"project_name",`+
			`"operator":"starts_with","values":["p%d"]}]}`, n%9000+100, n)
		return "POST /workflow/api/pool_rules HTTP/1.1\r\nHost: localhost\r\nAuthorization: SVC1 1/admin\r\n" +
			"Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
	})
}

func (l load) begin(ctx context.Context, w *mockserver.World) {
	fixture := "workflow: {accountLimit: 100000}"
	if l.file != "" {
		fixture = shopFixture
	}
	must.Do(w.Load([]byte(fixture)))
	if l.prepare != nil {
		l.prepare(ctx, w)
	}
	w.Checkpoint("begin")
}

// compare plays the same requests, round by round, to the mock and to a bare handler, and returns the ratio of their
// speeds. The rounds alternate, so that what else the machine does falls on both.
func compare(ctx context.Context, l load, request func(n int64) string) (string, string) {
	options := []mockserver.Option{mockserver.WithScenario("empty")}
	if l.file != "" {
		options = append(options, mockserver.WithSpec("shop", l.file))
	}
	mock := must.Get(mockserver.New(options...))
	l.begin(ctx, mock.World(""))
	ours := dial(ctx, mock)
	defer ours.close()
	status, header, body := ours.sample(request(0))
	bare := dial(ctx, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		maps.Copy(w.Header(), header)
		w.WriteHeader(status)
		_, _ = w.Write(body)
	}))
	defer bare.close()
	var cost [2]cost
	var n atomic.Int64
	for range l.rounds {
		mock.World("").Reset()
		must.Do(mock.World("").Restore("begin"))
		for i, server := range []*server{bare, ours} {
			cost[i].add(func() { server.play(l.requests, &n, request) })
		}
	}
	requests := float64(l.rounds * l.requests)
	return fmt.Sprintf("%.2f", cost[0].wall/cost[1].wall),
		fmt.Sprintf("%.0f/s against %.0f/s, %d connections; each request takes %.1f µs of CPU, %.0f allocations and "+
			"%.1f KiB more", requests/cost[1].wall, requests/cost[0].wall, connections,
			(cost[1].cpu-cost[0].cpu)/requests*1e6, float64(cost[1].allocations-cost[0].allocations)/requests,
			float64(cost[1].bytes-cost[0].bytes)/requests/1024)
}

// cost holds the CPU time and memory of requests, with those of the client that sends them.
type cost struct {
	duration
	allocations, bytes int64
}

// add adds the cost of what a function does.
func (c *cost) add(run func()) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	took := timed(run)
	runtime.ReadMemStats(&after)
	c.wall += took.wall
	c.cpu += took.cpu
	c.allocations += int64(after.Mallocs - before.Mallocs)
	c.bytes += int64(after.TotalAlloc - before.TotalAlloc)
}

// server is a handler on a port, or another process, and the connections to it.
type server struct {
	server *http.Server // nil for another process
	conns  []net.Conn
	read   []*bufio.Reader
}

func dial(ctx context.Context, handler http.Handler) *server {
	listener := must.Get((&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0"))
	s := &server{server: &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}}
	go s.server.Serve(listener) //nolint:errcheck // it ends with http.ErrServerClosed
	s.connect(ctx, listener.Addr().String())
	return s
}

// connect makes the connections.
func (s *server) connect(ctx context.Context, address string) {
	for range connections {
		conn := must.Get((&net.Dialer{}).DialContext(ctx, "tcp", address))
		s.conns, s.read = append(s.conns, conn), append(s.read, bufio.NewReaderSize(conn, 64<<10))
	}
}

func (s *server) close() {
	for _, conn := range s.conns {
		_ = conn.Close()
	}
	if s.server != nil {
		_ = s.server.Close()
	}
}

// sample sends one request and keeps what is answered.
func (s *server) sample(request string) (status int, header http.Header, body []byte) {
	must.Get(io.WriteString(s.conns[0], request))
	response, err := http.ReadResponse(s.read[0], nil)
	must.Do(err)
	defer response.Body.Close()
	return response.StatusCode, response.Header, must.Get(io.ReadAll(response.Body))
}

// play sends one round of requests over all connections. The client does as little as it can, so that the servers are
// what is measured.
func (s *server) play(requests int, n *atomic.Int64, request func(int64) string) {
	must.Together(connections, func(i int) {
		for range requests / connections {
			must.Get(io.WriteString(s.conns[i], request(n.Add(1))))
			skipAnswer(s.read[i])
		}
	})
}

var lengthHeader = []byte("Content-Length: ")

// skipAnswer reads one answer, and checks that it is a success. It parses only the status and the length.
func skipAnswer(reader *bufio.Reader) {
	status := must.Get(reader.ReadSlice('\n'))
	if !bytes.HasPrefix(status, []byte("HTTP/1.1 2")) {
		must.Fatalf("answered %s", bytes.TrimSpace(status))
	}
	length := 0
	for {
		header := must.Get(reader.ReadSlice('\n'))
		if len(header) <= 2 {
			must.Get(reader.Discard(length))
			return
		}
		if value, ok := bytes.CutPrefix(header, lengthHeader); ok {
			length = must.Get(strconv.Atoi(string(bytes.TrimSpace(value))))
		}
	}
}

// ingest compares a POST of an event into a table that fills.
func ingest(ctx context.Context) (string, string) {
	prepare := func(ctx context.Context, w *mockserver.World) {
		for _, path := range []string{"/core/v3/database/create/bench", "/core/v3/table/create/bench/events"} {
			post(ctx, w, path, "{}", nil)
		}
	}
	return compare(ctx, load{rounds: 20, requests: 3000, prepare: prepare}, func(n int64) string {
		body := fmt.Sprintf(`{"user":"user %d","path":"/cart","price":%d.5}`, n%100, n)
		return "POST /ingestion/postback/v3/event/bench/events HTTP/1.1\r\nHost: localhost\r\n" +
			"Authorization: SVC1 1/admin\r\nContent-Type: application/json\r\nContent-Length: " +
			strconv.Itoa(len(body)) + "\r\n\r\n" + body
	})
}

// pollJob compares what clients do most while they wait for a query: asking how a job stands, here one that is over.
func pollJob(ctx context.Context) (string, string) {
	var job struct {
		ID string `json:"job_id"`
	}
	prepare := func(ctx context.Context, w *mockserver.World) {
		post(ctx, w, "/core/v3/database/create/bench", "{}", nil)
		post(ctx, w, "/core/v3/job/issue/trino/bench", `{"query":"SELECT 1"}`, &job)
		w.AdvanceUntilIdle()
	}
	return compare(ctx, load{rounds: 20, requests: 3000, prepare: prepare}, func(int64) string {
		return "GET /core/v3/job/status/" + job.ID + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: SVC1 1/admin\r\n\r\n"
	})
}

// post sends one request into a world, inside the process.
func post(ctx context.Context, w *mockserver.World, path, body string, into any) {
	r := must.Get(http.NewRequestWithContext(ctx, http.MethodPost, "http://localhost"+path, strings.NewReader(body)))
	r.Header.Set("Authorization", "SVC1 1/admin")
	r.Header.Set("Content-Type", "application/json")
	response, err := w.Client().Do(r)
	must.Do(err)
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		must.Fatalf("POST %s: %s", path, response.Status)
	}
	if into != nil {
		must.Do(json.NewDecoder(response.Body).Decode(into))
	}
}
