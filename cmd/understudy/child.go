package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"svc.example/understudy/internal/procgroup"
)

// Exit codes of a command that was not run, as shells have them.
const (
	exitNotStarted = 126
	exitNotFound   = 127
	exitSignal     = 128
)

// childGrace is the time that a command has to end after SIGTERM when its server has failed.
const childGrace = 10 * time.Second

// onlyCommand refuses arguments before --, and a -- with nothing behind it.
func onlyCommand(c *cobra.Command, args []string) error {
	switch at := c.ArgsLenAtDash(); {
	case at == 0 && len(args) > 0, at < 0 && len(args) == 0:
		return nil
	case at == 0:
		return fmt.Errorf("want a command after --, as in -- go test ./...; see %s --help", c.CommandPath())
	}
	return fmt.Errorf("want no arguments, only flags, and a command after --, as in -- go test ./...; see %s --help",
		c.CommandPath())
}

// around is a server that runs around a command, or by itself if there is none.
type around struct {
	c           *cobra.Command
	command     []string
	environment []string
	log         *slog.Logger

	end   context.CancelFunc // of the server
	child *child
}

// context returns the one that ends the server: with the first signal, or with the command.
func (a *around) context() context.Context {
	if len(a.command) == 0 {
		return a.c.Context()
	}
	ctx, end := context.WithCancel(context.WithoutCancel(a.c.Context()))
	a.end = end
	return ctx
}

// ready is for the server to call when it can be used. It starts the command, or writes the line that says so.
func (a *around) ready(write func(io.Writer) error) (err error) {
	if len(a.command) == 0 {
		return write(a.c.OutOrStdout())
	}
	a.child, err = startChild(a)
	return err
}

// run runs the server, and returns its error, with the exit code of the command if that has failed.
func (a *around) run(serve func() error) error {
	err := serve()
	if a.end != nil {
		a.end()
	}
	if a.child == nil {
		return err
	}
	a.child.terminate()
	code, why := a.child.exit()
	if code == 0 {
		return err
	}
	return &exitError{code, errors.Join(why, err)}
}

// child is a command that runs.
type child struct {
	cmd     *exec.Cmd
	shares  bool // the terminal signals it as well
	signals chan os.Signal
	done    chan struct{} // closed when it has ended
	err     error         // then
}

// startChild starts the command. When it ends, so does the server.
func startChild(a *around) (*child, error) {
	cmd := exec.Command(a.command[0], a.command[1:]...) //nolint:gosec,noctx // what the user asks for; it gets signals
	cmd.Env = append(os.Environ(), a.environment...)
	cmd.Stdin, cmd.Stdout = a.c.InOrStdin(), a.c.OutOrStdout()
	if cmd.Stderr = a.c.ErrOrStderr(); cmd.Stdout == os.Stdout {
		cmd.Stderr = os.Stderr // as it is: the command's lines are its own
	}
	child := &child{cmd: cmd, signals: make(chan os.Signal, 16), done: make(chan struct{})}
	cmd.WaitDelay = childGrace // for output that goes through a pipe, which what the command leaves behind may hold open
	if child.shares = procgroup.SharesTerminal(); !child.shares {
		procgroup.Separate(cmd) // so that signals reach what it starts as well
	}
	procgroup.EndWithParent(cmd)
	signal.Notify(child.signals, heeded(procgroup.PassedOn)...)
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // the command ends with the thread that starts it
		defer runtime.UnlockOSThread()
		defer a.end()
		if err := cmd.Start(); err != nil {
			started <- err
			return
		}
		started <- nil
		if child.err = cmd.Wait(); errors.Is(child.err, exec.ErrWaitDelay) {
			child.err = nil // the command itself has succeeded
		}
		close(child.done)
	}()
	if err := <-started; err != nil {
		signal.Stop(child.signals)
		code := exitNotStarted
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
			code = exitNotFound
		}
		return nil, &exitError{code, fmt.Errorf("run the command %s: %w", a.command[0], err)}
	}
	a.log.Debug("started the command", "pid", cmd.Process.Pid)
	go child.passOn()
	return child, nil
}

// passOn passes signals on until the command has ended.
func (c *child) passOn() {
	for {
		select {
		case <-c.done:
			signal.Stop(c.signals)
			return
		case s := <-c.signals:
			if !c.shares || !procgroup.IsOfTerminal(s) {
				c.signal(s)
			}
		}
	}
}

// terminate ends a command that still runs, and what it has left behind.
func (c *child) terminate() {
	select {
	case <-c.done:
	default:
		c.signal(syscall.SIGTERM)
		select {
		case <-c.done:
		case <-time.After(childGrace):
			c.signal(os.Kill)
			<-c.done
		}
	}
	if !c.shares {
		c.signal(syscall.SIGTERM)
	}
}

// signal sends a signal to the command, and to what it has started unless it shares a group with this process. They may
// have ended already.
func (c *child) signal(s os.Signal) {
	if c.shares {
		_ = c.cmd.Process.Signal(s)
		return
	}
	_ = procgroup.Signal(c.cmd.Process, s)
}

// exit returns the exit code that says how the command has ended, and an error if that is not the command's own.
func (c *child) exit() (int, error) {
	exit, ok := errors.AsType[*exec.ExitError](c.err)
	switch {
	case c.err == nil:
		return 0, nil
	case !ok:
		return exitTrouble, fmt.Errorf("run the command %s: %w", c.cmd.Path, c.err)
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return exitSignal + int(status.Signal()), fmt.Errorf("%s was ended by a signal: %v", c.cmd.Path, status.Signal())
	}
	return exit.ExitCode(), nil
}
