package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"svc.example/understudy/contract/engine/process"
)

// build builds a command of this module into a folder of its own, which remove takes away.
func build(ctx context.Context, name string) (binary string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "understudy-bench")
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) } // the system clears it, too
	binary = filepath.Join(dir, name)
	command := exec.CommandContext(ctx, "go", "build", "-o", binary, "svc.example/understudy/cmd/"+name)
	if out, err := command.CombinedOutput(); err != nil {
		remove()
		return "", nil, fmt.Errorf("build: %w: %s", err, out)
	}
	return binary, remove, nil
}

// secondProcess is the second engine as users run it, in a process of its own.
type secondProcess struct {
	*process.Engine
	remove func()
}

func newSecondProcess(ctx context.Context) (*secondProcess, error) {
	binary, remove, err := build(ctx, "understudy-libopenapi")
	if err != nil {
		return nil, err
	}
	return &secondProcess{process.New(ctx, process.Config{Path: binary}), remove}, nil
}

// end ends the process. What it did counts as this one's from then on.
func (s *secondProcess) end() {
	s.Close()
	s.remove()
}
