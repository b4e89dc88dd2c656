package report_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

// What a recording holds is text on the page, wherever it stands. The page's own script is the only one.
func TestThePageOfHostileTexts(t *testing.T) {
	t.Parallel()
	page := written(t, variants(t)["hostile"], "html")
	if got := strings.Count(page, "<script"); got != 1 {
		t.Errorf("%d scripts, want the page's own", got)
	}
	for _, bad := range []string{"<img", "onerror=alert(1)>", "href=\"javascript:", "\x1b", "\u202e"} {
		if at := strings.Index(page, bad); at >= 0 {
			t.Errorf("%q in %q", bad, page[max(0, at-300):at+20])
		}
	}
}

func TestThePageNeedsNothingElse(t *testing.T) {
	t.Parallel()
	page := written(t, healthy(t), "html")
	for _, bad := range []string{
		"@import", "url(", "<link rel=\"stylesheet\"", " src=", "fetch(", " style=\"",
		" onclick=",
	} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	if !strings.Contains(page, "default-src &#39;none&#39;") {
		t.Error("the page does not say that it needs nothing")
	}
}

// A page that shows every kind of a broken run in full is none that a browser opens.
func TestThePageOfAGreatRunStaysSmall(t *testing.T) {
	t.Parallel()
	r := many(t, 19_000)
	big := strings.Repeat(`{"name":"`+strings.Repeat("x", 50_000)+`"},`, 2)
	r.Evidence[9].Response.Body = &recording.Body{Bytes: []byte(big), Truncated: true}
	page := written(t, r, "html")
	if len(page) > 8<<20 {
		t.Errorf("%d bytes", len(page))
	}
	if !strings.Contains(page, "more kinds of findings are not on this page") {
		t.Error("what is left out is not told")
	}
}

func TestTheMarkStandsWhereTheFaultIs(t *testing.T) {
	t.Parallel()
	const mark = `<mark class="ln">`
	for name, tt := range map[string]struct{ pointer, body, want string }{
		"a value": {"/response/body/a/1", `{"a":[1,2]}`, mark + `    <span class="n">2</span>`},
		"a member": {
			"/response/body/a~1b", `{"x":1,"a/b":"c"}`,
			mark + `  <span class="k">&#34;a/b&#34;</span>: <span class="s">&#34;c&#34;</span>`,
		},
		"a missing member":  {"/response/body/list/0/name", `{"list":[{"id":1}]}`, mark + "    {"},
		"the whole":         {"/response/body", `{"a":1}`, mark + "{"},
		"a key like a list": {"/response/body/1", `{"0":1,"1":2}`, mark + `  <span class="k">&#34;1&#34;</span>`},
		"a status":          {"/response/status", `{}`, "<mark>200</mark>"},
		"a header": {
			"/response/headers/content-type", `{}`,
			`<dt>Content-Type</dt><dd><mark>application/json</mark>`,
		},
		"a missing header": {"/response/headers/X-Total", `{}`, `<dt>X-Total</dt><dd><mark>(not there)</mark>`},
		"a query":          {"/request/query/page", `{}`, `<mark class="url">/api/pools</mark>`},
		"a long list": {
			"/response/body/500", "[" + strings.Repeat("1,", 900) + "1]", `<span class="gap">⋯ 485 lines ⋯</span>`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rich(t)
			g := r.Groups[1]
			g.Pointer, g.Spec = tt.pointer, report.Spec{}
			r.Groups = []report.Group{g}
			r.Evidence[9].Response.Body = &recording.Body{Bytes: []byte(tt.body)}
			if page := written(t, r, "html"); !strings.Contains(page, tt.want) || strings.Count(page, "<mark") != 1 {
				at := strings.Index(page, "<mark")
				t.Errorf("there is no %s, but %s", tt.want, page[at:min(len(page), at+200)])
			}
		})
	}
}

// FuzzPage shows bodies of all kinds, with marks at all places.
func FuzzPage(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":null}]}`), "/response/body/a/1/b", "application/json")
	f.Add([]byte("{\"a\":1}\n{\"a\":2}"), "/response/body/1/a", "application/x-ndjson")
	f.Add([]byte(`{"a":1,"a":"\ud800","`+"\xff"+`":1e999}`), "/response/body/a", "")
	f.Add([]byte(hostile), "/request/headers/"+hostile, hostile)
	f.Fuzz(func(t *testing.T, body []byte, pointer, header string) {
		r := rich(t)
		g := r.Groups[1]
		g.Pointer = pointer
		r.Groups = []report.Group{g}
		r.Evidence[9].Response.Body = &recording.Body{Bytes: body}
		r.Evidence[9].Response.Headers = recording.Headers{{"Content-Type", header}}
		page := written(t, r, "html")
		if strings.Count(page, "<script") != 1 || !strings.HasSuffix(page, "</html>\n") {
			t.Errorf("the page is broken by %q at %q", body, pointer)
		}
	})
}

// TestPagesForOtherValidators keeps pages where REPORT_PAGES says, for .ci/reports to have them judged.
func TestPagesForOtherValidators(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("REPORT_PAGES")
	if dir == "" {
		t.Skip("REPORT_PAGES names no folder")
	}
	for name, r := range variants(t) {
		path := filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".html")
		if err := os.WriteFile(path, []byte(written(t, r, "html")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
