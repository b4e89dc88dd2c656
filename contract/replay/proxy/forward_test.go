package proxy_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/contract/replay/proxy"
	"svc.example/understudy/mockserver/certs"
	"svc.example/understudy/specs"
)

// forwarded is a service and another server, both with TLS, and a client that knows them by a forward proxy only.
type forwarded struct {
	*standIn
	other  *httptest.Server
	client *http.Client
}

func forward(t *testing.T, change ...func(*proxy.Config)) *forwarded {
	t.Helper()
	answer := func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "%s %s %s %s", r.Proto, r.Host, r.URL.Path, r.Header.Get("Proxy-Authorization"))
	}
	back := httptest.NewUnstartedServer(http.HandlerFunc(answer))
	back.EnableHTTP2 = true
	back.StartTLS()
	t.Cleanup(back.Close)
	other := httptest.NewTLSServer(http.HandlerFunc(answer))
	t.Cleanup(other.Close)
	ca, err := certs.New()
	if err != nil {
		t.Fatal(err)
	}
	config, err := ca.Config("127.0.0.1", "workflow.platform.example")
	if err != nil {
		t.Fatal(err)
	}
	s := before(t, back, append([]func(*proxy.Config){func(c *proxy.Config) {
		c.Insecure = true
		c.Forward = &proxy.Forward{TLS: config, Hosts: map[string]specs.Interface{"workflow.platform.example": specs.Workflow}}
	}}, change...)...)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca.PEM())
	pool.AddCert(other.Certificate())
	address, _ := url.Parse(s.front.URL)
	transport := &http.Transport{
		Proxy: http.ProxyURL(address), ForceAttemptHTTP2: true,
		TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &forwarded{s, other, &http.Client{Transport: transport}}
}

// get returns the body of an answer, or the error.
func (f *forwarded) get(t *testing.T, address string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := f.client.Do(request)
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return string(text)
}

func TestForwardProxy(t *testing.T) {
	t.Parallel()
	f := forward(t)
	host := strings.TrimPrefix(f.service.URL, "https://")
	for address, want := range map[string]string{
		f.service.URL + "/api/pools":                  "HTTP/2.0 " + host + " /api/pools ",
		"https://workflow.platform.example/api/pools": "HTTP/2.0 " + host + " /api/pools ",
	} {
		if got := f.get(t, address); got != want {
			t.Errorf("%s: got %q, want %q", address, got, want)
		}
	}
	list := f.record.exchanges(t)
	if len(list) != 2 || list[0].Request.URL != f.service.URL+"/api/pools" || list[0].Operation != "workflow.listPools" {
		t.Errorf("recorded is %+v", list)
	}
	other := strings.TrimPrefix(f.other.URL, "https://")
	if got, want := f.get(t, f.other.URL+"/x"), "HTTP/1.1 "+other+" /x "; got != want {
		t.Errorf("another host: got %q, want %q", got, want)
	}
	if n := len(f.record.exchanges(t)); n != 2 || f.proxy.Health().Tunnels != 1 {
		t.Errorf("%d exchanges are recorded, %d tunnels counted", n, f.proxy.Health().Tunnels)
	}
}

func TestForwardProxyPassesPlainRequests(t *testing.T) {
	t.Parallel()
	f := forward(t)
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprint(w, r.RequestURI, r.Header.Get("X-Understudy-Proxy"))
	}))
	t.Cleanup(plain.Close)
	if got := f.get(t, plain.URL+"/x?y=%zz"); got != "/x?y=%zz" {
		t.Errorf("got %q", got)
	}
	if got := f.get(t, "http://workflow.platform.example/api/pools"); !strings.HasSuffix(got, " /api/pools ") {
		t.Errorf("got %q", got)
	}
	if got := f.get(t, f.front.URL+"/_understudy/health"); !strings.HasPrefix(got, `{"status":"ok"`) {
		t.Errorf("its own address: got %q", got)
	}
	if n := len(f.record.exchanges(t)); n != 1 {
		t.Errorf("%d exchanges are recorded, want 1", n)
	}
}

func TestForwardProxyWantsItsToken(t *testing.T) {
	t.Parallel()
	f := forward(t, func(c *proxy.Config) { c.Token = "geheim" })
	for _, address := range []string{f.service.URL, f.other.URL} {
		if got := f.get(t, address); !strings.Contains(got, "Proxy Authentication Required") {
			t.Errorf("%s without the token: got %q", address, got)
		}
	}
	address, _ := url.Parse(f.front.URL)
	address.User = url.UserPassword("me", "geheim")
	f.client.Transport.(*http.Transport).Proxy = http.ProxyURL(address)
	if got := f.get(t, f.service.URL+"/x"); !strings.HasSuffix(got, " /x ") {
		t.Errorf("with the token: got %q", got)
	}
}

func TestForwardProxySaysWhatIsUnreachable(t *testing.T) {
	t.Parallel()
	f := forward(t)
	if got := f.get(t, "https://127.0.0.1:1/"); !strings.Contains(got, "Bad Gateway") {
		t.Errorf("got %q", got)
	}
}

// A client that asks for a connection and then says nothing does not keep it, nor does one that stops in the middle.
func TestSilentConnectionsEnd(t *testing.T) {
	t.Parallel()
	f := forward(t, func(c *proxy.Config) {
		c.ClientTimeout, c.AnswerTimeout = 200*time.Millisecond,
			300*time.Millisecond
	})
	silent, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	for name, tt := range map[string]struct{ authority, says string }{
		"to the platform, nothing":     {"workflow.platform.example:443", ""},
		"to the platform, a handshake": {"workflow.platform.example:443", "\x16\x03\x01"},
		"to the platform, half a line": {"workflow.platform.example:80", "GET /api"},
		"to another host, nothing":     {silent.Addr().String(), ""},
		"to another host, something":   {silent.Addr().String(), "hello"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(f.front.URL, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
			fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %[1]s\r\n\r\n", tt.authority)
			first := bufio.NewReader(conn)
			if line, err := first.ReadString('\n'); !strings.Contains(line, " 200 ") {
				t.Fatalf("got %q, %v", line, err)
			}
			_, _ = io.WriteString(conn, tt.says)
			if _, err := io.Copy(io.Discard, first); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("the connection is still open")
			}
		})
	}
}

// An answer of another host that is none does not end in a panic, either.
func TestForwardProxyRefusesMalformedAnswers(t *testing.T) {
	t.Parallel()
	f := forward(t)
	for name, text := range map[string]string{
		"a status": "HTTP/1.1 000 Nothing\r\n\r\n", "an upgrade": "HTTP/1.1 101 Upgrade\r\nUpgrade: x\r\n\r\n",
		"hints": strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 200),
	} {
		if got := f.get(t, rawService(t, say(text))+"/x"); !strings.Contains(got, "no readable answer") {
			t.Errorf("%s: got %q", name, got)
		}
	}
}
