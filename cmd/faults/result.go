package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// newResult queues a result of so many MiB, and issues the job that gets it. It returns the path of the result.
func (m *mock) newResult(ctx context.Context, mib int) (path string, err error) {
	rows := strings.Repeat(`["`+strings.Repeat("x", 1<<20)+`"],`, mib)
	body := `{"pattern":".","columns":[["text","varchar"]],"queued":"0s","running":"0s","rows":[` +
		strings.TrimSuffix(rows, ",") + `]}`
	if err := m.walk(ctx, step{201, http.MethodPost, control + "/jobs/results", body},
		step{200, http.MethodPost, "/core/v3/database/create/large", ""}); err != nil {
		return "", err
	}
	issued, err := m.want(ctx, http.StatusOK, http.MethodPost, "/core/v3/job/issue/trino/large", `{"query":"SELECT 1"}`)
	if err != nil {
		return "", err
	}
	job := issued.get("job_id").String()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		status, err := m.want(ctx, http.StatusOK, http.MethodGet, "/core/v3/job/status/"+job, "")
		if err != nil {
			return "", err
		}
		if status.get("status").String() == "success" {
			return "/core/v3/job/result/" + job + "?format=csv", nil
		}
	}
	return "", errors.New("the job of a queued result does not end")
}

// openUnread asks for something on a connection of its own, of which it reads only the beginning.
func (m *mock) openUnread(ctx context.Context, path string) (net.Conn, error) {
	connection, err := m.dial(ctx)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(connection, "GET %s HTTP/1.1\r\nHost: mock\r\nAuthorization: %s\r\n\r\n", path, authority)
	_ = connection.SetReadDeadline(time.Now().Add(30 * time.Second))
	if _, err := connection.Read(make([]byte, 100)); err != nil {
		return nil, errors.Join(err, connection.Close())
	}
	return connection, nil
}
