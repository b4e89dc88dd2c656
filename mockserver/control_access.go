package mockserver

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"svc.example/understudy/mockserver/internal/op"
)

// admit refuses pages in a browser, which reach loopback addresses as well: without a token the control interface is
// for programs on this machine. With one it is for those who know it.
func (x *exchange) admit() error {
	if x.server.token != "" || isPublic(x.target.path) {
		return nil
	}
	site, page := x.r.Header.Get("Sec-Fetch-Site"), x.r.Header.Get("Origin")
	switch {
	case !x.server.isOwnHost(x.r):
		return notOwnHost(x.r)
	case site == "cross-site", page != "" && !isOrigin(page, x.r.Host):
		return op.Forbidden("pages of other origins may not use the control interface")
	}
	return nil
}

// isOwnHost reports whether a request that came over a network names this machine, or a host that the user allows. A
// page that had its own name lead here would name another.
func (s *Server) isOwnHost(r *http.Request) bool {
	if r.Context().Value(http.LocalAddrContextKey) == nil {
		return true
	}
	host := strings.ToLower(strings.Trim(hostname(r.Host), "[]"))
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		return true
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || slices.Contains(s.controlHosts, host)
}

func hostname(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return hostport
}

// isOrigin reports whether an origin is that of a host.
func isOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && strings.EqualFold(u.Host, host)
}

// requireMediaType refuses a body without a media type, which a page could send without asking.
func (x *exchange) requireMediaType() error {
	if len(x.body.bytes) > 0 && x.r.Header.Get("Content-Type") == "" {
		return &op.Error{
			Code: op.CodeMediaType, Field: "Content-Type",
			Message: "is missing; want " + x.checks[x.match.Operation.ID].MediaTypes(),
		}
	}
	return nil
}

// WithControlHost lets the control interface answer at other names than those of this machine, such as
// host.docker.internal, also without a token.
func WithControlHost(names ...string) Option {
	return func(c *config) error {
		for _, name := range names {
			if name == "" || strings.ContainsAny(name, ":/ ") {
				return fmt.Errorf("control host %q: want a name without a port, such as host.docker.internal", name)
			}
			c.controlHosts = append(c.controlHosts, strings.ToLower(name))
		}
		return nil
	}
}
