package mockserver

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// WithCORS lets pages of other origins call the interfaces, also with credentials: origins such as
// https://shop.example, http://localhost:* for any port, https://*.shop.example for any name below it, null for pages
// of files, and * for all. The control interface stays closed to them. By default pages may only send events.
func WithCORS(origins ...string) Option {
	return func(c *config) error {
		for _, text := range origins {
			pattern, err := parseOrigin(text)
			if err != nil {
				return err
			}
			c.cors = append(c.cors, pattern)
		}
		return nil
	}
}

// originPattern describes origins of pages. Its zero value is the origin null.
type originPattern struct {
	all                bool
	scheme, host, port string // a host may begin with *., and a port may be *
}

func parseOrigin(text string) (originPattern, error) {
	switch text {
	case "*":
		return originPattern{all: true}, nil
	case "null":
		return originPattern{}, nil
	}
	plain, anyPort := strings.CutSuffix(text, ":*")
	u, err := url.Parse(plain)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" ||
		*u != (url.URL{Scheme: u.Scheme, Host: u.Host}) || strings.Contains(strings.TrimPrefix(u.Host, "*."), "*") {
		return originPattern{}, fmt.Errorf("origin %q: want scheme, host and port alone, as in https://shop.example, "+
			"http://localhost:5173, http://localhost:* or https://*.shop.example; or null, or *", text)
	}
	if anyPort {
		return originPattern{scheme: u.Scheme, host: strings.ToLower(u.Hostname()), port: "*"}, nil
	}
	return originPattern{scheme: u.Scheme, host: strings.ToLower(u.Hostname()), port: portOf(u)}, nil
}

// portOf returns the port of an origin, which browsers leave out where it is that of the scheme.
func portOf(u *url.URL) string {
	return cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
}

// matches reports whether an origin, as a browser sends it, is one of the pattern.
func (p originPattern) matches(origin string) bool {
	if p.all || p == (originPattern{}) {
		return p.all || origin == "null"
	}
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != p.scheme || p.port != "*" && portOf(u) != p.port {
		return false
	}
	if domain, below := strings.CutPrefix(p.host, "*"); below {
		return strings.HasSuffix(u.Hostname(), domain)
	}
	return u.Hostname() == p.host
}

// preflightAge is for how many seconds a browser may remember that a page may send events. None remembers it longer.
const preflightAge = "7200"

// isPreflight reports whether a browser asks if a page of another origin may send a request.
func isPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && headerOf(r, "Origin") != "" &&
		headerOf(r, "Access-Control-Request-Method") != ""
}

// preflight answers a browser that asks whether a page may send a request, and reports whether it has. It allows it at
// wrong paths too, so that the page gets to read the refusal. The request is the browser's, not the client's: the
// journal has no entry of it. The interface is nil where none is asked.
func (s *Server) preflight(w http.ResponseWriter, r *http.Request, iface *loadedInterface) bool {
	isOpen := iface != nil && iface.rules.Browsers
	if !isPreflight(r) || !isOpen && !s.allowsPage(r) {
		return false
	}
	method := headerOf(r, "Access-Control-Request-Method")
	headers := []string{"Authorization", "Content-Type", worldHeader}
	if isOpen {
		method = http.MethodPost
		headers = slices.Insert(headers, 2, iface.doc.Brand.WriteKeyHeader())
	}
	header := w.Header()
	for _, line := range allowedOrigin(r) {
		header.Set(line[0], line[1])
	}
	header.Add("Vary", "Access-Control-Request-Method, Access-Control-Request-Headers")
	header.Set("Access-Control-Allow-Methods", method)
	header.Set("Access-Control-Allow-Headers", strings.Join(allowedHeaders(r, headers), ", "))
	header.Set("Access-Control-Max-Age", preflightAge)
	w.WriteHeader(http.StatusNoContent)
	return true
}

// headerName matches names of headers (RFC 9110, 5.6.2). The library for that brings tables of domain names along,
// which a user's first test would have to compile.
var headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// allowedHeaders lists the headers that a page may send: those that are given, and what the preflight asks for, since
// browsers take no * where a page sends credentials.
func allowedHeaders(r *http.Request, list []string) []string {
	for line := range slices.Values(r.Header.Values("Access-Control-Request-Headers")) {
		for name := range strings.SplitSeq(line, ",") {
			name = strings.TrimSpace(name)
			isListed := slices.ContainsFunc(list, func(other string) bool { return strings.EqualFold(other, name) })
			if !isListed && headerName.MatchString(name) {
				list = append(list, name)
			}
		}
	}
	return list
}

// allowedOrigin returns the headers that let a page read the answer to its request, if a page sent it, also where it
// sends credentials with it, as the platform's own client does (client).
func allowedOrigin(r *http.Request) [][2]string {
	origin := headerOf(r, "Origin")
	if origin == "" {
		return nil
	}
	return [][2]string{
		{"Access-Control-Allow-Origin", origin}, {"Access-Control-Allow-Credentials", "true"}, {"Vary", "Origin"},
	}
}

// allowsPage reports whether a page sent a request that the user lets read the answer.
func (c *config) allowsPage(r *http.Request) bool {
	origin := headerOf(r, "Origin")
	return origin != "" && slices.ContainsFunc(c.cors, func(p originPattern) bool { return p.matches(origin) })
}

// pageHeaders returns the headers of an answer by which a page may read it and these of its headers.
func (c *config) pageHeaders(r *http.Request, header [][2]string) [][2]string {
	switch {
	case c.cors == nil:
		return nil
	case !c.allowsPage(r):
		return [][2]string{{"Vary", "Origin"}}
	}
	exposed := []string{exchangeHeader, recording.FaultHeader, unrecordedHeader}
	for _, line := range header {
		exposed = append(exposed, line[0])
	}
	return append(allowedOrigin(r), [2]string{"Access-Control-Expose-Headers", strings.Join(exposed, ", ")})
}

// forPages returns these headers for the exchange, unless its answer says by itself who may read it, as that of a stub
// may.
func (x *exchange) forPages(header [][2]string) [][2]string {
	saysItself := func(line [2]string) bool { return line[0] == "Access-Control-Allow-Origin" }
	switch {
	case x.Name == specs.Control, slices.ContainsFunc(header, saysItself):
		return nil
	case x.rules.Browsers:
		return allowedOrigin(x.r)
	}
	return x.server.pageHeaders(x.r, header)
}
