package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"time"
)

var stops = promise{
	name: "stops",
	says: "SIGTERM ends the server within `--drain-time`, with exit code 0 if every answer was delivered or recorded, " +
		"else 2.",
	tried: "`--drain-time 2s`; under load, with half a request, a stuck query, a client that does not read, and all of " +
		"that at once, each with and without `--record`; time, exit code, numbers that clients saw",
	try: tryStops,
}

const (
	drainTime  = 2 * time.Second
	drainSlack = 2 * time.Second
)

// hold keeps a mock busy until ctx is over. Let go waits for its end.
type hold func(ctx context.Context, m *mock, seen *answered) (letGo func(), err error)

// stop is a way in which the mock is busy when it has to stop.
type stop struct {
	name  string
	holds []hold
	lost  int // the exit code without a recording
}

func tryStops(ctx context.Context, t *trial) (string, error) {
	var took []string
	for _, s := range []stop{
		{"load", []hold{holdLoad}, 0},
		{"half a request", []hold{holdHalf}, 0},
		{"stuck query", []hold{holdStuck}, 0},
		{"slow reader", []hold{holdSlow}, 2},
		{"all at once", []hold{holdSlow, holdStuck, holdHalf, holdLoad}, 2},
	} {
		var times [2]time.Duration
		for i, record := range []string{"", t.file("stops.ndjson")} {
			var err error
			if times[i], err = t.stopOnce(ctx, s, record); err != nil {
				return "", fmt.Errorf("%s, --record %q: %w", s.name, record, err)
			}
		}
		took = append(took, fmt.Sprintf("%s %v and %v", s.name, ms(times[0]), ms(times[1])))
	}
	return "without and with a recording: " + strings.Join(took, ", ") +
		"; exit codes as promised, and nothing that was answered is missing", nil
}

// stopOnce stops a mock that is busy, and returns how long that took.
func (t *trial) stopOnce(ctx context.Context, s stop, record string) (time.Duration, error) {
	args := []string{"--drain-time", drainTime.String()}
	want := s.lost
	if record != "" {
		args, want = append(args, "--record", record), 0
	}
	m, err := t.serve(ctx, args...)
	if err != nil {
		return 0, err
	}
	holding, cancel := context.WithCancel(ctx)
	defer cancel()
	seen := &answered{}
	for _, hold := range s.holds {
		letGo, err := hold(holding, m, seen)
		if err != nil {
			return 0, err
		}
		defer func() { cancel(); letGo() }()
	}
	time.Sleep(300 * time.Millisecond)
	begin := time.Now()
	code, err := m.terminate(drainTime + drainSlack)
	if err != nil {
		return 0, err
	}
	took := time.Since(begin)
	if code != want {
		return 0, fmt.Errorf("exit code %d, want %d: %s", code, want, m.stderr())
	}
	if record == "" {
		return took, nil
	}
	text, err := os.ReadFile(record)
	if err != nil {
		return 0, err
	}
	r, err := readRecording(text)
	if err != nil {
		return 0, err
	}
	seen.mu.Lock()
	defer seen.mu.Unlock()
	return took, r.checkComplete(seen.recorded)
}

// holdLoad asks and asks.
func holdLoad(ctx context.Context, m *mock, seen *answered) (func(), error) {
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = load{worlds: []string{defaultWorld}, clients: 8, dies: true}.run(ctx, m, seen) // ends with the mock
	})
	return wg.Wait, nil
}

// holdHalf sends the beginning of a request.
func holdHalf(ctx context.Context, m *mock, _ *answered) (func(), error) {
	var all []net.Conn
	for _, text := range []string{
		"GET /workflow/api/pools HT",
		"POST /workflow/api/pools HTTP/1.1\r\nHost: mock\r\nAuthorization: " + authority + "\r\n" +
			"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"name\":",
	} {
		connection, err := m.dial(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, connection)
		if _, err := io.WriteString(connection, text); err != nil {
			return nil, err
		}
	}
	return func() { closeAll(all) }, nil
}

// holdStuck waits for queries that do not end.
func holdStuck(ctx context.Context, m *mock, _ *answered) (func(), error) {
	var wg sync.WaitGroup
	for i := range 4 {
		id := fmt.Sprint("stuck", i)
		if err := m.newStuck(ctx, id); err != nil {
			return nil, err
		}
		wg.Go(func() { m.keepStuck(ctx, id) })
	}
	return wg.Wait, nil
}

// holdSlow does not read its answer.
func holdSlow(ctx context.Context, m *mock, _ *answered) (func(), error) {
	path, err := m.newResult(ctx, 32)
	if err != nil {
		return nil, err
	}
	connection, err := m.openUnread(ctx, path)
	return func() { closeAll([]net.Conn{connection}) }, err
}
