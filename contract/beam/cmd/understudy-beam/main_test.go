package main_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"

	command "svc.example/understudy/contract/beam/cmd/understudy-beam"
	"svc.example/understudy/contract/beam/pipeline"
)

// role is the environment variable that makes the test binary another program.
const role = "UNDERSTUDY_BEAM_TEST"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "command":
		command.Main()
	case "workers":
		workers()
	default:
		os.Exit(m.Run())
	}
}

// workers runs workers in this process, for a runner that asks for them at the address that it prints, until standard
// input ends.
func workers() {
	pipeline.Register()
	beam.Init()
	pool, err := extworker.StartLoopback(context.Background(), 0)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Fprintln(os.Stdout, pool.EnvironmentConfig(context.Background()))
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// runAs returns the test binary as another program, with a folder for temporary files of its own.
func runAs(t *testing.T, as string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self, args...)
	c.Env = append(os.Environ(), role+"="+as, "TMPDIR="+t.TempDir())
	return c
}

// understudyBeam runs the command, and returns what it writes and its exit code.
func understudyBeam(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	c := runAs(t, "command", args...)
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); c.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), c.ProcessState.ExitCode()
}
