// Package report_test shows HTML reports in headless Chromium.
package report_test

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"svc.example/understudy/internal/tools/browser"
)

// pages has the tests of contract/report write the pages of their reports, and returns the address of each, as a file.
func pages(t *testing.T) (page func(name string) string) {
	t.Helper()
	dir := t.TempDir()
	test := exec.CommandContext(t.Context(), "go", "test", "-C", "../../..", "-vet=off", "-count=1", "./contract/report",
		"-run", "^TestPagesForOtherValidators$")
	test.Env = append(os.Environ(), "REPORT_PAGES="+dir)
	if out, err := test.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return func(name string) string {
		address := url.URL{Scheme: "file", Path: filepath.Join(dir, name+".html")}
		return address.String()
	}
}

const groups = 8 // of findings in the rich report

const visibleFindings = `[...document.querySelectorAll(".finding")].filter(f => f.offsetParent !== null).length`

// set gives a field of the filter a value, as a person does.
func set(id, value string) string {
	return `(() => { const f = document.getElementById("` + id + `"); f.value = "` + value + `";` +
		`f.dispatchEvent(new Event("input", {bubbles: true})); return ` + visibleFindings + ` })()`
}

func TestThePageInABrowser(t *testing.T) {
	t.Parallel()
	page, tab := pages(t), browser.Open(t, "")
	tab.Resize(1280, 900, "light")
	tab.Go(page("rich"))
	if got := browser.Value[int](tab, `document.querySelectorAll("article.finding").length`); got != groups {
		t.Errorf("%d findings on the page, want %d", got, groups)
	}
	if got := browser.Value[int](tab, `document.querySelectorAll("script, img, iframe, link[rel=stylesheet]").length`); got != 1 {
		t.Errorf("%d scripts and the like, want the page's own only", got)
	}
	marked := `[...document.querySelectorAll(".finding mark.ln")].map(m => m.textContent.trim())`
	if got := strings.Join(browser.Value[[]string](tab, marked), "\n"); !strings.Contains(got, `"name": 7,`) ||
		!strings.Contains(got, `"more": 1`) {
		t.Errorf("marked lines: %s", got)
	}
	for _, tt := range []struct {
		field, value string
		want         int
	}{
		{"by-kind", "violation", 3},
		{"by-kind", "", groups},
		{"by-rule", "schema", 4},
		{"q", "MORE documented", 0},
		{"by-rule", "", 1},
		{"q", "no such thing", 0},
		{"q", "", groups},
		{"by-interface", "workflow", groups},
	} {
		if got := browser.Value[int](tab, set(tt.field, tt.value)); got != tt.want {
			t.Errorf("%d findings with %s set to %q, want %d", got, tt.field, tt.value, tt.want)
		}
	}
	got := browser.Value[int](tab, `(document.getElementById("open-all").click(), document.querySelectorAll(".finding > details[open]").length)`)
	if got != groups {
		t.Errorf("%d findings are open, want all", got)
	}
	if got := tab.Complaints(); len(got) > 0 {
		t.Errorf("the browser complains: %q", got)
	}
}

// The page is as wide as the window, on a telephone too, in both schemes of colours.
func TestThePageFitsTheWindow(t *testing.T) {
	t.Parallel()
	page, tab := pages(t), browser.Open(t, "")
	for _, tt := range []struct {
		name, scheme string
		width        int64
		page         string
	}{
		{"light", "light", 1280, "rich"},
		{"dark", "dark", 1280, "rich"},
		{"narrow", "light", 390, "rich"},
		{"narrow-dark", "dark", 390, "rich"},
		{"healthy", "light", 1280, "healthy"},
		{"empty", "light", 1280, "empty"},
		{"compared", "light", 1280, "compared"},
		{"compared-dark", "dark", 1280, "compared"},
		{"compared-narrow", "light", 390, "compared"},
		{"agreeing", "light", 1280, "agreeing"},
	} {
		tab.Resize(tt.width, 900, tt.scheme)
		tab.Go(page(tt.page))
		if got := browser.Value[int64](tab, `document.documentElement.scrollWidth`); got > tt.width {
			t.Errorf("%s: the page is %d pixels wide, want at most %d", tt.name, got, tt.width)
		}
		tab.Shoot(tt.name)
		browser.Value[bool](tab, `(document.querySelectorAll(".finding > details").forEach(d => { d.open = true }), true)`)
		if got := browser.Value[int64](tab, `document.documentElement.scrollWidth`); got > tt.width {
			t.Errorf("%s: with all open, the page is %d pixels wide, want at most %d", tt.name, got, tt.width)
		}
		tab.Shoot(tt.name + "-open")
	}
	if got := tab.Complaints(); len(got) > 0 {
		t.Errorf("the browser complains: %q", got)
	}
}
