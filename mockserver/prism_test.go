package mockserver_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/scenarios/story"
	"svc.example/understudy/specs"
)

// knownToPrism lists the reports of Prism on correct behaviour, each with the reason. A pattern that nothing fits any
// more fails the test as well.
var knownToPrism = []struct{ pattern, reason string }{
	{`GET 401: .*Invalid security scheme used`, "stories also show what happens without a key"},
	{
		`^core GET .*(path_format must be|property 'table_name')`,
		"Prism does not know two placeholders in one path segment",
	},
	{`^core GET .*invalid json response body`, "the platform sends one JSON array a line as application/json"},
	{`^core GET 200: .*Response body must be string`, "msgpack is bytes, which Prism takes for JSON"},
	{`^ingestion .*property 'connection'`, "a proxy takes this header away, as it is for one hop only"},
}

// An independent validator has nothing against the stories: Prism, in proxy mode in front of the mock, reads our
// documents and judges what goes to and fro. It comes from npm, so it runs only where PRISM names its program; `task
// prism` fetches it.
func TestPrism(t *testing.T) { //nolint:paralleltest // the stories share the proxies
	program := os.Getenv("PRISM")
	if program == "" {
		t.Skip("PRISM is not set; task prism sets it")
	}
	p := newPrism(t, program)
	for _, name := range scenarios.List() { //nolint:paralleltest // likewise
		t.Run(name, func(t *testing.T) {
			story.Run(t, filepath.Join("..", "scenarios", name, "story.txtar"), func() (story.Server, error) {
				s := mocktest.NewServer(t, mockserver.WithScenario(name), mockserver.WithQueryEngine(sqlite.New()))
				p.behind.Store(s)
				return story.Server{Handler: p}, nil
			})
		})
	}
	p.report(t)
}

// prism is the mock with a Prism in front of each interface.
type prism struct {
	behind  atomic.Pointer[mockserver.Server]
	sent    atomic.Pointer[[]byte]                    // the body that is on its way: Prism takes all bytes for text,
	answer  atomic.Pointer[httptest.ResponseRecorder] // so it does not get to change it, nor what the mock answered last
	proxies map[string]*httputil.ReverseProxy         // by document

	mu         sync.Mutex
	exchanges  map[string]int            // that went through, by interface
	violations map[string]map[string]int // by text, how often at each path
}

func newPrism(t *testing.T, program string) *prism {
	t.Helper()
	p := &prism{
		proxies: map[string]*httputil.ReverseProxy{}, exchanges: map[string]int{}, violations: map[string]map[string]int{},
	}
	mock := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, sent := httptest.NewRecorder(), *p.sent.Load()
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(sent)), int64(len(sent))
		p.behind.Load().ServeHTTP(answer, r)
		p.answer.Store(answer)
		give(w, answer)
	}))
	t.Cleanup(mock.Close)
	listening := map[string]<-chan string{}
	for _, name := range slices.Concat(specs.Interfaces(), specs.Extras()) {
		iface := path.Base(string(name))
		doc, err := specs.Load(specs.Interface(iface), "")
		if err != nil {
			t.Fatal(err)
		}
		document := string("../specs/" + name + ".yaml")
		listening[string(name)] = mocktest.StartPrism(t, program, document, mock.URL+"/"+iface+doc.BasePath)
	}
	for name, address := range listening {
		target, err := url.Parse(<-address)
		if err != nil || target.Host == "" {
			t.Fatalf("Prism does not listen for %s: %v", name, err)
		}
		proxy := httputil.NewSingleHostReverseProxy(target)
		proxy.ModifyResponse = func(r *http.Response) error { p.note(specs.Interface(path.Base(name)), r); return nil }
		p.proxies[name] = proxy
	}
	return p
}

// ServeHTTP sends what is for an interface through its Prism, and the rest to the mock.
func (p *prism) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	iface, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	proxy := p.proxies[iface]
	if proxy == nil {
		p.behind.Load().ServeHTTP(w, r)
		return
	}
	doc, _ := specs.Load(specs.Interface(iface), "")
	prefix := "/" + iface + doc.BasePath
	through := r.Clone(r.Context())
	through.RequestURI = ""
	through.URL.RawPath = strings.TrimPrefix(r.URL.EscapedPath(), prefix)
	through.URL.Path = strings.TrimPrefix(r.URL.Path, prefix)
	if op := doc.Find(r.Method, through.URL.EscapedPath()).Operation; op != nil && op.IsExtra() {
		proxy = p.proxies["extras/"+iface]
	}
	sent, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	through.Body = io.NopCloser(bytes.NewReader(sent))
	p.sent.Store(&sent)
	p.answer.Store(nil)
	judged := httptest.NewRecorder()
	if proxy.ServeHTTP(judged, through); judged.Header().Get("Content-Type") == "application/problem+json" {
		p.blame(specs.Interface(iface), r, judged) // Prism could not make anything of it
	}
	answer := p.answer.Load()
	if answer == nil {
		answer = judged
	}
	give(w, answer)
}

func give(w http.ResponseWriter, answer *httptest.ResponseRecorder) {
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

func (p *prism) blame(iface specs.Interface, r *http.Request, answer *httptest.ResponseRecorder) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.violate(fmt.Sprintf("%s %s %d: %s", iface, r.Method, answer.Code, answer.Body), r.URL.Path)
}

func (p *prism) violate(text, path string) {
	if p.violations[text] == nil {
		p.violations[text] = map[string]int{}
	}
	p.violations[text][path]++
}

func (p *prism) note(iface specs.Interface, r *http.Response) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.exchanges[string(iface)]++
	text := r.Header.Get("Sl-Violations")
	r.Header.Del("Sl-Violations")
	if text == "" {
		return
	}
	for one := range strings.SplitSeq(text, "},{") {
		text := fmt.Sprintf("%s %s %d: %s", iface, r.Request.Method, r.StatusCode, strings.Trim(one, "[]{}"))
		p.violate(text, r.Request.URL.Path)
	}
}

func (p *prism) report(t *testing.T) {
	t.Helper()
	for _, iface := range specs.Interfaces() {
		t.Logf("%s: %d exchanges", iface, p.exchanges[string(iface)])
		if p.exchanges[string(iface)] == 0 {
			t.Errorf("no story asks the interface %s", iface)
		}
	}
	fits := make([]int, len(knownToPrism))
	for _, text := range slices.Sorted(maps.Keys(p.violations)) {
		known := slices.IndexFunc(knownToPrism, func(k struct{ pattern, reason string }) bool {
			return regexp.MustCompile(k.pattern).MatchString(text)
		})
		if known >= 0 {
			fits[known]++
			continue
		}
		t.Errorf("%s\n\tin %v", text, p.violations[text])
	}
	for i, known := range knownToPrism {
		t.Logf("%d times: %s: %s", fits[i], known.pattern, known.reason)
		if fits[i] == 0 {
			t.Errorf("nothing fits %q any more", known.pattern)
		}
	}
}
