package mockserver

import (
	"crypto/tls"
	"net/http"

	"svc.example/understudy/mockserver/certs"
	"svc.example/understudy/specs"
)

// WithTLS makes Start serve https, HTTP/2 included, with certificates of a CA that only this server has. Client trusts
// it, and so do others that are given CA.
func WithTLS() Option {
	return func(c *config) (err error) {
		c.ca, err = certs.New()
		return err
	}
}

// CA returns the certificate of the server's CA, in PEM, or nil unless the server was made with WithTLS.
func (s *Server) CA() []byte {
	if s.ca == nil {
		return nil
	}
	return s.ca.PEM()
}

// Client returns an HTTP client of its own that trusts the server that Start has made.
func (s *Server) Client() *http.Client {
	transport := &http.Transport{ForceAttemptHTTP2: true}
	if s.ca != nil {
		transport.TLSClientConfig = &tls.Config{RootCAs: s.ca.Pool(), MinVersion: tls.VersionTLS12}
	}
	return &http.Client{Transport: transport}
}

// Hosts lists the names and IP addresses that a server of interfaces, or of all of the platform's, has on this machine,
// for its certificate: localhost and, below it, a name for each interface. Many clients take no wildcard directly below
// a top-level domain.
func Hosts(interfaces ...specs.Interface) []string {
	if len(interfaces) == 0 {
		interfaces = specs.Interfaces()
	}
	hosts := []string{"localhost", "*.localhost", "127.0.0.1", "::1"}
	for _, name := range interfaces {
		hosts = append(hosts, string(name+".localhost"))
	}
	return hosts
}

// Hosts lists the names and IP addresses that the server has by itself on this machine, as the function does.
func (s *Server) Hosts() []string { return Hosts(s.config.interfaces...) }
