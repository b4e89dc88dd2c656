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
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"svc.example/understudy/internal/checkflags"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/console"
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

// addressFlags say where to listen.
type addressFlags struct {
	listen     string
	interfaces *checkflags.Pairs
	tls        bool

	paths map[specs.Interface]string // at which the interfaces are served
}

func (f *addressFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.listen, "listen", "127.0.0.1:4010", "listen on `HOST:PORT`; port 0 picks a free one")
	f.interfaces = addPairsFlag(c, "interface", "also serve an interface on a port of its own (repeatable)",
		checkflags.Pairs{What: "HOST:PORT"})
	c.Flags().BoolVar(&f.tls, "tls", false,
		"serve https, HTTP/2 included, with certificates of your own CA: see understudy ca")
}

// open opens the addresses, and returns the file of the CA if they are served by TLS.
func (f *addressFlags) open(ctx context.Context) (listeners, string, error) {
	l, err := f.openListeners(ctx)
	if err != nil {
		return nil, "", err
	}
	ca, err := f.secure(l)
	if err != nil {
		l.close()
	}
	return l, ca, err
}

// openListeners opens the addresses. Connections wait until they are served.
func (f *addressFlags) openListeners(ctx context.Context) (listeners, error) {
	addresses := append([][2]string{{"", f.listen}}, f.interfaces.List...)
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

// handle gives each listener its server: of the interface, or of all if that is empty.
func (l listeners) handle(log *slog.Logger, serverOf func(iface string) (*http.Server, error)) error {
	for _, s := range l {
		server, err := serverOf(s.iface)
		if err != nil {
			return err
		}
		server.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelWarn)
		s.server = server
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

// addresses returns the base addresses of interfaces: on ports of their own, or else on the common one.
func (l listeners) addresses(paths map[specs.Interface]string) map[string]string {
	interfaces := map[string]string{}
	for name, path := range paths {
		interfaces[string(name)] = l[0].url() + path
		for _, s := range l[1:] {
			if s.iface == string(name) {
				interfaces[s.iface] = s.url() + strings.TrimPrefix(path, "/"+s.iface)
			}
		}
	}
	return interfaces
}

// serves notes at which paths the interfaces of a set are served beside each other.
func (f *addressFlags) serves(documents *specs.Set) error {
	f.paths = map[specs.Interface]string{}
	names := documents.Names()
	for _, name := range names {
		f.paths[name] = mockserver.Address(name)
		if !name.IsOwn() {
			continue
		}
		doc, err := documents.Load(name)
		if err != nil {
			return err
		}
		f.paths[name] += doc.BasePath
	}
	for _, given := range f.interfaces.List {
		if err := checkflags.KnownInterface(given[0], specs.NamesOf(names)); err != nil {
			return fmt.Errorf("--interface: %w", err)
		}
	}
	return nil
}

// urlVariable is the variable of the environment with the address that has all interfaces below /INTERFACE.
const urlVariable = "UNDERSTUDY_URL"

// environment returns the variables with the addresses, for a command.
func (l listeners) environment(paths map[specs.Interface]string) []string {
	list := []string{urlVariable + "=" + l[0].url()}
	for name, url := range l.addresses(paths) {
		list = append(list, "UNDERSTUDY_"+strings.ToUpper(strings.ReplaceAll(name, "-", "_"))+"_URL="+url)
	}
	return list
}

// writeReady prints the addresses, the CA of their certificates, and the services that answer interfaces, if there are
// any, in one line of JSON.
func writeReady(
	w io.Writer, l listeners, ca string, paths map[specs.Interface]string, targets map[string]string,
) error {
	url := l[0].url()
	return json.NewEncoder(w).Encode(struct {
		URL        string            `json:"url"`
		Interfaces map[string]string `json:"interfaces"`
		Control    string            `json:"control"`
		Console    string            `json:"console"`
		CA         string            `json:"ca,omitempty"`
		Targets    map[string]string `json:"targets,omitempty"`
	}{url, l.addresses(paths), url + mockserver.Address(specs.Control), url + console.Path, ca, targets})
}
