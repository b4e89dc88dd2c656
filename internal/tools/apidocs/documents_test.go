package apidocs_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"svc.example/understudy/internal/tools/browser"
	"svc.example/understudy/specs"
)

// viewer and below are where scripts of the tests look.
const (
	viewer = `document.querySelector("rapi-doc")`
	below  = viewer + `.shadowRoot`
)

// showAll shows all operations of a document at once.
func (s *site) showAll(iface string) {
	s.t.Helper()
	s.show(iface)
	browser.Value[int](s.tab, viewer+`.setAttribute("render-style", "read"), 1`)
	s.tab.Until(below + `.querySelectorAll("api-response").length == ` +
		viewer + `.resolvedSpec.tags.reduce((n, tag) => n + tag.paths.length, 0)`)
}

// TestDocuments renders every operation of every document, without a complaint of the browser and a request elsewhere.
func TestDocuments(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.tab.Resize(1280, 900, "light")
	for _, iface := range specs.InterfaceNames() {
		s.showAll(iface)
		d, err := specs.Load(specs.Interface(iface), specs.Neutral)
		if err != nil {
			t.Fatal(err)
		}
		if got := browser.Value[int](s.tab, below+`.querySelectorAll("api-request").length`); got != len(d.Operations) {
			t.Errorf("%s: %d operations are shown, want %d", iface, got, len(d.Operations))
		}
		if got := browser.Value[[]string](s.tab, viewer+`.resolvedSpec.tags.flatMap((tag) => tag.paths).flatMap(
			(path) => Object.keys(path.responses)).filter((status) => !/^([1-5]..|default)$/.test(status))`); len(got) > 0 {
			t.Errorf("%s: answers %q are shown", iface, got)
		}
		s.calm()
	}
	s.showAll("control")
	s.calm()
}

// TestWindows shows a document in wide and narrow windows, in light and dark.
func TestWindows(t *testing.T) {
	t.Parallel()
	s := open(t)
	for name, width := range map[string]int64{"wide": 1280, "narrow": 360} {
		for _, scheme := range []string{"light", "dark"} {
			s.tab.Resize(width, 900, scheme)
			s.show("workflow#post-/api/pools")
			s.tab.Until(below + `.querySelector("api-request") !== null`)
			if got := browser.Value[int64](s.tab, `document.documentElement.scrollWidth`); got > width {
				t.Errorf("%s: the page is %d pixels wide, want at most %d", name, got, width)
			}
			if got := browser.Value[float64](s.tab, below+`.querySelector(".nav-bar").getBoundingClientRect().width`); got < 200 {
				t.Errorf("%s: the list of operations is %v pixels wide", name, got)
			}
			s.tab.Shoot("apidocs-" + name + "-" + scheme)
		}
	}
	s.calm()
}

// TestTry sends a request as a person does: to the mock's own address, in the chosen world, with the chosen key.
func TestTry(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.tab.Resize(1280, 900, "light")
	s.control("POST", "/worlds", `{"id":"mine"}`)
	s.show("workflow#post-/api/pools")
	s.tab.Until(`!!` + below + `.querySelector("api-request")?.shadowRoot.querySelector("textarea")`)
	browser.Value[int](s.tab, `(() => {
		const choose = (name, value) => {
			const select = document.querySelector(".apidocs form").elements[name];
			select.value = value;
			select.dispatchEvent(new Event("change"));
		};
		choose("world", "mine");
		choose("key", "1/analyst");
		const request = `+below+`.querySelector("api-request").shadowRoot;
		request.querySelector("textarea").value = '{"name":"tried","concurrencyLimit":1}';
		request.querySelector("button[part~=btn-try]").click();
		return 1;
	})()`)
	request := below + `.querySelector("api-request")`
	s.tab.Until(`!!` + request + `.shadowRoot.querySelector(".response-message")?.textContent.includes("403")`)
	answer := s.control("GET", "/worlds/mine/journal.har", "")
	for _, want := range []string{s.url + "/workflow/api/pools", `"status":403`, `{\"name\":\"tried\"`} {
		if !strings.Contains(answer, want) {
			t.Errorf("the journal of the world lacks %s: %s", want, answer)
		}
	}
	if other := s.control("GET", "/worlds/default/journal.har", ""); strings.Contains(other, "tried") {
		t.Error("the request is in another world, too")
	}
	curl := browser.Value[string](s.tab, request+`.curlSyntax`)
	for _, want := range []string{"-H 'X-Understudy-World: mine'", "SVC1 1/analyst", s.url + "/workflow/api/pools"} {
		if !strings.Contains(curl, want) {
			t.Errorf("the curl command lacks %s: %s", want, curl)
		}
	}
	s.tab.Shoot("apidocs-tried")
}

