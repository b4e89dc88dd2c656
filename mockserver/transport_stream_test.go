package mockserver_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

const inside = "https://workflow.svc.example/_understudy/journal/stream"

func insideOf(world *mockserver.World) string {
	return "https://workflow.svc.example/_understudy/worlds/" + world.ID() + "/journal/stream"
}

// A client in the process follows the journal as one that is connected does.
func TestStreamInTheProcess(t *testing.T) {
	t.Parallel()
	transport := mockserver.NewTransport(t)
	fork := transport.World().ForkFor(t)
	for name, c := range map[string]struct {
		client *http.Client
		url    string
	}{
		"through the transport": {transport.Client(), inside},
		"through a world":       {fork.Client(), insideOf(fork)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := c.client
			live, pools := follow(t, client, c.url), follow(t, client, c.url+"?operation=workflow.listPools")
			for n := range 3 {
				send(t, client, "GET", workflowURL+"/api/projects", "")
				send(t, client, "GET", workflowURL+"/api/pools", "")
				pool := fmt.Sprintf("id: %d event: exchange workflow.listPools", 2*n+2)
				live.want(t, fmt.Sprintf("id: %d event: exchange workflow.listProjects", 2*n+1), pool)
				pools.want(t, pool)
			}
			if status, text := send(t, client, "GET", inside+"?after=x", ""); status != 400 {
				t.Errorf("status %d: %s", status, text)
			}
		})
	}
}

func TestStreamInTheProcessEnds(t *testing.T) {
	t.Parallel()
	open := func(ctx context.Context, t *testing.T) (*mockserver.Transport, *http.Response) {
		t.Helper()
		transport := mockserver.NewTransport(t)
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, inside, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		response, err := transport.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = response.Body.Close() })
		if n := mockserver.Watchers(transport.Server()); n != 1 {
			t.Errorf("%d clients follow, want 1", n)
		}
		return transport, response
	}
	t.Run("when its body is closed", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			transport, response := open(t.Context(), t)
			_ = response.Body.Close()
			synctest.Wait()
			if n := mockserver.Watchers(transport.Server()); n != 0 {
				t.Errorf("%d clients still follow", n)
			}
		})
	})
	t.Run("with the context of its request", func(t *testing.T) {
		t.Parallel()
		ctx, leave := context.WithCancel(t.Context())
		_, response := open(ctx, t)
		leave()
		(&events{response.Body, bufio.NewReader(response.Body)}).want(t, "context canceled")
	})
	t.Run("with the server", func(t *testing.T) {
		t.Parallel()
		transport, response := open(t.Context(), t)
		if err := transport.Server().Close(); err != nil {
			t.Error(err)
		}
		(&events{response.Body, bufio.NewReader(response.Body)}).want(t, "EOF")
	})
	t.Run("with the test, though nobody reads it", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) { // which fails if a goroutine is left
			open(context.Background(), t)
		})
	})
	t.Run("with its world", func(t *testing.T) {
		t.Parallel()
		fork := mockserver.NewTransport(t).World().Fork()
		stream := follow(t, fork.Client(), insideOf(fork))
		if err := fork.Delete(); err != nil {
			t.Fatal(err)
		}
		stream.want(t, "EOF")
	})
}

// A client in the process that does not read holds up nothing, and finds a gap.
func TestSlowReaderInTheProcess(t *testing.T) {
	t.Parallel()
	transport := mockserver.NewTransport(t, mockserver.WithJournalLimit(64<<10))
	slow := follow(t, transport.Client(), inside)
	for range 500 {
		send(t, transport.Client(), "GET", workflowURL+"/api/pools", "")
	}
	var got string
	for !strings.Contains(got, "event: gap") {
		if got = slow.next(t); got == "EOF" {
			t.Fatal("there is no gap")
		}
	}
}

// A handler that streams returns when the context of its request ends, or at once if its writer cannot flush: what it
// wrote is then in the recorder.
func TestStreamIntoARecorder(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t)
	mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)
	const path = "/_understudy/journal/stream?after=0"
	t.Run("that can flush", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			s := mocktest.NewServer(t)
			ctx, leave := context.WithCancel(t.Context())
			recorder, over := httptest.NewRecorder(), make(chan struct{})
			go func() {
				defer close(over)
				s.ServeHTTP(recorder, httptest.NewRequestWithContext(ctx, http.MethodGet, path, http.NoBody))
			}()
			synctest.Wait()
			mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)
			synctest.Wait()
			leave()
			<-over
			if got := recorder.Body.String(); !strings.Contains(got, "\nid: 1\nevent: exchange\n") {
				t.Errorf("the recorder has %q", got)
			}
		})
	})
	t.Run("that cannot flush", func(t *testing.T) {
		t.Parallel()
		recorder := httptest.NewRecorder()
		s.ServeHTTP(struct{ http.ResponseWriter }{recorder},
			httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
		if got := recorder.Body.String(); !strings.Contains(got, "\nid: 1\nevent: exchange\n") {
			t.Errorf("the recorder has %q", got)
		}
	})
}
