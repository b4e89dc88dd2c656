package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"svc.example/understudy/mockserver"
)

const (
	connections = 16
	rounds      = 20
	perRound    = 3000 // requests over all connections
)

// getOne compares a GET, both validations and the journal on, with a bare handler that writes the same bytes.
func getOne(ctx context.Context) (string, string, error) {
	return compare(ctx, func(int64) string {
		return "GET /workflow/api/pools/1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: SVC1 1/admin\r\n\r\n"
	})
}

// create compares a POST that makes something new each time. Each comparison begins with the world as it was.
func create(ctx context.Context) (string, string, error) {
	return compare(ctx, func(n int64) string {
		body := fmt.Sprintf(`{"priority":%d,"poolId":"1","conditions":[{"type":"project_name",`+
			`"operator":"starts_with","values":["p%d"]}]}`, n%9000+100, n)
		return "POST /workflow/api/pool_rules HTTP/1.1\r\nHost: localhost\r\nAuthorization: SVC1 1/admin\r\n" +
			"Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
	})
}

// compare plays the same requests, round by round, to the mock and to a bare handler, and tells the ratio of their
// speeds. The rounds alternate, so that what else the machine does falls on both.
func compare(ctx context.Context, request func(n int64) string) (string, string, error) {
	mock, err := mockserver.New(mockserver.WithScenario("quickstart"))
	if err != nil {
		return "", "", err
	}
	answer, err := sample(ctx, mock, request(-1))
	if err != nil {
		return "", "", err
	}
	bare := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		maps.Copy(w.Header(), answer.Header)
		w.WriteHeader(answer.StatusCode)
		_, _ = w.Write(answer.body)
	})
	var took [2]time.Duration
	var n atomic.Int64
	for range rounds {
		mock.World("").Reset()
		for i, handler := range []http.Handler{bare, mock} {
			d, err := play(ctx, handler, &n, request)
			if err != nil {
				return "", "", err
			}
			took[i] += d
		}
	}
	perSecond := func(d time.Duration) float64 { return rounds * perRound / d.Seconds() }
	return fmt.Sprintf("%.2f", took[0].Seconds()/took[1].Seconds()),
		fmt.Sprintf("%.0f/s against %.0f/s, %d connections", perSecond(took[1]), perSecond(took[0]), connections), nil
}

type sampled struct {
	*http.Response
	body []byte
}

func sample(ctx context.Context, handler http.Handler, request string) (s sampled, err error) {
	err = serve(ctx, handler, func(address string) error {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err != nil {
			return err
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, request); err != nil {
			return err
		}
		if s.Response, err = http.ReadResponse(bufio.NewReader(conn), nil); err != nil {
			return err
		}
		defer s.Response.Body.Close()
		s.body, err = io.ReadAll(s.Response.Body)
		return err
	})
	return s, err
}

func serve(_ context.Context, handler http.Handler, use func(address string) error) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // closed below
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	go server.Serve(listener) //nolint:errcheck // it ends with http.ErrServerClosed
	defer server.Close()      //nolint:errcheck // nothing is lost
	return use(listener.Addr().String())
}

// play sends one round of requests over all connections and tells how long it took. The client does as little as it
// can, so that the servers are what is measured.
func play(ctx context.Context, handler http.Handler, n *atomic.Int64, request func(int64) string) (took time.Duration, err error) {
	err = serve(ctx, handler, func(address string) error {
		var wg sync.WaitGroup
		errs := make([]error, connections)
		start := time.Now()
		for i := range connections {
			wg.Go(func() { errs[i] = connection(ctx, address, n, request) })
		}
		wg.Wait()
		took = time.Since(start)
		return errors.Join(errs...)
	})
	return took, err
}

func connection(ctx context.Context, address string, n *atomic.Int64, request func(int64) string) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	reader := bufio.NewReaderSize(conn, 64<<10)
	for range perRound / connections {
		if _, err := io.WriteString(conn, request(n.Add(1))); err != nil {
			return err
		}
		if err := skipAnswer(reader); err != nil {
			return err
		}
	}
	return nil
}

var lengthHeader = []byte("Content-Length: ")

// skipAnswer reads one answer, of which it wants to know only that it is a success, and how long it is.
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
