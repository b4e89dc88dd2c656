package main_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// process is understudy serve, running as a process of its own.
type process struct {
	cmd   *exec.Cmd
	ready ready
	log   string // the file that standard error goes to
}

// ready is the first line on standard output.
type ready struct {
	URL        string            `json:"url"`
	Interfaces map[string]string `json:"interfaces"`
	Control    string            `json:"control"`
	Console    string            `json:"console"`
	CA         string            `json:"ca"`
}

// serve starts the mock on a free port, and waits until it is ready.
func serve(t *testing.T, args ...string) *process {
	t.Helper()
	return serveIn(t, "", args...)
}

// serveIn is serve for a user with a folder of their own.
func serveIn(t *testing.T, home string, args ...string) *process {
	t.Helper()
	return begin(t, home, "understudy", append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
}

// begin runs a program that serves the mock.
func begin(t *testing.T, home, program string, args ...string) *process {
	t.Helper()
	p := &process{log: filepath.Join(t.TempDir(), "stderr")}
	log, err := os.Create(p.log)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	p.start(t, home, log, program, args...)
	return p
}

// start starts the process, and waits until it is ready.
func (p *process) start(t *testing.T, home string, stderr *os.File, program string, args ...string) {
	t.Helper()
	p.cmd = exec.CommandContext(t.Context(), program, args...)
	p.cmd.Env, p.cmd.Stderr = environment(home), stderr
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil {
		t.Fatalf("understudy %s: no ready line: %v\n%s", strings.Join(args, " "), err, p.stderr(t))
	}
	if err := json.Unmarshal(line, &p.ready); err != nil {
		t.Fatalf("ready line %s: %v", line, err)
	}
}

func (p *process) stderr(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(p.log)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// end sends a signal and waits.
func (p *process) end(t *testing.T, signal syscall.Signal) error {
	t.Helper()
	if err := p.cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	return p.cmd.Wait()
}

// stop ends the process as a service manager does, and wants exit code 0.
func (p *process) stop(t *testing.T) {
	t.Helper()
	if err := p.end(t, syscall.SIGTERM); err != nil {
		t.Errorf("after SIGTERM: %v, want exit code 0\n%s", err, p.stderr(t))
	}
}

// environment returns that of this process, but with the folder of another user unless it is empty.
func environment(home string) []string {
	if home == "" {
		return nil
	}
	return append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, ".config"))
}

// command runs understudy to its end.
func command(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return commandIn(t, "", args...)
}

// commandIn returns command for a user with a folder of their own.
func commandIn(t *testing.T, home string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, log strings.Builder
	cmd := exec.CommandContext(t.Context(), "understudy", args...)
	cmd.Stdout, cmd.Stderr = &out, &log
	cmd.Env = environment(home)
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return code, out.String(), log.String()
}

// call asks the mock, as its administrator.
func call(t *testing.T, method, url, body string) (status int, answer string) {
	t.Helper()
	return callAs(t, "SVC1 1/admin", method, url, body)
}

func callAs(t *testing.T, authorization, method, url, body string) (status int, answer string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", authorization)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}
