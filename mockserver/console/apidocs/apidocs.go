// Package apidocs shows OpenAPI documents in a page of the console, with search and "try it". RapiDoc renders them, in
// the browser and without network; assets/README.md says which version it is.
//
// RapiDoc has an element main, so the fragment belongs outside of the main of a page. Its colours are those of the
// style sheet of reports, where the page has that, in light and dark.
package apidocs

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"
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

// Asset is a file as it is sent, compressed and not.
type Asset struct {
	contentType, tag  string // the tag is that of its content
	plain, compressed []byte
}

// Assets serves the files that a Page refers to, by their names: mount it with http.StripPrefix at Page.Assets.
func Assets() http.Handler {
	byName := map[string]func() Asset{}
	for _, name := range []string{"apidocs.css", "apidocs.js", "LICENSE", "rapidoc-min.js"} {
		byName[name] = sync.OnceValue(func() Asset { return load(name) })
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
func load(name string) Asset {
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
	return NewAsset(name, content)
}

// NewAsset returns a file of a console, of the type that the end of its name says.
func NewAsset(name string, content []byte) Asset {
	kind := map[string]string{".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}[path.Ext(name)]
	var compressed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&compressed, gzip.BestCompression) // the level is one
	_, _ = w.Write(content)                                        // into memory
	_ = w.Close()
	return Asset{
		contentType: cmp.Or(kind, "text/plain") + "; charset=utf-8", // package mime would ask the system
		tag:         fmt.Sprintf("%x", sha256.Sum256(content))[:32], plain: content, compressed: compressed.Bytes(),
	}
}

// ServeHTTP implements http.Handler: it sends the file, compressed if the client takes that. A browser asks each time
// whether it has changed.
func (a Asset) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header, content, tag := w.Header(), a.plain, a.tag
	if acceptsGzip(r) {
		content, tag = a.compressed, a.tag+"-gzip"
		header.Set("Content-Encoding", "gzip")
	}
	header.Set("Content-Type", a.contentType)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Vary", "Accept-Encoding")
	header.Set("Cache-Control", "no-cache")
	header.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// acceptsGzip reports whether a client takes gzip: whether it names it, and not with a weight of 0.
func acceptsGzip(r *http.Request) bool {
	for value := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		name, parameters, _ := strings.Cut(value, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			weight := strings.TrimPrefix(strings.ReplaceAll(strings.ToLower(parameters), " ", ""), "q=")
			return strings.Trim(weight, "0.") != "" || weight == ""
		}
	}
	return false
}
