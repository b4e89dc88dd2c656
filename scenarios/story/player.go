package story

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"strings"
	"time"

	"svc.example/understudy/specs"
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

	// of a story that is played outside of a test
	context   context.Context
	control   string // address of the control interface; empty: the server's
	mock      bool
	redacts   bool   // secrets from messages
	requested string // method and address of the last request
	operation *specs.Operation
	played    int   // steps
	trouble   error // why the story cannot go on, where that is not a difference
}

const (
	patience = time.Minute // for one answer
	control  = "/_understudy"
	nobody   = "nobody"
)

func newPlayer(server Server) *player {
	p := &player{server: server, key: "1/admin", vars: map[string]string{}, context: context.Background()}
	p.client = &http.Client{Timeout: patience}
	if server.Client != nil {
		*p.client = *server.Client
	}
	p.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
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
	return p.findMock() == nil && p.mock
}

// makeWorld makes a world for the story of a test such as TestStories/quickstart.
func (s *Server) makeWorld(test string) error {
	return s.NewWorld(path.Base(test))
}

// ErrNoMock is the error for a server that cannot begin with a scenario.
var ErrNoMock = errors.New("only a mock can begin with a scenario: want the address of one")

// NewWorld makes a world of a scenario on the mock at the server's address, with a clock that stands still, and deletes
// it when the server is closed.
func (s *Server) NewWorld(scenario string) error {
	p := newPlayer(*s)
	if err := p.findMock(); err != nil {
		return err
	}
	if !p.mock {
		return ErrNoMock
	}
	s.World = "story-" + scenario + "-" + rand.Text()
	s.Close = func() { // a world that stays behind does no harm
		_ = p.send(http.MethodDelete, control+"/worlds/"+s.World, "", nil)
	}
	return p.controlRequest(control+"/worlds", map[string]any{"id": s.World, "scenario": scenario, "clock": "frozen"})
}

func testCondition(name string) (bool, error) {
	address := os.Getenv("STORY_URL")
	return condition(name, address == "" || isMock(address))
}

func condition(name string, mock bool) (bool, error) {
	if name != "mock" {
		return false, fmt.Errorf("unknown condition [%s]: want [mock]", name)
	}
	return mock, nil
}
