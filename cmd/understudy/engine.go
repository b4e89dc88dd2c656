package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"svc.example/understudy/contract/engine"
	"svc.example/understudy/contract/engine/process"
)

const (
	engineName = "understudy-libopenapi" // the executable of the second engine
	noEngine   = "none"
)

// withoutEngine is the note in a report that only one engine judged, although the user did not ask for that.
const withoutEngine = "only one engine judged: " + engineName +
	", the second engine, was not found beside understudy or on " +
	"PATH; install it with go install ./cmd/understudy-libopenapi in the repository, or choose --engine none"

func addEngineFlag(c *cobra.Command, path *string) {
	c.Flags().StringVar(path, "engine", "",
		"the executable `FILE` of the second engine, or none (default: "+engineName+", beside this\none or on PATH)")
}

// secondEngine returns the second engine of a check, or nil, with a note if the user did not ask for
// only one.
func secondEngine(ctx context.Context, path string) (e *process.Engine, note string, err error) {
	switch path {
	case noEngine:
		return nil, "", nil
	case "":
		if path = besideOrOnPath(); path == "" {
			return nil, withoutEngine, nil
		}
	default:
		if path, err = exec.LookPath(path); err != nil && !errors.Is(err, exec.ErrDot) {
			return nil, "", fmt.Errorf("--engine: want the file of %s, or none: %w", engineName, err)
		}
	}
	return process.New(ctx, process.Config{Path: path, Name: engine.Libopenapi}), "", nil
}

// besideOrOnPath returns the path of the second engine, or the empty string.
func besideOrOnPath() string {
	if own, err := os.Executable(); err == nil {
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(own), engineName)); err == nil {
			return path
		}
	}
	path, err := exec.LookPath(engineName)
	if err != nil {
		return ""
	}
	return path
}
