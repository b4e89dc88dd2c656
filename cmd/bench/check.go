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
	"time"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/capture"
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

// asked is what clients do with several interfaces: making things, looking them up, listing them.
func asked() [][3]string {
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

// recorded is a mock's journal of these, a line each.
func recorded(ctx context.Context) ([][]byte, error) {
	opts := []mockserver.Option{mockserver.WithScenario(whole), mockserver.WithClock("frozen")}
	for _, name := range specs.Interfaces() {
		opts = append(opts, mockserver.WithBaseURL(name, mockserver.DefaultBaseURL(name)))
	}
	s, err := mockserver.New(opts...)
	if err != nil {
		return nil, err
	}
	world := s.World("")
	for _, a := range asked() {
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

// checkRecording judges a long recording of a mock's own traffic, in which every exchange differs from the others, and
// compares that with reading it and no more. The recording is made while it is read, so that memory is the checker's.
func checkRecording(exchanges int) func(context.Context) (string, string, error) {
	return func(ctx context.Context) (string, string, error) {
		templates, err := recorded(ctx)
		if err != nil {
			return "", "", err
		}
		checker, err := contract.NewChecker()
		if err != nil {
			return "", "", err
		}
		check := func(n int, each func(int)) error {
			r, err := checker.Check(ctx, contract.Read("bench.ndjson", &lines{n: n, templates: templates, each: each}))
			if err == nil && r.Failed() {
				err = errors.New(r.Outcome())
			}
			return err
		}
		if err := check(len(templates), func(int) {}); err != nil { // the engines are made once in a process
			return "", "", err
		}
		h := &highest{begin: heap(), tenth: exchanges / 10}
		start := time.Now()
		if err := check(exchanges, h.sample); err != nil {
			return "", "", err
		}
		checked := time.Since(start)
		read, err := readOnly(&lines{n: exchanges, templates: templates, each: func(int) {}})
		if err != nil {
			return "", "", err
		}
		perSecond := func(took time.Duration) float64 { return float64(exchanges) / took.Seconds() }
		return fmt.Sprintf("%.0f/s", perSecond(checked)),
			fmt.Sprintf("%d exchanges of %d kinds, no two alike; %.2f of the speed of reading them (%.0f/s, on one core); "+
				"peak heap %.0f MiB after a tenth of them, %.0f MiB after all", exchanges, len(templates),
				perSecond(checked)/perSecond(read), perSecond(read), h.peaks[0], h.peaks[1]), nil
	}
}

// readOnly is how long it takes to read and decode a recording.
func readOnly(source io.Reader) (time.Duration, error) {
	start := time.Now()
	for _, err := range capture.Read("bench.ndjson", source).Items() {
		if err != nil {
			return 0, err
		}
	}
	return time.Since(start), nil
}

// highest is the most memory in use, in MiB, while the first tenth of a recording was read, and while all of it was.
type highest struct {
	begin uint64
	tenth int
	peaks [2]float64
}

func (h *highest) sample(n int) {
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

// lines is a recording of n exchanges, each made when it is read out of the next template.
type lines struct {
	n, next   int
	templates [][]byte
	rest      []byte
	each      func(n int)
}

// Read implements io.Reader.
func (l *lines) Read(b []byte) (int, error) {
	if len(l.rest) == 0 {
		if l.next == l.n {
			return 0, io.EOF
		}
		template := l.templates[l.next%len(l.templates)]
		round := l.next / len(l.templates)
		l.next++
		l.each(l.next)
		l.rest = bytes.ReplaceAll(template, []byte(marker), fmt.Appendf(nil, "%s_%d", marker, round))
		l.rest = bytes.ReplaceAll(l.rest, []byte(poolNumber), fmt.Appendf(nil, "%d", 1000+round))
		_, after, _ := bytes.Cut(l.rest, []byte(","))
		l.rest = append(fmt.Appendf(nil, `{"seq":%d,`, l.next), after...)
	}
	n := copy(b, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}
