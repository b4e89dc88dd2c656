package ownership

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"svc.example/understudy/specs"
)

// Base is a base address of an interface that was given, or guessed.
type Base struct {
	Interface specs.Interface
	URL       string
	Guessed   bool

	host, path string // host in lower case, with its port unless that is a scheme's own
	site       string
	mock       bool // a mock gives itself this address
}

// located is a base on some host.
type located struct {
	*Base
	document *specs.Document
	own      *Base // the same unless it is a default address
}

const maxHosts = 1000

// newBase is a base address without what has no part in it: user, query and fragment.
func newBase(name specs.Interface, u *url.URL) *Base {
	_, path := cutWorld(strings.TrimSuffix(u.EscapedPath(), "/"))
	plain := u.Scheme + "://" + u.Host + strings.TrimSuffix(u.EscapedPath(), "/")
	return &Base{Interface: name, URL: plain, host: hostOf(u), path: path}
}

// group names the sites of the given bases, each after the first interface that has a base of it.
func (a *Addresses) group() {
	var sites []string
	for _, d := range a.documents {
		for i, b := range a.given[d.Interface] {
			if i == len(sites) {
				sites = append(sites, siteOf(d, b.host))
			}
			a.given[d.Interface][i].site = sites[i]
		}
	}
}

// siteOf is a host without the interface's name. Regions are sites of their own; the default one is often left out.
func siteOf(d *specs.Document, host string) string {
	region, rest, found := strings.Cut(host, string(d.Interface+"."))
	if !found || region != "" && !strings.HasSuffix(region, ".") {
		return host
	}
	return strings.TrimPrefix(region, "us01.") + rest
}

// isNamed reports whether a host has a name, or a region before it.
func isNamed(host, name string) bool { return host == name || strings.HasSuffix(host, "."+name) }

// hostOf is a host as it is compared: in lower case, without the dot of the root, without a port that is a scheme's
// own.
func hostOf(u *url.URL) string {
	host, port := strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), u.Port()
	if strings.Contains(host, ":") {
		if addr, err := netip.ParseAddr(host); err == nil {
			host = addr.WithZone("").String()
		}
		host = "[" + host + "]"
	}
	if port == "" || port == "80" || port == "443" {
		return host
	}
	return host + ":" + port
}

// on lists the bases on a host. A recording has few hosts, and many exchanges with each.
func (a *Addresses) on(host string) []located {
	if known, ok := a.located.Load(host); ok {
		return known.([]located)
	}
	var list []located
	add := func(b located) {
		isSame := func(other located) bool { return other.document == b.document && other.path == b.path }
		if b.Base != nil && b.host == host && !slices.ContainsFunc(list, isSame) {
			list = append(list, b)
		}
	}
	for _, d := range a.documents {
		given, isGiven := a.given[d.Interface]
		for _, b := range given {
			add(located{b, d, b})
		}
		if !isGiven || isLoopback(hostName(host)) {
			add(located{byDefault(d, host), d, nil})
		}
		for _, b := range a.guessed[d.Interface] {
			add(located{b, d, b})
		}
	}
	if a.hosts.Add(1) <= maxHosts {
		a.located.Store(host, list)
	}
	return list
}

// hostName is a host without its port.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

// byDefault is the default address of an interface on a host, or nil.
func byDefault(d *specs.Document, host string) *Base {
	name := hostName(host)
	switch {
	case isNamed(name, string(d.Interface+".localhost")), isNamed(host, standardHost(d)),
		isNamed(host, string(d.Interface+".svc.example")):
		return &Base{host: host, path: d.BasePath, site: siteOf(d, host)}
	case isLoopback(name):
		return &Base{host: host, path: "/" + string(d.Interface) + d.BasePath, site: host, mock: true}
	}
	return nil
}

// standardHost returns the host of an interface's default address.
func standardHost(d *specs.Document) string {
	return d.Brand.Text(string(d.Interface + ".svc.example"))
}

func isLoopback(name string) bool {
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}

// With returns the addresses of a recording in which interfaces are also at guessed bases.
func (a *Addresses) With(guessed []*Base) *Addresses {
	with := &Addresses{
		documents: a.documents, given: a.given, rewrites: a.rewrites,
		guessed: map[specs.Interface][]*Base{},
	}
	for _, b := range guessed {
		with.guessed[b.Interface] = append(with.guessed[b.Interface], b)
	}
	return with
}

// Guessed returns a base that was guessed before, by its URL as a report has it.
func (a *Addresses) Guessed(iface specs.Interface, raw string) (*Base, bool) {
	u, err := url.Parse(raw)
	i := slices.IndexFunc(a.documents, func(d *specs.Document) bool { return d.Interface == iface })
	if err != nil || i < 0 {
		return nil, false
	}
	b := newBase(iface, u)
	b.Guessed, b.site = true, siteOf(a.documents[i], b.host)
	return b, true
}

// Bases returns the bases that were given and those that were guessed, in the order of the documents.
func (a *Addresses) Bases() []*Base {
	var bases []*Base
	for _, d := range a.documents {
		bases = append(append(bases, a.given[d.Interface]...), a.guessed[d.Interface]...)
	}
	return bases
}