// control calls the control interface.
func (s *site) control(method, path, body string) string {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.url+"/_understudy"+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	var text json.RawMessage
	if err := json.NewDecoder(response.Body).Decode(&text); err != nil || response.StatusCode >= 300 {
		s.t.Fatalf("%s %s: %d, %v: %s", method, path, response.StatusCode, err, text)
	}
	return string(text)
}

// hostile is a document that wants to run something, and to fetch something from elsewhere.
const hostile = `
openapi: 3.0.3
info:
  title: <script>hacked = 1</script>
  version: '1'
  description: |
    <script>hacked = 1</script> <img src="x" onerror="hacked = 1"> <img src="HOST/a.png">
    <style>@import "HOST/a.css";</style> <iframe srcdoc="<script>parent.hacked = 1</script>"></iframe>
    [a](javascript:hacked=1)
tags: [{name: "<img src=x onerror='hacked=1'>", description: "<svg onload='hacked=1'></svg>"}]
paths:
  /a:
    get:
      tags: ["<img src=x onerror='hacked=1'>"]
      summary: "<img src=x onerror='hacked=1'>"
      description: "<img src=x onerror='hacked=1'>"
      responses: {'200': {description: "<img src=x onerror='hacked=1'>"}}
`

func TestHostileDocument(t *testing.T) {
	t.Parallel()
	var fetched atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { fetched.Add(1) }))
	t.Cleanup(other.Close)
	s := open(t)
	s.other = other.URL
	s.showAll("hostile")
	browser.Value[int](s.tab, `(`+below+`.querySelectorAll("a[href^=javascript]").forEach((a) => a.click()), 1)`)
	browser.Value[int](s.tab, `fetch("`+other.URL+`").catch(() => 1)`) // what was asked for before this has been refused, too
	if got := browser.Value[string](s.tab, `typeof hacked`); got != "undefined" {
		t.Error("a document has run a script")
	}
	if n := fetched.Load(); n != 0 {
		t.Errorf("a document has fetched %d things from another host", n)
	}
	if len(s.tab.Complaints()) == 0 {
		t.Error("the policy has refused nothing, so this test sees nothing")
	}
}

// TestAccessible holds every operation of every document against axe-core, the file at AXE, with all rules.
func TestAccessible(t *testing.T) {
	t.Parallel()
	file := os.Getenv("AXE")
	if file == "" {
		t.Skip("AXE is not set: .ci/axe runs this")
	}
	axe, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := open(t)
	for _, scheme := range []string{"light", "dark"} {
		s.tab.Resize(1280, 900, scheme)
		for _, iface := range append(specs.InterfaceNames(), "control") {
			s.showAll(iface)
			browser.Value[int](s.tab, string(axe)+"; 1")
			violations := browser.Value[[]string](s.tab, `axe.run().then((result) => result.violations.map(
				(v) => v.id + ": " + v.nodes.map((n) => n.html.slice(0, 200) + " " + n.failureSummary).join("; ")))`)
			for _, v := range violations {
				t.Errorf("%s, %s: %.2000s", iface, scheme, v)
			}
		}
	}
}
