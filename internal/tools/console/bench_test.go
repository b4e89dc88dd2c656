package console_test

import (
	"testing"

	"svc.example/understudy/internal/tools/browser"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/console"
)

// BenchmarkFirstPage measures how long a browser takes to draw the page that opens at the server's address, in
// milliseconds from the click on, and that of a journal with 100,000 exchanges.
func BenchmarkFirstPage(b *testing.B) {
	server, base := start(b, mockserver.WithJournalLimit(1<<30))
	fill(b, server, 100_000)
	for name, path := range map[string]string{"home": "", "journal": "w/default/journal", "rules": "w/default/rules"} {
		b.Run(name, func(b *testing.B) {
			tab := browser.Open(b, host(b, base))
			tab.Resize(1280, 900, "light")
			drawn := 0.0
			for b.Loop() {
				tab.Go("about:blank")
				tab.Go(base + console.Path + path)
				tab.Until(paint + ` !== undefined`)
				drawn += browser.Value[float64](tab, paint+`.startTime`)
			}
			b.ReportMetric(drawn/float64(b.N), "ms-drawn")
		})
	}
}

const paint = `performance.getEntriesByName("first-contentful-paint")[0]`
