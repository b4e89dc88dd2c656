package proxy_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"svc.example/understudy/contract/replay/proxy"
	"svc.example/understudy/specs"
)

// rawService answers each request with bytes, and then ends the connection.
func rawService(t *testing.T, answer func(w io.Writer)) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
					answer(c)
				}
			}()
		}
	}()
	return "http://" + listener.Addr().String()
}

// logged is a log in memory.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// What is no answer by HTTP is answered by the proxy, recorded as no answer, and no reason to panic.
func TestMalformedAnswers(t *testing.T) {
	t.Parallel()
	const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
	for name, tt := range map[string]struct {
		answer func(io.Writer)
		kind   string
	}{
		"status 000":            {say("HTTP/1.1 000 Nothing\r\nContent-Length: 0\r\n\r\n"), "upstream"},
		"status 099":            {say("HTTP/1.1 099 Low\r\n\r\n"), "upstream"},
		"status 042 and a body": {say("HTTP/1.1 042 Low\r\nContent-Length: 2\r\n\r\n{}"), "upstream"},
		"a negative status":     {say("HTTP/1.1 -20 Less\r\n\r\n"), "upstream"},
		"four digits":           {say("HTTP/1.1 2000 More\r\n\r\n"), "upstream"},
		"letters":               {say("HTTP/1.1 abc What\r\n\r\n"), "upstream"},
		"no status":             {say("HTTP/1.1\r\n\r\n"), "upstream"},
		"no status line":        {say("{\"id\":1}\n"), "upstream"},
		"another version":       {say("HTTP/9.x 200 OK\r\n\r\n"), "upstream"},
		"a header without name": {say("HTTP/1.1 200 OK\r\n: b\r\n\r\n"), "upstream"},
		"no colon":              {say("HTTP/1.1 200 OK\r\nabc\r\n\r\n"), "upstream"},
		"two lengths":           {say("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}"), "upstream"},
		"a negative length":     {say("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"), "upstream"},
		"another transfer code": {say("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n"), "upstream"},
		"an upgrade by itself": {
			say("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
			"upstream",
		},
		"half a header":       {say("HTTP/1.1 200 OK\r\nConte"), "upstream"},
		"a flood of headers":  {flood("HTTP/1.1 200 OK\r\n", "X-Filler: "+strings.Repeat("x", 1000)+"\r\n"), "upstream"},
		"hints for ever":      {flood("", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"), "upstream"},
		"continue for ever":   {flood("", "HTTP/1.1 100 Continue\r\n\r\n"), "upstream"},
		"status 199 for ever": {flood("", "HTTP/1.1 199 What\r\n\r\n"), "upstream"},
		"some hints":          {say(strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 10) + ok), ""},
		"a high status":       {say(strings.Replace(ok, "200", "999", 1)), ""},
		"no reason":           {say(strings.Replace(ok, " OK", "", 1)), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := &logged{}
			s := stand(t, nil, func(c *proxy.Config) {
				c.Targets[specs.Workflow], c.Log = rawService(t, tt.answer), slog.New(slog.NewTextHandler(log, nil))
			})
			answer := do(t, "GET", s.url("/api/pools"), "")
			isRefused := answer.status == http.StatusBadGateway
			if isRefused != (tt.kind != "") || answer.header.Get("X-Understudy-Error") != tt.kind {
				t.Errorf("the client got %+v, want %q", answer, tt.kind)
			}
			if e := s.record.only(t); (e.Response == nil) != isRefused || len(e.Notes) > 1 {
				t.Errorf("recorded is %+v", e)
			}
			if strings.Contains(log.String(), "panic") {
				t.Errorf("log: %s", log)
			}
		})
	}
}

// What breaks off in the middle breaks off for the client, too.
func TestMalformedBodies(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a chunk without a size": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nzz\r\n",
		"a chunk that is longer": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n",
		"an endless size": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1", 5000) +
			"\r\n",
		"no last chunk":        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
		"less than its length": "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := &logged{}
			s := stand(t, nil, func(c *proxy.Config) {
				c.Targets[specs.Workflow], c.Log = rawService(t, say(text)), slog.New(slog.NewTextHandler(log, nil))
			})
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			request, err := http.NewRequestWithContext(ctx, "GET", s.url("/api/pools"), http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			response, err := plainClient.Do(request)
			if err == nil {
				_, err = io.ReadAll(response.Body)
				_ = response.Body.Close()
			}
			if err == nil || ctx.Err() != nil {
				t.Errorf("the client got %v", err)
			}
			if e := s.record.only(t); !e.Response.Body.Truncated || len(e.Notes) != 1 {
				t.Errorf("recorded is %+v", e)
			}
			if strings.Contains(log.String(), "panic") {
				t.Errorf("log: %s", log)
			}
		})
	}
}

func say(text string) func(io.Writer) {
	return func(w io.Writer) { _, _ = io.WriteString(w, text) }
}

// flood writes a text, and another one until nobody reads it any more.
func flood(first, again string) func(io.Writer) {
	return func(w io.Writer) {
		_, err := io.WriteString(w, first)
		for err == nil {
			_, err = io.WriteString(w, again)
		}
	}
}
