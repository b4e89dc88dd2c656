package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"svc.example/understudy/mockserver"
)

const connections = 16

// load is the amount of requests: rounds of them, spread over all connections. Before each round the world is put back
// to the state in which prepare, if there is one, left it.
type load struct {
	rounds, requests int
	prepare          func(context.Context, *mockserver.World) error
	file             string // of a document of the user's own, the shop; empty if there is none
}

// getOne compares a GET, both validations and the journal on, with a bare handler that writes the same bytes.
func getOne(ctx context.Context) (string, string, error) {
	return compare(ctx, load{rounds: 20, requests: 3000}, getPool)
}

func getPool(int64) string {
	return "GET /workflow/api/pools/1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: SVC1 1/admin\r\n\r\n"
}

// create compares a POST that makes something new each time, in an account that is large enough for it.
func create(ctx context.Context) (string, string, error) {
	return compare(ctx, load{rounds: 300, requests: 160}, func(n int64) string {
		body := fmt.Sprintf(`{"name":"pool %d","concurrencyLimit":1}`, n)
		return "POST /workflow/api/pools HTTP/1.1\r\nHost: localhost\r\nAuthorization: SVC1 1/admin\r\n" +
			"Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
	})
}

// createRule compares a POST with a body of some depth.
func createRule(ctx context.Context) (string, string, error) {
	return compare(ctx, load{rounds: 300, requests: 160}, func(n int64) string {
		body := fmt.Sprintf(`{"priority":%d,"poolId":"1","conditions":[{"type":"project_name",`+
			`"operator":"starts_with","values":["p%d"]}]}`, n%9000+100, n)
		return "POST /workflow/api/pool_rules HTTP/1.1\r\nHost: localhost\r\nAuthorization: SVC1 1/admin\r\n" +
			"Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
	})
}

func (l load) begin(ctx context.Context, w *mockserver.World) error {
	fixture := "workflow: {accountLimit: 100000}"
	if l.file != "" {
		fixture = shopFixture
	}
	if err := w.Load([]byte(fixture)); err != nil {
		return err
	}
	if l.prepare != nil {
		if err := l.prepare(ctx, w); err != nil {
			return err
		}
	}
	w.Checkpoint("begin")
	return nil
}

// compare plays the same requests, round by round, to the mock and to a bare handler, and returns the ratio of their
// speeds. The rounds alternate, so that what else the machine does falls on both.
func compare(ctx context.Context, l load, request func(n int64) string) (string, string, error) {
	options := []mockserver.Option{mockserver.WithScenario("empty")}
	if l.file != "" {
		options = append(options, mockserver.WithSpec("shop", l.file))
	}
	mock, err := mockserver.New(options...)
	if err != nil {
		return "", "", err
	}
	if err := l.begin(ctx, mock.World("")); err != nil {
		return "", "", err
	}
	ours, err := dial(ctx, mock)
	if err != nil {
		return "", "", err
	}
	defer ours.close()
	status, header, body, err := ours.sample(request(0))
	if err != nil {
		return "", "", err
	}
	bare, err := dial(ctx, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		maps.Copy(w.Header(), header)
		w.WriteHeader(status)
		_, _ = w.Write(body)
	}))
	if err != nil {
		return "", "", err
	}
	defer bare.close()
	var cost [2]cost
	var n atomic.Int64
	for range l.rounds {
		mock.World("").Reset()
		if err := mock.World("").Restore("begin"); err != nil {
			return "", "", err
		}
		for i, server := range []*server{bare, ours} {
			if err := cost[i].add(func() error { return server.play(l.requests, &n, request) }); err != nil {
				return "", "", err
			}
		}
	}
	requests := float64(l.rounds * l.requests)
	return fmt.Sprintf("%.2f", cost[0].wall/cost[1].wall),
		fmt.Sprintf("%.0f/s against %.0f/s, %d connections; each request takes %.1f µs of CPU, %.0f allocations and "+
			"%.1f KiB more", requests/cost[1].wall, requests/cost[0].wall, connections,
			(cost[1].cpu-cost[0].cpu)/requests*1e6, float64(cost[1].allocations-cost[0].allocations)/requests,
			float64(cost[1].bytes-cost[0].bytes)/requests/1024), nil
}

// cost holds the CPU time and memory of requests, with those of the client that sends them.
type cost struct {
	duration
	allocations, bytes int64
}

// add adds the cost of what a function does.
func (c *cost) add(run func() error) error {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	took, err := timed(run)
	runtime.ReadMemStats(&after)
	c.wall += took.wall
	c.cpu += took.cpu
	c.allocations += int64(after.Mallocs - before.Mallocs)
	c.bytes += int64(after.TotalAlloc - before.TotalAlloc)
	return err
}

