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

	"svc.example/understudy/internal/tools/must"
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

func tryKills(ctx context.Context, t *trial) string {
	const most = 20 // kills with the same file
	var sum killCounts
	for end := time.Now().Add(t.time); sum.kills == 0 || time.Now().Before(end); {
		file := t.file("kills.ndjson")
		for n := 0; n == 0 || n < most && time.Now().Before(end); n++ {
			must.In(fmt.Sprint("kill ", sum.kills), func() { t.killOnce(ctx, file, &sum) })
		}
		must.In(fmt.Sprintf("after %d kills", sum.kills), func() { t.endWell(ctx, file) })
		must.Do(os.Remove(file))
	}
	return fmt.Sprintf("%d kills, %d answers seen, none missing; half a line at the end %d times, cut off by the next "+
		"start", sum.kills, sum.answers, sum.torn)
}

// killOnce starts the mock on a recording, kills it under load, and looks at what the recording has.
func (t *trial) killOnce(ctx context.Context, file string, sum *killCounts) {
	m := t.serve(ctx, "--record", file)
	info := must.Get(os.Stat(file))
	worlds := m.newWorlds(ctx, 4)
	after := 20*time.Millisecond + time.Duration(t.random.Int64N(int64(500*time.Millisecond)))
	timer := time.AfterFunc(after, func() { _ = m.command.Process.Kill() })
	defer timer.Stop()
	seen := &answered{}
	load{worlds: worlds, clients: 8, dies: true}.run(ctx, m, seen)
	m.kill()
	r := must.Get(readRecording(readSince(file, info.Size())))
	sum.kills++
	sum.answers += seen.all()
	if r.torn > 0 {
		sum.torn++
	}
	if len(seen.unrecorded) > 0 {
		must.Fatalf("%d answers say that they are not recorded", len(seen.unrecorded))
	}
	must.Do(r.checkComplete(seen.recorded))
}

// endWell starts the mock once more on a recording, stops it as it should be, and lets understudy check read it all.
func (t *trial) endWell(ctx context.Context, file string) {
	m := t.serve(ctx, "--record", file)
	load{worlds: []string{defaultWorld}, clients: 1, answers: 5}.run(ctx, m, &answered{})
	if code := m.terminate(30 * time.Second); code != 0 {
		must.Fatalf("exit code %d after SIGTERM: %s", code, m.stderr())
	}
	t.conforms(ctx, file, "--gaps", "fail")
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
type hold func(ctx context.Context, m *mock, seen *answered) (letGo func())

// stop is a way in which the mock is busy when it has to stop.
type stop struct {
	name  string
	holds []hold
	lost  int // the exit code without a recording
}

func tryStops(ctx context.Context, t *trial) string {
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
			must.In(fmt.Sprintf("%s, --record %q", s.name, record), func() { times[i] = t.stopOnce(ctx, s, record) })
		}
		took = append(took, fmt.Sprintf("%s %v and %v", s.name, ms(times[0]), ms(times[1])))
	}
	return "without and with a recording: " + strings.Join(took, ", ") +
		"; exit codes as promised, and nothing that was answered is missing"
}

// stopOnce stops a mock that is busy, and returns how long that took.
func (t *trial) stopOnce(ctx context.Context, s stop, record string) (took time.Duration) {
	args := []string{"--drain-time", drainTime.String()}
	want := s.lost
	if record != "" {
		args, want = append(args, "--record", record), 0
	}
	m := t.serve(ctx, args...)
	holding, cancel := context.WithCancel(ctx)
	defer cancel()
	seen := &answered{}
	for _, hold := range s.holds {
		letGo := hold(holding, m, seen)
		defer func() { cancel(); letGo() }()
	}
	time.Sleep(300 * time.Millisecond)
	begin := time.Now()
	code := m.terminate(drainTime + drainSlack)
	took = time.Since(begin)
	if code != want {
		must.Fatalf("exit code %d, want %d: %s", code, want, m.stderr())
	}
	if record != "" {
		r := must.Get(readRecording(readSince(record, 0)))
		seen.mu.Lock()
		defer seen.mu.Unlock()
		must.Do(r.checkComplete(seen.recorded))
	}
	return took
}

// holdLoad sends requests without a pause.
func holdLoad(ctx context.Context, m *mock, seen *answered) func() {
	var wg sync.WaitGroup
	wg.Go(func() {
		l := load{worlds: []string{defaultWorld}, clients: 8, dies: true}
		_ = must.Catch(func() { l.run(ctx, m, seen) }) // ends with the mock
	})
	return wg.Wait
}

// holdHalf sends the beginning of a request.
func holdHalf(ctx context.Context, m *mock, _ *answered) func() {
	var all []net.Conn
	for _, text := range []string{
		"GET /workflow/api/pools HT",
		"POST /workflow/api/pools HTTP/1.1\r\nHost: mock\r\nAuthorization: " + authority + "\r\n" +
			"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"name\":",
	} {
		connection := m.dial(ctx)
		all = append(all, connection)
		must.Get(io.WriteString(connection, text))
	}
	return func() { closeAll(all) }
}

// holdStuck waits for queries that do not end.
func holdStuck(ctx context.Context, m *mock, _ *answered) func() {
	var wg sync.WaitGroup
	for i := range 4 {
		id := fmt.Sprint("stuck", i)
		m.newStuck(ctx, id)
		wg.Go(func() { m.keepStuck(ctx, id) })
	}
	return wg.Wait
}

// holdSlow does not read its answer.
func holdSlow(ctx context.Context, m *mock, _ *answered) func() {
	connection := m.openUnread(ctx, m.newResult(ctx, 32))
	return func() { closeAll([]net.Conn{connection}) }
}
