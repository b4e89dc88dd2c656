package main

import (
	"fmt"
	"maps"
	"net"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/certs"
	"svc.example/understudy/specs/recording/snippet"
)

func newCA() *cobra.Command {
	c := &cobra.Command{
		Use:   "ca",
		Short: "Show the CA that signs for understudy serve --tls and proxy --forward",
		Long: `Show the certificate authority (CA) that signs the certificates of
understudy serve --tls and understudy proxy --forward. It is created in your configuration folder when it is first
needed. Keep its key to yourself: whoever has it can impersonate any server to every
program that trusts the CA.`,
		Args: noSuchCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(&cobra.Command{
		Use:     "path",
		Short:   "Print the path of the CA's certificate",
		Example: `  curl --cacert "$(understudy ca path)" https://127.0.0.1:4010/_understudy/health`,
		Args:    exactArgs(0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			_, path, err := openCA()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(c.OutOrStdout(), path)
			return err
		},
	}, &cobra.Command{
		Use:   "env",
		Short: "Print environment variables that make programs trust the CA",
		Long: `Print, for a POSIX shell, the variables that curl, Go, Node, Python, Ruby and Deno
read. Except for Node and Deno, the CA replaces the authorities that the system
trusts: set the variables only for programs that talk to the mock.`,
		Example: `  eval "$(understudy ca env)"`,
		Args:    exactArgs(0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			_, path, err := openCA()
			if err != nil {
				return err
			}
			for _, name := range caVariables {
				fmt.Fprintf(c.OutOrStdout(), "export %s=%s\n", name, snippet.ShellQuoted(path))
			}
			return nil
		},
	})
	return c
}

// caVariable names the certificate of our own CA.
const caVariable = "UNDERSTUDY_CA"

// caVariables name a file of certificates to trust.
var caVariables = []string{
	"CURL_CA_BUNDLE",      // curl
	"SSL_CERT_FILE",       // Go, and what uses OpenSSL: Ruby, Python's ssl and httpx
	"REQUESTS_CA_BUNDLE",  // Python's requests
	"NODE_EXTRA_CA_CERTS", // Node
	"DENO_CERT",           // Deno
}

// caEnvironment returns the variables with which programs trust the certificates in a file.
func caEnvironment(file string) []string {
	list := []string{caVariable + "=" + file}
	for _, name := range slices.Concat(caVariables, []string{"GIT_SSL_CAINFO", "AWS_CA_BUNDLE"}) {
		list = append(list, name+"="+file)
	}
	return list
}

// openCA returns the user's CA, made if there is none yet, and the file of its certificate.
func openCA() (*certs.CA, string, error) {
	folder, err := certs.UserFolder()
	if err != nil {
		return nil, "", err
	}
	ca, err := certs.Open(folder)
	return ca, certs.Path(folder), err
}

// secure sets up TLS for all listeners if it is wanted, and returns the file of the CA's certificate.
func (f *addressFlags) secure(l listeners) (string, error) {
	if !f.tls {
		return "", nil
	}
	ca, path, err := openCA()
	if err != nil {
		return "", err
	}
	config, err := ca.Config(f.hosts(l)...)
	if err != nil {
		return "", err
	}
	for _, s := range l {
		s.tls = config
	}
	return path, nil
}

// hosts returns the names and addresses that clients may know the listeners by: those on this machine, those that the
// flags give, and on all addresses those of the machine.
func (f *addressFlags) hosts(l listeners) []string {
	hosts := mockserver.Hosts(slices.Sorted(maps.Keys(f.paths))...)
	addresses := []string{f.listen}
	for _, own := range f.interfaces.List {
		addresses = append(addresses, own[1])
	}
	for i, s := range l {
		if host, _, err := net.SplitHostPort(addresses[i]); err == nil && host != "" {
			hosts = append(hosts, host)
		}
		if !s.address().IP.IsUnspecified() {
			hosts = append(hosts, s.address().IP.String())
			continue
		}
		hosts = append(hosts, machineHosts()...)
	}
	return hosts
}

// machineHosts returns the name of the machine and its addresses, as far as they can be found.
func machineHosts() (hosts []string) {
	if name, err := os.Hostname(); err == nil {
		hosts = append(hosts, name)
	}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return hosts
	}
	for _, address := range addresses {
		if network, ok := address.(*net.IPNet); ok {
			hosts = append(hosts, network.IP.String())
		}
	}
	return hosts
}
