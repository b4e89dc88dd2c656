package mockserver_test

import (
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// Without a token, the control interface is for programs on this machine, and not for pages that a browser shows.
func TestPagesDoNotReachTheControlInterface(t *testing.T) {
	t.Parallel()
	open := mockserver.Start(t, mockserver.WithControlHost("host.docker.internal"))
	guarded := mockserver.Start(t, mockserver.WithControlToken("t"))
	for name, test := range map[string]struct {
		server       *mockserver.Server
		method, path string
		body         string
		header       [][2]string
		status       int
	}{
		"a program":                  {open, "GET", "/worlds", "", nil, 200},
		"a program by another name":  {open, "GET", "/worlds", "", [][2]string{{"Host", "workflow.localhost:1"}}, 200},
		"a container":                {open, "GET", "/worlds", "", [][2]string{{"Host", "Host.docker.internal:1"}}, 200},
		"a name that was led here":   {open, "GET", "/worlds", "", [][2]string{{"Host", "evil.example"}}, 403},
		"a name like this machine's": {open, "GET", "/worlds", "", [][2]string{{"Host", "localhost.evil.example"}}, 403},
		"a page of another site":     {open, "GET", "/worlds", "", [][2]string{{"Sec-Fetch-Site", "cross-site"}}, 403},
		"a form of another origin": {
			open, "POST", "/worlds/default/reset", "",
			[][2]string{{"Origin", "http://localhost:1"}},
			403,
		},
		"an origin of no name": {open, "POST", "/worlds/default/reset", "", [][2]string{{"Origin", "null"}}, 403},
		"a body of no type":    {open, "POST", "/worlds", "{}", [][2]string{{"Content-Type", ""}}, 400},
		"JSON": {
			open, "POST", "/worlds", "{}",
			[][2]string{{"Content-Type", "application/json"}},
			201,
		},
		"health": {open, "GET", "/health", "", [][2]string{{"Host", "evil.example"}}, 200},
		"a token, at any name": {
			guarded, "GET", "/worlds", "",
			[][2]string{{"Host", "mock"}, {"Authorization", "Bearer t"}},
			200,
		},
		"another name, and no token": {guarded, "GET", "/worlds", "", [][2]string{{"Host", "mock"}}, 401},
		"the platform, for any name": {
			open, "GET", "/../workflow/api/pools", "",
			[][2]string{{"Host", "mock"}, {"Authorization", mocktest.Admin}},
			200,
		},
		"the platform, from any page": {
			open, "GET", "/../workflow/api/pools", "",
			[][2]string{{"Sec-Fetch-Site", "cross-site"}, {"Authorization", mocktest.Admin}},
			200,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := strings.Replace(test.server.URL("control")+test.path, "/_understudy/..", "", 1)
			r, err := http.NewRequestWithContext(t.Context(), test.method, address, strings.NewReader(test.body))
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range test.header {
				if line[0] == "Host" {
					r.Host = line[1]
				} else if line[1] != "" {
					r.Header.Set(line[0], line[1])
				}
			}
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if text, _ := io.ReadAll(response.Body); response.StatusCode != test.status {
				t.Errorf("status %d, want %d: %s", response.StatusCode, test.status, text)
			}
		})
	}
}

// Keys that were minted cannot be guessed, unless somebody asked for a seed.
func TestMintedKeys(t *testing.T) {
	t.Parallel()
	minted := func(body string, opts ...mockserver.Option) string {
		t.Helper()
		a := mocktest.Call(t, mocktest.NewServer(t, opts...), "POST", "/_understudy/worlds", body).Want(http.StatusCreated)
		return mocktest.Decode[struct{ Keys struct{ Admin string } }](a).Keys.Admin
	}
	const plan, seeded = `{"id":"w","mintKeys":true}`, `{"id":"w","mintKeys":true,"seed":7}`
	if one, other := minted(plan), minted(plan); one == other || len(one) < 42 {
		t.Errorf("the keys are %s and %s", one, other)
	}
	if one, other := minted(seeded), minted(seeded); one != other {
		t.Errorf("with a seed the keys are %s and %s", one, other)
	}
	if one, other := minted(plan, mockserver.WithSeed(7)), minted(seeded); one != other {
		t.Errorf("with a seed of the server the keys are %s and %s", one, other)
	}
}

// A misspelt name is reported: otherwise its use would pass, or do nothing, for ever.
func TestMisspeltNamesAreTold(t *testing.T) {
	t.Parallel()
	var failures []string
	s := mocktest.NewServer(t, mockserver.WithLogger(slog.New(slog.DiscardHandler)), mockserver.WithFailure(func(text string) { failures = append(failures, text) }))
	world := s.World("")
	for _, name := range []string{"workflow.nonsense", "workflw.deletePool", "deletePool", ""} {
		if n := world.Calls(name); n != 0 {
			t.Errorf("%s was called %d times", name, n)
		}
		if _, err := world.Journal(name); err == nil {
			t.Errorf("the journal has %q", name)
		}
	}
	if len(failures) != 4 || !strings.Contains(failures[0], `unknown operation "workflow.nonsense"`) {
		t.Errorf("the test sees %q", failures)
	}
	if world.Calls("core.importTable"); len(failures) != 4 {
		t.Errorf("of an extra the test sees %q", failures[4:])
	}
	for path, want := range map[string]string{
		"GET /journal?operation=workflow.nonsense":              `unknown operation \"workflow.nonsense\"`,
		"GET /journal/counts?operation=core.nonsense":           `unknown operation \"core.nonsense\"`,
		`POST /worlds {"scenaro":"empty"}`:                      "scenaro",
		`POST /worlds/default/clock {"advance":"1s","untl":1}`:  "untl",
		`POST /worlds/default/clock {"mode":"auto","time":"x"}`: "time",
	} {
		method, rest, _ := strings.Cut(path, " ")
		path, body, _ := strings.Cut(rest, " ")
		if a := mocktest.Call(t, s, method, "/_understudy"+path, body).Want(400); !strings.Contains(a.Body, want) {
			t.Errorf("%s: %s", path, a.Body)
		}
	}
}
