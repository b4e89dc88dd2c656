package proxy

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"svc.example/understudy/specs"
)

const controlPrefix = "/_understudy"

// place holds where a request came in: its interface, and the address of that as the client knows it.
type place struct {
	iface  specs.Interface
	origin string // scheme and host
	prefix string // of the path, such as /core; empty where the host says which interface it is
	path   string // escaped, below the prefix
	isSame bool   // the client uses the address of the service itself
}

// locate finds out which interface a request is for: by a host label (core.localhost) or by a path prefix (/core).
func (p *Proxy) locate(r *http.Request) (place, bool) {
	path := r.URL.EscapedPath()
	label, rest, _ := strings.Cut(strings.ToLower(r.Host), ".")
	if host, _, err := net.SplitHostPort(rest); (err == nil && host == "localhost") || rest == "localhost" {
		return place{iface: specs.Interface(label), origin: origin(r), path: path}, p.isInterface(label)
	}
	name, rest, _ := strings.Cut(strings.TrimLeft(path, "/"), "/")
	return place{iface: specs.Interface(name), origin: origin(r), prefix: "/" + name, path: "/" + rest}, p.isInterface(name)
}

func (p *Proxy) isInterface(name string) bool { return slices.Contains(p.names, specs.Interface(name)) }

func origin(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// target is the service that stands behind an interface.
type target struct {
	iface    specs.Interface
	root     *url.URL // without the base path of the document, and without a slash at its end
	document *specs.Document
	bit      uint64 // in sets of targets
}

// newTarget reads the address of a service.
func newTarget(iface specs.Interface, address string, documents *specs.Set) (*target, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("target of %s: want an absolute http or https address without a query, not %q", iface, address)
	case u.User != nil:
		return nil, fmt.Errorf("target of %s: want an address without a user: clients send their credentials themselves",
			iface)
	}
	document, err := documents.Load(iface)
	if err != nil {
		return nil, err
	}
	path := strings.TrimSuffix(strings.TrimSuffix(specs.MergeSlashes(u.EscapedPath()), "/"), document.BasePath)
	root := &url.URL{Scheme: u.Scheme, Host: u.Host}
	root.Path, err = url.PathUnescape(strings.TrimSuffix(path, "/"))
	root.RawPath = strings.TrimSuffix(path, "/")
	return &target{iface: iface, root: root, document: document}, err
}

// Base returns the base address of the service of an interface, as --base of understudy check takes it, or an empty
// string without a target.
func (p *Proxy) Base(iface specs.Interface) string {
	if t := p.targets[iface]; t != nil {
		return t.base()
	}
	return ""
}

// documents returns the documents of the interfaces that the proxy knows, with a target or without.
func (c *Config) documents() *specs.Set { return &specs.Set{Files: c.Specs, Brand: c.Brand} }

// Base returns what the method of a proxy with this configuration returns.
func (c *Config) Base(iface specs.Interface) (string, error) {
	t, err := newTarget(iface, c.Targets[iface], c.documents())
	if err != nil {
		return "", err
	}
	return t.base(), nil
}

func (t *target) base() string { return t.root.String() + t.document.BasePath }

// at returns the address of a path below the root.
func (t *target) at(path string, query *url.URL) *url.URL {
	u := *t.root
	escaped := t.root.EscapedPath() + path
	u.RawQuery, u.ForceQuery = query.RawQuery, query.ForceQuery
	if plain, err := url.PathUnescape(escaped); err == nil {
		u.Path, u.RawPath = plain, escaped
	} else {
		u.Path, u.RawPath = escaped, ""
	}
	return &u
}

// below returns the path of an address below the root.
func (t *target) below(u *url.URL) (path string, ok bool) {
	if !sameOrigin(u, t.root) {
		return "", false
	}
	return specs.Below(u.EscapedPath(), t.root.EscapedPath())
}

// operation finds the operation of a path below the root.
func (t *target) operation(method, path string) *specs.Operation {
	rest, ok := specs.Below(path, t.document.BasePath)
	if !ok {
		return nil
	}
	return t.document.Find(method, rest).Operation
}

// sameOrigin reports whether two addresses have the same scheme, host and port.
func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && portOf(a) == portOf(b)
}

func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}
