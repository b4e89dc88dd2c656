package proxy

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
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
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(next.Hostname(), portOf(next)))
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
	request := "CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n" + loopHeader + ": " + f.id + "\r\n"
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
