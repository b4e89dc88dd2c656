package mockserver

import (
	"errors"
	"net/http"
	"strings"

	"svc.example/understudy/mockserver/internal/op"
)

// Console makes web pages for a server, such as those of package console.
type Console interface {
	// Handler returns the handler of the pages, which are below /_understudy/console/. It is given the server, to ask
	// it whatever the pages show. If the handler is an io.Closer, the server closes it when it is closed itself.
	Handler(server http.Handler) http.Handler
}

// consolePrefix is the path of the pages of a console, below that of the control interface.
const consolePrefix = "/console"

// WithConsole lets a server have pages for people: package console has them. Browsers that ask for the server's root
// are led there. Whoever may not use the control interface sees nothing of it there.
func WithConsole(c Console) Option {
	return func(config *config) error {
		if c == nil {
			return errors.New("console: want one, such as console.New()")
		}
		config.console = c
		return nil
	}
}

// serveConsole answers a request that is for the console, and reports whether it was. The path is that below the
// control interface.
func (s *Server) serveConsole(w http.ResponseWriter, r *http.Request, path string) bool {
	if s.pages == nil {
		return false
	}
	if path == consolePrefix || path == "" || path == "/" {
		if (path == "" || path == "/") && !wantsPage(r) {
			return false
		}
		lead(w, r)
		return true
	}
	if !strings.HasPrefix(path, consolePrefix+"/") {
		return false
	}
	if s.token == "" && !s.isOwnHost(r) {
		http.Error(w, notOwnHost(r).Error(), http.StatusForbidden)
		return true
	}
	s.pages.ServeHTTP(w, r)
	return true
}

// lead leads to the first page of the console, by an address relative to that of the request.
func lead(w http.ResponseWriter, r *http.Request) {
	to := "_understudy/console/"
	switch path := r.URL.EscapedPath(); {
	case strings.HasSuffix(path, controlPrefix+consolePrefix):
		to = "console/"
	case strings.HasSuffix(path, controlPrefix+"/"):
		to = "console/"
	}
	w.Header().Set("Location", to)
	w.Header().Set("Vary", "Accept")
	w.WriteHeader(http.StatusFound)
}

// wantsPage reports whether a browser asks for a page.
func wantsPage(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) &&
		strings.Contains(r.Header.Get("Accept"), "text/html")
}

func notOwnHost(r *http.Request) error {
	return op.Forbidden("%q is not an allowed host name: use localhost, allow the name with --control-host, "+
		"or start the server with a control token", r.Host)
}
