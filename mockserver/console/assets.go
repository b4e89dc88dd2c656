package console

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"svc.example/understudy/internal/evidence"
	"svc.example/understudy/mockserver/console/guide"
)

//go:embed assets
var assetFiles embed.FS

//go:embed templates
var templateFiles embed.FS

// asset is a file of the console, as it is sent.
type asset struct {
	plain, zipped []byte
	kind, tag     string
}

// assets are read, and compressed, once, when a page is first asked for.
var assets = sync.OnceValue(func() map[string]asset {
	all := map[string]asset{}
	files, err := fs.ReadDir(assetFiles, "assets")
	if err != nil {
		panic(err) // they are embedded
	}
	for _, file := range files {
		content, err := assetFiles.ReadFile("assets/" + file.Name())
		if err != nil {
			panic(err)
		}
		if file.Name() == "console.css" {
			content = append([]byte(evidence.Styles+guide.Style()), content...)
		}
		all[file.Name()] = newAsset(file.Name(), content)
	}
	return all
})

func newAsset(name string, content []byte) asset {
	var zipped bytes.Buffer
	w, _ := gzip.NewWriterLevel(&zipped, gzip.BestCompression) // the level is one
	_, _ = w.Write(content)                                    // into memory
	_ = w.Close()
	sum := sha256.Sum256(content)
	return asset{
		plain: content, zipped: zipped.Bytes(), kind: mime.TypeByExtension(path.Ext(name)),
		tag: `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`,
	}
}

// serveAsset serves a file that belongs to the console. A browser asks each time whether it has changed.
func serveAsset(w http.ResponseWriter, r *http.Request) {
	a, ok := assets()[r.PathValue("file")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", a.tag)
	h.Set("Vary", "Accept-Encoding")
	content := io.ReadSeeker(bytes.NewReader(a.plain))
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		content = bytes.NewReader(a.zipped)
	}
	http.ServeContent(w, r, "", time.Time{}, content)
}

// templates are the pages by their names, each with the layout.
var templates = sync.OnceValues(func() (map[string]*template.Template, error) {
	base, err := template.New("layout").Funcs(functions).Parse(evidence.Templates)
	if err == nil {
		base, err = base.ParseFS(templateFiles, "templates/layout.html", "templates/parts.html")
	}
	if err != nil {
		return nil, err
	}
	files, err := fs.Glob(templateFiles, "templates/*.html")
	if err != nil {
		return nil, err
	}
	all := map[string]*template.Template{}
	for _, file := range files {
		name := strings.TrimSuffix(path.Base(file), ".html")
		if name == "layout" || name == "parts" {
			continue
		}
		t, err := base.Clone()
		if err == nil {
			all[name], err = t.ParseFS(templateFiles, file)
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
})
