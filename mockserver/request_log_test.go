package mockserver_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// newLogged makes a mock that logs to a buffer, as JSON.
func newLogged(t *testing.T, level slog.Level, opts ...mockserver.Option) (*mockserver.Server, *bytes.Buffer) {
	t.Helper()
	log := &bytes.Buffer{}
	handler := slog.NewJSONHandler(log, &slog.HandlerOptions{Level: level})
	return mocktest.NewServer(t, append(opts, mockserver.WithLogger(slog.New(handler)))...), log
}

func TestRequestsAreLogged(t *testing.T) {
	t.Parallel()
	t.Run("a refusal, with its reason", func(t *testing.T) {
		t.Parallel()
		s, log := newLogged(t, slog.LevelInfo)
		mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)
		mocktest.Call(t, s, "GET", "/workflow/api/pools/77", "").Want(404)
		line := log.String()
		for path, want := range map[string]string{
			"level": "INFO", "msg": "request", "method": "GET", "url": "http://example.com/workflow/api/pools/77",
			"status":    "404",
			"operation": "workflow.getPool", "world": "default", "exchange": "2", "reason": "pool with id 77 not found",
		} {
			if got := jsontree.Find(line, path).Text(); got != want {
				t.Errorf("%s is %q, want %q", path, got, want)
			}
		}
		if n := strings.Count(line, "\n"); n != 1 {
			t.Errorf("there are %d lines:\n%s", n, line)
		}
	})
	t.Run("at level debug, all", func(t *testing.T) {
		t.Parallel()
		s, log := newLogged(t, slog.LevelDebug)
		mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)
		mocktest.Call(t, s, "GET", "/_understudy/worlds", "").Want(200)
		mocktest.Call(t, s, "GET", "/workflow/api/ponds", "").Want(404)
		mocktest.Call(t, s, "GET", "/nowhere", "").Want(404)
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		var levels []string
		for _, line := range lines {
			levels = append(levels, jsontree.Find(line, "level").Text())
		}
		if got := strings.Join(levels, " "); got != "DEBUG DEBUG INFO INFO" {
			t.Errorf("levels %s", got)
		}
		if nearest := jsontree.Find(lines[2], "nearest").Text(); !strings.Contains(nearest, "/api/pools") {
			t.Errorf("the nearest operation is %q", nearest)
		}
	})
	t.Run("what is off the contract, where it is served", func(t *testing.T) {
		t.Parallel()
		s, log := newLogged(t, slog.LevelInfo, mockserver.WithValidation(mockserver.Report))
		mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"name":"nightly","concurrencyLimit":1}`, "Content-Type",
			"text/plain").Want(201)
		if got := jsontree.Find(log.String(), "notes").Text(); !strings.HasPrefix(got, "request does not match the document") {
			t.Errorf("the log does not say so: %s", log)
		}
	})
	t.Run("without secrets", func(t *testing.T) {
		t.Parallel()
		s, log := newLogged(t, slog.LevelDebug)
		const key = "9/0123456789abcdef0123456789abcdef01234567"
		mocktest.Call(t, s, "DELETE", "/core/v3/user/apikey/remove/a@b.example/"+key, "")
		mocktest.Call(t, s, "GET", "/core/v3/database/list?api_key="+key, "", "Authorization", "SVC1 "+key)
		if got := log.String(); strings.Contains(got, "0123456789abcdef") || strings.Count(got, "\n") != 2 {
			t.Errorf("the log holds a key, or not two lines:\n%s", got)
		}
	})
	t.Run("a flood of refusals, in part", func(t *testing.T) {
		t.Parallel()
		s, log := newLogged(t, slog.LevelInfo)
		for range 4000 {
			mocktest.Call(t, s, "GET", "/nowhere", "").Want(404)
		}
		if n := strings.Count(log.String(), "\n"); n < 1000 || n > 3000 {
			t.Errorf("of 4000 refusals %d are logged", n)
		}
	})
}

// told is a failed TB that keeps its log.
type told struct {
	testing.TB
	failed   bool
	log      strings.Builder
	cleanups []func()
}

func (x *told) Failed() bool          { return x.failed }
func (x *told) Cleanup(f func())      { x.cleanups = append(x.cleanups, f) }
func (x *told) Log(args ...any)       { x.log.WriteString(args[0].(string) + "\n") }
func (x *told) Errorf(string, ...any) { x.failed = true }

func (x *told) end() string {
	for _, f := range x.cleanups {
		f()
	}
	return x.log.String()
}

func TestAFailedTestIsToldWhatHappened(t *testing.T) {
	t.Parallel()
	for _, failed := range []bool{false, true} {
		tb := &told{TB: t, failed: failed}
		s := mockserver.NewTransport(tb).Server()
		for range 12 {
			mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)
		}
		mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"name":"n","concurrencyLimit":1,`+strings.Repeat(" ", 1000)+`"none":1}`)
		fork := s.World("").Fork()
		mocktest.Call(t, s, "GET", "/workflow/api/pools/77", "", inA, fork.ID()).Want(404)
		said := tb.end()
		if !failed {
			if said != "" {
				t.Errorf("a test that passes is told %s", said)
			}
			continue
		}
		for _, want := range []string{
			"last exchanges of world default", "\n#4 GET ", "\n#13 POST http://example.com/workflow/api/pools → ",
			"(workflow.createPool)",
			`> {"name":"n","concurrencyLimit":1,`, "last exchanges of world " + fork.ID(), "pools/77 → 404", "77 not found",
		} {
			if !strings.Contains(said, want) {
				t.Errorf("it lacks %q", want)
			}
		}
		if strings.Contains(said, "\n#3 ") || strings.Contains(said, strings.Repeat(" ", 100)) || t.Failed() {
			t.Errorf("it is told:\n%s", said)
		}
	}
}

