package apidocs

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

//go:embed assets
var files embed.FS

// asset is a file as it is sent, compressed and not.
type asset struct {
	contentType string
	tag         string // of its content
	plain       []byte
	compressed  []byte
}

// Assets serves the files that a Page refers to, by their names: mount it with http.StripPrefix at Page.Assets.
func Assets() http.Handler {
	byName := map[string]func() (asset, error){}
	for _, name := range []string{"apidocs.css", "apidocs.js", "LICENSE", "rapidoc-min.js"} {
		byName[name] = sync.OnceValues(func() (asset, error) { return load(name) })
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
			a, err := file()
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			a.serve(w, r)
		}
	})
}

// load reads a file, which is embedded as it is or compressed, and makes the other form of it.
func load(name string) (a asset, err error) {
	switch path.Ext(name) { // package mime would ask the system, which may know another answer
	case ".js":
		a.contentType = "text/javascript; charset=utf-8"
	case ".css":
		a.contentType = "text/css; charset=utf-8"
	default:
		a.contentType = "text/plain; charset=utf-8"
	}
	if a.compressed, err = files.ReadFile("assets/" + name + ".gz"); err == nil {
		a.plain, err = unpacked(a.compressed)
	} else if a.plain, err = files.ReadFile("assets/" + name); err == nil {
		a.compressed, err = packed(a.plain)
	}
	a.tag = fmt.Sprintf("%x", sha256.Sum256(a.plain))[:32]
	return a, err
}

func (a asset) serve(w http.ResponseWriter, r *http.Request) {
	header, content, tag := w.Header(), a.plain, a.tag
	if acceptsGzip(r) {
		content, tag = a.compressed, a.tag+"-gzip"
		header.Set("Content-Encoding", "gzip")
	}
	header.Set("Content-Type", a.contentType)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Vary", "Accept-Encoding")
	header.Set("Cache-Control", "no-cache") // that is, ask whether it is still the same
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

func packed(plain []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(plain)
	err = errors.Join(err, w.Close())
	return b.Bytes(), err
}

func unpacked(compressed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
