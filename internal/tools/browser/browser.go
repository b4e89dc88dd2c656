// Package browser shows pages in headless Chromium, for tests.
package browser

import (
	"context"
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
)

// Tab is a tab of a browser. What its pages complain of, and what they ask of hosts other than Host, is kept.
type Tab struct {
	tb  testing.TB
	ctx context.Context //nolint:containedctx // of the browser

	mu         sync.Mutex
	host       string
	complaints []string
}

// Open starts a browser with a tab, or skips the test where there is no Chromium, and with -short. The host, such as
// 127.0.0.1:4010, is the only one that pages may ask; none means none.
func Open(tb testing.TB, host string) *Tab {
	tb.Helper()
	if testing.Short() {
		tb.Skip("-short leaves out browsers")
	}
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		tb.Skip("Chromium was not found on this machine")
	}
	limited, stop := context.WithTimeout(tb.Context(), 15*time.Minute)
	tb.Cleanup(stop)
	allocator, stop := chromedp.NewExecAllocator(limited, chromedp.ExecPath(path), chromedp.Flag("no-sandbox", true),
		chromedp.Flag("headless", true), chromedp.Flag("disable-gpu", true), chromedp.Flag("hide-scrollbars", true),
		chromedp.UserDataDir(tb.TempDir()))
	tb.Cleanup(stop)
	ctx, stop := chromedp.NewContext(allocator)
	tb.Cleanup(stop)
	t := &Tab{tb: tb, ctx: ctx, host: host}
	if err := chromedp.Listen(ctx, t.listen); err != nil {
		tb.Fatal(err)
	}
	return t
}

func (t *Tab) listen(event any) {
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		t.complain("console: " + string(e.Type))
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if thrown := e.ExceptionDetails.Exception; thrown != nil {
			text += " " + thrown.Description
		}
		t.complain("exception: " + text)
	case *log.EventEntryAdded:
		t.complain("log: " + e.Entry.Text + " " + e.Entry.URL)
	case *network.EventRequestWillBeSent:
		url := e.Request.URL
		isOwn := t.host != "" && (strings.HasPrefix(url, "http://"+t.host+"/") || strings.HasPrefix(url, "blob:"))
		if !isOwn && !strings.HasPrefix(url, "file:") && !strings.HasPrefix(url, "data:") {
			t.complain("request: " + url)
		}
	}
}

func (t *Tab) complain(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.complaints = append(t.complaints, text)
}

// Complaints returns what was complained of since it was last asked.
func (t *Tab) Complaints() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := t.complaints
	t.complaints = nil
	return list
}

// Do takes steps in the tab.
func (t *Tab) Do(steps ...chromedp.Action[chromedp.Void]) {
	t.tb.Helper()
	if err := chromedp.Do(t.ctx, steps...); err != nil {
		t.tb.Fatal(err)
	}
}

// Resize gives the page a size, and prefers light or dark.
func (t *Tab) Resize(width, height int64, scheme string) {
	t.tb.Helper()
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
	if _, err := chromedp.Call(t.ctx, emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Features: features}); err != nil {
		t.tb.Fatal(err)
	}
	t.Do(chromedp.EmulateViewport(width, height))
}

// Go shows the page at an address.
func (t *Tab) Go(url string) {
	t.tb.Helper()
	t.Do(chromedp.Navigate(url))
}

// Value evaluates a script, whose value may be a promise.
func Value[T any](t *Tab, script string) T {
	t.tb.Helper()
	got, err := chromedp.Run(t.ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		t.tb.Fatalf("%.500s: %v", script, err)
	}
	return got
}

// Until waits until a script says true, once the page is complete, so that its own scripts have run. The page may be
// replaced by another one meanwhile.
func (t *Tab) Until(script string) {
	t.tb.Helper()
	script = `(() => { try { return document.readyState === "complete" && !!(` + script + `) } catch { return false } })()`
	for range 1200 {
		is, err := chromedp.Run(t.ctx, chromedp.Evaluate[bool](script))
		if err == nil && is {
			return
		}
		if t.ctx.Err() != nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	text, _ := chromedp.Run(t.ctx, chromedp.Evaluate[string](
		`location.href + "\n" + document.body.innerText.slice(0, 2000)`))
	t.tb.Fatalf("this is never so: %s\non the page %s", script, text)
}

// Shoot keeps a picture of the page in the folder that SHOTS names, for people to look at.
func (t *Tab) Shoot(name string) {
	t.tb.Helper()
	dir := os.Getenv("SHOTS")
	if dir == "" {
		return
	}
	picture, err := chromedp.Run(t.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o600)
	}
	if err != nil {
		t.tb.Fatal(err)
	}
}

// Violations returns what axe-core finds on the page against WCAG 2.1 AA, from the file that AXE names; nothing
// without it.
func (t *Tab) Violations() []string {
	t.tb.Helper()
	path := os.Getenv("AXE")
	if path == "" {
		return nil
	}
	script, err := os.ReadFile(path)
	if err != nil {
		t.tb.Fatal(err)
	}
	Value[bool](t, string(script)+"; true")
	return Value[[]string](t, `axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}).then(
		(r) => r.violations.map((v) => v.id + ": " + v.help + ": " +
			v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + " " + n.failureSummary.split("\n").at(-1)).join(" | ")))`)
}
