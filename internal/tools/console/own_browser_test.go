package console_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"svc.example/understudy/internal/tools/browser"
	"svc.example/understudy/mockserver/console"
	"svc.example/understudy/specs"
)

// A person makes a product on the page, sees by HTTP that it is there, plans a fault that makes its deletion fail,
// watches the client try again, and looks at the rows of a table that the client has imported.
func TestAPersonsDayWithAnOwnDocument(t *testing.T) {
	t.Parallel()
	base := serveShop(t, 3, specs.Core)
	tab := browser.Open(t, host(t, base))
	tab.Resize(1280, 900, "light")
	shot := 0
	look := func() {
		t.Helper()
		shot++
		tab.Shoot(fmt.Sprintf("day-%d", shot))
		for _, violation := range tab.Violations() {
			t.Errorf("%d: %s", shot, violation)
		}
		for _, complaint := range tab.Complaints() {
			t.Errorf("%d: %s", shot, complaint)
		}
	}
	says := func(text string) string {
		return fmt.Sprintf(`document.querySelector("#main")?.innerText.includes(%q)`, text)
	}
	follow := func(words string) {
		t.Helper()
		browser.Value[int](tab, fmt.Sprintf(`([...document.querySelectorAll("#main a")]
			.find((a) => a.textContent.trim() === %q).click(), 0)`, words))
	}

	tab.Go(base + console.Path + "w/default/resources")
	look()
	follow("Products")
	tab.Until(says("flower 3"))
	look()
	follow("Create product")
	tab.Until(`document.querySelector('[name="string:name"]')`)
	tab.Do(chromedp.SendKeys(`[name="number:price"]`, "-1"), chromedp.Click(`[name=send]`))
	tab.Until(says("Nothing was sent"))
	look()
	tab.Do(chromedp.SendKeys(`[name="string:name"]`, "rose"), chromedp.SetValue(`[name="number:price"]`, "2.5"),
		chromedp.Click(`[name=send]`))
	tab.Until(says("Done."))
	look()
	if got := toShop(t, http.MethodGet, base+"/shop/v1/products", ""); !strings.Contains(got.body, `"name":"rose","price":2.5`) {
		t.Errorf("listed by HTTP: %s", got.body)
	}
	follow("4")
	tab.Until(says("Delete product"))
	look()

	tab.Go(base + console.Path + "w/default/script")
	tab.Do(chromedp.Click(`section[aria-labelledby=faults] summary`),
		chromedp.SendKeys(`section[aria-labelledby=faults] [name="string:operation"]`, "shop.deleteProduct"),
		chromedp.SendKeys(`section[aria-labelledby=faults] [name="number:first"]`, "1"),
		chromedp.SendKeys(`section[aria-labelledby=faults] [name="number:status"]`, "503"),
		chromedp.Click(`section[aria-labelledby=faults] .fields button.primary`))
	tab.Until(says("Done."))
	look()
	for i, want := range []int{http.StatusServiceUnavailable, http.StatusNoContent} {
		if got := toShop(t, http.MethodDelete, base+"/shop/v1/products/4", ""); got.status != want {
			t.Errorf("delete %d: %d, want %d", i+1, got.status, want)
		}
	}
	tab.Go(base + console.Path + "w/default/journal")
	tab.Until(`[...document.querySelectorAll(".grid .rows .row")].slice(0, 2).map((r) => r.innerText.replace(/\s+/g, " "))
		.every((text, i) => text.includes("shop.deleteProduct") && text.includes(["204", "503"][i]))`)
	look()

	for _, path := range []string{"database/create/garden", "table/create/garden/sold/log"} {
		send(t, http.MethodPost, base+"/core/v3/"+path, "")
	}
	rows := "\x83\xa4time\xce\x69\x68\xb0\x80\xa5thing\xa4rose\xa5price\x07" +
		"\x83\xa4time\xce\x69\x68\xb0\x81\xa5thing\xa5tulip\xa5price\x03" // maps of MessagePack
	var packed strings.Builder
	w := gzip.NewWriter(&packed)
	if _, err := io.WriteString(w, rows); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	send(t, http.MethodPut, base+"/core/v3/table/import/garden/sold/msgpack.gz", packed.String(),
		"Content-Type", "application/octet-stream").ok(t)
	tab.Go(base + console.Path + "w/default/resources")
	follow("Databases")
	tab.Until(says("garden"))
	follow("garden")
	tab.Until(says("sold"))
	follow("sold")
	tab.Until(says("tulip"))
	look()
	tab.Do(chromedp.SetValue(`textarea[name=sql]`, "SELECT thing FROM sold WHERE price > 5"))
	click(tab, "Run")
	tab.Until(says("Back to the rows of the table"))
	if text := browser.Value[string](tab, `document.querySelector("table.list tbody").innerText`); strings.TrimSpace(text) != "rose" {
		t.Errorf("the answer to the query is %q, want rose", text)
	}
	look()
}

// The pages of a user's own interface fit narrow and wide windows, in light and dark, and are accessible.
func TestPagesOfAnOwnInterfaceAreAccessible(t *testing.T) {
	t.Parallel()
	base := serveShop(t, 130)
	for i := range 25 {
		toShop(t, http.MethodPost, base+"/shop/v1/products/1/reviews", fmt.Sprintf(`{"stars":%d}`, i%5+1)).ok(t)
	}
	tab := browser.Open(t, host(t, base))
	for name, path := range map[string]string{ // PAGE chooses one
		"own-home": "", "own-resources": "w/default/resources",
		"own-kind": "w/default/resources/shop.product?table:sort=-/price",
		"own-part": "w/default/resources/shop.review?table:of=1", "own-thing": "w/default/resources/shop.product/1",
		"own-nolist": "w/default/resources/shop.order", "own-create": "w/default/operations/shop.createProduct",
		"own-edit": "w/default/operations/shop.replaceProduct?path:productId=1&as=text", "own-document": "documents/shop",
		"own-script": "w/default/script", "own-exchange": "w/default/journal/1",
	} {
		if only := os.Getenv("PAGE"); only != "" && only != name {
			continue
		}
		for _, scheme := range []string{"light", "dark"} {
			for _, width := range []int64{1280, 360} {
				where := fmt.Sprintf("%s-%s-%d", name, scheme, width)
				tab.Resize(width, 900, scheme)
				tab.Go(base + console.Path + path)
				if name == "own-document" {
					tab.Until(`document.querySelector("rapi-doc").shadowRoot?.textContent.includes("/tax-rates")`)
				}
				if got := browser.Value[int64](tab, `document.documentElement.scrollWidth`); got > width {
					t.Errorf("%s is %d wide: %s", where, got, browser.Value[string](tab, wide))
				}
				for _, complaint := range tab.Complaints() {
					t.Errorf("%s: %s", where, complaint)
				}
				for _, violation := range tab.Violations() {
					t.Errorf("%s: %s", where, violation)
				}
				tab.Shoot(where)
			}
		}
	}
}
