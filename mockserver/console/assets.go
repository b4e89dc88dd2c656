package console

import (
	"embed"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"

	"svc.example/understudy/internal/evidence"
	"svc.example/understudy/mockserver/console/guide"
	"svc.example/understudy/mockserver/console/internal/asset"
)

//go:embed assets
var assetFiles embed.FS

//go:embed templates
var templateFiles embed.FS

// assets are read, and compressed, once, when a page is first asked for.
var assets = sync.OnceValue(func() map[string]asset.File {
	all := map[string]asset.File{}
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
		all[file.Name()] = asset.New(file.Name(), content)
	}
	return all
})

// serveAsset serves a file that belongs to the console.
func serveAsset(w http.ResponseWriter, r *http.Request) {
	if a, ok := assets()[r.PathValue("file")]; ok {
		a.ServeHTTP(w, r)
		return
	}
	http.NotFound(w, r)
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
