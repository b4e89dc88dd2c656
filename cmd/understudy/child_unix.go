//go:build unix

package main

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// otherSignals are those beside SIGINT and SIGTERM that would end this process at once if it did not handle them.
var otherSignals = []os.Signal{syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2}

// passedOn are the signals that a command gets from its server.
var passedOn = append([]os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT}, otherSignals...)

// isOfTerminal reports whether a terminal sends a signal to all processes in its foreground.
func isOfTerminal(s os.Signal) bool { return s == syscall.SIGINT || s == syscall.SIGQUIT }

// sharesTerminal reports whether this process is in the foreground of a terminal. Its command then stays in the same
// group, so that it may read from the terminal, and gets what is typed there, Ctrl-C included.
func sharesTerminal() bool {
	for fd := range 3 {
		if group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP); err == nil {
			return group == unix.Getpgrp()
		}
	}
	return false
}

// signalOf returns the number of the signal that ended a process, or 0.
func signalOf(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return int(status.Signal())
	}
	return 0
}
