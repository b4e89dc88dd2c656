package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"time"

	"go.yaml.in/yaml/v4"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/engine/process"
	"svc.example/understudy/internal/tools/must"
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
func typicalJournal(ctx context.Context) (list [][]byte) {
	opts := []mockserver.Option{mockserver.WithScenario(fullScenario), mockserver.WithClock("frozen")}
	for _, name := range specs.Interfaces() {
		opts = append(opts, mockserver.WithBaseURL(name, mockserver.DefaultBaseURL(name)))
	}
	s := must.Get(mockserver.New(opts...))
	world := s.World("")
	for _, a := range typicalRequests() {
		method, path, _ := strings.Cut(a[1], " ")
		r := must.Get(http.NewRequestWithContext(ctx, method, "https://"+a[0]+".svc.example"+path, strings.NewReader(a[2])))
		r.Header.Set("Authorization", "SVC1 1/admin")
		r.Header.Set("X-Request-Id", marker)
		if a[2] != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		response, err := world.Client().Do(r)
		must.Do(err)
		_ = response.Body.Close()
	}
	journal := must.Get(world.Journal())
	for i := range journal {
		var b bytes.Buffer
		must.Do(recording.Write(&b, &journal[i]))
		list = append(list, poolID.ReplaceAll(b.Bytes(), []byte("${1}"+poolNumber+"${2}")))
	}
	return list
}

// traffic is a recording of any length: the line of each exchange, by its number from 0 on.
type traffic struct {
	kinds int // exchanges before they come again, with other names, ids and times
	line  func(i int) []byte
	alike string // describes how many exchanges are the same
}

// repeatedTraffic returns the traffic of a mock whose clients do the same few things, each time with other names.
func repeatedTraffic(ctx context.Context) traffic {
	templates := typicalJournal(ctx)
	return traffic{kinds: len(templates), alike: "no two alike", line: func(i int) []byte {
		round := i / len(templates)
		line := bytes.ReplaceAll(templates[i%len(templates)], []byte(marker), fmt.Appendf(nil, "%s_%d", marker, round))
		return bytes.ReplaceAll(line, []byte(poolNumber), fmt.Appendf(nil, "%d", 1000+round))
	}}
}

// checkRecording judges a long recording of a mock's own traffic, in which every exchange differs from the others, and
// compares that with reading it and no more. The recording is made while it is read, so that memory is the checker's.
func checkRecording(exchanges int, recording func(context.Context) traffic) func(context.Context) (string, string) {
	return func(ctx context.Context) (string, string) {
		t, engine := recording(ctx), newSecondProcess(ctx)
		defer engine.Close()
		checker := must.Get(contract.NewChecker(contract.WithEngine(engine)))
		check := func(n int, each func(int)) {
			mustConform(ctx, checker, &lines{n: n, traffic: t, each: each})
		}
		check(t.kinds, func(int) {}) // what the engines load they load once
		h := &peakMemory{begin: heap(), tenth: exchanges / 10}
		checked := timed(func() {
			defer engine.Close() // from then on its CPU time counts as this one's
			check(exchanges, h.sample)
		})
		read := timed(func() { // and decoded, but not judged
			lines := &lines{n: exchanges, traffic: t, each: func(int) {}}
			for _, err := range contract.Read("bench.ndjson", lines).Items() {
				must.Do(err)
			}
		})
		n := float64(exchanges)
		return fmt.Sprintf("%.0f/s", n/checked.wall),
			fmt.Sprintf("%d exchanges of %d kinds, %s; %.2f of the speed of reading them (%.0f/s, on one core); "+
				"%.0f µs of CPU each with the second engine's process, %.1f times as much as to read it; peak heap %.0f MiB "+
				"after a tenth of them, %.0f MiB after all",
				exchanges, t.kinds, t.alike, read.wall/checked.wall, n/read.wall, checked.cpu/n*1e6, checked.cpu/read.cpu,
				h.peaks[0], h.peaks[1])
	}
}

// duration holds wall and CPU time in seconds. CPU time depends less on what else the machine does.
type duration struct{ wall, cpu float64 }

func timed(run func()) duration {
	begin, start := cpuSeconds(), time.Now()
	run()
	return duration{time.Since(start).Seconds(), cpuSeconds() - begin}
}

