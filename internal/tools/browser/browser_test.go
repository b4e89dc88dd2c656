package browser_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/internal/tools/browser"
)

// What the rules of accessibility forbid is found, so that pages without violations have been looked at.
func TestViolationsThatAreNotAccessible(t *testing.T) {
	t.Parallel()
	if os.Getenv("AXE") == "" {
		t.Skip("AXE does not name the file of axe-core")
	}
	tab := browser.Open(t, "")
	tab.Go(`data:text/html,<html lang="en"><title>t</title><body><img src="x"><p style="color:%23ddd">pale`)
	found := strings.Join(tab.Violations(), "\n")
	for _, want := range []string{"image-alt", "color-contrast"} {
		if !strings.Contains(found, want) {
			t.Errorf("no violation of %s in: %s", want, found)
		}
	}
}

// What a page complains of, and what it asks of other hosts, is heard.
func TestComplaints(t *testing.T) {
	t.Parallel()
	tab := browser.Open(t, "")
	tab.Go(`data:text/html,<script>console.error("bad"); fetch("http://127.0.0.1:9/asked"); missing()</script>`)
	tab.Until(`true`)
	heard := ""
	for range 300 {
		heard += strings.Join(tab.Complaints(), "\n")
		if strings.Contains(heard, "asked") && strings.Contains(heard, "missing") && strings.Contains(heard, "console") {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("heard only: %s", heard)
}
