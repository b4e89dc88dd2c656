package mockserver

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"svc.example/understudy/internal/relay"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

// The addresses of the mock's own, beside those of the interfaces.
const (
	controlPrefix  = "/_understudy"
	worldsPrefix   = "/_worlds/" // see specs.CutWorld
	worldHeader    = "X-Understudy-World"
	exchangeHeader = "X-Understudy-Exchange"
	nearestHeader  = "X-Understudy-Nearest"
	targetHeader   = "X-Understudy-Target" // with a value, the mock answers an interface that has a target
)

// target is the interface and the world that an address refers to.
type target struct {
	iface specs.Interface
	world string // from a path prefix; empty when the address names none
	path  string // escaped, below base, with its empty segments
	base  string // the interface's address as the client sees it, but for the prefix that chooses a world
	whole string // base and path, where they are of one piece
	below bool   // path is already below the base path of the interface's document

	service *relay.Target // that answers in the place of the mock; nil: the mock does
}

// baseURL is an address that the user gave to an interface.
type baseURL struct {
	iface specs.Interface
	host  string
	path  string // without a trailing slash
	text  string
}

func newBaseURL(iface specs.Interface, text string) (baseURL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.RawQuery != "" {
		return baseURL{}, fmt.Errorf("base address of %s: want an absolute http or https address, not %q", iface, text)
	}
	path := strings.TrimSuffix(specs.MergeSlashes(u.EscapedPath()), "/")
	return baseURL{iface, u.Host, path, strings.TrimRight(text, "/")}, nil
}

// locate finds out which interface a request is for: by the addresses that were given to interfaces, by a host label
// (workflow.localhost), or by a path prefix (/workflow). Paths below /_understudy are the mock's own; the path prefix
// /_worlds/{id} chooses a world.
func (s *Server) locate(r *http.Request) (target, bool) {
	path := r.URL.EscapedPath()
	var t target
	t.world, path = specs.CutWorld(path)
	if rest, ok := specs.Below(path, controlPrefix); ok {
		return target{iface: specs.Control, path: specs.MergeSlashes(rest)}, true
	}
	for _, base := range s.bases {
		if rest, ok := specs.Below(path, base.path); ok && strings.EqualFold(base.host, r.Host) {
			t.iface, t.path, t.base, t.below = base.iface, rest, base.text, true
			return t, true
		}
	}
	label, rest, _ := strings.Cut(strings.ToLower(r.Host), ".")
	if isLocalhost(rest) {
		t.iface, t.path, t.base = specs.Interface(label), path, origin(r)
		return t, s.serves(specs.Interface(label))
	}
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") {
		path = "/" + strings.TrimLeft(path, "/")
	}
	name, _, found := strings.Cut(path[1:], "/")
	t.iface, t.path, t.whole = specs.Interface(name), "/", scheme(r)+r.Host+path
	if t.base = t.whole; found {
		t.path = path[1+len(name):]
		t.base = t.whole[:len(t.whole)-len(t.path)]
	}
	return t, s.serves(specs.Interface(name))
}

// isLocalhost reports whether a host is localhost, with a port or without.
func isLocalhost(host string) bool {
	if !strings.HasPrefix(host, "localhost") {
		return false
	}
	name, _, err := net.SplitHostPort(host)
	return err == nil && name == "localhost" || host == "localhost"
}

func origin(r *http.Request) string { return scheme(r) + r.Host }

func scheme(r *http.Request) string {
	if r.TLS != nil {
		return "https://"
	}
	return "http://"
}

func (s *Server) serves(iface specs.Interface) bool {
	return s.interfaces[iface] != nil
}

// links is the interface's address as links in answers begin: a client that follows one stays in the world that the
// path chose.
func (t target) links() string {
	if t.world == "" {
		return t.base
	}
	scheme, rest, _ := strings.Cut(t.base, "://")
	host, path, _ := strings.Cut(rest, "/")
	return strings.TrimSuffix(scheme+"://"+host+worldsPrefix+t.world+"/"+path, "/")
}

// path is the request's path below the base path of the interface's document, without empty segments; one that is not
// below it is left whole.
func (x *exchange) path() (path string, ok bool) {
	path, ok = x.target.path, x.target.below
	if !ok {
		if path, ok = specs.Below(path, x.doc.BasePath); !ok {
			path = x.target.path
		}
	}
	return specs.MergeSlashes(path), ok
}

// headerOf returns the first value of a header, of which the name is in canonical form: Header.Get makes it so at each
// call.
func headerOf(r *http.Request, name string) string {
	if values := r.Header[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// url is the address as the client sent it, without the mock's own path prefixes.
func (x *exchange) url() string {
	text := x.target.whole
	if len(text) != len(x.target.base)+len(x.target.path) {
		text = x.target.base + x.target.path
	}
	if x.r.URL.RawQuery != "" {
		text += "?" + x.r.URL.RawQuery
	}
	return text
}

// unknownPath refuses a request that fits no operation, as an API does. What the mock knows of the mistake goes into a
// header and the log; that the base path is not there, it says at once.
func (x *exchange) unknownPath(path string, below bool, allowed string) error {
	if allowed = x.allowed(allowed); allowed != "" {
		return &op.Error{Code: op.CodeMethod, Header: [][2]string{{"Allow", allowed}}, Message: fmt.Sprintf(
			"method %s is not allowed here; want %s", x.r.Method, allowed)}
	}
	if err := x.outside(path); err != nil {
		return err
	}
	message := fmt.Sprintf("no operation %s %s", x.r.Method, cmp.Or(path, "/"))
	method, nearest, _ := strings.Cut(x.doc.Nearest(x.r.Method, path), " ")
	nearest = method + " " + x.doc.BasePath + nearest
	switch {
	case !below:
		message += fmt.Sprintf("; paths of %s begin with %s", x.Name, x.doc.BasePath)
	case x.Name == specs.Control: // whose errors are the mock's own
		message += "; the nearest is " + nearest
	}
	return &op.Error{Code: op.CodeNotFound, Message: message, Header: [][2]string{{nearestHeader, nearest}}}
}

// outside refuses a request to an address of the platform's that is not part of the interface, and says what is right.
func (x *exchange) outside(path string) error {
	if x.rules.Outside == nil {
		return nil
	}
	message := x.rules.Outside(x.r.Method, path)
	if message == "" {
		return nil
	}
	return &op.Error{Code: op.CodeNotFound, Reason: op.ReasonOutside, Message: message}
}

// unknownAddress answers a request that is for no interface at all, so in no interface's form.
func (s *Server) unknownAddress(w http.ResponseWriter, r *http.Request) {
	if s.preflight(w, r, nil) {
		return
	}
	s.requests.unknown(r)
	for _, line := range s.pageHeaders(r, nil) {
		w.Header().Set(line[0], line[1])
	}
	var prefixes []string
	for _, name := range s.config.interfaces {
		prefixes = append(prefixes, string("/"+name))
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	suggestion := ""
	if near, is := source.Nearest("/"+first, append(slices.Clone(prefixes), controlPrefix)); is {
		suggestion = "did you mean " + near + "? "
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusNotFound)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{
		"message": fmt.Sprintf("no interface is served at %s%s", r.Host, r.URL.Path),
		"hint": fmt.Sprintf("%sinterfaces: %s; the mock itself: %s/health", suggestion, strings.Join(prefixes, ", "),
			controlPrefix),
	}})
}
