package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"svc.example/understudy/contract"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// start builds the binary and takes the best of ten starts, from exec to the answer of a first request.
func start(ctx context.Context) (string, string, error) {
	dir, err := os.MkdirTemp("", "understudy-bench")
	if err != nil {
		return "", "", err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // the system clears it, too
	binary := filepath.Join(dir, "understudy")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "svc.example/understudy/cmd/understudy")
	if out, err := build.CombinedOutput(); err != nil {
		return "", "", fmt.Errorf("build: %w: %s", err, out)
	}
	best, worst := time.Hour, time.Duration(0)
	for range 10 {
		took, err := startOnce(ctx, binary)
		if err != nil {
			return "", "", err
		}
		best, worst = min(best, took), max(worst, took)
	}
	detail := fmt.Sprintf("%s; best of ten, the worst %d ms", interfaces(), worst.Milliseconds())
	return fmt.Sprintf("%d ms", best.Milliseconds()), detail, nil
}

func interfaces() string {
	return fmt.Sprintf("%d documents", len(specs.Interfaces()))
}

func startOnce(ctx context.Context, binary string) (time.Duration, error) {
	begin := time.Now()
	command := exec.CommandContext(ctx, binary, "serve", "--listen", "127.0.0.1:0")
	out, err := command.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := command.Start(); err != nil {
		return 0, err
	}
	defer func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	}()
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		return 0, err
	}
	var ready struct {
		Interfaces map[string]string `json:"interfaces"`
	}
	if err := json.Unmarshal(line, &ready); err != nil {
		return 0, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, ready.Interfaces[specs.Workflow]+"/api/pools", nil)
	if err != nil {
		return 0, err
	}
	r.Header.Set("Authorization", "SVC1 1/admin")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("the first answer is %s", response.Status)
	}
	return time.Since(begin), nil
}

// checkRecording judges a long recording of a mock's own traffic, in which every exchange differs from the others. The
// recording is made while it is read, so that memory is the checker's.
func checkRecording(ctx context.Context) (string, string, error) {
	line, err := recordedCreation(ctx)
	if err != nil {
		return "", "", err
	}
	checker, err := contract.NewChecker()
	if err != nil {
		return "", "", err
	}
	begin := heap()
	const exchanges = 200_000
	var peaks [2]float64 // MiB, of the first tenth and of all
	source := &lines{n: exchanges, line: line, each: func(n int) {
		if n%5000 != 0 {
			return
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		peak := (float64(m.HeapAlloc) - float64(begin)) / (1 << 20)
		if peaks[1] = max(peaks[1], peak); n <= exchanges/10 {
			peaks[0] = peaks[1]
		}
	}}
	start := time.Now()
	if _, err := checker.Check(ctx, contract.Read("bench.ndjson", source)); err != nil {
		return "", "", err
	}
	return fmt.Sprintf("%.0f/s", exchanges/time.Since(start).Seconds()),
		fmt.Sprintf("%d exchanges, no two alike; peak heap %.0f MiB after a tenth of them, %.0f MiB after all",
			exchanges, peaks[0], peaks[1]), nil
}

// lines is a recording of n exchanges, each made when it is read.
type lines struct {
	n, next int
	line    []byte
	rest    []byte
	each    func(n int)
}

// Read implements io.Reader.
func (l *lines) Read(b []byte) (int, error) {
	if len(l.rest) == 0 {
		if l.next == l.n {
			return 0, io.EOF
		}
		l.next++
		l.each(l.next)
		l.rest = bytes.ReplaceAll(l.line, []byte("bench-pool"), fmt.Appendf(nil, "bench-pool-%d", l.next))
		l.rest = bytes.Replace(l.rest, []byte(`"seq":1,`), fmt.Appendf(nil, `"seq":%d,`, l.next), 1)
	}
	n := copy(b, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

func recordedCreation(context.Context) ([]byte, error) {
	s, err := mockserver.New(mockserver.WithScenario("empty"), mockserver.WithClock("frozen"),
		mockserver.WithBaseURL(specs.Workflow, mockserver.DefaultBaseURL(specs.Workflow)))
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequest(http.MethodPost, "https://workflow.svc.example/api/pools", //nolint:noctx // in process
		bytes.NewReader([]byte(`{"name":"bench-pool","concurrencyLimit":1}`)))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "SVC1 1/admin")
	r.Header.Set("Content-Type", "application/json")
	response, err := s.World("").Client().Do(r)
	if err != nil {
		return nil, err
	}
	_ = response.Body.Close()
	journal, err := s.World("").Journal()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = recording.Write(&b, &journal[0])
	return b.Bytes(), err
}
