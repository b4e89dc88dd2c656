package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"svc.example/understudy/contract/replay/proxy"
	"svc.example/understudy/internal/checkflags"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

// forwardFlags say whether the proxy is a forward proxy as well, and for which hosts.
type forwardFlags struct {
	on    bool
	hosts *checkflags.Pairs

	folder string // of the file of certificates
}

func (f *forwardFlags) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.on, "forward", false,
		"also be a forward proxy, for clients whose addresses cannot be changed: see understudy ca")
	f.hosts = addPairsFlag(c, "forward-host",
		"a host by which clients know an interface, besides that of its target (repeatable)",
		checkflags.Pairs{What: "HOST", Many: true})
}

// set completes the configuration of the proxy, and returns the file of certificates that clients are to trust: the CA
// and those of the system.
func (f *forwardFlags) set(config *proxy.Config) (string, error) {
	ca, path, err := openCA()
	if err != nil {
		return "", err
	}
	forward := &proxy.Forward{Hosts: map[string]specs.Interface{}}
	var names []string
	for _, pair := range f.hosts.List {
		if strings.ContainsAny(pair[1], "/@") {
			return "", fmt.Errorf("--forward-host %s=%s: want a host, as in %[1]s=%[1]s.example.com", pair[0], pair[1])
		}
		forward.Hosts[pair[1]] = specs.Interface(pair[0])
		names = append(names, (&url.URL{Host: pair[1]}).Hostname())
	}
	for _, target := range config.Targets {
		if u, err := url.Parse(target); err == nil {
			names = append(names, u.Hostname())
		}
	}
	if forward.TLS, err = ca.Config(names...); err != nil {
		return "", err
	}
	config.Forward = forward
	return f.bundle(path)
}

// bundle writes a file with the CA and the authorities of the system: other hosts are tunnelled, and have certificates
// of theirs.
func (f *forwardFlags) bundle(ca string) (path string, err error) {
	text, err := source.ReadFile(ca)
	if err != nil {
		return "", err
	}
	for _, file := range append([]string{os.Getenv("SSL_CERT_FILE")}, systemBundles...) {
		if system, err := source.ReadFile(file); err == nil {
			text = slices.Concat(text, []byte("\n"), system)
			break
		}
	}
	if f.folder, err = os.MkdirTemp("", "understudy-ca-"); err != nil {
		return "", fmt.Errorf("make a file of certificates: %w", err)
	}
	path = filepath.Join(f.folder, "ca.pem")
	return path, os.WriteFile(path, text, 0o644)
}

// end removes the file of certificates.
func (f *forwardFlags) end() {
	if f.folder != "" {
		_ = os.RemoveAll(f.folder)
	}
}

// systemBundles are the files in which systems keep the authorities that they trust.
var systemBundles = []string{
	"/etc/ssl/certs/ca-certificates.crt",                // Debian, Alpine
	"/etc/pki/tls/certs/ca-bundle.crt",                  // Fedora
	"/etc/ssl/ca-bundle.pem",                            // openSUSE
	"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", // RHEL
	"/etc/ssl/cert.pem",                                 // macOS, OpenBSD
}

// proxyEnvironment returns the variables by which programs find a proxy. Addresses of this machine need none, unless
// the platform is there.
func proxyEnvironment(address, token string, config *proxy.Config) []string {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	if token != "" {
		u.User = url.UserPassword("understudy", token)
	}
	var direct []string
	for _, host := range []string{"localhost", "127.0.0.1", "::1"} {
		if !isPlatformHost(config, host) {
			direct = append(direct, host)
		}
	}
	var list []string
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
		list = append(list, name+"="+u.String())
	}
	none := strings.Join(direct, ",")
	return append(list, "NO_PROXY="+none, "no_proxy="+none, "ALL_PROXY=", "all_proxy=", "NODE_USE_ENV_PROXY=1")
}

func isPlatformHost(config *proxy.Config, host string) bool {
	for _, target := range config.Targets {
		if u, err := url.Parse(target); err == nil && u.Hostname() == host {
			return true
		}
	}
	return config.Forward.Hosts[host] != ""
}
