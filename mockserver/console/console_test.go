package console_test

import (
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/console"
)

// start serves a mock with a console at an address of its own.
func start(t *testing.T, opts ...mockserver.Option) string {
	t.Helper()
	_, base := serve(t, opts...)
	return base
}

func serve(tb testing.TB, opts ...mockserver.Option) (*mockserver.Server, string) {
	tb.Helper()
	opts = append([]mockserver.Option{
		mockserver.WithScenario("full-account"), mockserver.WithClock("frozen"), mockserver.WithConsole(console.New()),
	}, opts...)
	server, err := mockserver.New(opts...)
	if err != nil {
		tb.Fatal(err)
	}
	listening := httptest.NewServer(server)
	tb.Cleanup(listening.Close)
	return server, listening.URL
}

// shown is a page as a client without scripts gets it.
type shown struct {
	status int
	header http.Header
	body   string
	url    *url.URL // after redirects
}

func do(t *testing.T, client *http.Client, r *http.Request) shown {
	t.Helper()
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return shown{response.StatusCode, response.Header, string(body), response.Request.URL}
}

// send sends a request to an interface as the administrator.
func send(t *testing.T, method, address, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "SVC1 1/admin")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	do(t, http.DefaultClient, r)
}

// must returns the body of an answer of 200 or 201.
func must(t *testing.T, s shown) string {
	t.Helper()
	if s.status != http.StatusOK && s.status != http.StatusCreated {
		t.Fatalf("status %d: %s", s.status, s.body)
	}
	return s.body
}

func open(t *testing.T, client *http.Client, address string) shown {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html,application/xhtml+xml")
	return do(t, client, r)
}

// post sends a form of the console.
func post(t *testing.T, client *http.Client, address string, form url.Values) shown {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return do(t, client, r)
}

var digits = regexp.MustCompile(`[0-9]+`)

var links = regexp.MustCompile(`(?:href|src)="([^"]*)"`)

// Every page that a link leads to is there, from any world, and none leads away.
func TestEveryLinkLeadsToAPage(t *testing.T) {
	t.Parallel()
	base := start(t)
	const alike = 12 // pages below one address
	seen, kinds, queue := map[string]bool{}, map[string]int{}, []string{base + "/"}
	for len(queue) > 0 {
		address := queue[0]
		queue = queue[1:]
		page := open(t, http.DefaultClient, address)
		if page.status != http.StatusOK {
			t.Errorf("%s: status %d: %s", address, page.status, text(page.body))
		}
		if !strings.HasPrefix(page.header.Get("Content-Type"), "text/html") {
			continue
		}
		for _, link := range links.FindAllStringSubmatch(page.body, -1) {
			to, err := page.url.Parse(html.UnescapeString(link[1]))
			if err != nil {
				t.Errorf("%s: %v", address, err)
				continue
			}
			to.Fragment = ""
			kind := digits.ReplaceAllString(path.Dir(to.Path), "")
			switch {
			case to.Host == page.url.Host && !seen[to.String()] && kinds[kind] < alike:
				seen[to.String()] = true
				kinds[kind]++
				queue = append(queue, to.String())
			case to.Host != page.url.Host && !strings.Contains(address, "/guide/"):
				t.Errorf("%s leads to %s", address, to)
			}
		}
	}
	if len(seen) < 100 {
		t.Errorf("%d pages, want more", len(seen))
	}
}

var tags = regexp.MustCompile(`(?s)<[^>]*>`)

// text returns what a page says.
func text(body string) string {
	_, content, found := strings.Cut(body, "<main")
	if !found {
		content = body
	}
	return strings.Join(strings.Fields(tags.ReplaceAllString(content, " ")), " ")
}

