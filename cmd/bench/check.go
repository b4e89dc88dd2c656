package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"time"

	"svc.example/understudy/contract"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// marker stands in the requests, and so in the answers, where each exchange has a name of its own, and poolNumber where
// each pool has its id.
const (
	marker     = "bench_marker"
	poolNumber = "4815162342"
)

var poolID = regexp.MustCompile(`(\\"id\\":\\")\d+(\\",\\"name\\":\\"` + marker + `)`)

// typicalRequests returns typical requests to several interfaces: they create, get and list things.
func typicalRequests() [][3]string {
	return [][3]string{
		{specs.Workflow, "POST /api/pools", `{"name":"bench_marker","concurrencyLimit":1}`},
		{specs.Workflow, "GET /api/pools", ""},
		{specs.Workflow, "GET /api/projects?name=bench_marker", ""},
		{specs.Workflow, "GET /api/pools/999", ""}, // there is none
		{specs.Core, "POST /v3/database/create/bench_marker", ""},
		{specs.Core, "POST /v3/table/create/bench_marker/events", ""},
		{specs.Core, "GET /v3/table/list/bench_marker", ""},
		{specs.Core, "GET /v3/database/show/bench_marker", ""},
		{specs.Ingestion, "POST /postback/v3/event/bench_marker/events", `{"user":"bench_marker","price":1.5}`},
		{specs.LLM, "GET /api/agents?page[limit]=2", ""},
		{specs.LLM, "GET /api/chats?page[limit]=2", ""},
		{specs.DWH, "GET /v1/dwh/", ""},
	}
}

// typicalJournal returns a mock's journal of the typical requests, in lines.
func typicalJournal(ctx context.Context) ([][]byte, error) {
	opts := []mockserver.Option{mockserver.WithScenario(fullScenario), mockserver.WithClock("frozen")}
	for _, name := range specs.Interfaces() {
		opts = append(opts, mockserver.WithBaseURL(name, mockserver.DefaultBaseURL(name)))
	}
	s, err := mockserver.New(opts...)
	if err != nil {
		return nil, err
	}
	world := s.World("")
	for _, a := range typicalRequests() {
		method, path, _ := strings.Cut(a[1], " ")
		r, err := http.NewRequestWithContext(ctx, method, "https://"+a[0]+".svc.example"+path, strings.NewReader(a[2]))
		if err != nil {
			return nil, err
		}
		r.Header.Set("Authorization", "SVC1 1/admin")
		r.Header.Set("X-Request-Id", marker)
		if a[2] != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		response, err := world.Client().Do(r)
		if err != nil {
			return nil, err
		}
		_ = response.Body.Close()
	}
	journal, err := world.Journal()
	if err != nil {
		return nil, err
	}
	var list [][]byte
	for i := range journal {
		var b bytes.Buffer
		if err := recording.Write(&b, &journal[i]); err != nil {
			return nil, err
		}
		list = append(list, poolID.ReplaceAll(b.Bytes(), []byte("${1}"+poolNumber+"${2}")))
	}
	return list, nil
}

// traffic is a recording of any length: the line of each exchange, by its number from 0 on.
type traffic struct {
	kinds int // exchanges before they come again, with other names, ids and times
	line  func(i int) []byte
	alike string // describes how many exchanges are the same
}

// repeatedTraffic returns the traffic of a mock whose clients do the same few things, each time with other names.
func repeatedTraffic(ctx context.Context) (traffic, error) {
	templates, err := typicalJournal(ctx)
	return traffic{kinds: len(templates), alike: "no two alike", line: func(i int) []byte {
		round := i / len(templates)
		line := bytes.ReplaceAll(templates[i%len(templates)], []byte(marker), fmt.Appendf(nil, "%s_%d", marker, round))
		return bytes.ReplaceAll(line, []byte(poolNumber), fmt.Appendf(nil, "%d", 1000+round))
	}}, err
}

