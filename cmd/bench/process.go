package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"svc.example/understudy/specs"
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
