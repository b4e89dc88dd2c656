// Package story plays stories: scripts of requests with the answers that they should get, which read well for people
// who know no Go. A story is a txtar archive. It begins with its steps, one a line, and goes on with the files that
// the steps mention:
//
//	# The pool etl is busy, so it cannot be deleted.
//	GET /workflow/api/pools
//	capture POOL 'pools.#(name=="etl").id'
//	DELETE /workflow/api/pools/$POOL 400
//	match refused.json
//
//	-- refused.json --
//	{"message": "*", "status": 400}
//
// A line that begins with # opens a chapter: when a step fails, its chapter is shown with all its exchanges.
//
//	GET path [status] [body]      sends a request; so do HEAD, OPTIONS, POST, PUT, PATCH and DELETE. Without a status,
//	                              any 2xx will do. The body is JSON, written here or in a file, a form in a file.form,
//	                              or a file.gz made by archive or rows
//	with name value               adds a header to the next request: its Content-Type, if the body is of another one
//	match want                    the last answer has all that want has: JSON, written here or in a file
//	poll path want [length]       sends GET requests until an answer has all that want has, for ten minutes at most or as
//	                              long as is given: one a second, by the clock of the mock or by that of the wall
//	says text                     the last answer contains the text
//	read lines                    the last answer is read as a list of the JSON values in it, one behind the other; read
//	                              msgpack does the same for values in that form, and read events for the data of
//	                              server-sent events
//	header name [pattern]         the last answer has the header, and its value fits the regular expression
//	capture NAME path             keeps a value of the last answer as $NAME; the path has dots, as in pools.0.id
//	clock advance 1h30m           moves the clock of the world
//	clock idle                    moves it until nothing is under way any more
//	as key                        makes the next requests with this key; nobody sends none. It begins with 1/admin
//	archive file.tar.gz folder    packs the files of a folder of this archive
//	rows file.gz list.json        packs a list of objects as rows to upload: msgpack, in gzip
//
// A line may hold several steps, with the word then between them. One that begins with each is taken once for each of
// the values that stand in braces: each GET /core/v3/table/list/{shop,web} then match {shop,web}.json. A name that a
// line captures has its value from the next line on.
//
// What match wants may leave out members of objects, and the text "*" stands for any value. A list must have as many
// elements as the answer's, unless its last one is "...". Text such as "$POOL" stands for what was captured.
//
// With UPDATE=1 in the environment, files that match mentions are rewritten to what the answers were: members stay
// left out and "*" stays, while an empty file becomes the whole answer.
//
// Stories are played against a handler, or against any server: STORY_URL=http://127.0.0.1:4010 is a mock server that is
// running, in which each story makes a world of its own, and https://{interface}.example is a platform with a host for
// each interface. Steps that only a mock knows, such as those of the clock, begin with [mock].
package story

import (
	"cmp"
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
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"svc.example/understudy/specs"
)

// Server is the target of one story: a handler, in process, or the base address of a server, or those of interfaces.
type Server struct {
	Handler http.Handler
	URL     string
	World   string // chosen by header; empty: whichever the server chooses
	Brand   specs.Brand
	Specs   *specs.Set // nil: those of the platform
	Close   func()     // may be nil

	Targets      map[specs.Interface]string // addresses of interfaces, before the URL
	Keys         map[string]string          // by those of the story; a server that is not a mock needs them
	ControlToken string                     // of a mock that wants one
	Client       *http.Client               // nil: one with a time limit
}

// documents returns the documents of the interfaces that a story can call.
func (s *Server) documents() *specs.Set { return cmp.Or(s.Specs, &specs.Set{Brand: s.Brand}) }

// Run plays the story in a file. Start is called once, when the story begins, and its server closed at the end. When
// STORY_URL is set, the story is played there instead.
func Run(t *testing.T, file string, start func() (Server, error)) {
	t.Helper()
	if address := os.Getenv("STORY_URL"); address != "" {
		start = serverAt(address, t.Name())
	}
	testscript.Run(t, Params(file, start, os.Getenv("UPDATE") != ""))
}

// Params returns the parameters that Run gives to testscript. If update is set, wanted files are rewritten.
func Params(file string, start func() (Server, error), update bool) testscript.Params {
	return testscript.Params{
		Files:              []string{file},
		RequireUniqueNames: true,
		Cmds:               commands(),
		Condition:          testCondition,
		Setup: func(env *testscript.Env) error {
			server, err := start()
			if err != nil {
				return err
			}
			p := newPlayer(server)
			if update {
				p.updates = map[string]string{}
			}
			env.Values[playing{}] = p
			env.Defer(func() {
				if server.Close != nil {
					server.Close()
				}
				if err := rewrite(file, p.updates); err != nil {
					env.T().Fatal(err)
				}
			})
			return nil
		},
	}
}

// serverAt plays against a server that is running, in a world of its own if the server is a mock.
func serverAt(address, test string) func() (Server, error) {
	return func() (Server, error) {
		server := Server{URL: strings.TrimSuffix(address, "/")}
		if !isMock(server.URL) {
			return server, nil
		}
		return server, server.makeWorld(test)
	}
}

// playing is the key of a script's player among its values.
type playing struct{}

// player is one story being played: who asks, and what was answered last.
type player struct {
	server  Server
	client  *http.Client
	key     string
	last    *http.Response
	body    []byte
	headers http.Header       // of the next request
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
	at        int   // which step of its line the last one is, from 0
	trouble   error // why the story cannot go on, where that is not a difference
}

const (
	patience = time.Minute // for one answer
	control  = "/_understudy"
	nobody   = "nobody"
)

func newPlayer(server Server) *player {
	p := &player{
		server: server, key: "1/admin", vars: map[string]string{}, headers: http.Header{}, context: context.Background(),
	}
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
