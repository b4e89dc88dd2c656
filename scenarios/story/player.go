package story

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"strings"
	"time"
)

// playing is the key of a script's player among its values.
type playing struct{}

// player is one story being played: who asks, and what was answered last.
type player struct {
	server  Server
	client  *http.Client
	key     string
	last    *http.Response
	body    []byte
	vars    map[string]string // captured
	updates map[string]string // files of the archive to rewrite; nil when they stay as they are
}

const (
	patience = time.Minute // for one answer
	control  = "/_understudy"
	nobody   = "nobody"
)

func newPlayer(server Server) *player {
	p := &player{server: server, key: "1/admin", vars: map[string]string{}}
	p.client = &http.Client{
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	if server.Handler != nil {
		p.client.Transport = inProcess{server.Handler}
		p.server.URL = "http://127.0.0.1"
	}
	return p
}

// inProcess serves requests without a socket.
type inProcess struct{ handler http.Handler }

func (t inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	in := r.Clone(r.Context())
	in.RequestURI, in.RemoteAddr = r.URL.RequestURI(), "127.0.0.1:1"
	in.Host = r.URL.Host
	if in.Body == nil {
		in.Body = http.NoBody
	}
	t.handler.ServeHTTP(w, in)
	return w.Result(), nil
}

// send makes a request and keeps the answer.
func (p *player) send(method, path, mediaType string, body []byte) error {
	r, err := http.NewRequestWithContext(context.Background(), method, p.address(path), bytes.NewReader(body))
	if err != nil {
		return err
	}
	if len(body) > 0 {
		r.Header.Set("Content-Type", mediaType)
	}
	if p.key != nobody {
		r.Header.Set("Authorization", p.server.Brand.Scheme()+" "+p.key)
	}
	if p.server.World != "" {
		r.Header.Set("X-Understudy-World", p.server.World)
	}
	if p.last, err = p.client.Do(r); err != nil { //nolint:bodyclose // it is, below
		return err
	}
	defer p.last.Body.Close()
	p.body, err = io.ReadAll(p.last.Body)
	return err
}

// address puts the interface, which a path begins with, where the server has it.
func (p *player) address(path string) string {
	const hosts = "{interface}"
	if !strings.Contains(p.server.URL, hosts) {
		return p.server.URL + path
	}
	name, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return strings.ReplaceAll(p.server.URL, hosts, name) + "/" + rest
}

// moveClock asks the control interface; its answer is not one of the story's.
func (p *player) moveClock(order map[string]any) error {
	world := p.server.World
	if world == "" {
		world = "default"
	}
	return p.controlRequest(control+"/worlds/"+world+"/clock", order)
}

func (p *player) controlRequest(path string, order map[string]any) error {
	aside := *p
	body, err := json.Marshal(order)
	if err != nil {
		return err
	}
	if err := aside.send(http.MethodPost, path, "application/json", body); err != nil {
		return err
	}
	if aside.last.StatusCode/100 != 2 {
		return fmt.Errorf("POST %s: %s: %s", path, aside.last.Status, aside.body)
	}
	return nil
}

// isMock reports whether the server at an address has a control interface.
func isMock(address string) bool {
	if strings.Contains(address, "{") {
		return false
	}
	p := newPlayer(Server{URL: address})
	return p.send(http.MethodGet, control+"/health", "", nil) == nil && p.last.StatusCode == http.StatusOK
}

// makeWorld makes a world for the story of a test such as TestStories/quickstart.
func (s *Server) makeWorld(test string) error {
	scenario := path.Base(test)
	s.World = "story-" + scenario + "-" + rand.Text()
	p := newPlayer(Server{URL: s.URL})
	s.Close = func() { // a world that stays behind does no harm
		_ = p.send(http.MethodDelete, control+"/worlds/"+s.World, "", nil)
	}
	return p.controlRequest(control+"/worlds", map[string]any{"id": s.World, "scenario": scenario, "clock": "frozen"})
}

func condition(name string) (bool, error) {
	if name != "mock" {
		return false, fmt.Errorf("unknown condition [%s]: want [mock]", name)
	}
	address := os.Getenv("STORY_URL")
	return address == "" || isMock(address), nil
}
