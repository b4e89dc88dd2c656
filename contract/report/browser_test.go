package report_test

import (
	"context"
	"errors"
	"net/url"
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

	"svc.example/understudy/contract/report"
)

// browser starts headless Chromium with a tab, or skips the test where there is none. What the tab complains of, and
// what it asks of the network, is in the returned list.
func browser(t *testing.T) (context.Context, func() []string) {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		t.Skip("there is no Chromium on this machine")
	}
	limited, stop := context.WithTimeout(t.Context(), 90*time.Second)
	t.Cleanup(stop)
	allocator, stop := chromedp.NewExecAllocator(limited, chromedp.ExecPath(path), chromedp.Flag("no-sandbox", true),
		chromedp.Flag("headless", true), chromedp.Flag("disable-gpu", true),
		chromedp.Flag("hide-scrollbars", true), chromedp.UserDataDir(t.TempDir()))
	t.Cleanup(stop)
	ctx, stop := chromedp.NewContext(allocator)
	t.Cleanup(stop)
	var mu sync.Mutex
	var complaints []string
	complain := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		complaints = append(complaints, text)
	}
	err := chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventConsoleAPICalled:
			complain("console: " + string(e.Type))
		case *runtime.EventExceptionThrown:
			complain("exception: " + e.ExceptionDetails.Text)
		case *log.EventEntryAdded:
			complain("log: " + e.Entry.Text)
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(e.Request.URL, "file:") && !strings.HasPrefix(e.Request.URL, "data:") {
				complain("request: " + e.Request.URL)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return ctx, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return complaints
	}
}

// open shows a report in the tab, as a file.
func open(ctx context.Context, t *testing.T, r *report.Report) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, []byte(written(t, r, "html")), 0o600); err != nil {
		t.Fatal(err)
	}
	address := url.URL{Scheme: "file", Path: path}
	if err := chromedp.Do(ctx, chromedp.Navigate(address.String())); err != nil {
		t.Fatal(err)
	}
}

func evaluated[T any](ctx context.Context, t *testing.T, script string) T {
	t.Helper()
	got, err := chromedp.Run(ctx, chromedp.Evaluate[T](script))
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return got
}

// shoot keeps a picture of the page where SHOTS says, for people to look at.
func shoot(ctx context.Context, t *testing.T, name string) {
	t.Helper()
	dir := os.Getenv("SHOTS")
	if dir == "" {
		return
	}
	picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o600); err != nil {
		t.Fatal(err)
	}
}

const visibleFindings = `[...document.querySelectorAll(".finding")].filter(f => f.offsetParent !== null).length`

// set gives a field of the filter a value, as a person does.
func set(id, value string) string {
	return `(() => { const f = document.getElementById("` + id + `"); f.value = "` + value + `";` +
		`f.dispatchEvent(new Event("input", {bubbles: true})); return ` + visibleFindings + ` })()`
}

func TestThePageInABrowser(t *testing.T) {
	t.Parallel()
	ctx, complaints := browser(t)
	r := rich(t)
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900)); err != nil {
		t.Fatal(err)
	}
	open(ctx, t, r)
	if got := evaluated[int](ctx, t, `document.querySelectorAll("article.finding").length`); got != len(r.Groups) {
		t.Errorf("%d findings on the page, want %d", got, len(r.Groups))
	}
	if got := evaluated[int](ctx, t,
		`document.querySelectorAll("script, img, iframe, link[rel=stylesheet]").length`); got != 1 {
		t.Errorf("%d scripts and the like, want the page's own only", got)
	}
	marked := `[...document.querySelectorAll(".finding mark.ln")].map(m => m.textContent.trim())`
	if got := strings.Join(evaluated[[]string](ctx, t, marked), "\n"); !strings.Contains(got, `"name": 7,`) ||
		!strings.Contains(got, `"more": 1`) {
		t.Errorf("marked lines: %s", got)
	}
	for _, tt := range []struct {
		field, value string
		want         int
	}{
		{"by-kind", "violation", 3},
		{"by-kind", "", len(r.Groups)},
		{"by-rule", "schema", 4},
		{"q", "MORE documented", 0},
		{"by-rule", "", 1},
		{"q", "no such thing", 0},
		{"q", "", len(r.Groups)},
		{"by-interface", "workflow", len(r.Groups)},
	} {
		if got := evaluated[int](ctx, t, set(tt.field, tt.value)); got != tt.want {
			t.Errorf("%d findings with %s set to %q, want %d", got, tt.field, tt.value, tt.want)
		}
	}
	got := evaluated[int](ctx, t,
		`(document.getElementById("open-all").click(), document.querySelectorAll(".finding > details[open]").length)`)
	if got != len(r.Groups) {
		t.Errorf("%d findings are open, want all", got)
	}
	if got := complaints(); len(got) > 0 {
		t.Errorf("the browser complains: %q", got)
	}
}

// The page is as wide as the window, on a telephone too, in both schemes of colours.
func TestThePageFitsTheWindow(t *testing.T) {
	t.Parallel()
	ctx, complaints := browser(t)
	for _, tt := range []struct {
		name, scheme string
		width        int64
		report       *report.Report
	}{
		{"light", "light", 1280, rich(t)},
		{"dark", "dark", 1280, rich(t)},
		{"narrow", "light", 390, rich(t)},
		{"narrow-dark", "dark", 390, rich(t)},
		{"healthy", "light", 1280, healthy(t)},
		{"empty", "light", 1280, &report.Report{}},
		{"compared", "light", 1280, compared(t)},
		{"compared-dark", "dark", 1280, compared(t)},
		{"compared-narrow", "light", 390, compared(t)},
		{"agreeing", "light", 1280, agreeing(t)},
	} {
		scheme := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: tt.scheme}}
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: scheme})
		if err = errors.Join(err, chromedp.Do(ctx, chromedp.EmulateViewport(tt.width, 900))); err != nil {
			t.Fatal(err)
		}
		open(ctx, t, tt.report)
		if got := evaluated[int64](ctx, t, `document.documentElement.scrollWidth`); got > tt.width {
			t.Errorf("%s: the page is %d pixels wide, want at most %d", tt.name, got, tt.width)
		}
		shoot(ctx, t, tt.name)
		evaluated[bool](ctx, t, `(document.querySelectorAll(".finding > details").forEach(d => { d.open = true }), true)`)
		if got := evaluated[int64](ctx, t, `document.documentElement.scrollWidth`); got > tt.width {
			t.Errorf("%s: with all open, the page is %d pixels wide, want at most %d", tt.name, got, tt.width)
		}
		shoot(ctx, t, tt.name+"-open")
	}
	if got := complaints(); len(got) > 0 {
		t.Errorf("the browser complains: %q", got)
	}
}
