package main_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"svc.example/understudy/contract/report"
)

// What GitHub Actions prints of the program holds no command of whom the program talks to.
func TestNoRunnerIsCommanded(t *testing.T) {
	t.Parallel()
	t.Run("the log of a server", func(t *testing.T) {
		t.Parallel()
		for _, format := range []string{"text", "json"} {
			p := serve(t, "--log-format", format)
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
				p.ready.URL+"/workflow/%0A::error%20::pwned/%23%23[error]pwned", nil)
			if err != nil {
				t.Fatal(err)
			}
			a, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			a.Body.Close()
			r.URL.Path = "/##[group]pwned"
			if a, err = http.DefaultClient.Do(r); err != nil {
				t.Fatal(err)
			}
			a.Body.Close()
			if err := p.end(t, syscall.SIGTERM); err != nil {
				t.Error(err)
			}
			commandsNoRunner(t, p.stderr(t), "pwned")
		}
	})
	t.Run("the coverage of a report", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "report.json")
		name := "core.a\n::error ::pwned"
		r := report.Report{Coverage: report.Coverage{Operations: map[string]report.Touched{name: {
			Exchanges: 1, Statuses: map[string]int{"200": 1}, Parameters: report.Parts{Uncovered: []string{"##[error]pwned"}},
		}}}}
		text, err := json.Marshal(&r)
		if err := errors.Join(err, os.WriteFile(file, text, 0o600)); err != nil {
			t.Fatal(err)
		}
		for _, format := range []string{"text", "json"} {
			c := exec.CommandContext(t.Context(), "understudy", "coverage", "--missed", "--format", format, file)
			c.Env = environment("")
			out, err := c.CombinedOutput()
			if err != nil {
				t.Errorf("%v: %s", err, out)
			}
			commandsNoRunner(t, string(out), "pwned")
		}
	})
	t.Run("an error", func(t *testing.T) {
		t.Parallel()
		var stderr strings.Builder
		c := exec.CommandContext(t.Context(), "understudy", "check", "none\n::error ::pwned", "##[error]pwned.har")
		c.Env, c.Stderr = environment(""), &stderr
		if err := c.Run(); err == nil {
			t.Error("there is such a file")
		}
		commandsNoRunner(t, stderr.String(), "pwned")
	})
}

// commandsNoRunner checks a text that says something about others, none of which may be a command.
func commandsNoRunner(t *testing.T, text, about string) {
	t.Helper()
	if !strings.Contains(text, about) {
		t.Errorf("want %q in %q", about, text)
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") {
			t.Errorf("the runner would obey %q", line)
		}
	}
}
