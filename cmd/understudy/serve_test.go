package main_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestServe(t *testing.T) {
	t.Parallel()
	t.Run("the ready line says where everything is", func(t *testing.T) {
		t.Parallel()
		mock := serve(t)
		for _, url := range []string{mock.ready.Interfaces["workflow"] + "/api/pools", mock.ready.Control + "/health"} {
			if status, answer := call(t, http.MethodGet, url, ""); status != http.StatusOK {
				t.Errorf("GET %s: %d %s", url, status, answer)
			}
		}
		mock.stop(t)
	})
	t.Run("an interface on a port of its own", func(t *testing.T) {
		t.Parallel()
		mock := serve(t, "--interface", "workflow=127.0.0.1:0")
		own, shared := mock.ready.Interfaces["workflow"], mock.ready.URL+"/workflow"
		if strings.HasPrefix(own, mock.ready.URL) {
			t.Fatalf("the interface is at %s, want a port of its own", own)
		}
		call(t, http.MethodPost, own+"/api/pools", `{"name":"nightly","concurrencyLimit":2}`)
		if _, answer := call(t, http.MethodGet, shared+"/api/pools", ""); !strings.Contains(answer, "nightly") {
			t.Errorf("what was made on one port is not on the other: %s", answer)
		}
		mock.stop(t)
	})
	t.Run("a port in use", func(t *testing.T) {
		t.Parallel()
		mock := serve(t)
		address := strings.TrimPrefix(mock.ready.URL, "http://")
		code, _, stderr := command(t, "serve", "--listen", address)
		if want := "choose another port with --listen"; code != 2 || !strings.Contains(stderr, want) {
			t.Errorf("exit code %d, %q, want 2 and %q", code, stderr, want)
		}
		mock.stop(t)
	})
	t.Run("logs are text, or JSON for programs", func(t *testing.T) {
		t.Parallel()
		mock := serve(t, "--log-format", "json")
		mock.stop(t)
		for line := range strings.Lines(mock.stderr(t)) {
			if !json.Valid([]byte(line)) {
				t.Errorf("log line %s, want JSON", line)
			}
		}
		if log := mock.stderr(t); !strings.Contains(log, `"msg":"ready"`) || !strings.Contains(log, `"msg":"stopped"`) {
			t.Errorf("log %s, want ready and stopped", log)
		}
	})
	t.Run("frozen clock, seed and brand reach the answers", func(t *testing.T) {
		t.Parallel()
		mock := serve(t, "--clock", "frozen", "--now", "2030-05-06T07:08:09Z", "--brand", "ACME", "--seed", "7")
		status, _ := callAs(t, "ACME1 1/admin", http.MethodGet, mock.ready.Interfaces["workflow"]+"/api/pools", "")
		if status != http.StatusOK {
			t.Errorf("with the scheme ACME1: %d", status)
		}
		_, world := call(t, http.MethodGet, mock.ready.Control+"/worlds", "")
		for _, want := range []string{`"now":"2030-05-06T07:08:09Z"`, `"mode":"frozen"`, `"seed":7`} {
			if !strings.Contains(world, want) {
				t.Errorf("worlds %s, want %s", world, want)
			}
		}
		mock.stop(t)
	})
}

func TestServeBeyondTheMachine(t *testing.T) {
	t.Parallel()
	mock := serve(t, "--listen", "0.0.0.0:0")
	_, rest, found := strings.Cut(mock.stderr(t), "Authorization: Bearer ")
	token, _, _ := strings.Cut(rest, "\n")
	if !found || token == "" {
		t.Fatalf("no token on standard error: %s", mock.stderr(t))
	}
	journal := mock.ready.Control + "/journal"
	if status, _ := call(t, http.MethodGet, journal, ""); status != http.StatusUnauthorized {
		t.Errorf("without the token: %d, want 401", status)
	}
	if status, _ := callAs(t, "Bearer "+token, http.MethodGet, journal, ""); status != http.StatusOK {
		t.Errorf("with the token: %d, want 200", status)
	}
	mock.stop(t)
	if n := strings.Count(mock.stderr(t), token); n != 1 {
		t.Errorf("the token is on standard error %d times, want once", n)
	}
}

