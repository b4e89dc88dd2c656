package console_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"svc.example/understudy/internal/tools/browser"
	"svc.example/understudy/mockserver/console"
)

// focusOn presses Tab until what has the focus shows a text, and fails if nothing does.
func focusOn(t *testing.T, tab *browser.Tab, text string) {
	t.Helper()
	const shown = `(document.activeElement.textContent || document.activeElement.getAttribute("aria-label") || "").trim()`
	var passed []string
	for range 60 {
		tab.Do(chromedp.KeyEvent(kb.Tab))
		now := browser.Value[string](tab, shown)
		if now == text {
			return
		}
		passed = append(passed, now)
	}
	t.Fatalf("Tab does not lead to %q, but to %q", text, passed)
}

// Whoever has no mouse gets everywhere: past the menu, to another page, through the journal, and out of an exchange.
func TestByTheKeyboardAlone(t *testing.T) {
	t.Parallel()
	server, base := start(t)
	fill(t, server, 3)
	tab := browser.Open(t, host(t, base))
	tab.Resize(1280, 900, "light")
	tab.Go(base + console.Path)
	tab.Until(`document.querySelector(".rail a")`)

	focusOn(t, tab, "Skip to the content")
	tab.Do(chromedp.KeyEvent(kb.Enter))
	tab.Until(`document.activeElement.closest("main") !== null`)

	tab.Go(base + console.Path)
	focusOn(t, tab, "Journal")
	tab.Do(chromedp.KeyEvent(kb.Enter))
	tab.Until(`document.querySelector(".grid .rows a")?.textContent === "3"`)

	focusOn(t, tab, "3")
	tab.Do(chromedp.KeyEvent(kb.Enter))
	tab.Until(`document.querySelector(".detail .exchange, .detail #exchange")?.textContent.includes("workflow.getPool")`)
	tab.Do(chromedp.KeyEvent(kb.ArrowDown))
	tab.Until(`document.querySelector(".detail")?.textContent.includes("#2")`)
	focusOn(t, tab, "Close")
	tab.Do(chromedp.KeyEvent(kb.Enter))
	tab.Until(`document.querySelector(".detail").hidden`)

	tab.Do(chromedp.KeyEvent("g"), chromedp.KeyEvent("c"))
	tab.Until(`location.pathname.endsWith("/clock")`)
	focusOn(t, tab, "To the next event")
	tab.Do(chromedp.KeyEvent(kb.Enter))
	tab.Until(`document.querySelector(".result") !== null`)
	if complaints := tab.Complaints(); len(complaints) > 0 {
		t.Error(strings.Join(complaints, "\n"))
	}
}
