package mocktest

import (
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

// Call sends a request straight into a handler, as the administrator; a body is JSON. More headers come in pairs; an
// empty value removes the header.
func Call(tb testing.TB, handler http.Handler, method, target, body string, headers ...string) Answer {
	tb.Helper()
	r := httptest.NewRequestWithContext(tb.Context(), method, target, strings.NewReader(body))
	if r.Header.Set("Authorization", Admin); body != "" {
		r.Header.Set("Content-Type", "application/json")
	} else {
		r.Body = http.NoBody
	}
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Del(headers[i]); headers[i+1] != "" {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	return Send(tb, handler, r)
}

// Send sends a request of any form into a handler.
func Send(tb testing.TB, handler http.Handler, r *http.Request) Answer {
	tb.Helper()
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	response := w.Result()
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		tb.Fatal(err)
	}
	iface := interfaceOf(strings.TrimPrefix(r.URL.Path, "/"))
	return Answer{tb, iface, response.StatusCode, response.Header, string(body)}
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
