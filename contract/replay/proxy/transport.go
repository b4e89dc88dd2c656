package proxy

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"svc.example/understudy/internal/relay"
)

// dialTime bounds the time until another host is connected.
const dialTime = 10 * time.Second

// dial connects to a host that is not the platform's, through the proxy that the environment names, if there is one.
func (f *forwarder) dial(ctx context.Context, authority string) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: dialTime}
	next, err := http.ProxyFromEnvironment(&http.Request{URL: &url.URL{Scheme: "https", Host: authority}})
	if err != nil {
		return nil, fmt.Errorf("HTTPS_PROXY: %w", err)
	}
	if next == nil {
		return dialer.DialContext(ctx, "tcp", authority)
	}
	if next.Scheme != "http" {
		return nil, fmt.Errorf("HTTPS_PROXY: want an http address, not %s", next.Scheme)
	}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(next.Hostname(), relay.PortOf(next)))
	if err != nil {
		return nil, err
	}
	_ = conn.SetDeadline(time.Now().Add(dialTime))
	through, err := f.askForTunnel(conn, next, authority)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return through, conn.SetDeadline(time.Time{})
}

// askForTunnel asks another proxy for a tunnel.
func (f *forwarder) askForTunnel(conn net.Conn, next *url.URL, authority string) (net.Conn, error) {
	request := "CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n" +
		relay.LoopHeader + ": " + f.relay.ID() + "\r\n"
	if next.User != nil {
		password, _ := next.User.Password()
		credential := base64.StdEncoding.EncodeToString([]byte(next.User.Username() + ":" + password))
		request += "Proxy-Authorization: Basic " + credential + "\r\n"
	}
	if _, err := io.WriteString(conn, request+"\r\n"); err != nil {
		return nil, err
	}
	first := bufio.NewReader(conn)
	response, err := http.ReadResponse(first, &http.Request{Method: http.MethodConnect})
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the proxy %s answered %s", next.Host, response.Status)
	}
	return &interceptedConn{Conn: conn, first: first}, nil
}

// connections is a listener of connections that were made otherwise.
type connections struct {
	next chan net.Conn
	done chan struct{}
	once sync.Once
}

func newConnections() *connections {
	return &connections{next: make(chan net.Conn), done: make(chan struct{})}
}

func (c *connections) add(conn net.Conn) {
	select {
	case c.next <- conn:
	case <-c.done:
		_ = conn.Close()
	}
}

func (c *connections) Accept() (net.Conn, error) {
	select {
	case conn := <-c.next:
		return conn, nil
	case <-c.done:
		return nil, net.ErrClosed
	}
}

func (c *connections) Close() error {
	c.once.Do(func() { close(c.done) })
	return nil
}

func (c *connections) Addr() net.Addr { return &net.TCPAddr{} }

type authorityKey struct{}

// withAuthority notes the address that a client asked for when it made the connection.
func withAuthority(ctx context.Context, c net.Conn) context.Context {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	if own, ok := c.(*interceptedConn); ok {
		return context.WithValue(ctx, authorityKey{}, own.authority)
	}
	return ctx
}

// copyAndEnd copies one direction of a tunnel, says when something has come, and passes the end on.
func copyAndEnd(to, from net.Conn, isBusy func()) {
	_, _ = io.Copy(to, readerFunc(func(p []byte) (int, error) {
		n, err := from.Read(p)
		isBusy()
		return n, err
	}))
	_ = closeWrite(to)
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func closeWrite(c net.Conn) error {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return c.Close()
}
