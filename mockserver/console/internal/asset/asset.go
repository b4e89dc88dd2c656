// Package asset sends the files that belong to pages.
package asset

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"net/http"
	"path"
	"strings"
	"time"
)

// File is a file as it is sent, compressed and not.
type File struct {
	contentType, tag  string // the tag is that of its content
	plain, compressed []byte
}

// New returns a file of a console, of the type that the end of its name says.
func New(name string, content []byte) File {
	kind := map[string]string{".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}[path.Ext(name)]
	var compressed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&compressed, gzip.BestCompression) // the level is one
	_, _ = w.Write(content)                                        // into memory
	_ = w.Close()
	return File{
		contentType: cmp.Or(kind, "text/plain") + "; charset=utf-8", // package mime would ask the system
		tag:         fmt.Sprintf("%x", sha256.Sum256(content))[:32], plain: content, compressed: compressed.Bytes(),
	}
}

// ServeHTTP implements http.Handler: it sends the file, compressed if the client takes that. A browser asks each time
// whether it has changed.
func (f File) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header, content, tag := w.Header(), f.plain, f.tag
	if acceptsGzip(r) {
		content, tag = f.compressed, f.tag+"-gzip"
		header.Set("Content-Encoding", "gzip")
	}
	header.Set("Content-Type", f.contentType)
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
