package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// smallChecks measures what a check costs before it has much to do: the command with both engines, in processes of
// their own, on few exchanges of all interfaces, and on one.
func smallChecks(ctx context.Context) (string, string, error) {
	command, remove, err := build(ctx, "understudy")
	if err != nil {
		return "", "", err
	}
	defer remove()
	engine, removeEngine, err := build(ctx, "understudy-libopenapi")
	if err != nil {
		return "", "", err
	}
	defer removeEngine()
	all, err := mixedTraffic(ctx)
	if err != nil {
		return "", "", err
	}
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
	file := filepath.Join(filepath.Dir(command), "small.ndjson")
	ofFew, err := cpuOfCheck(ctx, command, engine, file, few)
	if err != nil {
		return "", "", err
	}
	ofOne, err := cpuOfCheck(ctx, command, engine, file, one)
	return fmt.Sprintf("%.2f s of CPU", ofFew.Seconds()),
		fmt.Sprintf("best of ten; one exchange of the LLM interface alone: %.2f s (≤ 0.30)", ofOne.Seconds()), err
}

// cpuOfCheck returns the CPU time of a check of a recording, with that of its children, at best.
func cpuOfCheck(ctx context.Context, command, engine, file string, text []byte) (time.Duration, error) {
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return 0, err
	}
	best := time.Hour
	for range 10 {
		c := exec.CommandContext(ctx, command, "check", "--engine", engine, file)
		out, err := c.CombinedOutput()
		// 1: violations
		if exit, found := errors.AsType[*exec.ExitError](err); err != nil && (!found || exit.ExitCode() != 1) {
			return 0, fmt.Errorf("check: %w: %s", err, out)
		}
		best = min(best, c.ProcessState.UserTime()+c.ProcessState.SystemTime())
	}
	return best, nil
}
