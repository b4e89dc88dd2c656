package main_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
)

// A job that this process sends to a Prism of another process, and that is run by workers in the sender's, in a third
// one, or in two others of which neither knows what the other one has seen, gives the report of a check, byte for byte.
func TestAPrismOfItsOwn(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	exchanges := record(t, folder)
	endpoint, pool := startPrism(t), startWorkers(t)
	workers, spread := startSpread(t, 2)
	want := check(t, folder)
	for name, environment := range map[string][]string{
		"workers in the sender":             {"--environment_type=LOOPBACK"},
		"workers in a process of their own": {"--environment_type", "EXTERNAL", "--environment_config", pool},
		"workers in two processes":          {"--environment_type", "EXTERNAL", "--environment_config", spread},
	} {
		got, stderr, code := understudyBeam(t, append(environment, "--runner", "universal", "--endpoint", endpoint,
			"--pieces=8", "--guess=false", "--format=json", folder)...)
		if diff := cmp.Diff(want, got); diff != "" || code != 1 {
			t.Errorf("%s: exit code %d, want 1 (-check +job):\n%.3000s\n%s", name, code, diff, stderr)
		}
	}
	workers.wantShared(t, exchanges)
}

// record writes a recording in three files, and returns how many exchanges it has.
func record(t *testing.T, folder string) (exchanges int) {
	t.Helper()
	packed, err := os.Open(filepath.Join("..", "..", "..", "testdata", "traffic.ndjson.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	text, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	var files [3]bytes.Buffer
	for lines := bufio.NewReader(text); ; exchanges++ {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		files[exchanges%len(files)].Write(line)
	}
	for i, name := range []string{"a.ndjson", "b.ndjson", "c.ndjson"} {
		if err := os.WriteFile(filepath.Join(folder, name), files[i].Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return exchanges
}

func check(t *testing.T, folder string) string {
	t.Helper()
	c, err := contract.NewChecker()
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Check(t.Context(), contract.Files(folder))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var endpoints = regexp.MustCompile(`Serving JobManagement.*endpoint=(\S+)`)

// startPrism starts Prism on a free port, until the test ends, and returns its address.
func startPrism(t *testing.T) string {
	t.Helper()
	const name = "github.com/apache/beam/sdks/v2/go/cmd/prism"
	prism := filepath.Join(t.TempDir(), "prism")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", prism, name)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build Prism: %v\n%s", err, out)
	}
	c := exec.CommandContext(t.Context(), prism, "-job_port=0", "-serve_http=false", "-log_kind=text")
	logs, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	lines := start(t, c, logs)
	for lines.Scan() {
		if found := endpoints.FindStringSubmatch(lines.Text()); found != nil {
			go func() { // it stops when nobody reads its log
				for lines.Scan() {
				}
			}()
			return found[1]
		}
	}
	t.Fatal("Prism does not say where it is")
	return ""
}

// startWorkers starts a process of workers, until the test ends, and returns its address.
func startWorkers(t *testing.T) string {
	t.Helper()
	c := runAs(t, "workers")
	c.Stderr = io.Discard
	if _, err := c.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	lines := start(t, c, out)
	if !lines.Scan() {
		t.Fatal("the workers do not say where they are")
	}
	return strings.TrimSpace(lines.Text())
}

// start starts a command, which is ended with the test, and returns the lines of one of its streams.
func start(t *testing.T, c *exec.Cmd, stream io.Reader) *bufio.Scanner {
	t.Helper()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait() // it was killed
	})
	return bufio.NewScanner(stream)
}
