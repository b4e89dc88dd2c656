package proxy_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/replay/proxy"
	"svc.example/understudy/specs"
)

func TestAddressesInHeadersAreRewritten(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ sent, want string }{
		"an address of the service":             {"SERVICE/gw/api/pools/4?a=1#b", "FRONT/workflow/api/pools/4?a=1#b"},
		"a path of the service":                 {"/gw/api/pools/4", "/workflow/api/pools/4"},
		"a relative address":                    {"4?x=1", "4?x=1"},
		"the root of the service":               {"SERVICE/gw", "FRONT/workflow"},
		"another path of the service's host":    {"/login", "SERVICE/login"},
		"another server":                        {"https://login.example/a", "https://login.example/a"},
		"a path that only begins like the root": {"SERVICE/gwx/a", "SERVICE/gwx/a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var address string
			back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", address)
				w.Header().Set("Link", "<"+address+`>; rel="next"`)
				w.Header().Set("Alt-Svc", `h3=":443"`)
				w.WriteHeader(http.StatusFound)
			}))
			t.Cleanup(back.Close)
			address = strings.Replace(tt.sent, "SERVICE", back.URL, 1)
			s := before(t, back, func(c *proxy.Config) { c.Targets[specs.Workflow] = back.URL + "/gw/" })
			answer := do(t, "GET", s.url("/api/pools"), "")
			want := strings.NewReplacer("FRONT", s.front.URL, "SERVICE", back.URL).Replace(tt.want)
			got := []string{answer.header.Get("Location"), answer.header.Get("Link"), answer.header.Get("Alt-Svc")}
			if diff := cmp.Diff([]string{want, "<" + want + `>; rel="next"`, ""}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if e := s.record.only(t); e.Response.Headers.Value("Location") != address || answer.status != http.StatusFound {
				t.Errorf("recorded is %+v, want what the service has sent", e.Response)
			}
		})
	}
}

func TestTheBasePathOfATargetMayBeLeftOut(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"", "/", "/v3", "/v3/"} {
		var asked string
		s := stand(t, func(_ http.ResponseWriter, r *http.Request) { asked = r.URL.Path }, func(c *proxy.Config) {
			c.Targets[specs.Core] = c.Targets[specs.Workflow] + "/gw" + path
		})
		do(t, "GET", s.front.URL+"/core/v3/job/list", "")
		if asked != "/gw/v3/job/list" || s.proxy.Base(specs.Core) != s.service.URL+"/gw/v3" {
			t.Errorf("%q: the service was asked for %s; its base is %s", path, asked, s.proxy.Base(specs.Core))
		}
	}
}

// The service decides what slashes too many mean; the proxy passes them on, and finds the interface and the operation.
func TestSlashesTooManyArePassedOn(t *testing.T) {
	t.Parallel()
	var asked string
	s := stand(t, func(w http.ResponseWriter, r *http.Request) {
		asked = r.RequestURI
		w.Header().Set("Location", "/gw//v3//job/list")
	}, func(c *proxy.Config) { c.Targets[specs.Core] = c.Targets[specs.Workflow] + "//gw//v3//" })
	own, err := s.proxy.Interface(specs.Core)
	if err != nil {
		t.Fatal(err)
	}
	for address, handler := range map[string]http.Handler{
		"http://127.0.0.1:4010//core//v3//job/list": s.proxy, "http://core.localhost//v3//job/list": s.proxy,
		"http://127.0.0.1:4011//v3//job/list": own,
	} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", address, http.NoBody))
		if asked != "/gw//v3//job/list" || !strings.HasSuffix(w.Header().Get("Location"), "//v3//job/list") {
			t.Errorf("%s: the service was asked for %s; the client is sent to %s", address, asked, w.Header().Get("Location"))
		}
		asked = ""
	}
	for _, e := range s.record.exchanges(t) {
		if e.Operation != "core.listJobs" || e.Request.URL != s.service.URL+"/gw//v3//job/list" {
			t.Errorf("recorded is %q, %s", e.Operation, e.Request.URL)
		}
	}
}

func TestHostLabelsAndPortsOfTheirOwn(t *testing.T) {
	t.Parallel()
	var asked string
	s := stand(t, func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.Path
		w.Header().Set("Location", "/api/pools/4")
	})
	own, err := s.proxy.Interface(specs.Workflow)
	if err != nil {
		t.Fatal(err)
	}
	for host, handler := range map[string]http.Handler{
		"workflow.localhost:4010": s.proxy, "Workflow.LocalHost": s.proxy, "127.0.0.1:4011": own,
	} {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "http://"+host+"/api/pools", http.NoBody)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if asked != "/api/pools" || w.Header().Get("Location") != "/api/pools/4" {
			t.Errorf("%s: the service was asked for %s; the client is sent to %s", host, asked, w.Header().Get("Location"))
		}
		asked = ""
	}
}

func TestCookiesGoBackToTheirOwnServiceOnly(t *testing.T) {
	t.Parallel()
	var sent string
	core := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		sent = r.Header.Get("Cookie")
	}))
	t.Cleanup(core.Close)
	s := stand(t, func(w http.ResponseWriter, r *http.Request) {
		sent = r.Header.Get("Cookie")
		w.Header().Add("Set-Cookie", "session=abc; Domain=127.0.0.1; Path=/; Secure; HttpOnly")
	}, func(c *proxy.Config) { // a service on another host
		c.Targets[specs.Core] = strings.Replace(core.URL, "127.0.0.1", "localhost", 1)
	})
	answer := do(t, "GET", s.url("/api/pools"), "")
	if diff := cmp.Diff([]string{
		"session=abc; Path=/workflow; HttpOnly", "understudy-session=127.0.0.1/127.0.0.1; Path=/workflow; HttpOnly",
	}, answer.header.Values("Set-Cookie")); diff != "" {
		t.Errorf("the client (-want +got):\n%s", diff)
	}
	do(t, "GET", s.url("/api/pools"), "", "Cookie", "theme=dark; session=abc")
	if sent != "theme=dark; session=abc" {
		t.Errorf("its own service got the cookies %q", sent)
	}
	do(t, "GET", s.front.URL+"/core/v3/job/list", "", "Cookie", "theme=dark; session=abc")
	if sent != "theme=dark" {
		t.Errorf("the other service got the cookies %q", sent)
	}
}

