package proxy_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/replay/proxy"
)

func TestTrailersPass(t *testing.T) {
	t.Parallel()
	var asked http.Header
	s := stand(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		asked = r.Trailer
		w.Header().Set("Trailer", "X-Sum")
		_, _ = io.WriteString(w, "body")
		w.Header().Set("X-Sum", "42")
	})
	request, err := http.NewRequestWithContext(t.Context(), "POST", s.url("/api/pools"),
		io.NopCloser(strings.NewReader("x")))
	if err != nil {
		t.Fatal(err)
	}
	request.Trailer = http.Header{"X-Asked": {"41"}}
	response, err := plainClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	_, _ = io.ReadAll(response.Body)
	if asked.Get("X-Asked") != "41" || response.Trailer.Get("X-Sum") != "42" {
		t.Errorf("the service got %v, the client got %v", asked, response.Trailer)
	}
	if e := s.record.only(t); len(e.Notes) != 1 || e.Notes[0] != "trailers after the body: X-Sum" {
		t.Errorf("notes %q", e.Notes)
	}
}

func TestRangesAndCodingsPassUntouched(t *testing.T) {
	t.Parallel()
	var coded bytes.Buffer
	w := gzip.NewWriter(&coded)
	_, _ = io.WriteString(w, strings.Repeat(`{"token":"hunter2"}`, 50))
	_ = w.Close()
	var encodings []string
	s := stand(t, func(w http.ResponseWriter, r *http.Request) {
		encodings = append(encodings, r.Header.Get("Accept-Encoding"))
		w.Header().Set("Content-Encoding", "gzip")
		http.ServeContent(w, r, "a.bin", time.Time{}, bytes.NewReader(coded.Bytes()))
	})
	if answer := do(t, "GET", s.url("/a"), "", "Accept-Encoding", "gzip"); answer.body != coded.String() {
		t.Error("the body is not what the service has sent")
	}
	answer := do(t, "GET", s.url("/a"), "", "Range", "bytes=2-4")
	if answer.status != 206 || answer.body != coded.String()[2:5] || answer.header.Get("Content-Range") == "" {
		t.Errorf("a range: %+v", answer)
	}
	if diff := cmp.Diff([]string{"gzip", ""}, encodings); diff != "" {
		t.Errorf("the service was asked for (-want +got):\n%s", diff)
	}
	if e := s.record.exchanges(t)[0]; strings.Contains(string(e.Response.Body.Bytes), "hunter2") ||
		!strings.Contains(string(e.Response.Body.Bytes), `"token":"[redacted:`) || len(e.Notes) != 1 {
		t.Errorf("recorded is %.200q, %q", e.Response.Body.Bytes, e.Notes)
	}
}

func TestAnswerToHEADAndNotModified(t *testing.T) {
	t.Parallel()
	s := stand(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Date"], w.Header()["Content-Type"] = nil, nil
		if r.Method == "GET" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("Content-Length", "1000000")
	})
	head := do(t, "HEAD", s.url("/api/pools"), "")
	if head.header.Get("Content-Length") != "1000000" || len(head.header) != 1 {
		t.Errorf("HEAD: %v", head.header)
	}
	if answer := do(t, "GET", s.url("/api/pools"), ""); answer.status != 304 {
		t.Errorf("GET: %d", answer.status)
	}
	if n := len(s.record.exchanges(t)); n != 2 {
		t.Errorf("%d exchanges are recorded", n)
	}
}

// A client that asks first sends its body only when the service wants it.
func TestExpectContinue(t *testing.T) {
	t.Parallel()
	s := stand(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Refuse") != "" {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		body, _ := io.ReadAll(r.Body)
		_, _ = w.Write(body)
	})
	ask := func(refuse string) (before, after string) {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.front.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "POST /workflow/api/pools HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n"+
			"Expect: 100-continue\r\n%s\r\n", refuse)
		r := bufio.NewReader(c)
		first, _ := r.ReadString('\n')
		if !strings.Contains(first, "100") {
			return strings.TrimSpace(first), ""
		}
		_, _ = r.ReadString('\n')
		_, _ = io.WriteString(c, "hello")
		second, _ := r.ReadString('\n')
		return strings.TrimSpace(first), strings.TrimSpace(second)
	}
	for range 50 { // a second 100 would come in a race
		if before, after := ask(""); before != "HTTP/1.1 100 Continue" || after != "HTTP/1.1 200 OK" {
			t.Fatalf("wanted: %s, %s", before, after)
		}
	}
	if before, _ := ask("X-Refuse: 1\r\n"); before != "HTTP/1.1 413 Request Entity Too Large" {
		t.Errorf("refused: %s", before)
	}
}

