//go:build unix

package main_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"svc.example/understudy/specs/recording"
)

// TestDiskFull records where no file grows beyond 16 KiB, or 32, as the shell counts.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "t.ndjson")
	mock := begin(t, "", "sh", "-c", `ulimit -f 32; exec understudy serve --listen 127.0.0.1:0 --record "$0"`, file)
	lost := mock.requests(t, 150)
	if lost == 0 || lost == 150 {
		t.Fatalf("%d of 150 answers say that they are not recorded", lost)
	}
	wantLines(t, file, 150-lost)
	keepLines(t, file, 3) // and there is room again
	if n := mock.requests(t, 2); n != 0 {
		t.Errorf("%d answers are not recorded though there is room again", n)
	}
	wantLines(t, file, 5)
	if got := mock.unrecorded(t); got != lost {
		t.Errorf("health counts %d answers that are not recorded, want %d", got, lost)
	}
	mock.stopUnrecorded(t)
	for policy, want := range map[string]int{"report": 0, "fail": 1} {
		code, stdout, _ := command(t, "check", "--gaps", policy, file)
		if code != want || !strings.Contains(stdout, "lacks 147 exchanges") {
			t.Errorf("--gaps %s: exit code %d, want %d and 147 missing exchanges:\n%s", policy, code, want, stdout)
		}
	}
}

func TestFIFO(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(file, 0o600); err != nil {
		t.Fatal(err)
	}
	mock := serve(t, "--record", file)
	if lost := mock.requests(t, 50); lost != 50 {
		t.Errorf("%d of 50 answers say that nobody reads them, want all", lost)
	}
	r, err := os.OpenFile(file, os.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for mock.unrecorded(t) == 50 { // until the line that waited for a reader is written after all
		time.Sleep(time.Millisecond)
	}
	if lost := mock.requests(t, 10); lost != 0 {
		t.Errorf("%d of 10 answers are not recorded though there is a reader", lost)
	}
	mock.stopUnrecorded(t)
	text, err := io.ReadAll(r)
	if n := exchanges(t, text); n != 11 || err != nil {
		t.Errorf("%d lines were read, want 11 (%v)", n, err)
	}
}

// requests asks for the pools some times, and counts the answers that say that they are not recorded.
func (p *process) requests(t *testing.T, n int) (unrecorded int64) {
	t.Helper()
	for range n {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.ready.Interfaces["workflow"]+"/api/pools",
			http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "SVC1 1/admin")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s, %v", answer.Status, err)
		}
		answer.Body.Close()
		if answer.Header.Get("X-Understudy-Unrecorded") != "" {
			unrecorded++
		}
	}
	return unrecorded
}

// unrecorded returns the number of answers that are not recorded, by the server's health.
func (p *process) unrecorded(t *testing.T) int64 {
	t.Helper()
	_, text := call(t, http.MethodGet, p.ready.Control+"/health", "")
	var health struct{ Recording struct{ Unrecorded int64 } }
	if err := json.Unmarshal([]byte(text), &health); err != nil {
		t.Fatal(err)
	}
	return health.Recording.Unrecorded
}

// stopUnrecorded ends the process, and wants it to have said once that there were answers that are not recorded, and to
// say so at the end, with exit code 2.
func (p *process) stopUnrecorded(t *testing.T) {
	t.Helper()
	_ = p.end(t, syscall.SIGTERM)
	log := p.stderr(t)
	if code := p.cmd.ProcessState.ExitCode(); code != 2 || strings.Count(log, "answers are not recorded") != 1 ||
		!strings.Contains(log, "exchanges were not recorded") {
		t.Errorf("exit code %d, want 2, and this said once:\n%s", code, log)
	}
}

// wantLines wants a recording to be of so many lines, each an exchange.
func wantLines(t *testing.T, file string, want int64) {
	t.Helper()
	text, err := os.ReadFile(file)
	if got := exchanges(t, text); got != want || err != nil {
		t.Errorf("%d lines in %s, want %d (%v)", got, file, want, err)
	}
}

// exchanges counts the lines of a recording, and wants each to be an exchange.
func exchanges(t *testing.T, text []byte) (n int64) {
	t.Helper()
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		var e recording.Exchange
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil || e.Response == nil {
			t.Errorf("%v in %q", err, lines.Bytes())
		}
		n++
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		t.Error("the last line has no end")
	}
	return n
}

// keepLines cuts all but the first lines off a file.
func keepLines(t *testing.T, file string, n int) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	size := len(bytes.Join(bytes.SplitAfter(text, []byte("\n"))[:n], nil))
	if err := os.Truncate(file, int64(size)); err != nil {
		t.Fatal(err)
	}
}
