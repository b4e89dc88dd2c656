package main_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestHealth(t *testing.T) {
	t.Parallel()
	mock := serve(t, "--control-token", "secret")
	other := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(slow.Close)
	for name, test := range map[string]struct {
		args   []string
		code   int
		stdout string
		stderr string
	}{
		"a server is ready, and asks for no token": {[]string{"--url", mock.ready.URL}, 0, "ready\n", ""},
		"a slash at the end":                       {[]string{"--url", mock.ready.URL + "/"}, 0, "ready\n", ""},
		"something else answers":                   {[]string{"--url", other.URL}, 1, "", "answers 404 Not Found, not as understudy serve"},
		"nobody answers":                           {[]string{"--url", "http://127.0.0.1:1"}, 1, "", "not ready: "},
		"nobody answers in time":                   {[]string{"--url", slow.URL, "--timeout", "1ms"}, 1, "", "deadline exceeded"},
		"no address":                               {[]string{"--url", "127.0.0.1:4010"}, 2, "", "want an absolute http or https address"},
		"no time":                                  {[]string{"--timeout", "0s"}, 2, "", "want a duration above 0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := command(t, append([]string{"health"}, test.args...)...)
			if code != test.code || stdout != test.stdout || !strings.Contains(stderr, test.stderr) {
				t.Errorf("exit code %d, %q, %q, want %d, %q, %q", code, stdout, stderr, test.code, test.stdout, test.stderr)
			}
		})
	}
}

// Profiles are there for those with the token, and without one only if they are asked for.
func TestProfiles(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args  []string
		token string
		want  int
	}{
		{nil, "", http.StatusNotFound},
		{[]string{"--pprof"}, "", http.StatusOK},
		{[]string{"--control-token", "secret"}, "", http.StatusUnauthorized},
		{[]string{"--control-token", "secret", "--pprof"}, "", http.StatusUnauthorized},
		{[]string{"--control-token", "secret"}, "Bearer secret", http.StatusOK},
	} {
		mock := serve(t, test.args...)
		for _, path := range []string{"/debug/pprof/", "/debug/pprof/goroutine?debug=1", "/debug/pprof/cmdline"} {
			status, answer := callAs(t, test.token, http.MethodGet, mock.ready.Control+path, "")
			if status != test.want {
				t.Errorf("%v: %s answers %d, want %d: %s", test.args, path, status, test.want, answer)
			}
		}
		mock.stop(t)
	}
}
