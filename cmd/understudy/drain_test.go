package main_test

import (
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"svc.example/understudy/internal/jsontree"
)

// A client that does not read its answer keeps the server from ending no longer than the time to drain.
func TestDrain(t *testing.T) {
	t.Parallel()
	t.Run("an answer that is cut off and nowhere else is an error", func(t *testing.T) {
		t.Parallel()
		mock := serve(t, "--drain-time", "100ms")
		unread(t, mock)
		if err := mock.end(t, syscall.SIGTERM); err == nil || !strings.Contains(err.Error(), "exit status 2") {
			t.Errorf("it ended with %v, want exit code 2", err)
		}
		if log := mock.stderr(t); !strings.Contains(log, "1 responses were cut off") {
			t.Errorf("standard error does not say so: %s", log)
		}
	})
	t.Run("one that is recorded is not lost", func(t *testing.T) {
		t.Parallel()
		mock := serve(t, "--drain-time", "100ms", "--record", filepath.Join(t.TempDir(), "t.ndjson"))
		unread(t, mock)
		if err := mock.end(t, syscall.SIGTERM); err != nil {
			t.Errorf("it ended with %v, want exit code 0\n%s", err, mock.stderr(t))
		}
	})
	t.Run("a request without an answer is closed", func(t *testing.T) {
		t.Parallel()
		mock := serve(t, "--drain-time", "100ms")
		halfRequest(t, mock)
		if err := mock.end(t, syscall.SIGTERM); err != nil {
			t.Errorf("it ended with %v, want exit code 0\n%s", err, mock.stderr(t))
		}
	})
	t.Run("a time that is negative", func(t *testing.T) {
		t.Parallel()
		code, _, stderr := command(t, "serve", "--drain-time", "-1s")
		if want := "--drain-time -1s: want a duration"; code != 2 || !strings.Contains(stderr, want) {
			t.Errorf("exit code %d, %q, want 2 and %q", code, stderr, want)
		}
	})
}

// unread sends a request whose answer is larger than the buffers of a connection, and reads only its beginning.
func unread(t *testing.T, mock *process) {
	t.Helper()
	rows := strings.Repeat(`["`+strings.Repeat("x", 1<<20)+`"],`, 32)
	call(t, "POST", mock.ready.Control+"/jobs/results",
		`{"pattern":".","columns":[["text","varchar"]],"queued":"0s","running":"0s","rows":[`+strings.TrimSuffix(rows, ",")+
			`]}`)
	call(t, "POST", mock.ready.Interfaces["core"]+"/database/create/large", "")
	_, issued := call(t, "POST", mock.ready.Interfaces["core"]+"/job/issue/trino/large", `{"query":"SELECT 1"}`)
	job := jsontree.Find(issued, "job_id").Text()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		_, status := call(t, "GET", mock.ready.Interfaces["core"]+"/job/status/"+job, "")
		if strings.Contains(status, `"success"`) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("job %s does not end: %s", job, status)
		}
	}
	connection, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(mock.ready.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	fmt.Fprintf(connection,
		"GET /core/v3/job/result/%s?format=csv HTTP/1.1\r\nHost: mock\r\nAuthorization: SVC1 1/admin\r\n\r\n", job)
	if _, err := io.ReadFull(connection, make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
}
