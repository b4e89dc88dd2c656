package console_test

import (
	"html"
	"net/http"
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/console"
	"svc.example/understudy/scenarios/story"
	"svc.example/understudy/specs"
)

var shownSnippets = regexp.MustCompile(`(?s)<details><summary>([^<]*)</summary><div class="copy"><div [^>]*><pre>([^<]*)</pre>`)

// snippetsOf returns the texts to copy on the page of an exchange, by name.
func snippetsOf(page shown) map[string]string {
	texts := map[string]string{}
	_, section, _ := strings.Cut(page.body, `id="snippets"`)
	for _, found := range shownSnippets.FindAllStringSubmatch(section, -1) {
		texts[found[1]] = html.UnescapeString(found[2])
	}
	return texts
}

func exchange(t *testing.T, base, of string) shown {
	t.Helper()
	page := open(t, http.DefaultClient, base+console.Path+"w/"+of)
	if page.status != http.StatusOK {
		t.Fatalf("%s: %d %s", of, page.status, text(page.body))
	}
	return page
}

func TestSnippets(t *testing.T) {
	t.Parallel()
	base := start(t)
	const name = "it's </pre><script>alert(1)</script> `$(id)` \u202e!"
	send(t, http.MethodPost, base+"/workflow/api/pools", `{"name":"`+name+`","concurrencyLimit":1}`)
	page := exchange(t, base, "default/journal/1")
	if strings.Contains(page.body, "<script>alert") {
		t.Errorf("the page has what it should escape: %s", page.body)
	}
	if !strings.Contains(text(page.body), "export KEY=1/admin") {
		t.Errorf("the page does not say what KEY is: %s", text(page.body))
	}
	texts := snippetsOf(page)
	for name, wants := range map[string][]string{
		"curl":       {"curl -sS -i", base + "/workflow/api/pools", `'Authorization: SVC1 '"$KEY"`},
		"Go test":    {`mockserver.WithScenario("full-account")`, `"https://workflow.svc.example/api/pools"`, "http.StatusCreated"},
		"Python":     {"http.client.HTTPConnection(", `"SVC1 " + KEY`},
		"Story step": {"as 1/admin\nPOST /workflow/api/pools 201 "},
	} {
		for _, want := range wants {
			if !strings.Contains(texts[name], want) {
				t.Errorf("%s lacks %q: %s", name, want, texts[name])
			}
		}
	}
	fresh, _ := serve(t)
	result, err := story.Play{
		File: "step", Text: []byte(texts["Story step"]), Server: story.Server{Handler: fresh, Brand: specs.Neutral},
	}.Run(t.Context())
	if err != nil || !result.Passed {
		t.Errorf("the story: %v %+v", err, result)
	}
}

// A copied command sends the request again: to the same world, and with the same body.
func TestCopiedCommands(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("sh is not on this machine")
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not on this machine")
	}
	base := start(t)
	if made := post(t, http.DefaultClient, base+console.Path+"do", url.Values{
		"call": {"POST worlds"}, "string:id": {"mine"}, "string:scenario": {"full-account"}, "back": {"worlds"},
	}); made.status != http.StatusOK {
		t.Fatalf("make a world: %d %s", made.status, text(made.body))
	}
	body := "{\"name\":\"it's \\u0000 $(id)\",\r\n\"concurrencyLimit\":1, \"x\":\"\xff\"}"
	send(t, http.MethodPost, base+"/_worlds/mine/workflow/api/pools", body)
	command := exec.CommandContext(t.Context(), shell, "-c", snippetsOf(exchange(t, base, "mine/journal/1"))["curl"])
	command.Env = append(command.Environ(), "KEY=1/admin")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, number := range []string{"1", "2"} {
		got := open(t, http.DefaultClient, base+console.Path+"w/mine/journal/"+number+"/request")
		if got.body != body || !strings.HasPrefix(got.header.Get("Content-Disposition"), "attachment") {
			t.Errorf("the body of exchange %s is %q %v, want %q", number, got.body, got.header, body)
		}
	}
}

// A body of megabytes stands in a file beside the page.
func TestSnippetsOfLongBodies(t *testing.T) {
	t.Parallel()
	base := start(t)
	body := `{"name":"` + strings.Repeat("'", 4<<20) + `"}`
	send(t, http.MethodPost, base+"/workflow/api/pools", body)
	send(t, http.MethodGet, base+"/workflow/api/pools?"+strings.Repeat("'", 70<<10), "")
	page := exchange(t, base, "default/journal/1")
	for name, text := range snippetsOf(page) {
		if len(text) > 4<<10 || !strings.Contains(text, "request-1.body") {
			t.Errorf("%s has %d bytes: %.300s", name, len(text), text)
		}
	}
	if !strings.Contains(page.body, `journal/1/request"`) {
		t.Errorf("the page does not lead to the body: %s", text(page.body))
	}
	if page = exchange(t, base, "default/journal/2"); !strings.Contains(page.body, "more than this page shows") {
		t.Errorf("a snippet with a long address: %d bytes", len(page.body))
	}
}

// A request that a form cannot express has the reason in its place.
func TestSnippetsThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	base := start(t, mockserver.WithClock("frozen"))
	send(t, http.MethodTrace, base+"/workflow/api/pools", "")
	page := exchange(t, base, "default/journal/1")
	want := `It cannot be written so: exchange 1: a story cannot send a request with the method &#34;TRACE&#34;.`
	if texts := snippetsOf(page); len(texts) != 3 || !strings.Contains(page.body, want) {
		t.Errorf("%d texts: %s", len(texts), text(page.body))
	}
	missing := open(t, http.DefaultClient, base+console.Path+"w/default/journal/1/request")
	if missing.status != http.StatusNotFound {
		t.Errorf("a body that is not there: %d %s", missing.status, text(missing.body))
	}
}

// Calls of the console are curl commands whose words survive a shell.
func TestCallsAsCurl(t *testing.T) {
	t.Parallel()
	base := start(t)
	done := post(t, http.DefaultClient, base+console.Path+"w/default/operations/workflow.updatePool", url.Values{
		"path:poolId": {"[2]"}, "body": {"{\"name\":\"it's\"}"}, "send": {"1"},
	})
	unescaped := html.UnescapeString(done.body)
	for _, want := range []string{"curl -X PATCH", `--data-raw '{"name":"it'\''s"}'`} {
		if !strings.Contains(unescaped, want) {
			t.Errorf("the page lacks %s: %s", want, text(unescaped))
		}
	}
}