// Browsers are led to the console; programs get what they got before.
func TestTheRootIsForBrowsers(t *testing.T) {
	t.Parallel()
	base := start(t)
	for _, path := range []string{"/", "/_understudy", "/_understudy/", "/_understudy/console"} {
		if page := open(t, http.DefaultClient, base+path); page.url.Path != console.Path {
			t.Errorf("%s leads to %s", path, page.url)
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, base+"/", nil)
	r.RequestURI = ""
	if got := do(t, http.DefaultClient, r); got.status != http.StatusNotFound ||
		got.header.Get("Content-Type") != "application/json" {
		t.Errorf("a program gets %d %s", got.status, got.body)
	}
	r = httptest.NewRequestWithContext(t.Context(), http.MethodGet, base+"/_understudy/worlds", nil)
	r.RequestURI = ""
	r.Header.Set("Accept", "text/html")
	if got := do(t, http.DefaultClient, r); !strings.HasPrefix(got.body, `{"worlds"`) {
		t.Errorf("the control interface answers %d %s", got.status, got.body)
	}
}

// Behind a proxy that takes a prefix off, with a token: links, forms, scripts and the sign-in work all the same.
func TestBehindAPrefixWithAToken(t *testing.T) {
	t.Parallel()
	server, err := mockserver.New(mockserver.WithControlToken("open;sésame"), mockserver.WithConsole(console.New()))
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(http.StripPrefix("/mocks/one", server))
	t.Cleanup(proxy.Close)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar}
	base := proxy.URL + "/mocks/one"

	refused := open(t, client, base+"/")
	if refused.status != http.StatusUnauthorized || !strings.Contains(refused.body, `type="password"`) ||
		strings.Contains(refused.body, "quickstart") {
		t.Fatalf("without a token: %d %s", refused.status, refused.body)
	}
	signIn := base + console.Path + "sign-in"
	wrong := post(t, client, signIn, url.Values{"token": {"open"}, "back": {"worlds"}})
	if wrong.status != http.StatusUnauthorized || !strings.Contains(wrong.body, "not the right one") {
		t.Errorf("with a wrong token: %d %s", wrong.status, text(wrong.body))
	}
	page := post(t, client, signIn, url.Values{"token": {" open;sésame"}, "back": {"worlds"}})
	if page.status != http.StatusOK || page.url.Path != "/mocks/one"+console.Path+"worlds" {
		t.Fatalf("with the token: %d at %s: %s", page.status, page.url, text(page.body))
	}
	rows := open(t, client, base+console.Path+"api/worlds/default/journal/rows")
	if rows.status != http.StatusOK {
		t.Errorf("a script gets %d %s", rows.status, rows.body)
	}
	made := post(t, client, base+console.Path+"do", url.Values{
		"call": {"POST worlds"}, "string:id": {"mine"}, "back": {"worlds"},
	})
	if made.status != http.StatusOK || !strings.Contains(made.body, `id="world-mine"`) ||
		strings.Contains(made.body, "sésame") {
		t.Errorf("making a world leads to %d %s", made.status, text(made.body))
	}
	address, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	if sent := jar.Cookies(address.JoinPath("workflow", "api", "pools")); len(sent) > 0 {
		t.Errorf("the interfaces are sent %v, too", sent)
	}
	out := post(t, client, base+console.Path+"sign-out", nil)
	if out.status != http.StatusUnauthorized {
		t.Errorf("after signing out: %d %s", out.status, text(out.body))
	}
}

// Pages of other sites may lead a person here, and do nothing else.
func TestOtherSitesAreRefused(t *testing.T) {
	t.Parallel()
	base := start(t)
	request := func(method, path string, header ...string) int {
		r, err := http.NewRequestWithContext(t.Context(), method, base+console.Path+path, strings.NewReader(
			"call=POST+worlds%2Fdefault%2Freset"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		r.Host = r.Header.Get("Host")
		return do(t, http.DefaultClient, r).status
	}
	for _, test := range []struct {
		method, path string
		header       []string
		want         int
	}{
		{"GET", "worlds", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 200},
		{"GET", "worlds", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "script"}, 403},
		{"GET", "worlds", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}, 403},
		{"POST", "do", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"POST", "do", []string{"Sec-Fetch-Site", "same-site"}, 403},
		{"POST", "do", []string{"Origin", "https://elsewhere.example"}, 403},
		{"POST", "sign-in", []string{"Origin", "https://elsewhere.example"}, 403},
		{"POST", "api/worlds/default/reset", []string{"Origin", "https://elsewhere.example"}, 403},
		{"GET", "worlds", []string{"Host", "elsewhere.example"}, 403},
		{"GET", "api/worlds", []string{"Host", "elsewhere.example"}, 403},
		{"GET", "assets/console.css", []string{"Host", "elsewhere.example"}, 403},
		{"GET", "api/console/worlds", nil, 404},
		{"GET", "call/elsewhere/x", nil, 404},
	} {
		if got := request(test.method, test.path, test.header...); got != test.want {
			t.Errorf("%s %s %v: status %d, want %d", test.method, test.path, test.header, got, test.want)
		}
	}
	page := open(t, http.DefaultClient, base+console.Path)
	policy := page.header.Get("Content-Security-Policy")
	if strings.Contains(policy, "unsafe") || !strings.Contains(policy, "frame-ancestors 'none'") {
		t.Errorf("the policy is %q", policy)
	}
	for _, attack := range []string{"//elsewhere.example", "https://elsewhere.example/", `\\elsewhere.example`, "../../../x"} {
		r := url.Values{"call": {"GET worlds"}, "back": {attack}}
		if led := post(t, http.DefaultClient, base+console.Path+"do", r); led.url.Path != console.Path {
			t.Errorf("back to %q leads to %s", attack, led.url)
		}
	}
}
