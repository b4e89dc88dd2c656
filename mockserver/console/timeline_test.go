package console_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/mockserver"
)

// Lists and pages of attempts and jobs show when these ran: what goes on, until the time of the world.
func TestTimelines(t *testing.T) {
	t.Parallel()
	server, base := serve(t, mockserver.WithScenario("full-account"), mockserver.WithClock("frozen"))
	page := base + "/_understudy/console/w/default/resources/"
	server.World("").Advance(time.Second)
	for path, want := range map[string][]string{
		"workflow.attempt": {
			`<td class="state running">running</td>`, `>40m1s</td><td class="when"><svg`, `<rect class="success"`, `id="objects" data-live`,
		},
		"workflow.attempt/9": {
			`>shop_pipeline</a>`, `>adhoc_rebuild</a>`, `<td class="num">40m1s</td><td class="when"><svg`, `id="under-way" data-live`,
			`>log</a></th><td><span class="state running">`,
		},
		"workflow.attempt/12": { // a tree, of which nothing has begun
			`class="when">Not begun</th>`, `class="d0"><code>&#43;adhoc_price_check</code>`,
			`class="d1"><code title="&#43;adhoc_price_check&#43;collect">&#43;collect</code>`,
		},
		"workflow.attempt/1": {`>log 3</a></th><td><span class="state error">`, `id="under-way">`, `<rect class="error"`},
		"core.job":           {`<rect class="success"`, `<td class="state success">success</td>`},
		"core.job/3":         {`<code>in the queue</code>`, `<code>under way</code>`, `id="under-way">`},
	} {
		body := open(t, http.DefaultClient, page+path).body
		for _, text := range want {
			if !strings.Contains(body, text) {
				t.Errorf("%s lacks %q: %s", path, text, body)
			}
		}
	}
	sessions := open(t, http.DefaultClient, page+"workflow.session").body
	var last string
	for _, match := range regexp.MustCompile(`<td>(\w+)</td><td>\d{4}-`).FindAllStringSubmatch(sessions, -1) {
		if match[1] < last {
			t.Errorf("the session of %s comes after that of %s", match[1], last)
		}
		last = match[1]
	}
	if last != "weekly_summary" {
		t.Errorf("the last session is of %q: %s", last, sessions)
	}
}

// A matrix shows what each user may do, and audiences come with their segments.
func TestWhoAndAudiences(t *testing.T) {
	t.Parallel()
	_, base := serve(t, mockserver.WithScenario("full-account"), mockserver.WithClock("frozen"))
	page := base + "/_understudy/console/w/default/resources/"
	who := text(open(t, http.DefaultClient, page+"who").body)
	for _, want := range []string{
		"User Role Policies Databases download Databases edit Databases query WorkflowProject run",
		"Ada Admin admin@shop.example administrator none yes yes yes yes",
		"Ana Analyst analyst@shop.example user analysts no no of 1 yes",
	} {
		if !strings.Contains(who, want) {
			t.Errorf("who lacks %q: %s", want, who)
		}
	}
	audiences := text(open(t, http.DefaultClient, page+"audiences").body)
	for _, want := range []string{
		"Shop customers 61, of shop.customers , 2 segments Create a segment", "Returning customers 71 33",
		"High spenders 72 2",
	} {
		if !strings.Contains(audiences, want) {
			t.Errorf("audiences lack %q: %s", want, audiences)
		}
	}
}

// What there is in the world is suggested in the fields of a script.
func TestSuggestionsOfAScript(t *testing.T) {
	t.Parallel()
	_, base := serve(t, mockserver.WithScenario("full-account"), mockserver.WithClock("frozen"))
	body := open(t, http.DefaultClient, base+"/_understudy/console/w/default/script").body
	for field, want := range map[string]string{
		"operation": "workflow.listPools", "caller": "analyst@shop.example", "project": "shop_pipeline",
		"workflow": "hourly_sync", "task": "&#43;daily_orders&#43;load", "agent": "Shop helper", "chat": "",
	} {
		_, list, found := strings.Cut(body, `<datalist id="known-`+field+`">`)
		list, _, _ = strings.Cut(list, "</datalist>")
		if !found || !strings.Contains(list, want) || !strings.Contains(body, `list="known-`+field+`"`) {
			t.Errorf("%s: want %q in %s", field, want, list)
		}
	}
}