// mustConform judges a recording, which has to conform.
func mustConform(ctx context.Context, checker *contract.Checker, recording io.Reader) {
	if r := must.Get(checker.Check(ctx, contract.Read("bench.ndjson", recording))); r.Failed() {
		must.Fatalf("%s", r.Outcome())
	}
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

// build builds a command of this module into the temporary folder.
func build(ctx context.Context, name string) (binary string) {
	binary = filepath.Join(os.TempDir(), name)
	command := exec.CommandContext(ctx, "go", "build", "-C", "../..", "-o", binary, "./cmd/"+name)
	if out, err := command.CombinedOutput(); err != nil {
		must.Fatalf("build: %w: %s", err, out)
	}
	return binary
}

// newSecondProcess returns the second engine as users run it, in a process of its own.
func newSecondProcess(ctx context.Context) *process.Engine {
	return process.New(ctx, process.Config{Path: build(ctx, "understudy-libopenapi")})
}

// smallChecks measures what a check costs before it has much to do: the command with both engines, in processes of
// their own, on few exchanges of all interfaces, and on one.
func smallChecks(ctx context.Context) (string, string) {
	command, engine := build(ctx, "understudy"), build(ctx, "understudy-libopenapi")
	all := mixedTraffic(ctx)
	const number = 39
	var few, one []byte
	for i := range number {
		few = append(few, all.line(i*all.kinds/number)...)
	}
	for i := 0; i < all.kinds && one == nil; i++ {
		if line := all.line(i); bytes.Contains(line, []byte("/llm/api/agents")) {
			one = line
		}
	}
	ofFew, ofOne := cpuOfCheck(ctx, command, engine, few), cpuOfCheck(ctx, command, engine, one)
	return fmt.Sprintf("%.2f s of CPU", ofFew.Seconds()),
		fmt.Sprintf("best of ten; one exchange of the LLM interface alone: %.2f s (≤ 0.30)", ofOne.Seconds())
}

// cpuOfCheck returns the CPU time of a check of a recording, including child processes: the lowest of several runs.
func cpuOfCheck(ctx context.Context, command, engine string, text []byte) time.Duration {
	file := filepath.Join(os.TempDir(), "small.ndjson")
	must.Do(os.WriteFile(file, text, 0o600))
	best := time.Hour
	for range 10 {
		c := exec.CommandContext(ctx, command, "check", "--engine", engine, file)
		out, err := c.CombinedOutput()
		// 1: violations
		if exit, found := errors.AsType[*exec.ExitError](err); err != nil && (!found || exit.ExitCode() != 1) {
			must.Fatalf("check: %w: %s", err, out)
		}
		best = min(best, c.ProcessState.UserTime()+c.ProcessState.SystemTime())
	}
	return best
}

// checkByLarge judges a short recording by a user's own document of some 800 KB, and compares that with a document that
// is ours: the same operations without what generators write. Both are read from a file that is new to the process.
func checkByLarge(ctx context.Context) (string, string) {
	templates := typicalJournal(ctx)
	small := must.Get(specs.Source(specs.LLM, specs.Neutral))
	large := inflated(small)
	engine := newSecondProcess(ctx)
	defer engine.Close()
	second := contract.WithEngine(engine)
	best := [2]time.Duration{time.Hour, time.Hour}
	for i := range 10 {
		for n, text := range [][]byte{small, large} {
			own := fmt.Appendf(bytes.Clone(text), "\n# %d\n", i)
			best[n] = min(best[n], checkBy(ctx, second, own, templates))
		}
	}
	ratio := float64(best[1]) / float64(best[0])
	return fmt.Sprintf("%.2f", ratio), fmt.Sprintf("%d ms with %d KB, %d ms with %d KB; best of ten, reading included",
		best[1].Milliseconds(), len(large)>>10, best[0].Milliseconds(), len(small)>>10)
}

func checkBy(ctx context.Context, second contract.Option, text []byte, recording [][]byte) time.Duration {
	file := filepath.Join(os.TempDir(), "own.yaml")
	must.Do(os.WriteFile(file, text, 0o600))
	start := time.Now()
	checker := must.Get(contract.NewChecker(second, contract.WithSpec(specs.LLM, file)))
	mustConform(ctx, checker, bytes.NewReader(bytes.Join(recording, nil)))
	return time.Since(start)
}

// inflated returns a document as generators write it: each operation has its parameters and answers in full and a long
// description, and there are schemas that nothing refers to.
func inflated(source []byte) []byte {
	var doc map[string]any
	must.Do(yaml.Unmarshal(source, &doc))
	components, _ := doc["components"].(map[string]any)
	doc["paths"] = inlined(doc["paths"], components)
	if schemas, ok := components["schemas"].(map[string]any); ok {
		for i := range 200 {
			schemas[fmt.Sprintf("Unneeded%d", i)] = map[string]any{
				"type": "object", "description": strings.Repeat("This is not needed. ", 20),
				"properties": map[string]any{"next": map[string]any{"$ref": fmt.Sprintf("#/components/schemas/Unneeded%d",
					(i+1)%200)}},
			}
		}
	}
	return must.Get(yaml.Marshal(doc))
}

// inlined replaces references to parameters and responses by what they refer to.
func inlined(node any, components map[string]any) any {
	switch node := node.(type) {
	case []any:
		for i := range node {
			node[i] = inlined(node[i], components)
		}
	case map[string]any:
		ref, _ := node["$ref"].(string)
		kind, name, _ := strings.Cut(strings.TrimPrefix(ref, "#/components/"), "/")
		if list, ok := components[kind].(map[string]any); ok && (kind == "parameters" || kind == "responses") {
			return list[name]
		}
		for key := range node {
			node[key] = inlined(node[key], components)
		}
	}
	return node
}
