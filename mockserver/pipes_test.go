package mockserver_test

import (
	"context"
	"net"
	"net/http"
	"testing"

	"svc.example/understudy/mockserver"
)

// pipes is a network within the process, on which the clock of synctest counts.
type pipes struct {
	net.Listener
	accepted chan net.Conn
	closed   chan struct{}
}

func newPipes() *pipes { return &pipes{accepted: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accepted:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	p.accepted <- server
	return client, nil
}

// inPipes serves a mock within the process, and returns a client and what shuts the server down.
func inPipes(t *testing.T, opts ...mockserver.Option) (*mockserver.Server, *http.Client, func()) {
	t.Helper()
	s, err := mockserver.New(opts...)
	if err != nil {
		t.Fatal(err)
	}
	network, server := newPipes(), s.HTTPServer()
	go server.Serve(network) //nolint:errcheck // it ends with http.ErrServerClosed
	transport := &http.Transport{DialContext: network.dial}
	t.Cleanup(transport.CloseIdleConnections)
	return s, &http.Client{Transport: transport}, func() {
		if err := server.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