// However a client writes a cookie, and whatever became of the proxy since: it goes to its own service only.
func TestCookiesThatClientsRewrite(t *testing.T) {
	t.Parallel()
	var set []string
	var sent string
	service := func(w http.ResponseWriter, r *http.Request) {
		sent = r.Header.Get("Cookie")
		w.Header()["Set-Cookie"], set = set, nil
	}
	core := httptest.NewServer(http.HandlerFunc(service))
	t.Cleanup(core.Close)
	var config proxy.Config
	s := stand(t, service, func(c *proxy.Config) {
		c.Targets[specs.Core] = strings.Replace(core.URL, "127.0.0.1", "localhost", 1)
		config = *c
	})
	again, err := proxy.New(config)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(p *proxy.Proxy, path string, cookies ...string) []string {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1"+path, http.NoBody)
		r.Header["Cookie"] = cookies
		w := httptest.NewRecorder()
		p.ServeHTTP(w, r)
		return w.Header().Values("Set-Cookie")
	}
	jar := func(lines []string) string { // as a client that keeps what stands before the first semicolon
		var pairs []string
		for _, line := range lines {
			pair, _, _ := strings.Cut(line, ";")
			pairs = append(pairs, pair)
		}
		return strings.Join(pairs, "; ")
	}
	const own, other = "/workflow/api/pools", "/core/v3/job/list"
	for name, tt := range map[string]struct {
		set   string
		sends func(lines []string) string
		want  string
	}{
		"as it is":          {"s0=v; Path=/", jar, "s0=v"},
		"with blanks":       {" s1 = v ; Path=/", func([]string) string { return "s1=v" }, "s1=v"},
		"in quotes":         {`s2="v w"; Path=/`, jar, `s2="v w"`},
		"without quotes":    {`s3="v w"; Path=/`, func([]string) string { return "s3=v w" }, "s3=v w"},
		"without a name":    {"v4; Path=/", func([]string) string { return "v4" }, "v4"},
		"with equals signs": {"s5=v=w==; Path=/", jar, "s5=v=w=="},
		"with another value": {"s6=%41; Path=/", func(lines []string) string {
			return strings.Replace(jar(lines), "s6=%41", "s6=A", 1)
		}, "s6=A"},
		"twice": {"s7=v; Path=/api", func(lines []string) string { return jar(lines) + "; " + jar(lines) }, "s7=v; s7=v"},
	} {
		set = []string{tt.set}
		cookies := "mine=1; " + tt.sends(ask(s.proxy, own))
		for what, p := range map[string]*proxy.Proxy{"": s.proxy, ", after a restart": again} { // which has forgotten
			if p == again && !strings.Contains(cookies, "understudy-") {
				continue // nothing says whose it is
			}
			if ask(p, own, cookies); sent != "mine=1; "+tt.want {
				t.Errorf("%s%s: its own service got %q", name, what, sent)
			}
			if ask(p, other, cookies); sent != "mine=1" {
				t.Errorf("%s%s: the other service got %q", name, what, sent)
			}
		}
	}
}

func TestHeadersOfTheProxyAreNotPassedOn(t *testing.T) {
	t.Parallel()
	var asked http.Header
	s := stand(t, func(_ http.ResponseWriter, r *http.Request) { asked = r.Header }, func(c *proxy.Config) { c.Token = "geheim" })
	if answer := do(t, "GET", s.url("/api/pools"), ""); answer.status != http.StatusProxyAuthRequired {
		t.Errorf("without the token the client got %d", answer.status)
	}
	for _, header := range [][]string{
		{"Proxy-Authorization", "Bearer geheim"}, {"Proxy-Authorization", "Basic dTpnZWhlaW0="}, {"X-Understudy-Token", "geheim"},
	} {
		answer := do(t, "GET", s.url("/api/pools"), "", append(header, "Connection", "X-Hop", "X-Hop", "1")...)
		if answer.status != 200 || asked.Get(header[0]) != "" || asked.Get("X-Hop") != "" {
			t.Errorf("the client got %d, the service got %v", answer.status, asked)
		}
	}
	for _, e := range s.record.exchanges(t) {
		if e.Request.Headers.Value("Proxy-Authorization")+e.Request.Headers.Value("X-Understudy-Token") != "" {
			t.Errorf("recorded is %v", e.Request.Headers)
		}
	}
}

func TestLoopsAreDetected(t *testing.T) {
	t.Parallel()
	var loop string
	back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.URL.Host, r.URL.Scheme, r.RequestURI = strings.TrimPrefix(loop, "http://"), "http", ""
		r.URL.Path = "/workflow" + r.URL.Path
		response, err := plainClient.Do(r)
		if err != nil {
			return
		}
		defer response.Body.Close()
		w.WriteHeader(response.StatusCode)
	}))
	t.Cleanup(back.Close)
	s := before(t, back)
	loop = s.front.URL
	if answer := do(t, "GET", s.url("/api/pools"), ""); answer.status != http.StatusLoopDetected {
		t.Errorf("the client got %+v", answer)
	}
}