func TestUpgradesPassAndAreNoted(t *testing.T) {
	t.Parallel()
	s := stand(t, func(w http.ResponseWriter, _ *http.Request) {
		c, buffer, _ := http.NewResponseController(w).Hijack()
		defer c.Close()
		_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		line, _ := buffer.ReadString('\n')
		_, _ = io.WriteString(c, "echo "+line)
	})
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.front.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "GET /workflow/socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
	r := bufio.NewReader(c)
	response, err := http.ReadResponse(r, nil)
	if err != nil || response.StatusCode != 101 {
		t.Fatalf("%v, %v", response, err)
	}
	defer response.Body.Close()
	fmt.Fprintf(c, "hello\n")
	if line, err := r.ReadString('\n'); line != "echo hello\n" {
		t.Errorf("%q, %v", line, err)
	}
	if e := s.record.only(t); e.Response.Status != 101 || len(e.Notes) != 1 || !strings.Contains(e.Notes[0], "upgraded to echo") {
		t.Errorf("recorded is %+v", e)
	}
}

func TestLargeBodiesAreKeptAsABeginningAndADigest(t *testing.T) {
	t.Parallel()
	const size = 5 << 20
	content := bytes.Repeat([]byte("0123456789abcdef\n"), size/17+1)[:size]
	s := stand(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = w.Write(body)
	}, func(c *proxy.Config) { c.BodyLimit = 1000 })
	if answer := do(t, "POST", s.url("/api/pools"), string(content)); answer.body != string(content) {
		t.Errorf("%d bytes came back", len(answer.body))
	}
	sum := sha256.Sum256(content)
	e := s.record.only(t)
	for _, body := range []any{*e.Request.Body, *e.Response.Body} {
		want := *e.Response.Body
		want.Truncated, want.Size, want.SHA256 = true, size, hex.EncodeToString(sum[:])
		if diff := cmp.Diff(any(want), body); diff != "" || len(want.Bytes) == 0 || len(want.Bytes) > 1000 {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestHTTP2OnBothSides(t *testing.T) {
	t.Parallel()
	var protocol string
	back := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protocol = r.Proto
		_, _ = io.Copy(w, r.Body)
	}))
	back.EnableHTTP2 = true
	back.StartTLS()
	t.Cleanup(back.Close)
	s := before(t, back, func(c *proxy.Config) { c.Insecure = true })
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	client := &http.Client{Transport: &http.Transport{Protocols: protocols}}
	request, _ := http.NewRequestWithContext(t.Context(), "POST", s.url("/api/pools"), strings.NewReader("hello"))
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	if string(text) != "hello" || response.Proto != "HTTP/2.0" || protocol != "HTTP/2.0" {
		t.Errorf("%s by %s, upstream %s", text, response.Proto, protocol)
	}
}

// The end of the connection is the end of an answer for clients of HTTP/1.0, also when the proxy is killed: the last
// byte comes when the exchange is recorded.
func TestOldClientsGetTheLastByteLast(t *testing.T) {
	t.Parallel()
	stuck := &stuckWriter{come: make(chan struct{}), let: make(chan struct{})}
	next := make(chan struct{})
	s := stand(t, func(w http.ResponseWriter, _ *http.Request) {
		for _, part := range []string{"a", "bcd", "e"} {
			_, _ = io.WriteString(w, part)
			_ = http.NewResponseController(w).Flush()
			<-next
		}
	}, func(c *proxy.Config) { c.Recording = stuck })
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.front.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "GET /workflow/api/pools HTTP/1.0\r\n\r\n")
	buffer, n := make([]byte, 1<<10), 0
	for _, want := range []string{"\r\n\r\n", "abc", "abcd"} {
		for !strings.HasSuffix(string(buffer[:n]), want) {
			m, err := c.Read(buffer[n:])
			if n += m; err != nil {
				t.Fatalf("%q, %v", buffer[:n], err)
			}
		}
		next <- struct{}{}
	}
	<-stuck.come
	close(stuck.let)
	if rest, err := io.ReadAll(c); string(rest) != "e" || err != nil {
		t.Errorf("%q, %v", rest, err)
	}
}
