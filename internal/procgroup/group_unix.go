//go:build unix

package procgroup

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// Others are the signals beside SIGINT and SIGTERM that would end this process at once if it did not handle them.
var Others = []os.Signal{syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2}

// PassedOn are the signals that a command gets from its server.
var PassedOn = append([]os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT}, Others...)

// IsOfTerminal reports whether a terminal sends a signal to all processes in its foreground.
func IsOfTerminal(s os.Signal) bool { return s == syscall.SIGINT || s == syscall.SIGQUIT }

// SharesTerminal reports whether this process is in the foreground of a terminal. Its command then stays in the same
// group, so that it may read from the terminal, and gets what is typed there, Ctrl-C included.
func SharesTerminal() bool {
	for fd := range 3 {
		if group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP); err == nil {
			return group == unix.Getpgrp()
		}
	}
	return false
}

// Separate makes a command the first of a process group of its own.
func Separate(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
}

// Signal sends a signal to all processes in the group of a command that Separate was called for.
func Signal(p *os.Process, s os.Signal) error {
	if number, ok := s.(syscall.Signal); ok {
		return syscall.Kill(-p.Pid, number)
	}
	return p.Signal(s)
}
