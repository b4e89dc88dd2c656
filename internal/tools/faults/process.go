package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/tools/must"
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
	command := exec.CommandContext(ctx, "go", "build", "-C", "../..", "-o", binary, "./cmd/understudy")
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
func (t *trial) serve(ctx context.Context, args ...string) *mock {
	return t.begin(ctx, t.binary, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
}

// serveSmall is serve for a process whose files cannot grow beyond some blocks of 512 or 1,024 bytes.
func (t *trial) serveSmall(ctx context.Context, blocks int, args ...string) *mock {
	if _, err := exec.LookPath("sh"); err != nil {
		must.Fatalf("%w: no shell found that can limit the size of files", errNotTried)
	}
	script := fmt.Sprintf(`ulimit -f %d && exec "$0" serve --listen 127.0.0.1:0 "$@"`, blocks)
	return t.begin(ctx, "sh", append([]string{"-c", script, t.binary}, args...)...)
}

func (t *trial) begin(ctx context.Context, program string, args ...string) *mock {
	m := &mock{command: exec.CommandContext(ctx, program, args...), log: t.file("stderr"), ended: make(chan struct{})}
	log := must.Get(os.Create(m.log))
	defer log.Close()
	m.command.Stderr = log
	stdout := must.Get(m.command.StdoutPipe())
	must.Do(m.command.Start())
	t.mocks = append(t.mocks, m)
	line, readErr := bufio.NewReader(stdout).ReadBytes('\n')
	go func() {
		_ = m.command.Wait() // how it ended is in its state
		close(m.ended)
	}()
	var ready struct{ URL string }
	if err := errors.Join(readErr, json.Unmarshal(line, &ready)); err != nil {
		m.kill()
		must.Fatalf("understudy %s is not ready: %w: %s", strings.Join(args, " "), err, m.stderr())
	}
	m.url = ready.URL
	m.client = newClient()
	return m
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
func (m *mock) terminate(within time.Duration) (code int) {
	must.Do(m.command.Process.Signal(syscall.SIGTERM))
	return m.wait(within)
}

// wait returns the exit code of a process that was sent SIGTERM.
func (m *mock) wait(within time.Duration) (code int) {
	select {
	case <-m.ended:
		m.client.CloseIdleConnections()
		return m.command.ProcessState.ExitCode()
	case <-time.After(within):
		must.Fatalf("the process still runs %v after SIGTERM", within)
	}
	return 0
}

// status returns a number of the process as Linux counts it, such as VmRSS in KiB or Threads.
func (m *mock) status(name string) int64 {
	for line := range strings.Lines(m.proc("status")) {
		if value, found := strings.CutPrefix(line, name+":"); found {
			return must.Get(strconv.ParseInt(strings.Fields(value)[0], 10, 64))
		}
	}
	must.Fatalf("/proc/PID/status has no %s", name)
	return 0
}

// proc returns what Linux says of the process in a file of /proc.
func (m *mock) proc(file string) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", m.command.Process.Pid, file))
	if err != nil {
		must.Fatalf("%w: no /proc: %w", errNotTried, err)
	}
	return string(text)
}

// connections returns how many connections the process has open, its listener included.
func (m *mock) connections() (n int) {
	dir := fmt.Sprintf("/proc/%d/fd", m.command.Process.Pid)
	entries, err := os.ReadDir(dir)
	if err != nil {
		must.Fatalf("%w: no /proc: %w", errNotTried, err)
	}
	for _, e := range entries {
		if target, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil && strings.HasPrefix(target, "socket:") {
			n++
		}
	}
	return n
}

const (
	inWorld      = "X-Understudy-World"
	authority    = "SVC1 1/admin"
	control      = "/_understudy"
	defaultWorld = "default"
)

// newClient returns a client of one mock, which keeps its connections and follows no redirect.
func newClient() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			MaxIdleConnsPerHost: 256, DisableCompression: true,
			IdleConnTimeout: 5 * time.Second, // before the mock closes one that never had a request, after ten
		},
		Timeout:       time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// answer is a response that was read to its end.
type answer struct {
	status int
	header http.Header
	body   string
	took   time.Duration
}

// get returns a member of a JSON answer.
func (a answer) get(path string) jsontree.Value { return jsontree.Find(a.body, path) }

