package apidocs_test

import (
	"html/template"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"svc.example/understudy/internal/tools/browser"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/console/apidocs"
	"svc.example/understudy/specs"
)

// site is a mock with a page for each document, under the policy that the package asks for, and a browser that shows
// it.
type site struct {
	t     *testing.T
	mock  *mockserver.Server
	url   string
	other string // the address of another host, if the test has one
	tab   *browser.Tab
}

func open(t *testing.T) *site {
	t.Helper()
	mock, err := mockserver.New(mockserver.WithClock(mockserver.ClockFrozen))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = mock.Close() })
	s := &site{t: t, mock: mock}
	mux := http.NewServeMux()
	mux.Handle("/_understudy/apidocs/", http.StripPrefix("/_understudy/apidocs/", apidocs.Assets()))
	mux.HandleFunc("/documents/{interface}", func(w http.ResponseWriter, r *http.Request) {
		page := s.page(r.PathValue("interface"))
		w.Header().Set("Content-Security-Policy", page.Policy())
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = layout.Execute(w, page)
	})
	mux.HandleFunc("/_understudy/specs/hostile.yaml", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(strings.ReplaceAll(hostile, "HOST", s.other)))
	})
	mux.Handle("/", mock)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.url = server.URL
	s.tab = browser.Open(t, strings.TrimPrefix(server.URL, "http://"))
	return s
}

// paths are where the mock serves the interfaces.
var paths = map[string]string{"core": "/core/v3", "control": "/_understudy"}

func (s *site) page(iface string) apidocs.Page {
	path := paths[iface]
	if path == "" {
		path = "/" + iface
	}
	p := apidocs.Page{
		Interface: iface, SpecURL: "/_understudy/specs/" + iface + ".yaml", ServerURL: s.url + path,
		Assets: "/_understudy/apidocs/", World: "default", Worlds: []string{"default", "mine"},
		Keys: []apidocs.Key{{Label: "admin", Value: "1/admin"}, {Label: "analyst", Value: "1/analyst"}},
	}
	if iface == string(specs.Control) {
		p.Keys, p.Worlds = nil, nil
	}
	return p
}

var layout = template.Must(template.New("layout").Parse(
	`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">` +
		`<title>API of {{.Interface}}</title><header><h1>{{.Interface}}</h1></header>{{.HTML}}`))

// calm wants no complaint since it was called last.
func (s *site) calm() {
	s.t.Helper()
	for _, complaint := range s.tab.Complaints() {
		s.t.Errorf("the browser complains: %s", complaint)
	}
}

// show opens the page of a document, and waits until it is rendered. It may name an operation, as in
// workflow#get-/api/pools.
func (s *site) show(document string) {
	s.t.Helper()
	s.tab.Go("about:blank") // or it might only scroll
	s.tab.Go(s.url + "/documents/" + document)
	s.tab.Until(`!!document.querySelector("rapi-doc")?.shadowRoot?.querySelector(".nav-bar-tag")`)
}
