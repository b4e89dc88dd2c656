// Package apidocs shows OpenAPI documents in a page of the console, with search and "try it". RapiDoc renders them, in
// the browser and without network; assets/README.md says which version it is.
//
// RapiDoc has an element main, so the fragment belongs outside of the main of a page. Its colours are those of the
// style sheet of reports, where the page has that, in light and dark.
package apidocs

import (
	"bytes"
	"compress/gzip"
	"embed"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"svc.example/understudy/mockserver/console/internal/asset"
)

// Page is the document of an interface, and what "try it" sends.
type Page struct {
	Interface string // such as workflow
	SpecURL   string // of the OpenAPI document
	ServerURL string // where the mock serves the interface; calls go there, whatever the document says
	Assets    string // where Assets is mounted, with a slash at the end, such as apidocs/
	World     string // that is chosen at first, or that all calls are for, if Worlds is empty; none if it is empty, too
	Worlds    []string
	Keys      []Key // the first is chosen at first; without any, calls have no key
}

// Key is an API key that "try it" can use.
type Key struct {
	Label string // such as admin
	Value string // such as 1/admin, or a token of the control interface
}

//go:embed page.html
var source string

var fragment = template.Must(template.New("apidocs").Parse(source))

// HTML returns the page as a fragment for the body of an HTML document: the choice of world and key, and the document.
// Where there is no JavaScript, it has a link to the document.
func (p Page) HTML() template.HTML {
	var b bytes.Buffer
	if err := fragment.Execute(&b, p); err != nil {
		panic(err) // a buffer takes everything, and the template fits Page
	}
	return template.HTML(b.String()) //nolint:gosec // html/template has escaped it
}

// styleHash is the hash of the one style element that RapiDoc writes. It follows from RapiDoc and the attributes that
// the fragment gives it. A browser that refuses the style names the hash that it has.
const styleHash = "'sha256-uJAxSJ9Y1fhw/owjrKAHyVOB0FiWeUIZmwRr5gN27aM='"

// Policy returns the Content-Security-Policy that the page needs. It allows scripts of its own host only, none inline
// and no eval, and connections to its own host and to that of ServerURL. Inline styles are allowed as attributes of
// elements, which RapiDoc is full of, and otherwise by their hash.
func (p Page) Policy() string {
	return "default-src 'none'; script-src 'self'; style-src 'self'; style-src-elem 'self' " + styleHash +
		"; style-src-attr 'unsafe-inline'; connect-src 'self'" + origin(p.ServerURL) +
		"; img-src 'self' data: blob:; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
}

var plainHost = regexp.MustCompile(`^[\w.:\[\]-]+$`)

// origin returns the origin of an address after a space, or nothing for one without a host.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || !plainHost.MatchString(u.Host) {
		return ""
	}
	return " " + u.Scheme + "://" + u.Host
}

//go:embed assets
var files embed.FS

// Assets serves the files that a Page refers to, by their names: mount it with http.StripPrefix at Page.Assets.
func Assets() http.Handler {
	byName := map[string]func() asset.File{}
	for _, name := range []string{"apidocs.css", "apidocs.js", "LICENSE", "rapidoc-min.js"} {
		byName[name] = sync.OnceValue(func() asset.File { return load(name) })
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, ok := byName[strings.TrimPrefix(r.URL.Path, "/")]
		switch {
		case !ok:
			http.NotFound(w, r)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "want GET or HEAD", http.StatusMethodNotAllowed)
		default:
			file().ServeHTTP(w, r)
		}
	})
}

// load reads a file, which is embedded as it is or compressed.
func load(name string) asset.File {
	content, err := files.ReadFile("assets/" + name)
	if compressed, missing := files.ReadFile("assets/" + name + ".gz"); missing == nil {
		var r *gzip.Reader
		if r, err = gzip.NewReader(bytes.NewReader(compressed)); err == nil {
			content, err = io.ReadAll(r)
		}
	}
	if err != nil {
		panic(err) // a test reads them all
	}
	return asset.New(name, content)
}