// call sends a request as the administrator. Headers come in pairs.
func (m *mock) call(ctx context.Context, method, path, body string, headers ...string) (answer, error) {
	r, err := http.NewRequestWithContext(ctx, method, m.url+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	r.Header.Set("Authorization", authority)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return send(m.client, r)
}

// send sends a request, and reads all of the answer.
func send(client *http.Client, r *http.Request) (answer, error) {
	begin := time.Now()
	response, err := client.Do(r)
	if err != nil {
		return answer{}, fmt.Errorf("%w, after %v", err, time.Since(begin))
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, string(text), time.Since(begin)}, err
}

// want is like call, and ends the attempt unless the answer has the status.
func (m *mock) want(ctx context.Context, status int, method, path, body string) answer {
	a := must.Get(m.call(ctx, method, path, body))
	if a.status != status {
		must.Fatalf("%s %s: %d %.300s, want %d", method, path, a.status, a.body, status)
	}
	return a
}

// step is a request of a sequence, with the status that it is to have.
type step struct {
	status             int
	method, path, body string
}

// walk takes steps, one after another.
func (m *mock) walk(ctx context.Context, steps ...step) {
	for _, s := range steps {
		m.want(ctx, s.status, s.method, s.path, s.body)
	}
}

// health returns what the mock says of itself.
func (m *mock) health(ctx context.Context) answer {
	return m.want(ctx, http.StatusOK, http.MethodGet, control+"/health", "")
}

// dial opens a connection of its own.
func (m *mock) dial(ctx context.Context) net.Conn {
	return must.Get(new(net.Dialer).DialContext(ctx, "tcp", strings.TrimPrefix(m.url, "http://")))
}

// times collects how long answers took.
type times struct {
	mu  sync.Mutex
	all []time.Duration
}

func (t *times) add(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = append(t.all, d)
}

// quantile returns the time that a share of the answers did not take longer than.
func (t *times) quantile(share float64) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.all) == 0 {
		return 0
	}
	slices.Sort(t.all)
	return t.all[min(int(share*float64(len(t.all))), len(t.all)-1)]
}

func (t *times) worst() time.Duration { return t.quantile(1) }

// watch gets a path again and again, until the function that it returns is called, which says what the answers took.
func (m *mock) watch(ctx context.Context, path string) (done func() *times) {
	ctx, cancel := context.WithCancel(ctx)
	seen := &times{}
	failed := make(chan error, 1)
	go func() {
		failed <- must.Catch(func() {
			for ctx.Err() == nil {
				seen.add(m.want(ctx, http.StatusOK, http.MethodGet, path, "").took)
				time.Sleep(10 * time.Millisecond)
			}
		})
	}()
	return func() *times {
		cancel()
		if err := <-failed; !errors.Is(err, context.Canceled) {
			must.Do(err)
		}
		return seen
	}
}

// each calls a function for each number below n, by so many clients at the same time.
func each(clients, n int, do func(int)) {
	numbers := make(chan int, n)
	for i := range n {
		numbers <- i
	}
	close(numbers)
	must.Together(clients, func(int) {
		for i := range numbers {
			do(i)
		}
	})
}

// ms rounds a time for people.
func ms(d time.Duration) time.Duration {
	if d > time.Second {
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Millisecond)
}

// newResult queues a result of so many MiB, and issues the job that gets it. It returns the path of the result.
func (m *mock) newResult(ctx context.Context, mib int) (path string) {
	rows := strings.Repeat(`["`+strings.Repeat("x", 1<<20)+`"],`, mib)
	body := `{"pattern":".","columns":[["text","varchar"]],"queued":"0s","running":"0s","rows":[` +
		strings.TrimSuffix(rows, ",") + `]}`
	m.walk(ctx, step{201, http.MethodPost, control + "/jobs/results", body},
		step{200, http.MethodPost, "/core/v3/database/create/large", ""})
	issued := m.want(ctx, http.StatusOK, http.MethodPost, "/core/v3/job/issue/trino/large", `{"query":"SELECT 1"}`)
	job := issued.get("job_id").Text()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		status := m.want(ctx, http.StatusOK, http.MethodGet, "/core/v3/job/status/"+job, "")
		if status.get("status").Text() == "success" {
			return "/core/v3/job/result/" + job + "?format=csv"
		}
	}
	must.Fatalf("the job of a queued result does not end")
	return ""
}

// openUnread asks for something on a connection of its own, of which it reads only the beginning.
func (m *mock) openUnread(ctx context.Context, path string) net.Conn {
	connection := m.dial(ctx)
	fmt.Fprintf(connection, "GET %s HTTP/1.1\r\nHost: mock\r\nAuthorization: %s\r\n\r\n", path, authority)
	_ = connection.SetReadDeadline(time.Now().Add(30 * time.Second))
	must.Get(connection.Read(make([]byte, 100)))
	return connection
}
