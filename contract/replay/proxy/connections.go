package proxy

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"sync"
)

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

// Accept implements net.Listener.
func (c *connections) Accept() (net.Conn, error) {
	select {
	case conn := <-c.next:
		return conn, nil
	case <-c.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (c *connections) Close() error {
	c.once.Do(func() { close(c.done) })
	return nil
}

// Addr implements net.Listener.
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

// Read implements io.Reader.
func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func closeWrite(c net.Conn) error {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return c.Close()
}
