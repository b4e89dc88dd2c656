package mocktest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/mockserver"
)

// Admin is the key that every scenario knows.
const Admin = "SVC1 1/admin"

// NewServer makes a server with a frozen clock whose own faults fail the test.
func NewServer(t *testing.T, opts ...mockserver.Option) *mockserver.Server {
	t.Helper()
	opts = append([]mockserver.Option{mockserver.WithClock(mockserver.ClockFrozen), Failing(t)}, opts...)
	s, err := mockserver.New(opts...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Response is the response to a Call.
type Response struct {
	*http.Response
	Text string // its body
}

// Call sends a request straight into a handler. Headers come in pairs; Authorization is the administrator's unless
// they say otherwise.
func Call(t *testing.T, handler http.Handler, method, target, body string, headers ...string) Response {
	t.Helper()
	return CallIn(t.Context(), t, handler, method, target, body, headers...)
}

// CallIn is Call within a context.
func CallIn(ctx context.Context, t *testing.T, handler http.Handler, method, target, body string,
	headers ...string,
) Response {
	t.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	r := httptest.NewRequestWithContext(ctx, method, target, reader)
	r.Header.Set("Authorization", Admin)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Del(headers[i]); headers[i+1] != "" {
			r.Header[headers[i]] = []string{headers[i+1]}
		}
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, r)
	response := recorder.Result()
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return Response{response, string(text)}
}

// Want checks the status.
func (a Response) Want(t *testing.T, status int) Response {
	t.Helper()
	if a.StatusCode != status {
		t.Fatalf("status %d, want %d; body %s", a.StatusCode, status, a.Text)
	}
	return a
}

// Decode reads the body into a value.
func Decode[T any](t *testing.T, a Response) T {
	t.Helper()
	var value T
	if err := json.Unmarshal([]byte(a.Text), &value); err != nil {
		t.Fatalf("%v in %s", err, a.Text)
	}
	return value
}

// Pool is a pool of the workflow interface.
type Pool struct {
	ID               string `json:"id"`
	Name             string `json:"name"`
	ConcurrencyLimit int    `json:"concurrencyLimit"`
	Default          bool   `json:"default"`
}

// Pools is the list of all pools.
type Pools struct {
	Pools []Pool `json:"pools"`
}

// Message is the error form of the workflow interface.
type Message struct {
	Message string `json:"message"`
	Status  int    `json:"status"`
}

// Eventually waits until something is so, and fails the test if it is not after 20 s.
func Eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 4000 {
		if is() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("this does not happen: ", what)
}