func TestServeRecords(t *testing.T) {
	t.Parallel()
	t.Run("a recording is appended to, and checked", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "t.ndjson")
		for range 2 {
			mock := serve(t, "--record", file)
			call(t, http.MethodGet, mock.ready.Interfaces["workflow"]+"/api/pools", "")
			mock.stop(t)
		}
		wantRead(t, file, 2)
	})
	t.Run("a kill leaves every answer that was sent", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "t.ndjson")
		mock := serve(t, "--record", file)
		call(t, http.MethodGet, mock.ready.Interfaces["workflow"]+"/api/pools", "")
		if err := mock.end(t, syscall.SIGKILL); err == nil {
			t.Fatal("the process was not killed")
		}
		wantRead(t, file, 1)
	})
	t.Run("half a line is cut off before more are written", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "t.ndjson")
		mock := serve(t, "--record", file)
		call(t, http.MethodGet, mock.ready.Interfaces["workflow"]+"/api/pools", "")
		call(t, http.MethodGet, mock.ready.Interfaces["workflow"]+"/api/pools", "")
		mock.stop(t)
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(file, info.Size()-20); err != nil {
			t.Fatal(err)
		}
		mock = serve(t, "--record", file)
		call(t, http.MethodGet, mock.ready.Interfaces["workflow"]+"/api/pools", "")
		mock.stop(t)
		wantRead(t, file, 2)
		if log := mock.stderr(t); !strings.Contains(log, "incomplete") {
			t.Errorf("the log does not mention the cut: %s", log)
		}
	})
	t.Run("anything else is left alone", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "thesis.txt")
		const text = "Chapter 1"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, stderr := command(t, "serve", "--listen", "127.0.0.1:0", "--record", file)
		if want := "is not a recording"; code != 2 || !strings.Contains(stderr, want) {
			t.Errorf("exit code %d, %q, want 2 and %q", code, stderr, want)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != text {
			t.Errorf("the file is now %q (%v)", got, err)
		}
	})
}

// wantRead checks a recording, and wants a number of exchanges in it that conform.
func wantRead(t *testing.T, file string, exchanges int) {
	t.Helper()
	code, stdout, stderr := command(t, "check", file)
	if want := fmt.Sprintf("%d read: %[1]d matched", exchanges); code != 0 || !strings.Contains(stdout, want) {
		t.Errorf("exit code %d, want 0 and %q\n%s%s", code, want, stdout, stderr)
	}
}

func TestServeEnds(t *testing.T) {
	t.Parallel()
	t.Run("requests in flight are answered", func(t *testing.T) {
		t.Parallel()
		mock := serve(t)
		connection := halfRequest(t, mock)
		if err := mock.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		waitClosed(t, mock)
		if _, err := io.WriteString(connection, halfBody); err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(bufio.NewReader(connection), nil)
		if err != nil {
			t.Fatalf("no answer to the request in flight: %v", err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusCreated {
			t.Errorf("the request in flight: %d, want 201", response.StatusCode)
		}
		if err := mock.cmd.Wait(); err != nil {
			t.Errorf("%v, want exit code 0", err)
		}
	})
	t.Run("a second signal ends at once", func(t *testing.T) {
		t.Parallel()
		mock := serve(t)
		halfRequest(t, mock)
		if err := mock.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		waitClosed(t, mock)
		began := time.Now()
		if err := mock.end(t, syscall.SIGTERM); err == nil {
			t.Error("exit code 0, want an end by the signal")
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("it took %v to end", took)
		}
	})
}

const halfBody = `"concurrencyLimit":2}`

// halfRequest sends a request but for the end of its body, in a connection that is sure to be served.
func halfRequest(t *testing.T, mock *process) net.Conn {
	t.Helper()
	connection, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(mock.ready.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	const begin = `{"name":"nightly",`
	var request bytes.Buffer
	fmt.Fprintf(&request, "POST /workflow/api/pools HTTP/1.1\r\nHost: mock\r\nAuthorization: SVC1 1/admin\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", len(begin)+len(halfBody))
	if _, err := request.WriteTo(connection); err != nil {
		t.Fatal(err)
	}
	// The server says 100 Continue when it reads the body: the request is in flight then.
	if _, err := io.ReadFull(connection, make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n"))); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(connection, begin); err != nil {
		t.Fatal(err)
	}
	return connection
}

// waitClosed waits until the mock has noticed that it is to end: it takes no more connections.
func waitClosed(t *testing.T, mock *process) {
	t.Helper()
	for {
		connection, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(mock.ready.URL, "http://"))
		if err != nil {
			return
		}
		_ = connection.Close()
		time.Sleep(5 * time.Millisecond)
	}
}

// What a target is asked, the mock is asked as well, and a report at the end says where the answers differ. The exit
// code does not depend on it.
func TestServeComparesTargets(t *testing.T) {
	t.Parallel()
	service := serve(t, "--seed", "9")
	mock := serve(t, "--target", "workflow="+service.ready.Interfaces["workflow"], "--compare")
	pools, there := mock.ready.Interfaces["workflow"]+"/api/pools", service.ready.Interfaces["workflow"]+"/api/pools"
	call(t, http.MethodPost, pools, `{"name":"nightly","concurrencyLimit":2}`)
	call(t, http.MethodGet, pools, "")
	call(t, http.MethodPost, there, `{"name":"only there","concurrencyLimit":2}`)
	call(t, http.MethodGet, pools, "")
	mock.stop(t)
	stderr := mock.stderr(t)
	for _, want := range []string{
		"compared   3 answers of 2 operations with the mock; 2 agree, 1 differ", "an item was recorded that the answer lacks",
		"only there",
	} {
		if !strings.Contains(stderr, want) {
			t.Errorf("standard error lacks %q:\n%s", want, stderr)
		}
	}
}
