package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
)

// listener is an address that the mock listens on: the address of all interfaces, or of one.
type listener struct {
	iface    string // empty for all interfaces
	listener net.Listener
	tls      *tls.Config // nil: plain HTTP
	server   *http.Server
}

// listeners holds the address of all interfaces, and then those of single ones.
type listeners []*listener

// openListeners opens the addresses. Connections wait until they are served.
func (f *serveFlags) openListeners(ctx context.Context) (listeners, error) {
	addresses := append([][2]string{{"", f.listen}}, f.interfaces.list...)
	var list listeners
	for _, a := range addresses {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", a[1])
		if err != nil {
			list.close()
			return nil, listenError(a[0], a[1], err)
		}
		list = append(list, &listener{iface: a[0], listener: l})
	}
	return list, nil
}

func listenError(iface, address string, err error) error {
	flag := "--listen "
	if iface != "" {
		flag = "--interface " + iface + "="
	}
	var dns *net.DNSError
	var addr *net.AddrError
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("listen on %s: the port is in use: stop what uses it, or choose another port with %sHOST:PORT "+
			"(port 0 picks a free one)", address, flag)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("listen on %s: permission denied for this port: choose one above 1023 with %sHOST:PORT",
			address, flag)
	case errors.As(err, &addr), errors.As(err, &dns), errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("listen on %s: not an address of this machine: want %sHOST:PORT, as in %s127.0.0.1:4010 (%w)",
			address, flag, flag, err)
	}
	return fmt.Errorf("listen on %s: %w", address, err)
}

func (s *listener) address() *net.TCPAddr { return s.listener.Addr().(*net.TCPAddr) }

func (s *listener) loopback() bool { return s.address().IP.IsLoopback() }

// url returns the origin of the listener, on localhost if it listens on all addresses.
func (s *listener) url() string {
	address := s.address()
	host := address.IP.String()
	if address.IP.IsUnspecified() {
		host = "localhost"
	}
	scheme := "http"
	if s.tls != nil {
		scheme = "https"
	}
	return scheme + "://" + net.JoinHostPort(host, fmt.Sprint(address.Port))
}

// listen serves until the server is shut down.
func (s *listener) listen() error {
	if s.tls == nil {
		return s.server.Serve(s.listener)
	}
	s.server.TLSConfig = s.tls.Clone() // which the server changes
	return s.server.ServeTLS(s.listener, "", "")
}

// handle gives each listener its handler. Interfaces are loaded when they are first used.
func (l listeners) handle(server *mockserver.Server, log *slog.Logger) error {
	for _, s := range l {
		s.server = server.HTTPServer()
		s.server.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelWarn)
		if s.iface == "" {
			continue
		}
		handler, err := server.Interface(specs.Interface(s.iface))
		if err != nil {
			return err
		}
		s.server.Handler = handler
	}
	return nil
}

// serve serves until the context ends, and then lets requests in flight finish for a while. It closes the connections
// of those that have not by then.
func (l listeners) serve(ctx context.Context, drain time.Duration, ready func() error) error {
	failed := make(chan error, len(l))
	for _, s := range l {
		go func() { failed <- s.listen() }()
	}
	if err := ready(); err != nil {
		return err
	}
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	return l.shutdown(ctx)
}

func (l listeners) shutdown(ctx context.Context) error {
	errs := make([]error, len(l))
	var group sync.WaitGroup
	for i, s := range l {
		group.Go(func() { errs[i] = s.server.Shutdown(ctx) })
	}
	group.Wait()
	return errors.Join(errs...)
}

// close closes the listeners and their remaining connections.
func (l listeners) close() {
	for _, s := range l {
		_ = s.listener.Close()
		if s.server != nil {
			_ = s.server.Close()
		}
	}
}

// writeReady prints the addresses, and the CA of their certificates if there is one, in one line of JSON.
func writeReady(w io.Writer, l listeners, ca string) error {
	url := l[0].url()
	interfaces := map[string]string{}
	for _, name := range specs.Interfaces() {
		interfaces[string(name)] = url + mockserver.Address(name)
	}
	for _, s := range l[1:] {
		document, err := specs.Load(specs.Interface(s.iface), specs.Neutral)
		if err != nil {
			return err
		}
		interfaces[s.iface] = s.url() + document.BasePath
	}
	return json.NewEncoder(w).Encode(struct {
		URL        string            `json:"url"`
		Interfaces map[string]string `json:"interfaces"`
		Control    string            `json:"control"`
		CA         string            `json:"ca,omitempty"`
	}{url, interfaces, url + mockserver.Address(specs.Control), ca})
}
