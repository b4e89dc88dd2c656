package relay

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"svc.example/understudy/specs"
)

// Targets reads the addresses of services, in the order of their interfaces. The base path of an interface's document
// may be left out. Whatever is wrong with them is in the error.
func Targets(addresses map[specs.Interface]string, documents *specs.Set) (list []*Target, err error) {
	var errs []error
	if n := len(addresses); n > maxTargets {
		errs = append(errs, fmt.Errorf("%d targets: want at most %d", n, maxTargets))
	}
	for _, name := range slices.Sorted(maps.Keys(addresses)) {
		errs = append(errs, documents.Check(name))
	}
	for _, name := range documents.Names() {
		if addresses[name] == "" {
			continue
		}
		t, err := NewTarget(name, addresses[name], documents.Load)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		list = append(list, t)
	}
	return list, errors.Join(errs...)
}

// NewTarget reads the address of the service of an interface, whose document load loads.
func NewTarget(
	iface specs.Interface, address string, load func(specs.Interface) (*specs.Document, error),
) (*Target, error) {
	u, err := ParseAddress(iface, address)
	if err != nil {
		return nil, err
	}
	document, err := load(iface)
	if err != nil {
		return nil, err
	}
	path := strings.TrimSuffix(strings.TrimSuffix(specs.MergeSlashes(u.EscapedPath()), "/"), document.BasePath)
	root := &url.URL{Scheme: u.Scheme, Host: u.Host}
	root.Path, err = url.PathUnescape(strings.TrimSuffix(path, "/"))
	root.RawPath = strings.TrimSuffix(path, "/")
	return &Target{Interface: iface, Root: root, Document: document}, err
}

// ParseAddress reads the address of the service of an interface.
func ParseAddress(iface specs.Interface, address string) (*url.URL, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("target of %s: want an absolute http or https address without a query, not %q", iface, address)
	case u.User != nil:
		return nil, fmt.Errorf("target of %s: want an address without a user: clients send their credentials themselves",
			iface)
	}
	return u, nil
}