// server is a handler on a port, or another process, and the connections to it.
type server struct {
	server *http.Server // nil for another process
	conns  []net.Conn
	read   []*bufio.Reader
}

func dial(ctx context.Context, handler http.Handler) (*server, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{server: &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}}
	go s.server.Serve(listener) //nolint:errcheck // it ends with http.ErrServerClosed
	return s, s.connect(ctx, listener.Addr().String())
}

// connect makes the connections. After an error, the server is closed.
func (s *server) connect(ctx context.Context, address string) error {
	for range connections {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err != nil {
			s.close()
			return err
		}
		s.conns, s.read = append(s.conns, conn), append(s.read, bufio.NewReaderSize(conn, 64<<10))
	}
	return nil
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
func (s *server) sample(request string) (status int, header http.Header, body []byte, err error) {
	if _, err := io.WriteString(s.conns[0], request); err != nil {
		return 0, nil, nil, err
	}
	response, err := http.ReadResponse(s.read[0], nil)
	if err != nil {
		return 0, nil, nil, err
	}
	defer response.Body.Close()
	body, err = io.ReadAll(response.Body)
	return response.StatusCode, response.Header, body, err
}

// play sends one round of requests over all connections. The client does as little as it can, so that the servers are
// what is measured.
func (s *server) play(requests int, n *atomic.Int64, request func(int64) string) error {
	var wg sync.WaitGroup
	errs := make([]error, connections)
	for i := range connections {
		wg.Go(func() {
			for range requests / connections {
				if _, errs[i] = io.WriteString(s.conns[i], request(n.Add(1))); errs[i] != nil {
					return
				}
				if errs[i] = skipAnswer(s.read[i]); errs[i] != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

var lengthHeader = []byte("Content-Length: ")

// skipAnswer reads one answer, and checks that it is a success. It parses only the status and the length.
func skipAnswer(reader *bufio.Reader) error {
	status, err := reader.ReadSlice('\n')
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(status, []byte("HTTP/1.1 2")) {
		return fmt.Errorf("answered %s", bytes.TrimSpace(status))
	}
	length := 0
	for {
		header, err := reader.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(header) <= 2 {
			_, err := reader.Discard(length)
			return err
		}
		if value, ok := bytes.CutPrefix(header, lengthHeader); ok {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return err
			}
		}
	}
}

// ingest compares a POST of an event into a table that fills.
func ingest(ctx context.Context) (string, string, error) {
	prepare := func(ctx context.Context, w *mockserver.World) error {
		for _, path := range []string{"/core/v3/database/create/bench", "/core/v3/table/create/bench/events"} {
			if err := post(ctx, w, path, "{}", nil); err != nil {
				return err
			}
		}
		return nil
	}
	return compare(ctx, load{rounds: 20, requests: 3000, prepare: prepare}, func(n int64) string {
		body := fmt.Sprintf(`{"user":"user %d","path":"/cart","price":%d.5}`, n%100, n)
		return "POST /ingestion/postback/v3/event/bench/events HTTP/1.1\r\nHost: localhost\r\n" +
			"Authorization: SVC1 1/admin\r\nContent-Type: application/json\r\nContent-Length: " +
			strconv.Itoa(len(body)) + "\r\n\r\n" + body
	})
}

// pollJob compares what clients do most while they wait for a query: asking how a job stands, here one that is over.
func pollJob(ctx context.Context) (string, string, error) {
	var job struct {
		ID string `json:"job_id"`
	}
	prepare := func(ctx context.Context, w *mockserver.World) error {
		if err := post(ctx, w, "/core/v3/database/create/bench", "{}", nil); err != nil {
			return err
		}
		if err := post(ctx, w, "/core/v3/job/issue/trino/bench", `{"query":"SELECT 1"}`, &job); err != nil {
			return err
		}
		w.AdvanceUntilIdle()
		return nil
	}
	return compare(ctx, load{rounds: 20, requests: 3000, prepare: prepare}, func(int64) string {
		return "GET /core/v3/job/status/" + job.ID + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: SVC1 1/admin\r\n\r\n"
	})
}

// post sends one request into a world, inside the process.
func post(ctx context.Context, w *mockserver.World, path, body string, into any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://localhost"+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "SVC1 1/admin")
	r.Header.Set("Content-Type", "application/json")
	response, err := w.Client().Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("POST %s: %s", path, response.Status)
	}
	if into == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(into)
}