// What a request lacks is said in the log, and not taken for a secret there.
func TestRequestLogSaysWhichCredentialIsMissing(t *testing.T) {
	t.Parallel()
	for scheme, want := range map[string]string{
		"{type: oauth2, flows: {}}":                 "send the header Authorization with the scheme Bearer",
		"{type: http, scheme: basic}":               "send the header Authorization with the scheme Basic, and user and password",
		"{type: http, scheme: bearer}":              "send the header Authorization with the scheme Bearer",
		"{type: apiKey, in: header, name: X-Key}":   "send a key in the header X-Key",
		"{type: apiKey, in: query, name: api_key}":  "send the query parameter api_key",
		"{type: apiKey, in: cookie, name: session}": "send the cookie parameter session",
	} {
		file := filepath.Join(t.TempDir(), "shop.yaml")
		text := "openapi: 3.0.3\ninfo: {title: Shop, version: '1'}\nsecurity: [{it: []}]\n" +
			"components: {securitySchemes: {it: " + scheme + "}}\n" +
			"paths: {/things: {get: {responses: {'200': {description: All}, '401': {description: None}}}}}\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, log := newLogged(t, slog.LevelInfo, mockserver.WithSpec("shop", file))
		mocktest.Call(t, s, "GET", "/shop/things", "")
		if !strings.Contains(log.String(), want) || strings.Contains(log.String(), "[redacted") {
			t.Errorf("%s: the log is %s, want %q", scheme, log.String(), want)
		}
	}
	s, log := newLogged(t, slog.LevelInfo)
	for _, path := range []string{"/workflow/api/pools", "/core/v3/job/list", "/llm/api/projects"} {
		log.Reset()
		mocktest.Call(t, s, "GET", path, "", "Authorization", "").Want(401)
		if want := "with the scheme SVC1 and an API key\""; !strings.Contains(log.String(), want) {
			t.Errorf("%s: the log is %s, want %q", path, log.String(), want)
		}
	}
}
