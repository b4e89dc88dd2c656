package apidocs_test

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/console/apidocs"
	"svc.example/understudy/specs"
)

// site is a mock with a page for each document, under the policy that the package asks for, and a browser that shows
// it.
type site struct {
	t        *testing.T
	mock     *mockserver.Server
	url      string
	other    string // the address of another host, if the test has one
	tab      context.Context
	mu       sync.Mutex
	troubles []string
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
	s.tab = s.browser()
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

// browser starts headless Chromium with a tab, or skips the test where there is none. It notes what the tab complains
// of, and any request for another host.
func (s *site) browser() context.Context {
	s.t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		s.t.Skip("this machine has no chromium")
	}
	limited, stop := context.WithTimeout(s.t.Context(), 5*time.Minute)
	s.t.Cleanup(stop)
	options := []chromedp.ExecAllocatorOption{chromedp.ExecPath(path), chromedp.UserDataDir(s.t.TempDir())}
	for flag := range strings.FieldsSeq("headless no-sandbox disable-gpu disable-quic no-first-run hide-scrollbars " +
		"disable-background-networking disable-component-update disable-sync") {
		options = append(options, chromedp.Flag(flag, true))
	}
	allocator, stop := chromedp.NewExecAllocator(limited, options...)
	s.t.Cleanup(stop)
	tab, stop := chromedp.NewContext(allocator)
	s.t.Cleanup(stop)
	if err := chromedp.Listen(tab, s.note); err != nil {
		s.t.Fatal(err)
	}
	return tab
}

func (s *site) note(event any) {
	trouble := ""
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" {
			for _, a := range e.Args {
				trouble += fmt.Sprintf("console: %s %s ", a.Value, a.Description)
			}
		}
	case *runtime.EventExceptionThrown:
		trouble = "exception: " + e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			trouble += ": " + e.ExceptionDetails.Exception.Description
		}
	case *log.EventEntryAdded:
		trouble = "log: " + e.Entry.Text + " " + e.Entry.URL
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, s.url+"/") && !strings.HasPrefix(e.Request.URL, "data:") {
			trouble = "request: " + e.Request.URL
		}
	}
	if trouble != "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.troubles = append(s.troubles, trouble)
	}
}

// calm wants no trouble since it was called last.
func (s *site) calm() {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, trouble := range s.troubles {
		s.t.Errorf("the browser complains: %s", trouble)
	}
	s.troubles = nil
}

// show opens the page of a document, and waits until it is rendered. It may name an operation, as in
// workflow#get-/api/pools.
func (s *site) show(document string) {
	s.t.Helper()
	for _, address := range []string{"about:blank", s.url + "/documents/" + document} { // or it might only scroll
		if err := chromedp.Do(s.tab, chromedp.Navigate(address)); err != nil {
			s.t.Fatal(err)
		}
	}
	s.until(`!!document.querySelector("rapi-doc")?.shadowRoot?.querySelector(".nav-bar-tag")`)
}

// until waits until a script returns true, for a minute at most. The page may change meanwhile.
func (s *site) until(script string) {
	s.t.Helper()
	limited, stop := context.WithTimeout(s.tab, time.Minute)
	defer stop()
	for {
		done, err := chromedp.Run(limited, chromedp.Evaluate[bool](script))
		if err == nil && done {
			return
		}
		if pause := chromedp.Do(limited, chromedp.Sleep(50*time.Millisecond)); pause != nil {
			s.t.Fatalf("%s: %v, %v; %q", script, err, pause, s.troubles)
		}
	}
}

func evaluate[T any](s *site, script string) T {
	s.t.Helper()
	got, err := chromedp.Run(s.tab, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		s.t.Fatalf("%s: %v", script, err)
	}
	return got
}

// shoot keeps a picture of the page where SHOTS says, for people to look at.
func (s *site) shoot(name string) {
	s.t.Helper()
	dir := os.Getenv("SHOTS")
	if dir == "" {
		return
	}
	picture, err := chromedp.Run(s.tab, chromedp.FullScreenshot(100))
	if err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// emulate sets the size of the window and the scheme of colours.
func (s *site) emulate(width int64, scheme string) {
	s.t.Helper()
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
	_, err := chromedp.Call(s.tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
	if err = errors.Join(err, chromedp.Do(s.tab, chromedp.EmulateViewport(width, 900))); err != nil {
		s.t.Fatal(err)
	}
}
