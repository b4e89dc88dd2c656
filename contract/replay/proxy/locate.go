package proxy

import (
	"cmp"
	"net"
	"net/http"
	"slices"
	"strings"

	"svc.example/understudy/internal/relay"
	"svc.example/understudy/specs"
)

const controlPrefix = "/_understudy"

// locate finds out which interface a request is for: by a host label (core.localhost) or by a path prefix (/core).
func (p *Proxy) locate(r *http.Request) (relay.Place, bool) {
	path := r.URL.EscapedPath()
	label, rest, _ := strings.Cut(strings.ToLower(r.Host), ".")
	if host, _, err := net.SplitHostPort(rest); (err == nil && host == "localhost") || rest == "localhost" {
		return relay.Place{Interface: specs.Interface(label), Origin: origin(r), Path: path}, p.isInterface(label)
	}
	name, rest, _ := strings.Cut(strings.TrimLeft(path, "/"), "/")
	at := relay.Place{Interface: specs.Interface(name), Origin: origin(r), Prefix: "/" + name, Path: "/" + rest}
	return at, p.isInterface(name)
}

func (p *Proxy) isInterface(name string) bool { return slices.Contains(p.names, specs.Interface(name)) }

func origin(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// Base returns the base address of the service of an interface, as --base of understudy check takes it, or an empty
// string without a target.
func (p *Proxy) Base(iface specs.Interface) string {
	if t := p.targets[iface]; t != nil {
		return t.Base()
	}
	return ""
}

// documents returns the documents of the interfaces that the proxy knows, with a target or without.
func (c *Config) documents() *specs.Set { return cmp.Or(c.Specs, &specs.Set{Brand: c.Brand}) }

// Base returns what the method of a proxy with this configuration returns.
func (c *Config) Base(iface specs.Interface) (string, error) {
	t, err := relay.NewTarget(iface, c.Targets[iface], c.documents().Load)
	if err != nil {
		return "", err
	}
	return t.Base(), nil
}
