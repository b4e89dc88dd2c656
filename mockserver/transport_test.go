package mockserver_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/jarcoal/httpmock"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
)

const workflowURL = "https://workflow.svc.example"

// send sends a request through a client, with the administrator's key.
func send(t *testing.T, client *http.Client, method, url, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", mocktest.Admin)
	r.Header.Set("Content-Type", "application/json")
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.Request.URL.String() != url {
		t.Errorf("the response does not know its request")
	}
	return response.StatusCode, string(text)
}

func TestTransport(t *testing.T) {
	t.Parallel()
	t.Run("serves the mock and counts its calls", func(t *testing.T) {
		t.Parallel()
		transport := mockserver.NewTransport(t, mockserver.WithScenario("empty"))
		client := transport.Client()
		if status, text := send(t, client, "POST", workflowURL+"/api/pools",
			`{"name":"a","concurrencyLimit":1}`); status != 201 {
			t.Errorf("status %d: %s", status, text)
		}
		send(t, client, "POST", workflowURL+"/api/pools", `{"name":"a","concurrencyLimit":1}`)
		world := transport.World()
		if all, refused := world.Calls("workflow.createPool"), world.Calls("workflow.createPool", 409); all != 2 ||
			refused != 1 {
			t.Errorf("%d calls, %d of them refused; want 2 and 1", all, refused)
		}
	})
	t.Run("serves a brand at its own default addresses, and at the neutral ones", func(t *testing.T) {
		t.Parallel()
		client := mockserver.NewTransport(t, mockserver.WithBrand("SVC"), mockserver.WithBrand("Acme"),
			mockserver.WithBaseURL("llm", "https://llm.shop.example")).Client()
		for _, url := range []string{
			"https://workflow.acme.example/api/pools", workflowURL + "/api/pools", "https://core.acme.example/v3/job/list",
			"https://llm.shop.example/api/agents",
		} {
			if status, text := send(t, client, "GET", url, ""); status != 401 || !strings.Contains(text, "ACME1") {
				t.Errorf("GET %s: status %d: %s", url, status, text)
			}
		}
	})
	t.Run("lets the user's own responders win", func(t *testing.T) {
		t.Parallel()
		transport := mockserver.NewTransport(t)
		transport.RegisterResponder("GET", workflowURL+"/api/pools", httpmock.NewStringResponder(503, "out of order"))
		if status, text := send(t, transport.Client(), "GET", workflowURL+"/api/pools", ""); status != 503 ||
			text != "out of order" {
			t.Errorf("status %d: %s", status, text)
		}
		if status, _ := send(t, transport.Client(), "GET", workflowURL+"/api/projects", ""); status != 200 {
			t.Errorf("the mock answers %d beside them, want 200", status)
		}
		if got := transport.World().Calls("workflow.listPools"); got != 0 {
			t.Errorf("the mock saw %d calls that the responder answered", got)
		}
	})
	t.Run("shares nothing with others, nor with http.DefaultTransport", func(t *testing.T) {
		t.Parallel()
		before := http.DefaultTransport
		one, two := mockserver.NewTransport(t), mockserver.NewTransport(t)
		send(t, one.Client(), "POST", workflowURL+"/api/pools", `{"name":"mine","concurrencyLimit":1}`)
		if _, text := send(t, two.Client(), "GET", workflowURL+"/api/pools", ""); strings.Contains(text, "mine") {
			t.Errorf("the other transport sees %s", text)
		}
		if http.DefaultTransport != before {
			t.Error("http.DefaultTransport was replaced")
		}
	})
	t.Run("answers at the base address that it was given, and nowhere else", func(t *testing.T) {
		t.Parallel()
		transport := mockserver.NewTransport(t, mockserver.WithBaseURL(specs.Workflow, "https://jobs.example/v9"))
		for _, address := range []string{"https://jobs.example/v9/api/pools", "https://jobs.example//v9//api/pools"} {
			if status, _ := send(t, transport.Client(), "GET", address, ""); status != 200 {
				t.Errorf("%s: status %d, want 200", address, status)
			}
		}
		r, err := http.NewRequestWithContext(t.Context(), "GET", "https://elsewhere.example/x", nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := transport.Client().Do(r)
		if err == nil {
			_ = response.Body.Close()
			t.Errorf("status %d at an address of nobody's", response.StatusCode)
		} else if !strings.Contains(err.Error(), "WithBaseURL") {
			t.Errorf("the error does not tell what to do: %v", err)
		}
	})
	t.Run("forks a prepared world in which a client is by itself", func(t *testing.T) {
		t.Parallel()
		transport := mockserver.NewTransport(t)
		fork := transport.World().Fork()
		send(t, fork.Client(), "POST", workflowURL+"/api/pools", `{"name":"mine","concurrencyLimit":1}`)
		if _, text := send(t, transport.Client(), "GET", workflowURL+"/api/pools", ""); strings.Contains(text, "mine") {
			t.Errorf("the original sees %s", text)
		}
		if fork.Calls("workflow.createPool") != 1 || transport.World().Calls("workflow.createPool") != 0 {
			t.Error("the call is counted in the wrong world")
		}
	})
}

// A client that polls comes to an end at once, and receives no wrong state.
func TestAutoClock(t *testing.T) {
	t.Parallel()
	transport := mockserver.NewTransport(t)
	client, world := transport.Client(), transport.World()
	status, text := send(t, client, "PUT", workflowURL+"/api/attempts", start("2025-01-01T00:00:00Z"))
	if status != 200 {
		t.Fatalf("status %d: %s", status, text)
	}
	began := world.Now()
	id := mocktest.Decode[attempt](mocktest.Answer{TB: t, Body: text}).ID
	states := []string{mocktest.Decode[attempt](mocktest.Answer{TB: t, Body: text}).Status}
	for range 10 {
		_, text := send(t, client, "GET", workflowURL+"/api/attempts/"+id, "")
		states = append(states, mocktest.Decode[attempt](mocktest.Answer{TB: t, Body: text}).Status)
		if state := states[len(states)-1]; state == "success" || state == "error" {
			break
		}
	}
	if got := strings.Join(states, " "); got != "running success" {
		t.Errorf("the client sees %s, want running success", got)
	}
	if !world.Now().After(began) {
		t.Error("the clock did not move")
	}
	before := world.Now()
	send(t, client, "GET", workflowURL+"/api/attempts/"+id, "")
	send(t, client, "GET", workflowURL+"/api/pools", "")
	if !world.Now().Equal(before) {
		t.Error("the clock moved although nothing was asked for that is under way")
	}
}

func TestStart(t *testing.T) {
	t.Parallel()
	s := mockserver.Start(t, mockserver.WithScenario("empty"))
	if status, text := send(t, http.DefaultClient, "GET", s.URL(specs.Workflow)+"/api/pools", ""); status != 200 {
		t.Errorf("status %d: %s", status, text)
	}
	if status, text := send(t, http.DefaultClient, "GET", s.URL(specs.Control)+"/health", ""); status != 200 {
		t.Errorf("status %d: %s", status, text)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	for name, opt := range map[string]mockserver.Option{
		"quikstart":  mockserver.WithScenario("quikstart"),
		"clock":      mockserver.WithClock("fast"),
		"brand":      mockserver.WithBrand("two words"),
		"interface":  mockserver.WithBaseURL("jobs", "https://x.example"),
		"absolute":   mockserver.WithBaseURL(specs.Workflow, "x.example"),
		"own.yaml":   mockserver.WithSpec(specs.Workflow, "own.yaml"),
		"validation": mockserver.WithValidation("lax"),
		"journal":    mockserver.WithJournalLimit(0),
		"token":      mockserver.WithControlToken(""),
	} {
		t.Run("a wrong one is told by its name: "+name, func(t *testing.T) {
			t.Parallel()
			if _, err := mockserver.New(opt); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestControlToken(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithControlToken("open sesame"))
	mocktest.Call(t, s, "GET", "/_understudy/worlds", "").Want(401)
	mocktest.Call(t, s, "GET", "/_understudy/worlds", "", "Authorization", "Bearer wrong").Want(401)
	mocktest.Call(t, s, "GET", "/_understudy/worlds", "", "Authorization", "bearer open sesame").Want(200)
	mocktest.Call(t, s, "GET", "/_understudy/health", "").Want(200)
	mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)
}
