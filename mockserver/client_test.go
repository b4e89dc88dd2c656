package mockserver_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"svc.example/understudy/mockserver"
)

// admin is the key that every scenario knows.
const admin = "SVC1 1/admin"

// newServer makes a server with a frozen clock whose own faults fail the test.
func newServer(t *testing.T, opts ...mockserver.Option) *mockserver.Server {
	t.Helper()
	opts = append([]mockserver.Option{
		mockserver.WithClock("frozen"), mockserver.WithFailure(func(message string) { t.Error(message) }),
	}, opts...)
	s, err := mockserver.New(opts...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// answer is a response with its body read.
type answer struct {
	*http.Response
	body string
}

// call sends a request straight into a handler. Headers come in pairs; Authorization is the administrator's unless
// they say otherwise.
func call(t *testing.T, handler http.Handler, method, target, body string, headers ...string) answer {
	t.Helper()
	return callIn(t.Context(), t, handler, method, target, body, headers...)
}

// callIn is call within a context.
func callIn(ctx context.Context, t *testing.T, handler http.Handler, method, target, body string,
	headers ...string,
) answer {
	t.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	r := httptest.NewRequestWithContext(ctx, method, target, reader)
	r.Header.Set("Authorization", admin)
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
	return answer{response, string(text)}
}

// want checks the status.
func (a answer) want(t *testing.T, status int) answer {
	t.Helper()
	if a.StatusCode != status {
		t.Fatalf("status %d, want %d; body %s", a.StatusCode, status, a.body)
	}
	return a
}

// decode reads the body into a value.
func decode[T any](t *testing.T, a answer) T {
	t.Helper()
	var value T
	if err := json.Unmarshal([]byte(a.body), &value); err != nil {
		t.Fatalf("%v in %s", err, a.body)
	}
	return value
}

type pool struct {
	ID               string `json:"id"`
	Name             string `json:"name"`
	ConcurrencyLimit int    `json:"concurrencyLimit"`
	Default          bool   `json:"default"`
}

type pools struct {
	Pools []pool `json:"pools"`
}

// message is the error form of the workflow interface.
type message struct {
	Message string `json:"message"`
	Status  int    `json:"status"`
}
