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

var kills = promise{
	name: "kills",
	says: "Every response that a client received is in the recording, whenever the process is killed.",
	tried: "`kill -9` at random moments under load, 8 clients in 4 worlds, repeatedly on the same file; numbers " +
		"that clients saw against the lines, and `check --gaps fail`",
	long: true,
	try:  tryKills,
}

// killCounts counts what became of kills.
type killCounts struct{ kills, answers, torn int }

func tryKills(ctx context.Context, t *trial) (string, error) {
	const most = 20 // kills with the same file
	var sum killCounts
	for end := time.Now().Add(t.time); sum.kills == 0 || time.Now().Before(end); {
		file := t.file("kills.ndjson")
		for n := 0; n == 0 || n < most && time.Now().Before(end); n++ {
			if err := t.killOnce(ctx, file, &sum); err != nil {
				return "", fmt.Errorf("kill %d: %w", sum.kills, err)
			}
		}
		if err := t.endWell(ctx, file); err != nil {
			return "", fmt.Errorf("after %d kills: %w", sum.kills, err)
		}
		check(os.Remove(file))
	}
	return fmt.Sprintf("%d kills, %d answers seen, none missing; half a line at the end %d times, cut off by the next "+
		"start",
		sum.kills, sum.answers, sum.torn), nil
}

// killOnce starts the mock on a recording, kills it under load, and looks at what the recording has.
func (t *trial) killOnce(ctx context.Context, file string, sum *killCounts) error {
	m, err := t.serve(ctx, "--record", file)
	if err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	worlds, err := m.newWorlds(ctx, 4)
	if err != nil {
		return err
	}
	after := 20*time.Millisecond + time.Duration(t.random.Int64N(int64(500*time.Millisecond)))
	timer := time.AfterFunc(after, func() { _ = m.command.Process.Kill() })
	defer timer.Stop()
	seen := &answered{}
	if err := (load{worlds: worlds, clients: 8, dies: true}).run(ctx, m, seen); err != nil {
		return err
	}
	m.kill()
	text, err := readSince(file, info.Size())
	if err != nil {
		return err
	}
	r, err := readRecording(text)
	if err != nil {
		return err
	}
	sum.kills++
	sum.answers += seen.all()
	if r.torn > 0 {
		sum.torn++
	}
	if len(seen.unrecorded) > 0 {
		return fmt.Errorf("%d answers say that they are not recorded", len(seen.unrecorded))
	}
	return r.checkComplete(seen.recorded)
}

// endWell starts the mock once more on a recording, stops it as it should be, and lets understudy check read it all.
func (t *trial) endWell(ctx context.Context, file string) error {
	m, err := t.serve(ctx, "--record", file)
	if err != nil {
		return err
	}
	seen := &answered{}
	if err := (load{worlds: []string{defaultWorld}, clients: 1, answers: 5}).run(ctx, m, seen); err != nil {
		return err
	}
	code, err := m.terminate(30 * time.Second)
	if err != nil {
		return err
	}
	if code != 0 {
		return fmt.Errorf("exit code %d after SIGTERM: %s", code, m.stderr())
	}
	code, report, err := t.check(ctx, file, "--gaps", "fail")
	if err == nil && code != 0 {
		err = fmt.Errorf("check --gaps fail ends with exit code %d: %.600s", code, report)
	}
	return err
}

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

// holdLoad sends requests without a pause.
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
