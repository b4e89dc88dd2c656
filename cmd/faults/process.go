package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// trial holds what a promise needs to be tried: a binary, files, processes and a source of chance.
type trial struct {
	name   string // of the promise
	binary string // understudy
	dir    string // for files
	seed   uint64
	random *rand.Rand
	time   time.Duration // for a promise that can be tried for as long as one likes
	mocks  []*mock
	files  int
}

// build builds understudy, so that real processes of it can be killed.
func build(ctx context.Context, dir string) (string, error) {
	binary := filepath.Join(dir, "understudy")
	command := exec.CommandContext(ctx, "go", "build", "-o", binary, "svc.example/understudy/cmd/understudy")
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w: %s", err, out)
	}
	return binary, nil
}

// file returns the name of a new file.
func (t *trial) file(name string) string {
	t.files++
	return filepath.Join(t.dir, fmt.Sprintf("%s-%d-%s", t.name, t.files, name))
}

// close ends the processes that are left.
func (t *trial) close() {
	for _, m := range t.mocks {
		m.kill()
	}
}

// mock is understudy serve, running as a process.
type mock struct {
	command *exec.Cmd
	log     string // the file that standard error goes to
	url     string
	client  *http.Client
	ended   chan struct{} // closed when the process has ended
}

// serve starts the mock on a free port, and waits until it is ready.
func (t *trial) serve(ctx context.Context, args ...string) (*mock, error) {
	return t.begin(ctx, t.binary, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
}

// serveSmall is serve for a process whose files cannot grow beyond some blocks of 512 or 1,024 bytes.
func (t *trial) serveSmall(ctx context.Context, blocks int, args ...string) (*mock, error) {
	if _, err := exec.LookPath("sh"); err != nil {
		return nil, fmt.Errorf("%w: no shell found that can limit the size of files", errNotTried)
	}
	script := fmt.Sprintf(`ulimit -f %d && exec "$0" serve --listen 127.0.0.1:0 "$@"`, blocks)
	return t.begin(ctx, "sh", append([]string{"-c", script, t.binary}, args...)...)
}

func (t *trial) begin(ctx context.Context, program string, args ...string) (*mock, error) {
	m := &mock{command: exec.CommandContext(ctx, program, args...), log: t.file("stderr"), ended: make(chan struct{})}
	log, err := os.Create(m.log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	m.command.Stderr = log
	stdout, err := m.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := m.command.Start(); err != nil {
		return nil, err
	}
	t.mocks = append(t.mocks, m)
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	go func() {
		_ = m.command.Wait() // how it ended is in its state
		close(m.ended)
	}()
	var ready struct{ URL string }
	if err := errors.Join(err, json.Unmarshal(line, &ready)); err != nil {
		m.kill()
		return nil, fmt.Errorf("understudy %s is not ready: %w: %s", strings.Join(args, " "), err, m.stderr())
	}
	m.url = ready.URL
	m.client = newClient()
	return m, nil
}

// kill ends the process without asking it.
func (m *mock) kill() {
	_ = m.command.Process.Kill()
	<-m.ended
	if m.client != nil {
		m.client.CloseIdleConnections()
	}
}

// stderr returns what the process has logged.
func (m *mock) stderr() string {
	text, err := os.ReadFile(m.log)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// terminate sends SIGTERM, and returns the exit code of the process.
func (m *mock) terminate(within time.Duration) (code int, err error) {
	if err := m.command.Process.Signal(syscall.SIGTERM); err != nil {
		return 0, err
	}
	return m.wait(within)
}

// wait returns the exit code of a process that was sent SIGTERM.
func (m *mock) wait(within time.Duration) (code int, err error) {
	select {
	case <-m.ended:
		m.client.CloseIdleConnections()
		return m.command.ProcessState.ExitCode(), nil
	case <-time.After(within):
		return 0, fmt.Errorf("the process still runs %v after SIGTERM", within)
	}
}

// status returns a number of the process as Linux counts it, such as VmRSS in KiB or Threads.
func (m *mock) status(name string) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", m.command.Process.Pid))
	if err != nil {
		return 0, fmt.Errorf("%w: no /proc: %w", errNotTried, err)
	}
	for line := range strings.Lines(string(text)) {
		if value, found := strings.CutPrefix(line, name+":"); found {
			return strconv.ParseInt(strings.Fields(value)[0], 10, 64)
		}
	}
	return 0, fmt.Errorf("/proc/PID/status has no %s", name)
}

// connections returns how many connections the process has open, its listener included.
func (m *mock) connections() (n int, err error) {
	dir := fmt.Sprintf("/proc/%d/fd", m.command.Process.Pid)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, fmt.Errorf("%w: no /proc: %w", errNotTried, err)
	}
	for _, e := range entries {
		if target, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil && strings.HasPrefix(target, "socket:") {
			n++
		}
	}
	return n, nil
}
