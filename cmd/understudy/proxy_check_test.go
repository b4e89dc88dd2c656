//go:build unix

package main_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// wrongPools answers as no platform does.
func wrongPools(t *testing.T) *httptest.Server {
	t.Helper()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"pools":[{"id":7}]}`)
	}))
	t.Cleanup(service.Close)
	return service
}

func TestProxyChecksLive(t *testing.T) {
	t.Parallel()
	report := filepath.Join(t.TempDir(), "report.txt")
	p := proxyBefore(t, wrongPools(t).URL, "--check", "--engine", "none", "--output", report)
	call(t, http.MethodGet, p.ready.Interfaces["workflow"]+"/api/pools", "")
	for end := time.Now().Add(10 * time.Second); !strings.Contains(p.stderr(t), "violation: schema  workflow.listPools"); {
		if time.Sleep(time.Millisecond); time.Now().After(end) {
			t.Fatal("no violation is written while the proxy runs")
		}
	}
	_ = p.end(t, syscall.SIGTERM)
	if code := p.cmd.ProcessState.ExitCode(); code != 1 {
		t.Errorf("exit code %d, want 1\n%s", code, p.stderr(t))
	}
	text, err := os.ReadFile(report)
	if err != nil || !strings.Contains(string(text), "error  schema  workflow.listPools") {
		t.Errorf("the report is %s, %v", text, err)
	}
}

func TestExitCodeOfCommandAndCheck(t *testing.T) {
	t.Parallel()
	const ask = `curl -s -H 'Authorization: SVC1 1/admin' "$UNDERSTUDY_WORKFLOW_URL/api/pools"; `
	mock, wrong := serve(t), wrongPools(t)
	for name, tt := range map[string]struct {
		service, script string
		code            int
		says            string
	}{
		"both pass":                     {mock.ready.Interfaces["workflow"], ask, 0, "the recording conforms"},
		"only the check fails":          {wrong.URL, ask, 1, "the recording violates the contract"},
		"both fail":                     {wrong.URL, ask + "exit 9", 9, "the recording violates the contract"},
		"only the command fails":        {mock.ready.Interfaces["workflow"], ask + "exit 9", 9, "the recording conforms"},
		"there is nothing to be judged": {wrong.URL, "exit 0", 2, "no exchange belongs to an interface"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := command(t, "proxy", "--listen", "127.0.0.1:0", "--target", "workflow="+tt.service,
				"--check", "--engine", "none", "--", "sh", "-c", tt.script)
			if code != tt.code || !strings.Contains(stderr, tt.says) || strings.Contains(stdout, "recording") {
				t.Errorf("exit code %d, want %d and %q\n%s%s", code, tt.code, tt.says, stdout, stderr)
			}
		})
	}
}
