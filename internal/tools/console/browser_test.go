package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"svc.example/understudy/internal/tools/browser"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/console"
)

// pages are those of the console, each with something on it.
var pages = map[string]string{
	"home": "", "worlds": "worlds", "journal": "w/default/journal", "exchange": "w/default/journal/2",
	"resources": "w/default/resources", "kind": "w/default/resources/core.job",
	"attempt": "w/default/resources/workflow.attempt/1", "job": "w/default/resources/core.job/3",
	"attempts": "w/default/resources/workflow.attempt", "running": "w/default/resources/workflow.attempt/9",
	"sessions": "w/default/resources/workflow.session", "audiences": "w/default/resources/audiences",
	"who": "w/default/resources/who", "operation": "w/default/operations/core.issueJob", "clock": "w/default/clock",
	"script": "w/default/script", "rules": "w/default/rules", "guide": "guide/", "guide-page": "guide/faults",
	"documents": "documents?q=pool", "document": "documents/workflow",
	"guide-search": "guide/search?q=retry", "problem": "nowhere", "nothing": "w/default/journal?text=nonsense",
	"policy": "w/default/resources/core.policy/21", "chat": "w/default/resources/llm.chat/{chat}",
	"log": "w/default/logs/1/%2Bdaily_orders%2Bload@6966c06100000000.agent-1.log.gz",
}

// Each page fits narrow and wide windows, in light and dark, asks no other host, complains of nothing, and violates no
// rule of accessibility.
func TestPagesAreAccessible(t *testing.T) {
	t.Parallel()
	_, base := start(t)
	tab := browser.Open(t, host(t, base))
	for i := range 5 {
		send(t, http.MethodGet, fmt.Sprintf("%s/workflow/api/pools/%d", base, i), "")
	}
	send(t, http.MethodPost, base+"/_understudy/worlds/default/faults", `{"operation":"core.listJobs","status":503}`)
	send(t, http.MethodPost, base+"/_understudy/worlds/default/stubs", `{"operation":"core.killJob","body":{"a":1}}`)
	send(t, http.MethodPost, base+"/_understudy/worlds/default/chats/turns", `{"input":"x","events":[{"content":"y"}]}`)
	_, chat := makeChat(t, base, `"What sold best?"`)
	for name, path := range pages {
		path = strings.ReplaceAll(path, "{chat}", chat)
		if only := os.Getenv("PAGE"); only != "" && only != name {
			continue
		}
		for _, scheme := range []string{"light", "dark"} {
			for _, width := range []int64{1280, 360} {
				where := fmt.Sprintf("%s-%s-%d", name, scheme, width)
				tab.Resize(width, 900, scheme)
				tab.Go(base + console.Path + path)
				if got := browser.Value[int64](tab, `document.documentElement.scrollWidth`); got > width {
					t.Errorf("%s is %d wide: %s", where, got, browser.Value[string](tab, wide))
				}
				for _, complaint := range tab.Complaints() {
					if name != "problem" || !strings.Contains(complaint, "status of 404") {
						t.Errorf("%s: %s", where, complaint)
					}
				}
				for _, violation := range tab.Violations() {
					t.Errorf("%s: %s", where, violation)
				}
				tab.Shoot(where)
			}
		}
	}
}

// One hundred thousand exchanges are as easy to scroll as a hundred.
func TestALongJournal(t *testing.T) {
	t.Parallel()
	const exchanges = 100_000
	server, base := start(t, mockserver.WithJournalLimit(1<<30))
	tab := browser.Open(t, host(t, base))
	fill(t, server, exchanges)
	tab.Resize(1280, 900, "light")
	tab.Go(base + console.Path + "w/default/journal")
	newest := fmt.Sprint(exchanges)
	tab.Until(`document.querySelector(".grid .rows a")?.textContent === "` + newest + `"`)
	rows := `document.querySelectorAll(".grid .rows .row").length`
	if got := browser.Value[int](tab, rows); got > 100 {
		t.Errorf("%d rows are on the page, want those in sight", got)
	}
	browser.Value[int](tab, `document.querySelector(".grid").scrollTop = 1e9`)
	tab.Until(`[...document.querySelectorAll(".grid .rows a")].at(-1)?.textContent === "1"`)
	browser.Value[int](tab, `document.querySelector(".grid").scrollTop = 34 * 50000`)
	tab.Until(`[...document.querySelectorAll(".grid .rows a")].some((a) => a.textContent === "50000")`)
	tab.Do(chromedp.SetValue(`#filter [name=status]`, "404"))
	browser.Value[int](tab, `(document.querySelector("#filter").requestSubmit(), 0)`)
	tab.Until(`document.querySelector("[data-matching]").textContent.replace(/\D/g, "") === "` + fmt.Sprint(exchanges/10) + `"`)
	for _, complaint := range tab.Complaints() {
		t.Error(complaint)
	}
}

