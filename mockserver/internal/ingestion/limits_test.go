package ingestion_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svc.example/understudy/internal/mocktest"
)

// maxBody is the most bytes of an event (documented).
const maxBody = 1_048_064

// sized is an event of just so many bytes.
func sized(bytes int) string { return `{"a":"` + strings.Repeat("x", bytes-len(`{"a":""}`)) + `"}` }

// stream sends an event whose length is not known, in chunks.
func (c client) stream(event string, _ ...string) mocktest.Answer {
	body := struct{ io.Reader }{strings.NewReader(event)}
	r := httptest.NewRequestWithContext(c.Context(), "POST", "http://localhost/ingestion"+events, body)
	r.Header.Set("Authorization", "SVC1 1/admin")
	r.Header.Set("Content-Type", "application/json")
	return mocktest.Send(c.TB, c.Server, r)
}

func TestSize(t *testing.T) {
	t.Parallel()
	packed := func(event string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = io.WriteString(w, event)
		_ = w.Close()
		return b.String()
	}
	for _, test := range []struct {
		name, body string
		send       func(c client, event string, headers ...string) mocktest.Answer
		headers    []string
		status     int
	}{
		{"1,048,064 bytes pass", sized(maxBody), client.ingest, nil, 200},
		{"1,048,064 bytes in chunks pass", sized(maxBody), client.stream, nil, 200},
		{"1,048,065 bytes are too many", sized(maxBody + 1), client.ingest, nil, 413},
		{"1,048,065 bytes in chunks are too many", sized(maxBody + 1), client.stream, nil, 413},
		{
			"1,048,064 bytes that were compressed pass", packed(sized(maxBody)), client.ingest,
			[]string{"Content-Encoding", "gzip"},
			200,
		},
		{
			"1,048,065 bytes that were compressed are too many", packed(sized(maxBody + 1)), client.ingest,
			[]string{"Content-Encoding", "gzip"},
			413,
		},
		{
			"too many are refused before a missing key is", sized(maxBody + 1), client.ingest,
			[]string{"Authorization", ""},
			413,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t)
			a := test.send(c, test.body, test.headers...)
			if test.status == 413 {
				c.refused(a, 413, "1048064")
			} else if a.Want(200); c.count() != 1 {
				t.Error("the event is not there")
			}
		})
	}
}

// listener counts what the server reads.
type listener struct {
	net.Listener
	read atomic.Int64
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return counted{conn, &l.read}, err
}

type counted struct {
	net.Conn
	read *atomic.Int64
}

// Read implements net.Conn.
func (c counted) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.read.Add(int64(n))
	return n, err
}

// dial serves the mock on a socket, counts what it reads, and connects to it.
func dial(t *testing.T) (net.Conn, *listener) {
	t.Helper()
	inner, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &listener{Listener: inner}
	server := newClient(t).Server.HTTPServer()
	go server.Serve(l) //nolint:errcheck // it ends with http.ErrServerClosed
	t.Cleanup(func() { _ = server.Close() })
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", inner.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	watchdog := time.AfterFunc(30*time.Second, func() { _ = conn.Close() })
	t.Cleanup(func() { watchdog.Stop(); _ = conn.Close() })
	return conn, l
}

// receive reads one answer.
func receive(t *testing.T, r *bufio.Reader) *http.Response {
	t.Helper()
	response, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); err != nil || string(body) != "{}" {
		t.Errorf("the body is %q, %v", body, err)
	}
	return response
}

const head = "POST /ingestion" + events + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: SVC1 1/admin\r\n" +
	"Content-Type: application/json\r\n"

func TestSockets(t *testing.T) {
	t.Parallel()
	t.Run("a connection serves one event after the other", func(t *testing.T) {
		t.Parallel()
		conn, _ := dial(t)
		r := bufio.NewReader(conn)
		for range 3 {
			if _, err := io.WriteString(conn, head+"Content-Length: 2\r\n\r\n{}"); err != nil {
				t.Fatal(err)
			}
			if a := receive(t, r); a.StatusCode != 200 || a.Header.Get("Connection") != "keep-alive" {
				t.Errorf("status %d, headers %v", a.StatusCode, a.Header)
			}
		}
	})
	const announced = "Content-Length: 1048065\r\n"
	for name, test := range map[string]struct {
		head  string
		chunk string // sent again and again
		most  int64  // bytes that the server may read
	}{
		"that is announced is not read at all": {
			head + announced + "\r\n", strings.Repeat("x", 1000), 64 << 10,
		},
		"that waits to be asked for is not asked for": {
			head + announced + "Expect: 100-continue\r\n\r\n", "", 64 << 10,
		},
		// What net/http reads on, in the hope that the body ends soon, are 256 KiB.
		"in chunks is read to the limit, and not to its end": {
			head + "Transfer-Encoding: chunked\r\n\r\n", "3e8\r\n" + strings.Repeat("x", 1000) + "\r\n",
			maxBody*1008/1000 + 320<<10,
		},
	} {
		t.Run("a body too large "+name+", and the connection is closed", func(t *testing.T) {
			t.Parallel()
			conn, l := dial(t)
			if _, err := io.WriteString(conn, test.head); err != nil {
				t.Fatal(err)
			}
			go func() {
				for test.chunk != "" {
					if _, err := io.WriteString(conn, test.chunk); err != nil {
						return
					}
				}
			}()
			r := bufio.NewReader(conn)
			a := receive(t, r)
			if a.StatusCode != 413 || !a.Close {
				t.Errorf("status %d, headers %v", a.StatusCode, a.Header)
			}
			if rest, _ := io.ReadAll(r); len(rest) > 0 {
				t.Errorf("more comes: %q", rest)
			}
			if read := l.read.Load(); read > test.most {
				t.Errorf("the server has read %d bytes, want at most %d", read, test.most)
			}
		})
	}
}
