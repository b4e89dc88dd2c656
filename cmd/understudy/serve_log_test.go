package main_test

import (
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestServeLogsRefusals(t *testing.T) {
	t.Parallel()
	mock := serve(t)
	call(t, http.MethodGet, mock.ready.Interfaces["workflow"]+"/api/pools", "")
	call(t, http.MethodGet, mock.ready.Interfaces["workflow"]+"/api/pools/77", "")
	mock.stop(t)
	var lines []string
	for line := range strings.Lines(mock.stderr(t)) {
		if strings.Contains(line, "msg=request") {
			lines = append(lines, line)
		}
	}
	if len(lines) != 1 || !strings.Contains(lines[0], `reason="pool with id 77 not found"`) {
		t.Errorf("the requests in the log are %q", lines)
	}
}

// A parent that does not read standard error, as many do not, holds nothing up.
func TestNobodyReadsTheLog(t *testing.T) {
	t.Parallel()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	defer writer.Close()
	mock := &process{}
	mock.start(t, "", writer, "understudy", "serve", "--listen", "127.0.0.1:0", "--log-level", "debug")
	for range 3000 { // the pipe takes a few hundred lines
		if status, _ := call(t, http.MethodGet, mock.ready.Interfaces["workflow"]+"/api/pools/77",
			""); status != http.StatusNotFound {
			t.Fatalf("status %d", status)
		}
	}
	if err := mock.end(t, syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	buffer := make([]byte, 1000)
	if _, err := io.ReadFull(reader, buffer); err != nil || !strings.Contains(string(buffer), "msg=ready") {
		t.Errorf("the log begins with %s (%v)", buffer, err)
	}
}