// What a request puts into the journal, and into the world, is only ever text.
func TestNothingInjectedRuns(t *testing.T) {
	t.Parallel()
	_, base := start(t)
	tab := browser.Open(t, host(t, base))
	const script = `"><img src=x onerror=alert(1)><script>window.bad=1</script>{{.}}` + "${window.bad=1}'`"
	escaped := url.PathEscape(script)
	quoted := fmt.Sprintf("%q", script)
	send(t, http.MethodGet, base+"/workflow/api/pools/"+escaped+"?a="+url.QueryEscape(script), "")
	send(t, http.MethodPut, base+"/core/v3/"+escaped, quoted)
	send(t, http.MethodGet, base+"/workflow/api/pools", "", "X-Script", script)
	issued := send(t, http.MethodPost, base+"/core/v3/job/issue/trino/shop", `{"query":`+quoted+`}`)
	send(t, http.MethodPost, base+"/workflow/api/pools", `{"name":`+quoted+`,"concurrencyLimit":1}`)
	for address, body := range map[string]string{
		"/core/v3/access_control/policies":         `{"policy":{"name":` + quoted + `,"description":` + quoted + `}}`,
		"/_understudy/worlds/default/chats/turns":  `{"input":"x","events":[{"content":` + quoted + `}]}`,
		"/_understudy/worlds/default/faults":       `{"operation":"core.killJob","status":503,"message":` + quoted + `}`,
		"/_understudy/worlds/default/jobs/results": `{"query":` + quoted + `,"error":` + quoted + `}`,
	} {
		send(t, http.MethodPost, base+address, body).ok(t)
	}
	if issued.status != http.StatusOK {
		t.Fatalf("issue a job: %d %s", issued.status, issued.body)
	}
	for _, path := range []string{
		"w/default/journal", "w/default/journal/1", "w/default/journal/2", "w/default/journal/3", "w/default/journal/4",
		"w/default/journal?text=" + url.QueryEscape(script), "w/default/script", "w/default/resources/core.job",
		"w/default/resources/core.job/13", "w/default/resources/core.policy", "w/default/resources/workflow.pool",
		"w/" + escaped + "/journal", "w/default/resources/" + escaped, "guide/search?q=" + url.QueryEscape(script),
		"guide/" + escaped, "w/default/logs/1/" + escaped,
		"w/default/operations/core.issueJob?body=" + url.QueryEscape(script) + "&path:job_type=" + url.QueryEscape(script),
		"worlds?result=" + url.QueryEscape(script), "w/default/journal#4",
	} {
		tab.Go(base + console.Path + path)
		if path == "w/default/journal" || strings.Contains(path, "#") {
			tab.Until(`document.querySelector(".grid .rows a")`)
		}
		ran := `window.bad === 1 || document.querySelector(".page img, .page script:not([src])") !== null`
		if browser.Value[bool](tab, ran) {
			t.Errorf("on %s a script runs", path)
		}
		for _, complaint := range tab.Complaints() {
			if !strings.Contains(complaint, "status of 404") && !strings.Contains(complaint, "status of 400") {
				t.Errorf("%s: %s", path, complaint)
			}
		}
	}
}

// wide names what is wider than the window.
const wide = `[...document.querySelectorAll("main *")].filter((e) => e.getBoundingClientRect().right > innerWidth &&
	!e.parentElement.closest(".scroll, .code, pre")).map((e) => e.outerHTML.slice(0, 80)).slice(0, 4).join(" ")`