// checkRecording judges a long recording of a mock's own traffic, in which every exchange differs from the others, and
// compares that with reading it and no more. The recording is made while it is read, so that memory is the checker's.
func checkRecording(
	exchanges int, recording func(context.Context) (traffic, error),
) func(context.Context) (string, string, error) {
	return func(ctx context.Context) (string, string, error) {
		t, err := recording(ctx)
		if err != nil {
			return "", "", err
		}
		engine, err := newSecondProcess(ctx)
		if err != nil {
			return "", "", err
		}
		defer engine.end()
		checker, err := contract.NewChecker(contract.WithEngine(engine.Engine))
		if err != nil {
			return "", "", err
		}
		check := func(n int, each func(int)) error {
			r, err := checker.Check(ctx, contract.Read("bench.ndjson", &lines{n: n, traffic: t, each: each}))
			if err == nil && r.Failed() {
				err = errors.New(r.Outcome())
			}
			return err
		}
		if err := check(t.kinds, func(int) {}); err != nil { // what the engines load they load once
			return "", "", err
		}
		h := &peakMemory{begin: heap(), tenth: exchanges / 10}
		checked, err := timed(func() error {
			defer engine.end()
			return check(exchanges, h.sample)
		})
		if err != nil {
			return "", "", err
		}
		read, err := timed(func() error { return readOnly(&lines{n: exchanges, traffic: t, each: func(int) {}}) })
		if err != nil {
			return "", "", err
		}
		n := float64(exchanges)
		return fmt.Sprintf("%.0f/s", n/checked.wall),
			fmt.Sprintf("%d exchanges of %d kinds, %s; %.2f of the speed of reading them (%.0f/s, on one core); "+
				"%.0f µs of CPU each with the second engine's process, %.1f times as much as to read it; peak heap %.0f MiB "+
				"after a tenth of them, %.0f MiB after all",
				exchanges, t.kinds, t.alike, read.wall/checked.wall, n/read.wall, checked.cpu/n*1e6, checked.cpu/read.cpu,
				h.peaks[0], h.peaks[1]), nil
	}
}

// duration holds wall and CPU time in seconds. CPU time depends less on what else the machine does.
type duration struct{ wall, cpu float64 }

func timed(run func() error) (duration, error) {
	begin, start := cpuSeconds(), time.Now()
	err := run()
	return duration{time.Since(start).Seconds(), cpuSeconds() - begin}, err
}

// cpuSeconds returns the CPU time of the process and of its children that have ended.
func cpuSeconds() (seconds float64) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		_ = syscall.Getrusage(who, &usage) // it has no errors for a process itself
		seconds += float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
	}
	return seconds
}

// readOnly reads and decodes a recording without judging it.
func readOnly(source io.Reader) error {
	for _, err := range contract.Read("bench.ndjson", source).Items() {
		if err != nil {
			return err
		}
	}
	return nil
}

// peakMemory is the most memory in use, in MiB, while the first tenth of a recording was read, and while all of it was.
type peakMemory struct {
	begin uint64
	tenth int
	peaks [2]float64
}

func (h *peakMemory) sample(n int) {
	if n%5000 != 0 {
		return
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	peak := (float64(m.HeapAlloc) - float64(h.begin)) / (1 << 20)
	if h.peaks[1] = max(h.peaks[1], peak); n <= h.tenth {
		h.peaks[0] = h.peaks[1]
	}
}

// lines is a reader of a recording of n exchanges, each made when it is read.
type lines struct {
	traffic
	n, next int
	rest    []byte
	each    func(n int)
}

// Read implements io.Reader.
func (l *lines) Read(b []byte) (int, error) {
	if len(l.rest) == 0 {
		if l.next == l.n {
			return 0, io.EOF
		}
		line := l.line(l.next)
		l.next++
		l.each(l.next)
		_, after, _ := bytes.Cut(line, []byte(","))
		l.rest = append(fmt.Appendf(nil, `{"seq":%d,`, l.next), after...)
	}
	n := copy(b, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}
