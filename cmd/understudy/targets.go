package main

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"svc.example/understudy/internal/checkflags"
	"svc.example/understudy/internal/relay"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

// upstreamFlags say how to talk to the services.
type upstreamFlags struct {
	ca       string
	insecure bool
	timeout  time.Duration
}

func (f *upstreamFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.ca, "upstream-ca", "", "also trust the certificates in `FILE`, in PEM, for services")
	flags.BoolVar(&f.insecure, "insecure-upstream", false, "do not verify the certificates of services")
	flags.DurationVar(&f.timeout, "upstream-timeout", relay.DefaultAnswerTimeout,
		"answer for a service that does not begin its answer within `DURATION`")
}

// roots returns the authorities to trust, or nil for those of the system.
func (f *upstreamFlags) roots() (*x509.CertPool, error) { return authorities("--upstream-ca", f.ca) }

// authorities returns those of the system with those in a file, which a flag has named; nil without a file.
func authorities(flag, file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	text, err := source.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s: no certificate in %s: want PEM", flag, file)
	}
	return pool, nil
}

// targetFlags say which interfaces the real service answers in the place of the mock.
type targetFlags struct {
	upstreamFlags
	targets checkflags.Pairs
	compare bool
}

func (f *targetFlags) add(flags *pflag.FlagSet) {
	f.targets = checkflags.Pairs{What: "URL"}
	flags.Var(&f.targets, "target",
		"let the real service at an address answer an interface: the mock passes requests on, after faults and stubs,\n"+
			"and records the answers (repeatable)")
	flags.BoolVar(&f.compare, "compare", false,
		"also ask the mock what a --target is asked: differences are in the journal, and in a report at the end")
	f.upstreamFlags.add(flags)
}

// options returns the options of a server that listens on these addresses.
func (f *targetFlags) options(l listeners) (opts []mockserver.Option, err error) {
	switch {
	case len(f.targets.List) > 0:
	case f.compare:
		return nil, errors.New("--compare compares what goes to a --target: want --target NAME=URL as well")
	default:
		return nil, nil
	}
	for _, target := range f.targets.List {
		if l.isAt(target[1]) {
			return nil, fmt.Errorf("--target %s=%s: this server itself listens there; want the address of the real service",
				target[0], target[1])
		}
		opts = append(opts, mockserver.WithTarget(specs.Interface(target[0]), target[1]))
	}
	roots, err := f.roots()
	return append(opts, mockserver.WithTargetTransport(relay.NewTransport(relay.Upstream{
		RootCAs: roots, Insecure: f.insecure, AnswerTimeout: f.timeout,
	}))), err
}

// isAt reports whether an address leads to one of the listeners, as far as that can be known without asking for names.
func (l listeners) isAt(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	ip := net.ParseIP(host)
	isLoopback := ip.IsLoopback() || host == "localhost" || strings.HasSuffix(host, ".localhost")
	for _, s := range l {
		own := s.address()
		switch {
		case relay.PortOf(u) != strconv.Itoa(own.Port):
		case own.IP.IsUnspecified() && (isLoopback || ip.IsUnspecified() || isOfMachine(ip)),
			own.IP.IsLoopback() && isLoopback, own.IP.Equal(ip):
			return true
		}
	}
	return false
}

// isOfMachine reports whether an address is one of this machine.
func isOfMachine(ip net.IP) bool {
	addresses, _ := net.InterfaceAddrs()
	for _, address := range addresses {
		if own, ok := address.(*net.IPNet); ok && own.IP.Equal(ip) {
			return true
		}
	}
	return false
}
