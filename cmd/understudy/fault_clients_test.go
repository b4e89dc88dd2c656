package main_test

import (
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// seenFaults is the table of docs/guide/faults.md: what clients see of a pool whose answer has 64 bytes. curl prints the
// status, the size and its exit code; over HTTP/2 that is another one.
var seenFaults = []struct{ fault, curl, http2, python, node string }{
	{"status=503", "503 46 0", "503 46 0", "HTTPError", "503 46"},
	{"network=noAnswer", "000 0 28", "000 0 28", "TimeoutError", "TimeoutError"},
	{"network=reset", "000 0 56", "000 0 92", "ConnectionResetError", "TypeError"},
	{"network=resetInBody", "200 32 56", "200 32 92", "ConnectionResetError", "TypeError"},
	{"network=truncated", "200 32 18", "200 32 92", "IncompleteRead", "TypeError"},
	{"network=wrongLength", "200 64 18", "200 64 92", "IncompleteRead", "TypeError"},
	{"network=garbage", "000 0 1", "000 0 92", "BadStatusLine", "TypeError"},
	{"delay=1h", "000 0 28", "000 0 28", "TimeoutError", "TimeoutError"},
	{"bytesPerSecond=1000", "200 64 0", "200 64 0", "64", "200 64"},
}

const pythonFaultClient = `
import sys, urllib.request
request = urllib.request.Request(sys.argv[1], headers={"Authorization": "SVC1 1/admin", "X-Understudy-Inject": sys.argv[2]})
try:
    print(len(urllib.request.urlopen(request, timeout=float(sys.argv[3])).read()))
except Exception as e:
    print(type(e).__name__)
`

const nodeFaultClient = `
const [url, fault, limit] = process.argv.slice(-3);
const headers = {Connection: "close", Authorization: "SVC1 1/admin", "X-Understudy-Inject": fault};
fetch(url, {headers, signal: AbortSignal.timeout(1000 * limit)})
  .then(async (r) => console.log(r.status, (await r.text()).length))
  .catch((e) => console.log(e.name));
`

// Clients of other languages, as far as they are on the machine, see each kind of fault as what it is.
func TestClientsSeeFaults(t *testing.T) {
	t.Parallel()
	plain, secure := serve(t), serveIn(t, t.TempDir(), "--tls")
	const pool = "/workflow/api/pools/1"
	for _, seen := range seenFaults {
		limit := 30 * time.Second
		if strings.Contains(seen.curl, " 28") {
			limit = 500 * time.Millisecond
		}
		seconds := strconv.FormatFloat(limit.Seconds(), 'f', -1, 64)
		curl := func(more ...string) []string {
			return append([]string{
				"curl", "-s", "-m", seconds, "-o", "-", "-w", "\n%{http_code} %{size_download} %{exitcode}",
				"-H", "Authorization: SVC1 1/admin", "-H", "X-Understudy-Inject: " + seen.fault,
			}, more...)
		}
		for name, test := range map[string]struct {
			command []string
			want    string
		}{
			"curl":              {curl(plain.ready.URL + pool), seen.curl},
			"curl, TLS":         {curl("--http1.1", "--cacert", secure.ready.CA, secure.ready.URL+pool), seen.curl},
			"curl, TLS, HTTP/2": {curl("--http2", "--cacert", secure.ready.CA, secure.ready.URL+pool), seen.http2},
			"Python's urllib":   {[]string{"python3", "-c", pythonFaultClient, plain.ready.URL + pool, seen.fault, seconds}, seen.python},
			"Node's fetch":      {[]string{"node", "-e", nodeFaultClient, plain.ready.URL + pool, seen.fault, seconds}, seen.node},
		} {
			t.Run(seen.fault+"/"+name, func(t *testing.T) {
				t.Parallel()
				program := find(test.command[0])
				if program == "" {
					t.Skipf("there is no %s", test.command[0])
				}
				if got := lastLine(t, program, test.command[1:]); got != test.want {
					t.Errorf("it sees %q, want %q", got, test.want)
				}
			})
		}
	}
}

// find returns the path of a program, but for those that stand in for one in tests, beside understudy.
func find(name string) string {
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		if _, err := os.Stat(filepath.Join(folder, "understudy")); err == nil {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return path
		}
	}
	return ""
}

// lastLine runs a client and returns the last line that it writes. Its exit code is in that.
func lastLine(t *testing.T, program string, args []string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, args...)
	command.Env = environment("")
	out, err := command.Output()
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}

// Faults of the command line are in every world of a scenario.
func TestServeFaults(t *testing.T) {
	t.Parallel()
	mock := serve(t, "--fault", "workflow.getPool nth=2 status=503 retryAfter=2s", "--fault", "workflow.listPools status=429")
	curl := func(path string) string {
		line, _ := get(t, http.DefaultClient, mock.ready.URL+path)
		return line
	}
	for _, want := range []string{"200 OK", "503 Service Unavailable", "200 OK"} {
		if got := curl("/workflow/api/pools/1"); got != "HTTP/1.1 "+want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := curl("/workflow/api/pools"); !strings.Contains(got, "429") {
		t.Errorf("got %s, want 429", got)
	}
}
