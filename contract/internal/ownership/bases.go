package ownership

import (
	"maps"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"svc.example/understudy/internal/address"
	"svc.example/understudy/specs"
)

// Base is a given or guessed base address of an interface.
type Base struct {
	Interface specs.Interface
	URL       string
	Guessed   bool

	host, path string // host in lower case, with its port unless that is a scheme's own
	site       string
	mock       bool // the default address of a local mock
}

// hostBase is a base on the host of a request.
type hostBase struct {
	*Base
	document   *specs.Document
	configured *Base                     // the base if it was given or guessed, nil for a default address
	elsewhere  map[*specs.Operation]bool // those of the document that are not on this host
}

// hostMemo remembers the bases on the first hosts. They are read without a lock.
type hostMemo struct {
	mu    sync.Mutex
	bases atomic.Pointer[map[string][]hostBase]
}

const maxHosts = 100

func (m *hostMemo) get(host string) (bases []hostBase, ok bool) {
	if known := m.bases.Load(); known != nil {
		bases, ok = (*known)[host]
	}
	return bases, ok
}

func (m *hostMemo) put(host string, bases []hostBase) {
	m.mu.Lock()
	defer m.mu.Unlock()
	more := map[string][]hostBase{}
	if known := m.bases.Load(); known != nil {
		if len(*known) == maxHosts {
			return
		}
		maps.Copy(more, *known)
	}
	more[host] = bases
	m.bases.Store(&more)
}

// newBase returns a base address without user, query and fragment.
func newBase(name specs.Interface, u *url.URL) *Base {
	whole := strings.TrimSuffix(specs.MergeSlashes(u.EscapedPath()), "/")
	_, path := specs.CutWorld(whole)
	return &Base{Interface: name, URL: u.Scheme + "://" + u.Host + whole, host: hostOf(u), path: path}
}

// groupBySite sets the sites of the given bases. Each is named after its first interface.
func (a *Addresses) groupBySite() {
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

// siteOf returns a host without the interface's name. Regions are sites of their own; the default one is often left
// out.
func siteOf(d *specs.Document, host string) string {
	region, rest, found := strings.Cut(host, string(d.Interface+"."))
	if !found || region != "" && !strings.HasSuffix(region, ".") {
		return host
	}
	return strings.TrimPrefix(region, "us01.") + rest
}

// isNamed reports whether a host has a name, with or without a region before it.
func isNamed(host, name string) bool { return host == name || strings.HasSuffix(host, "."+name) }

// hostOf returns the host of a URL for comparison: in lower case, without a final dot and without a default port.
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

// basesOn lists the bases on a host. Results are kept, since a recording has few hosts.
func (a *Addresses) basesOn(host string) []hostBase {
	if known, ok := a.basesByHost.get(host); ok {
		return known
	}
	var list []hostBase
	add := func(b hostBase) {
		isSame := func(other hostBase) bool { return other.document == b.document && other.path == b.path }
		if b.Base != nil && address.IsHost(b.host, host) && !slices.ContainsFunc(list, isSame) {
			if b.host != host { // each is a place of its own
				here := *b.Base
				here.host, here.site = host, siteOf(b.document, host)
				b.Base = &here
			}
			if !b.mock {
				b.elsewhere = elsewhereThan(host, b.document)
			}
			list = append(list, b)
		}
	}
	for _, d := range a.documents {
		given, isGiven := a.given[d.Interface]
		for _, b := range given {
			add(hostBase{Base: b, document: d, configured: b})
		}
		if isMock := a.isMockOnAll || isLoopback(hostName(host)); !isGiven || isMock {
			add(hostBase{Base: defaultBase(d, host, isMock), document: d})
		}
		for _, b := range a.guessed[d.Interface] {
			add(hostBase{Base: b, document: d, configured: b})
		}
	}
	a.basesByHost.put(strings.Clone(host), list)
	return list
}

// elsewhereThan returns the operations that are not on a host which the document names: they have other servers of
// their own, or their paths have, or they have those of the document. A host that the document does not name is that of
// an installation that answers everything.
func elsewhereThan(host string, d *specs.Document) map[*specs.Operation]bool {
	if !d.HasServersBelow() {
		return nil
	}
	isHere := func(addresses []string) bool {
		return slices.ContainsFunc(addresses, func(one string) bool {
			u, err := url.Parse(one)
			return err == nil && address.IsHost(hostOf(u), host)
		})
	}
	servers, list := d.ServerURLs(), map[*specs.Operation]bool{}
	isNamed := isHere(servers)
	isDefault := isNamed || len(servers) == 0
	for _, op := range d.Operations {
		switch own := op.ServerURLs(); {
		case isHere(own):
			isNamed = true
		case len(own) > 0 || !isDefault:
			list[op] = true
		}
	}
	if !isNamed {
		return nil
	}
	return list
}

// hostName returns a host without its port.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

// defaultBase returns the default address of an interface on a host, which may be that of a mock, or nil.
func defaultBase(d *specs.Document, host string, isMock bool) *Base {
	name := hostName(host)
	switch {
	case isNamed(name, string(d.Interface+".localhost")), isNamed(host, defaultHost(d)),
		isNamed(host, string(d.Interface+".svc.example")):
		return &Base{host: host, path: d.BasePath, site: siteOf(d, host)}
	case isMock:
		return &Base{host: host, path: "/" + string(d.Interface) + d.BasePath, site: host, mock: true}
	}
	return nil
}

// defaultHost returns the host of an interface's default address.
func defaultHost(d *specs.Document) string { return d.Brand.Text(string(d.Interface + ".svc.example")) }

func isLoopback(name string) bool {
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}

// With returns the addresses with guessed bases in addition.
func (a *Addresses) With(guessed []*Base) *Addresses {
	with := &Addresses{
		documents: a.documents, given: a.given, rewrites: a.rewrites, isMockOnAll: a.isMockOnAll,
		guessed: map[specs.Interface][]*Base{},
	}
	for _, b := range guessed {
		with.guessed[b.Interface] = append(with.guessed[b.Interface], b)
	}
	return with
}

// Guessed returns a guessed base by its URL in a report.
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
